"""The question "where are you now?": by which channels it goes out, and what its asker is told later."""

import pytest

from event_stream import EventStream
from muster_process import run
from native_api import now
from owntracks_phone import Phone, location, opened, sealed, secret
from waiting import eventually

command = {"_type": "cmd", "action": "reportLocation"}


@pytest.fixture(scope="module")
def lea(admin):
    admin.make_team("north")
    return admin.make_user("lea", "leader", "north")


@pytest.fixture
def make_phone(server, admin, lea):
    def make(name):
        admin.make_user(name, "member", "north")
        return Phone(server, name, admin.make_device(name, "phone").token)

    return make


def asked(lea, name):
    return lea.ok("GET", f"/users/{name}/location-request")


def test_a_phone_is_asked_in_the_answer_to_its_next_report_and_its_position_answers(lea, make_phone):
    phone = make_phone("ann")
    assert command not in phone.tell(location(now() // 1000 - 1000))
    lea.refused(404, "GET", "/users/ann/location-request")
    question = lea.ok("POST", "/users/ann/location-request")
    assert question["by"] == "lea" and (question["channels"], question["state"]) == ([], "unheard")

    # What had waited in the phone is no answer. A phone whose reports are all old does not run in circles: the command
    # is not repeated for a minute.
    replies = [phone.tell(location(now() // 1000 - ago)) for ago in (900, 800)]
    assert [command in reply for reply in replies] == [True, False]
    question = asked(lea, "ann")
    [channel] = question["channels"]
    assert (channel["channel"], channel["device"], channel["outcome"]) == ("owntracks", "phone", "told")
    assert question["askedAt"] <= channel["at"] <= question["endsAt"]
    assert question["heardAt"] >= question["askedAt"]

    assert command not in phone.tell(location(now() // 1000 + 1))
    assert asked(lea, "ann")["state"] == "answered"
    assert command not in phone.tell(location(now() // 1000 + 1))


def test_a_phone_that_was_heard_without_a_newer_position_has_not_answered(lea, make_phone):
    phone = make_phone("bea")
    phone.tell(location(now() // 1000 - 100))
    lea.ok("POST", "/users/bea/location-request")
    assert asked(lea, "bea")["state"] == "unheard"
    phone.tell({"_type": "card", "tid": "be", "name": "Bea"})
    question = asked(lea, "bea")
    assert question["state"] == "heard" and question["lastPositionAt"] < question["askedAt"] <= question["heardAt"]


def test_the_command_is_sealed_where_the_report_was(admin, lea, make_phone):
    phone = make_phone("cid")
    admin.ok("PUT", "/users/cid/devices/phone/encryption-key", {"key": secret})
    lea.ok("POST", "/users/cid/location-request")
    reply = phone.tell(sealed(location(now() // 1000 - 900)))
    assert command in opened(reply)


def test_a_gateway_is_not_asked_because_it_is_not_the_phone(server, admin, lea, make_phone):
    make_phone("dan")
    gateway = admin.make_user("gate", "gateway")
    lea.ok("POST", "/users/dan/location-request")
    report = Phone(server, "gate", gateway.token, headers={"X-Limit-U": "dan"})
    assert command not in report.tell(location(now() // 1000 - 900))
    question = asked(lea, "dan")
    assert question["channels"] == [] and question["state"] == "heard"


def test_an_open_live_feed_is_a_channel_for_whom_it_asks_alone(server, admin, lea):
    fay, gil = (admin.make_user(name, "member", "north") for name in ("fay", "gil"))
    with EventStream(server.address, fay.token) as own, EventStream(server.address, admin.token) as admins:
        lea.ok("POST", "/users/fay/location-request")
        for stream in (own, admins):
            stream.take(lambda events: any(event.get("kind") == "locationAsked" for _, _, event in events))
        channels = eventually(lambda: asked(lea, "fay")["channels"])
        assert [channel["channel"] for channel in channels] == ["live"]
        lea.ok("POST", "/users/gil/location-request")
        admins.take(lambda events: any(event.get("kind") == "locationAsked" for _, _, event in events))
    assert asked(lea, "gil")["channels"] == []


def test_a_crash_forgets_no_question_that_is_open(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_team("north")
    admin.make_user("mia", "member", "north")
    phone = Phone(server, "mia", admin.make_device("mia", "phone").token)
    asked_at = admin.ok("POST", "/users/mia/location-request")["askedAt"]
    server.kill()
    server.start()
    again = server.api(admin.token)
    # The question is read at the start, beside what is served.
    answer = eventually(
        lambda: again.send("GET", "/users/mia/location-request"), lambda answer: answer.status_code != 404)
    question = answer.json()
    assert (question["by"], question["state"]) == ("admin", "unheard") and question["askedAt"] >= asked_at
    assert command in phone.tell(location(now() // 1000 - 900))


def test_the_command_line_shows_the_state_of_a_location_request(server, admin, lea, make_phone):
    phone = make_phone("hal")
    assert "no open location request for hal" in run("person", "asked", "hal", data=server.data, status=1)
    assert "there is no user 'nobody'" in run("person", "asked", "nobody", data=server.data, status=1)
    run("person", "ask", "hal", data=server.data)
    told = run("person", "asked", "hal", data=server.data)
    assert "admin asked hal at" in told and "any channel yet" in told and "Nothing was received from hal since" in told
    phone.tell(location(now() // 1000 - 900))
    told = run("person", "asked", "hal", data=server.data)
    assert "owntracks\tphone\t" in told and "hal reported at" in told
    phone.tell(location(now() // 1000 + 1))
    assert "hal answered" in run("person", "asked", "hal", data=server.data)
