"""Texts that a rule sends: in each gateway's own form, to whom, within a rate and a budget."""

import base64
import json
from urllib.parse import parse_qs

import pytest

from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import send, settled

call = {"source": ["muster"], "detail-type": ["Muster Incident"], "detail": {"EventType": ["STARTED", "CLOSED"]}}
people = {"lea": ("leader", "+34 600 000 001"), "ana": ("member", "600 000 002"), "ben": ("member", "+81 90 1234 5678"),
          "cleo": ("member", None)}


class Town:
    """A server with a team north, and a gateway that takes its texts."""

    def __init__(self, server, receiver):
        self.server, self.receiver, self.admin = server, receiver, server.admin()
        self.admin.make_team("north")
        self.apis = {}
        for name, (role, phone) in people.items():
            self.apis[name] = self.admin.make_user(name, role, "north")
            if phone:
                self.admin.ok("PATCH", f"/users/{name}", {"phone": phone})

    def target(self, **more):
        body = {"name": "texts", "kind": "sms", "url": self.receiver.url, "gateway": "form", "to": ["team:north"]}
        return self.admin.ok("POST", "/targets", body | more)

    def rule(self, pattern=call, **target):
        self.admin.ok("POST", "/rules", {"name": "evacuate", "pattern": pattern, "targets": [
            {"id": "1", "target": "texts", **target}]})

    def start(self, **more):
        return self.apis["lea"].ok("POST", "/teams/north/incidents", {"kind": "real", **more})["number"]

    def texts(self, count):
        """The forms of the calls once there are so many, by number; each text comes once."""
        calls = self.receiver.wait(lambda calls: len(calls) >= count)
        settled(self.admin)
        assert len(self.receiver.calls) == count
        forms = [{name: value for name, (value,) in parse_qs(call.body.decode()).items()} for call in calls]
        return {form["to"]: form for form in forms}

    def letters(self):
        return self.admin.items("/deadletters")


@pytest.fixture
def receiver():
    with Receiver(lambda call: 200) as receiver:
        yield receiver


@pytest.fixture
def town(make_server, receiver):
    server = make_server(arguments=[
        "--allow-private-targets", "--sms-gateway", "texts", "--sms-country", "34"]).start()
    return Town(server, receiver)


def test_a_call_to_evacuate_reaches_everyone_of_the_team_who_has_a_number(town):
    town.target()
    town.rule()
    town.start(note="Fire at the mill")
    texts = town.texts(3)
    assert set(texts) == {"+34600000001", "+34600000002", "+819012345678"}
    assert {form["text"] for form in texts.values()} == {
        "EVACUATE (north): go to an assembly point now. Then answer SAFE. If you need help: HELP or SOS. "
        "Fire at the mill"}
    assert len({form["id"] for form in texts.values()}) == 3
    assert town.letters() == []
    assert "People have no telephone number in international form" in town.server.log()


def test_a_template_makes_the_text_and_a_drill_is_named(town):
    town.target(to=["leaders:north", "+34 600 000 009"])
    town.rule(input={"template": "<what> in <team>", "paths": {"what": "$.detail.Kind", "team": "$.detail.Team"}})
    town.start(kind="drill")
    texts = town.texts(2)
    assert set(texts) == {"+34600000001", "+34600000009"}
    assert {form["text"] for form in texts.values()} == {"drill in north"}


def test_a_call_for_help_may_go_to_the_person_alone(town):
    town.target(to=["person"])
    town.rule({"source": ["muster"], "detail-type": ["Muster Help Request"]},
              input={"template": "Your call is heard.", "paths": {}})
    town.apis["ana"].ok("POST", "/users/ana/declarations", {"kind": "needsHelp"})
    assert town.texts(1)["+34600000002"]["text"] == "Your call is heard."


def test_twilio_and_kannel_get_their_own_forms(town):
    account = "Basic " + base64.b64encode(b"AC1:secret").decode()
    town.target(gateway="twilio", to=["+34600000009"], headers={"Authorization": account}, **{"from": "+34911000000"})
    town.rule()
    incident = town.start(note="避難")
    (post,) = town.receiver.wait(lambda calls: calls)
    assert post.headers["authorization"] == account
    form = parse_qs(post.body.decode())
    assert (form["To"], form["From"]) == (["+34600000009"], ["+34911000000"])
    assert form["Body"][0].startswith("EVACUATE (north): go") and form["Body"][0].endswith("避難")
    town.admin.ok("PATCH", "/targets/texts", {"gateway": "kannel", "headers": {
        "X-Kannel-Username": "muster", "X-Kannel-Password": "secret"}})
    town.apis["lea"].ok("POST", f"/incidents/{incident}/close", {"reason": "it is out"})
    post = town.receiver.wait(lambda calls: len(calls) == 2)[1]
    assert post.body.decode() == "The incident of north is over. 避難"
    kannel = {name: value for name, value in post.headers.items() if name.startswith("x-kannel-")}
    assert kannel == {"x-kannel-username": "muster", "x-kannel-password": "secret", "x-kannel-to": "+34600000009",
                      "x-kannel-from": "+34911000000", "x-kannel-coding": "2", "x-kannel-charset": "UTF-8"}
    shown = json.dumps(town.admin.ok("GET", "/targets/texts"))
    assert "secret" not in shown and "AC1" not in shown


def test_the_budget_of_a_day_outlives_a_restart_and_a_failed_text_does_not_count(town):
    town.receiver.answer = lambda call: (400, {}, b'{"code":21211,"message":"+34600000001 is wrong"}')
    town.target(perDay=3)
    town.rule()
    town.start()
    town.texts(3)
    reasons = [letter["reason"] for letter in town.letters()]
    assert reasons == ["answered 400, code 21211"] * 3
    # No text has arrived: the budget is whole.
    town.receiver.answer = lambda call: 201
    assert town.admin.ok("POST", "/deadletters/redrive?target=texts")["count"] == 3
    settled(town.admin)
    assert len(town.receiver.calls) == 6 and town.letters() == []
    assert town.admin.ok("GET", "/targets/texts")["takenToday"] == 3
    town.server.kill()
    town.server.start()
    send_one_more = town.apis["lea"].items("/incidents")[0]["number"]
    town.apis["lea"].ok("POST", f"/incidents/{send_one_more}/close", {"reason": "over"})
    eventually(lambda: town.letters(), lambda letters: len(letters) == 3)
    assert {letter["reason"] for letter in town.letters()} == {"the day's budget of 3 messages is spent"}
    assert len(town.receiver.calls) == 6


def test_each_text_is_tried_by_itself_until_it_arrives(town):
    refused = []

    def answer(call):
        number = parse_qs(call.body.decode())["to"][0]
        if number == "+34600000002" and len(refused) < 2:
            refused.append(call)
            return 503
        return 200

    town.receiver.answer = answer
    town.target()
    town.rule()
    town.start()
    calls = town.receiver.wait(lambda calls: len(calls) == 5)
    settled(town.admin)
    ids = [parse_qs(call.body.decode())["id"][0] for call in calls]
    assert len(calls) == 5 and len(set(ids)) == 3, "who got a text gets no second one"
    assert town.letters() == []


def test_a_wrong_account_is_no_end_of_a_text(town):
    town.receiver.answer = lambda call: 401
    town.target(to=["+34600000009"])
    town.rule()
    town.start()
    town.receiver.wait(lambda calls: calls)
    town.receiver.answer = lambda call: 200
    settled(town.admin)
    assert town.letters() == []


def test_a_test_texts_only_the_numbers_that_the_target_names(town):
    town.target(to=["team:north", "+34600000009"])
    send(town.admin, "texts")
    assert set(town.texts(1)) == {"+34600000009"}
    town.admin.ok("PATCH", "/targets/texts", {"to": ["team:north"]})
    send(town.admin, "texts")
    settled(town.admin)
    assert len(town.receiver.calls) == 1
    (letter,) = town.letters()
    assert letter["reason"] == "it has no recipient with a telephone number in international form"


def test_who_has_left_the_team_or_has_no_number_any_more_gets_no_text(town):
    town.target()
    town.rule()
    town.admin.ok("PATCH", "/targets/texts", {"enabled": False})
    town.start()
    eventually(lambda: town.admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 1)
    town.admin.ok("PATCH", "/users/ana", {"phone": None})
    town.admin.ok("DELETE", "/users/ben")
    town.admin.ok("PATCH", "/targets/texts", {"enabled": True})
    assert set(town.texts(1)) == {"+34600000001"}


def test_no_text_calls_to_evacuate_once_the_incident_is_over(town):
    town.target()
    town.rule(input={"template": "Evacuate: <turn>", "paths": {"turn": "$.detail.EventType"}})
    town.admin.ok("PATCH", "/targets/texts", {"enabled": False})
    number = town.start()
    town.apis["lea"].ok("POST", f"/incidents/{number}/close", {"reason": "a false alarm"})
    eventually(lambda: town.admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 2)
    town.admin.ok("PATCH", "/targets/texts", {"enabled": True})
    assert {form["text"] for form in town.texts(3).values()} == {"Evacuate: CLOSED"}
    assert [letter["reason"] for letter in town.letters()] == ["the incident is over"]


def test_no_text_says_that_an_incident_is_over_which_goes_on(town):
    town.target()
    town.rule()
    lea = town.apis["lea"]
    town.admin.ok("PATCH", "/targets/texts", {"enabled": False})
    number = town.start()
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "too early"})
    lea.ok("POST", f"/incidents/{number}/reopen", {"reason": "it burns again"})
    eventually(lambda: town.admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 2)
    town.admin.ok("PATCH", "/targets/texts", {"enabled": True})
    assert {form["text"][:16] for form in town.texts(3).values()} == {"EVACUATE (north)"}
    assert [letter["reason"] for letter in town.letters()] == ["the incident is open again"]


def test_a_drill_that_a_real_incident_ends_is_no_all_clear(town):
    town.target(to=["+34600000009"])
    town.rule()
    town.admin.ok("PATCH", "/targets/texts", {"enabled": False})
    town.start(kind="drill")
    town.start()
    eventually(lambda: town.admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 3)
    town.admin.ok("PATCH", "/targets/texts", {"enabled": True})
    assert town.texts(1)["+34600000009"]["text"].startswith("EVACUATE (north)")
    assert {letter["reason"] for letter in town.letters()} == {
        "the incident is over", "a real incident took the drill's place"}


@pytest.mark.parametrize("more, place", [
    ({"to": []}, "/to"), ({"to": ["team:south"]}, "/to"), ({"to": ["600000009"]}, "/to"), ({"to": ["everyone"]}, "/to"),
    ({"gateway": "pigeon"}, "/gateway"), ({"perMinute": 0}, "/perMinute"), ({"perDay": 10**9}, "/perDay"),
    ({"url": None}, "/url"), ({"secret": "whsec_" + "A" * 32}, "/secret"), ({"gateway": "twilio"}, "/from"),
    ({"from": "a\r\nX-Kannel-To: 1"}, "/from"), ({"kind": "webhook"}, "/gateway"),
    ({"lifetimeMinutes": 0}, "/lifetimeMinutes"), ({"byHand": True}, "/byHand"),
])
def test_wrong_settings_are_refused_with_their_place(town, more, place):
    body = {"name": "texts", "kind": "sms", "url": town.receiver.url, "gateway": "form", "to": ["team:north"]} | more
    faults = town.admin.refused(422, "POST", "/targets", body)["errors"]
    assert place in [fault["pointer"] for fault in faults]


def test_only_an_admin_makes_a_target_of_texts(town):
    body = {"name": "texts", "kind": "sms", "url": town.receiver.url, "gateway": "form", "to": ["team:north"]}
    town.apis["lea"].refused(403, "POST", "/targets", body)
