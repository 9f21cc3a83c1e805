"""`muster track`, a whole client made of MusterKit, against a server that dies and a network that cuts."""

import json
import os
import random
import time

from cutting_proxy import CuttingProxy
from muster_process import run
from native_api import box, polygon
from picky_proxy import PickyProxy
from tracking_phone import Phone, await_positions, check, locations, member, password, write_walk
from waiting import eventually


def test_a_walk_arrives_whole(make_server, tmp_path):
    server = make_server().start()
    member(server)
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 60), ["--speed", "400"])
    phone.start()
    told = phone.wait()
    assert "Done: 60 locations" in told
    # Nothing is said where there is nothing to say.
    assert "; 0 new" not in told
    assert password not in told
    check(server, 60)


def test_a_walk_recorded_offline_arrives_afterwards(make_server, tmp_path):
    server = make_server().start()
    member(server)
    walk = write_walk(tmp_path / "walk.gpx", 60)
    phone = Phone(
        tmp_path / "phone", server.address, walk,
        ["--speed", "300", "--offline-from", "0", "--offline-until", "25"])
    phone.start()
    told = phone.wait()
    assert "kept here: the peer cannot be reached" in told
    check(server, 60)


def test_the_server_is_killed_and_started_again(make_server, tmp_path):
    server = make_server().start()
    member(server)
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 100), ["--speed", "80"])
    phone.sign_in()
    # Long before the walk of 25 s is over, however long this machine pauses.
    for arrived in (5, 12):
        await_positions(server, arrived, phone)
        missed = phone.missed()
        server.kill()
        phone.wait_until(lambda: phone.missed() > missed)
        server.start()
    phone.wait()
    check(server, 100)


def test_client_and_server_are_killed_at_any_moment(make_server, tmp_path):
    seed = int(os.environ.get("MUSTER_SEED", "7"))
    print(f"seed {seed}")
    chance = random.Random(seed)
    server = make_server().start()
    member(server)
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 200), ["--speed", "350"])
    phone.sign_in()
    for _ in range(6):
        time.sleep(chance.uniform(0.2, 1.5))
        if chance.random() < 0.6:
            phone.kill()
            phone.start()
        else:
            server.kill()
            server.start()
    phone.wait()
    check(server, 200)


def test_a_network_that_cuts_at_any_byte(make_server, tmp_path):
    seed = int(os.environ.get("MUSTER_SEED", "11"))
    print(f"seed {seed}")
    server = make_server().start()
    member(server)
    walk = write_walk(tmp_path / "walk.gpx", 150)
    proxy = CuttingProxy(server.port, seed, cut=0)
    phone = Phone(tmp_path / "phone", proxy.address, walk, ["--speed", "120"])
    # Signed in by the good network; then it gets bad.
    phone.sign_in()
    proxy.most_bytes = 4_000
    proxy.worsen(1)
    phone.wait_until(lambda: proxy.cuts >= 8)
    proxy.heal()
    phone.wait()
    check(server, 150)


def test_a_fence_is_crossed_on_the_device_by_the_regions_of_the_server(make_server, tmp_path):
    server = make_server().start()
    # The walk goes from 52.0 to 52.0177 along 13.1.
    server.admin().make_team("walkers", [polygon("yard", box(13.09, 52.005, 13.11, 52.01))])
    server.admin().ok("POST", "/users", {
        "name": "ann", "role": "member", "team": "walkers", "password": password})
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 60), ["--speed", "400"])
    phone.start()
    told = phone.wait()
    assert told.count("Entered yard") == 1 and told.count("Left yard") == 1
    assert told.index("Entered yard") < told.index("Left yard")


def test_a_wrong_password_and_a_walk_without_times_are_errors_of_one_sentence(make_server, tmp_path):
    server = make_server().start()
    member(server)
    walk = write_walk(tmp_path / "walk.gpx", 3)
    words = ["track", walk, "--server", server.address, "--user", "ann", "--store", tmp_path / "store"]
    told = run(*words, status=1, environment={"MUSTER_PASSWORD": "wrong"})
    assert "the server refuses" in told
    still = tmp_path / "still.gpx"
    still.write_text('<gpx><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>')
    words[1] = still
    told = run(*words, status=1, environment={"MUSTER_PASSWORD": password})
    assert "no point of the file says when it was" in told


def test_another_file_is_another_walk_and_the_same_file_resumes_at_its_speed(make_server, tmp_path):
    server = make_server().start()
    member(server)
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 10), ["--speed", "2000"])
    phone.start()
    phone.wait()
    phone.arguments[-1] = "1"
    phone.start()
    told = phone.wait()
    assert "continues at that speed" in told and "This walk is over" in told
    check(server, 10)
    phone.arguments[1] = str(write_walk(tmp_path / "other.gpx", 12))
    phone.arguments[-1] = "2000"
    phone.start()
    assert "Done: 22 locations" in phone.wait()
    assert len(locations(server)) == 22
    phone.arguments[1] = str(tmp_path / "walk.gpx")
    phone.start()
    assert phone.wait().count("Done: 22 locations") == 2
    assert len(locations(server)) == 22


def test_a_user_cannot_record_into_anothers_store(make_server, tmp_path):
    server = make_server().start()
    member(server)
    run("user", "add", "bob", "--password-stdin", data=server.data, text=password + "\n")
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 10), ["--speed", "2000"])
    phone.start()
    phone.wait()
    told = run("track", tmp_path / "walk.gpx", "--server", server.address, "--user", "bob", "--store",
               tmp_path / "phone" / "store", status=1, environment={"MUSTER_PASSWORD": password})
    assert "holds the locations of ann" in told


def test_a_moved_server_needs_a_new_sign_in(make_server, tmp_path):
    server = make_server().start()
    member(server)
    proxy = CuttingProxy(server.port, 1, cut=0)
    phone = Phone(tmp_path / "phone", proxy.address, write_walk(tmp_path / "walk.gpx", 10), ["--speed", "2000"])
    phone.start()
    phone.wait()
    proxy.close()
    phone.arguments[phone.arguments.index("--server") + 1] = server.address
    phone.start()
    assert phone.wait().count("Done: 10 locations") == 2
    check(server, 10)


def walked(server, tmp_path):
    """A phone that has brought ten locations, and is about to walk twelve more."""
    member(server)
    phone = Phone(tmp_path / "phone", server.address, write_walk(tmp_path / "walk.gpx", 10), ["--speed", "2000"])
    phone.start()
    phone.wait()
    phone.arguments[1] = str(write_walk(tmp_path / "other.gpx", 12))
    return phone


def test_a_changed_password_is_used_once_it_is_given(make_server, tmp_path):
    server = make_server().start()
    phone = walked(server, tmp_path)
    run("user", "password", "ann", data=server.data, text="another secret\n")
    # With the old one in hand it ends, and says why; what it recorded is kept.
    phone.start()
    told = phone.wait(status=1)
    assert told.count("Signed in as ann, as before") == 1
    assert "sign in again" in told and "Everything is kept" in told
    assert len(server.admin().history("ann/phone")) == 10
    phone.password.write_text("another secret\n")
    phone.start()
    told = phone.wait()
    assert "Signed in again as ann" in told and "Done: 22 locations" in told
    assert "another secret" not in told and password not in told
    assert len(server.admin().history("ann/phone")) == 22


def test_a_key_displaced_by_newer_ones_is_renewed_without_asking(make_server, tmp_path):
    server = make_server().start()
    phone = walked(server, tmp_path)
    for _ in range(17):
        server.api().ok("POST", "//api/login", {"username": "ann", "password": password})
    phone.start()
    told = phone.wait()
    assert "Signed in again as ann" in told and "Done: 22 locations" in told
    assert len(server.admin().history("ann/phone")) == 22


def walked_through(proxy, server, tmp_path, speed=40):
    """A phone that walks for five seconds or more, by another way, with a key that counts no more: the password was
    set anew, and is the same."""
    phone = walked(server, tmp_path)
    run("user", "password", "ann", data=server.data, text=password + "\n")
    account = tmp_path / "phone" / "store" / "account.json"
    account.write_text(account.read_text().replace(
        json.dumps(server.address)[1:-1].replace("/", r"\/"), proxy.address.replace("/", r"\/")))
    phone.arguments[phone.arguments.index("--server") + 1] = proxy.address
    phone.arguments[phone.arguments.index("--speed") + 1] = str(speed)
    return phone


def test_a_refusal_of_the_old_key_during_a_sign_in_is_not_reported(make_server, tmp_path):
    """Emissions go on while the server takes its time to sign in, and fail with the key of before."""
    server = make_server().start()
    logins, others = [], []

    def decide(request):
        if request.startswith(b"POST /api/login "):
            logins.append(request)
            # The phone sends one request after the other: all but the last of these are answered.
            before = len(others)
            eventually(lambda: len(others) > before + 4)
        elif request.startswith((b"GET ", b"POST ", b"PUT ", b"HEAD ")):
            others.append(request)

    phone = walked_through(PickyProxy(server.port, decide), server, tmp_path, speed=10)
    phone.start()
    told = phone.wait()
    assert told.count("the server rejected this device's key") > 2, told
    assert "Done: 22 locations" in told and "Cannot sign in again" not in told
    assert told.count("Signed in again as ann") == len(logins) == 1


def test_a_server_that_fails_at_sign_in_is_asked_again(make_server, tmp_path):
    server = make_server().start()
    logins = []

    def decide(request):
        if request.startswith(b"POST /api/login "):
            logins.append(request)
            if len(logins) <= 3:
                status = (b"500 Internal Server Error", b"404 Not Found", b"502 Bad Gateway")[len(logins) - 1]
                return b"HTTP/1.1 " + status + b"\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone"

    phone = walked_through(PickyProxy(server.port, decide), server, tmp_path)
    phone.start()
    told = phone.wait()
    assert "Done: 22 locations" in told and "Cannot sign in again" not in told
    assert told.count("Signed in again as ann") == 1 and len(logins) == 4


def test_a_removed_users_recordings_go_to_a_new_account_of_that_name_only_on_request(make_server, tmp_path):
    server = make_server().start()
    phone = walked(server, tmp_path)
    run("user", "remove", "ann", data=server.data)
    member(server)
    phone.start()
    told = phone.wait(status=1)
    assert "another account" in told and "--take-over" in told
    assert locations(server) == []
    phone.arguments.append("--take-over")
    phone.start()
    assert "Done: 22 locations" in phone.wait()
    assert len(locations(server)) == 22


def test_the_servers_reason_for_refusing_a_name_or_a_password_is_shown(make_server, tmp_path):
    server = make_server(arguments=["--registration", "open"]).start()
    walk = write_walk(tmp_path / "walk.gpx", 3)
    for user, secret, sentence in [("bob", "short", "A password has"), ("no name", password, "A username is")]:
        told = run("track", walk, "--server", server.address, "--user", user, "--register", "--store",
                   tmp_path / "store", status=1, environment={"MUSTER_PASSWORD": secret})
        assert sentence in told and "status 400" not in told
