"""People who leave an assembly point during an incident: what the leader's page says and draws."""


from live_server import Phone, box, password, until

needs_map = True

west, south = 10.7460, 59.8380
inside, outside = (west + 0.001, south + 0.0005), (west + 0.004, south + 0.0005)


def texts(page, selector):
    return page.texts(selector)


def test_the_leader_is_told_who_seems_to_have_left_and_who_is_checking(page, server):
    server.make_team("basin", [box("sq", "Harbour square", west, south, muster=True)], policy="confident")
    server.make_user("basin-lead", "leader", "basin")
    phones = [server.make_member(f"basin-{name}", "basin") for name in ("ana", "ben", "cleo", "dan")]
    for phone in phones:
        phone.stay(inside, fixes=6)
    number = server.ask("POST", "teams/basin/incidents", {"kind": "real"})["number"]
    server.ask("POST", "users/basin-lead/declarations", {"kind": "safe"})
    page.open().sign_in("basin-lead", password)
    until(lambda: all(words in "".join(texts(page, "#alarms .what"))
                      for words in ("5 of 5 accounted for", "All accounted for since")))
    assert texts(page, "#leaving .what") == []
    ana, ben, cleo, _ = phones

    ana.report(outside)
    until(lambda: "4 of 5 accounted for, 1 checking, 0 unaccounted" in "".join(texts(page, "#alarms .what")))
    assert "All accounted" not in "".join(texts(page, "#alarms .what"))
    until(lambda: "Checking · Harbour square" in (page.row("basin-ana") or "") and page.counts()["checking"] == 1)
    until(lambda: [drawn["state"] for drawn in page.drawn("basin-ana")] == ["checking"])

    ana.report(outside)
    until(lambda: texts(page, "#leaving .what") == ["basin-ana seems to have left Harbour square"])
    assert page.find("#leaving").get_attribute("aria-live") == "polite"
    until(lambda: "Seems to have left Harbour square" in (page.row("basin-ana") or "").replace("\n", " "))
    # Drawn where the fixes are, not in the region.
    drawn = until(lambda: [one for one in page.drawn("basin-ana") if one["state"] == "seemsToHaveLeft"])
    assert abs(drawn[0]["coordinates"][0] - outside[0]) < 0.0005
    until(lambda: any(text == "basin-ana seems to have left Harbour square" for _, text in page.events()))
    for phone in (ben, cleo):
        phone.report(outside)
        phone.report(outside)
    until(lambda: texts(page, "#leaving .what") == ["3 seem to have left Harbour square"])
    until(lambda: page.counts()["seemsToHaveLeft"] == 3 and page.title.startswith("3 may have left, "))

    question = page.press("#alarms", "All clear…", "they went home")
    assert "2 of 5 accounted for, 0 checking, 3 unaccounted." in question
    assert "3 seem to have left Harbour square." in question
    until(lambda: not server.ask("GET", f"incidents/{number}")["open"])
    # Without an incident nobody is reported as leaving.
    until(lambda: texts(page, "#leaving .what") == [] and page.counts()["located"] == 3)


def test_a_member_who_seems_to_have_left_is_told(page, server):
    server.make_team("spit", [box("spit", "Spit", west, south + 0.01, muster=True)], policy="confident")
    server.make_user("spit-max", "member", "spit")
    server.ask("POST", "users/spit-max/devices", {"name": "phone"})
    token = server.ask("POST", "users/spit-max/devices/phone/token")["token"]
    phone = Phone(server, "spit-max", token)
    phone.stay((west + 0.001, south + 0.0105), fixes=6)
    number = server.ask("POST", "teams/spit/incidents", {"kind": "drill"})["number"]
    for _ in range(2):
        phone.report((west + 0.004, south + 0.0105))
    page.open().sign_in("spit-max", password)
    until(lambda: texts(page, "#leaving .what") == ["You seem to have left Spit"])
    until(lambda: page.text("#my-state").startswith("You: Seems to have left"))
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
