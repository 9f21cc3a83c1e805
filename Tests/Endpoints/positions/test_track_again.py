"""`muster track` where a person does what nobody thought of: another file between, a great speed, a wrong address."""

from tracking_phone import Phone, await_positions, check, member, password, write_walk


def test_a_walk_interrupted_by_another_resumes_where_it_was(make_server, tmp_path):
    server = make_server().start()
    member(server)
    walk, other = write_walk(tmp_path / "walk.gpx", 80), write_walk(tmp_path / "other.gpx", 5)
    # A walk of 27 s, which is not over when it is interrupted, however long this machine pauses.
    phone = Phone(tmp_path / "phone", server.address, walk, ["--speed", "60"])
    phone.sign_in()
    await_positions(server, 5, phone)
    phone.kill()
    phone.arguments[1] = str(other)
    phone.start()
    phone.wait()
    phone.arguments[1] = str(walk)
    phone.start()
    assert "Done: 85 locations" in phone.wait()
    assert len(server.admin().history("ann/phone")) == 85
    # Where it went on is not known any more: nothing is recorded anew unasked.
    for file in (tmp_path / "phone" / "store").glob("walk*.json"):
        file.write_text("{")
    phone.start()
    assert "is damaged" in phone.wait(status=1)
    assert len(server.admin().history("ann/phone")) == 85


def test_fixes_that_come_together_at_a_great_speed_are_all_kept(make_server, tmp_path):
    server = make_server().start()
    member(server)
    walk = write_walk(tmp_path / "walk.gpx", 60)
    walk.write_text(walk.read_text().replace("<trkseg>", '<trkseg><trkpt lat="1" lon="2"/>'))
    phone = Phone(tmp_path / "phone", server.address, walk, ["--speed", "1000000"])
    phone.start()
    told = phone.wait()
    assert "Done: 60 locations" in told and "left out: 1" in told
    check(server, 60)


def test_an_address_without_a_muster_server_signs_nobody_in(make_server, tmp_path):
    server = make_server().start()
    member(server)
    phone = Phone(tmp_path / "phone", server.address + "/nowhere", write_walk(tmp_path / "walk.gpx", 3))
    phone.start()
    told = phone.wait(status=1)
    assert "neither a Muster nor a CouchDB" in told and "Signed in" not in told
    # By the way of CouchDB's clients a wrong password is told too, and the right one is good.
    phone.arguments[phone.arguments.index("--server") + 1] = server.address + "/couchdb"
    phone.password.write_text("another password\n")
    phone.start()
    told = phone.wait(status=1)
    assert "incorrect" in told and "Signed in" not in told
    phone.password.write_text(password + "\n")
    phone.arguments += ["--speed", "100"]
    phone.start()
    phone.wait()
    check(server, 3)
