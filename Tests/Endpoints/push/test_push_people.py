"""Push to people: an incident reaches its team, a call for help the leaders, "where are you?" whom it asks."""


import pytest

from muster_process import run
from push_browser import Browser
from push_person import paths, server, service  # noqa: F401
from waiting import eventually


@pytest.fixture(scope="module")
def people(server, admin, service):
    """Two teams, each person with a browser that is notified."""
    for team in ("north", "south"):
        admin.make_team(team)
    people = {name: admin.make_user(name, role, team) for name, role, team in (
        ("lea", "leader", "north"), ("mia", "member", "north"), ("max", "member", "north"),
        ("sue", "leader", "south"), ("sam", "member", "south"))}
    people["admin"] = admin
    for person in people.values():
        person.browser = Browser(service, next(paths), page="http://127.0.0.1/")
        person.browser.register(person)
    return people


def titles(messages):
    return [message["notification"]["title"] for message in messages]


def heard(people):
    return {name: titles(person.browser.messages()) for name, person in people.items() if person.browser.messages()}


@pytest.fixture(autouse=True)
def quiet(people, service):
    with service.arrived:
        service.calls.clear()


def settled(people, author):
    """Once a message that was asked for last has come, no earlier one is on its way."""
    people["admin"].ok("POST", "/push/test", {"user": author})
    people[author].browser.wait(lambda messages: "Muster reaches this device" in titles(messages))


def test_the_longest_note_reaches_its_team_whatever_is_in_it(people):
    number = people["lea"].ok("POST", "/teams/north/incidents", {"kind": "drill", "note": "\u0001" * 1000})["number"]
    [message] = people["mia"].browser.wait(lambda messages: messages)
    body = message["notification"]["body"]
    assert body.startswith("north: \u0001") and body.endswith("\u2026")
    people["max"].browser.wait(lambda messages: messages)
    people["lea"].ok("POST", f"/incidents/{number}/close", {"reason": "tried"})
    for name in ("mia", "max"):
        people[name].browser.wait(lambda messages: len(messages) == 2)


def test_an_incident_and_its_end_are_pushed_to_its_team_alone(people):
    number = people["lea"].ok("POST", "/teams/north/incidents", {"kind": "real", "note": "Gas in hall 3"})["number"]
    for name in ("mia", "max"):
        [message] = people[name].browser.wait(lambda messages: messages)
        assert message["web_push"] == 8030
        assert message["notification"]["title"] == "Evacuate"
        assert message["notification"]["body"] == "north: Gas in hall 3"
        assert message["data"]["kind"] == "incident" and message["data"]["state"] == "open"
    [call] = people["mia"].browser.calls()
    assert call.headers["urgency"] == "high" and int(call.headers["ttl"]) <= 4 * 3600
    people["lea"].ok("POST", f"/incidents/{number}/close", {"reason": "repaired"})
    for name in ("mia", "max"):
        messages = people[name].browser.wait(lambda messages: len(messages) == 2)
        assert titles(messages) == ["Evacuate", "All clear"]
        assert len({message["notification"]["tag"] for message in messages}) == 1
    # Who did it knows, and another team is not concerned.
    settled(people, "sam")
    assert set(heard(people)) == {"mia", "max", "sam"}


def test_a_call_opens_the_members_app_at_the_call_and_a_leaders_page_as_it_is(people, service):
    app = Browser(service, next(paths), page="http://127.0.0.1/me/")
    app.register(people["mia"])
    number = people["lea"].ok("POST", "/teams/north/incidents", {"kind": "drill"})["number"]
    [message] = app.wait(lambda messages: messages)
    assert message["web_push"] == 8030 and message["notification"]["navigate"] == "http://127.0.0.1/me/#/call"
    [message] = people["mia"].browser.wait(lambda messages: messages)
    assert message["notification"]["navigate"] == "http://127.0.0.1/"
    people["lea"].ok("POST", f"/incidents/{number}/close", {"reason": "done"})
    # The push about a closed incident does not open the screen of a call.
    messages = app.wait(lambda messages: len(messages) == 2)
    assert messages[1]["notification"]["navigate"] == "http://127.0.0.1/me/"
    for name in ("mia", "max"):
        people[name].browser.wait(lambda messages: len(messages) == 2)
    [device] = [item["id"] for item in people["mia"].ok("GET", "/push/devices")["items"]][-1:]
    people["mia"].ok("DELETE", f"/push/devices/{device}")


def test_a_drill_is_pushed_as_a_drill(people):
    number = people["lea"].ok("POST", "/teams/north/incidents", {"kind": "drill"})["number"]
    assert titles(people["mia"].browser.wait(lambda messages: messages)) == ["Drill: evacuate"]
    people["lea"].ok("POST", f"/incidents/{number}/close", {"reason": "done"})
    for name in ("mia", "max"):
        people[name].browser.wait(lambda messages: titles(messages)[-1:] == ["The drill is over"])


def test_an_sos_reaches_the_leaders_of_its_team(people):
    people["mia"].ok("POST", "/users/mia/declarations", {"kind": "sos"})
    [message] = people["lea"].browser.wait(lambda messages: messages)
    assert message["notification"]["title"] == "SOS: mia"
    assert message["data"]["user"] == "mia" and message["data"]["state"] == "sos"
    people["lea"].ok("POST", "/users/mia/declarations", {"kind": "acknowledge"})
    people["lea"].ok("POST", "/users/mia/declarations", {"kind": "clear"})
    settled(people, "sue")
    assert set(heard(people)) == {"lea", "sue"}
    assert len(people["lea"].browser.messages()) == 1


def test_without_a_leader_the_admins_hear_the_call(people):
    people["lea"].ok("POST", "/users/lea/declarations", {"kind": "needsHelp"})
    assert titles(people["admin"].browser.wait(lambda messages: messages)) == ["lea needs help"]
    people["admin"].ok("POST", "/users/lea/declarations", {"kind": "clear"})


def test_a_leader_asks_where_someone_is_and_that_person_alone_is_asked(people):
    answer = people["lea"].ok("POST", "/users/mia/location-request")
    assert [device["id"] for device in answer["pushDevices"]] == [people["mia"].browser.id]
    assert "lastPositionAt" not in answer
    [message] = people["mia"].browser.wait(lambda messages: messages)
    assert message["notification"]["title"] == "Where are you now?" and message["data"]["by"] == "lea"
    people["sue"].refused(404, "POST", "/users/mia/location-request")
    people["max"].refused(403, "POST", "/users/mia/location-request")
    people["mia"].refused(403, "POST", "/users/mia/location-request")
    # The leader sees what the service answered, which is noted right after its answer.
    path = "/users/mia/location-request"
    [channel] = eventually(lambda: people["lea"].ok("GET", path)["channels"])
    assert (channel["channel"], channel["device"]) == ("webpush", people["mia"].browser.id)
    assert channel["outcome"] == "delivered" and people["lea"].ok("GET", path)["state"] == "unheard"
    people["sue"].refused(404, "GET", path)
    people["max"].refused(403, "GET", path)
    # The person sees it in the log as well, and the audit says who asked.
    asked = [change for change in people["mia"].changes() if change.get("kind") == "locationAsked"]
    assert len(asked) == 1
    settled(people, "max")
    assert set(heard(people)) == {"mia", "max"}


def test_the_command_line_shows_the_outcome_of_each_push_device(people, server):
    told = run("push", "test", "mia", data=server.data)
    assert "webpush http://127.0.0.1:" in told and "delivered" in told
    people["mia"].browser.wait(lambda messages: messages)
    people["admin"].make_user("nobody")
    assert "nobody has no push device" in run("push", "test", "nobody", data=server.data)
    assert "there is no such user" in run("push", "test", "no.one", data=server.data, status=1)
