"""Live Activities by push: an incident begins one on its team's phones, and its end ends it."""

import itertools
import time

import pytest

from push_apps import apns, certificate, fcm, fresh, push_options, register, server, topic  # noqa: F401
from push_person import update
from waiting import eventually

teams = (f"crew{number}" for number in itertools.count(1))


@pytest.fixture
def crew(admin, apns, fcm):
    """A leader and a member of a new team, and a member of another; each phone has a token that begins activities."""
    apns.decide, apns.goes_away_after = (lambda notification: (200, None)), None
    apns.notifications.clear()
    name, other = next(teams), next(teams)
    for team in (name, other):
        admin.make_team(team)
    people = {role: admin.make_user(f"{role}.{name}", "leader" if role == "lea" else "member", team)
              for role, team in (("lea", name), ("mia", name), ("sam", other))}
    for person in people.values():
        person.starter = fresh()
        person.starter_id = activity(person, person.starter, "start")
    people["team"] = name
    return people


def activity(person, token, of, platform="apns"):
    body = {"platform": platform, "token": token, "activity": of}
    return person.ok("POST", "/push/devices", body)["id"]


def start(crew, **more):
    return crew["lea"].ok("POST", f"/teams/{crew['team']}/incidents", {"kind": "real", **more})["number"]


def close(crew, number, reason="over"):
    crew["lea"].ok("POST", f"/incidents/{number}/close", {"reason": reason})


def registered(person):
    return [one["id"] for one in person.ok("GET", "/push/devices")["items"]]


def settled(apns, person):
    """Once a message that was caused last has come, no earlier one is on its way."""
    token = fresh()
    device = register(person, "apns", token, dataset="last")
    update(person, "last", token)
    apns.wait(lambda told: any(one.token == token for one in told))
    person.ok("DELETE", f"/push/devices/{device}")
    return [one for one in apns.notifications if one.token != token]


def test_an_incident_begins_an_activity_on_its_teams_phones_but_not_on_the_leaders(crew, apns):
    before = time.time()
    number = start(crew, note="Gas in hall 3")
    [told] = apns.wait(lambda told: told)
    assert told.token == crew["mia"].starter
    assert told.headers["apns-push-type"] == "liveactivity" and told.headers["apns-priority"] == "10"
    assert told.headers["apns-topic"] == f"{topic}.push-type.liveactivity"
    aps = told.payload["aps"]
    assert set(told.payload) == {"aps"} and set(aps) == {
        "timestamp", "event", "content-state", "attributes-type", "attributes", "stale-date", "alert",
        "input-push-token"}
    assert (aps["event"], aps["attributes-type"]) == ("start", "IncidentAttributes")
    since = aps["attributes"]["since"]
    assert abs(since / 1000 - before) < 60 and int(before) <= aps["timestamp"] < aps["stale-date"]
    # A phone that has no network until the incident may be over gets it no more.
    assert int(told.headers["apns-expiration"]) == aps["stale-date"]
    assert aps["attributes"] == {"incident": number, "since": since, "team": crew["team"]}
    # No more than the team, what the leader wrote, whether it is a drill, and since when.
    assert aps["content-state"] == {
        "open": True, "incident": number, "since": since, "team": crew["team"], "drill": False,
        "note": "Gas in hall 3"}
    assert aps["alert"] == {"title": "Evacuate", "body": f"{crew['team']}: Gas in hall 3"}
    assert [one.token for one in settled(apns, crew["sam"])] == [crew["mia"].starter]


def test_a_drill_is_told_as_a_drill_and_the_longest_note_fits(crew, apns):
    start(crew, kind="drill", note="\u0001" * 1_000)
    [told] = apns.wait(lambda told: told)
    state = told.payload["aps"]["content-state"]
    assert state["drill"] is True and state["note"].endswith("\u2026")
    assert told.payload["aps"]["alert"]["title"] == "Drill: evacuate"


def test_the_end_of_an_incident_ends_its_activities_and_their_registrations_go(crew, apns):
    number = start(crew, note="Gas")
    apns.wait(lambda told: told)
    tokens = {name: fresh() for name in ("lea", "mia")}
    ids = {name: activity(crew[name], token, number) for name, token in tokens.items()}
    apns.notifications.clear()
    close(crew, number)
    told = apns.wait(lambda told: len(told) == 2)
    # Also on another phone of the person who closed it.
    assert {one.token for one in told} == set(tokens.values())
    for one in told:
        aps = one.payload["aps"]
        assert set(aps) == {"timestamp", "event", "content-state", "dismissal-date"} and aps["event"] == "end"
        assert aps["dismissal-date"] > aps["timestamp"]
        assert int(one.headers["apns-expiration"]) == aps["timestamp"] + 12 * 3600, "as long as it may be shown"
        assert aps["content-state"] == {
            "open": False, "incident": number, "since": aps["content-state"]["since"], "team": crew["team"],
            "drill": False}
    for name in tokens:
        eventually(lambda: ids[name] not in registered(crew[name]))
        assert crew[name].starter_id in registered(crew[name])


def test_an_incident_that_is_opened_again_begins_another_activity(crew, apns):
    number = start(crew)
    close(crew, number)
    crew["lea"].ok("POST", f"/incidents/{number}/reopen", {"reason": "smoke again"})
    told = apns.wait(lambda told: any(one.payload["aps"].get("attributes", {}).get("since", 0)
                                      > told[0].payload["aps"]["attributes"]["since"] for one in told))
    assert {one.payload["aps"]["event"] for one in told} == {"start"}
    assert {one.token for one in told} == {crew["mia"].starter}


def test_an_activity_is_not_begun_any_more_once_its_incident_is_over(crew, apns):
    apns.decide = lambda notification: (503, "ServiceUnavailable", {"retry-after": "1"})
    number = start(crew)
    apns.wait(lambda told: told)
    close(crew, number)
    apns.notifications.clear()
    apns.decide = lambda notification: (200, None)
    # The schedule tries again within some seconds, and finds that the call is over.
    time.sleep(8)
    assert settled(apns, crew["mia"]) == []
    # What is called next is begun all the same.
    apns.notifications.clear()
    again = start(crew)
    [told] = apns.wait(lambda told: told)
    assert told.payload["aps"]["attributes"]["incident"] == again


def test_an_end_that_apple_cannot_take_now_is_sent_again_before_the_registration_goes(crew, apns):
    number = start(crew)
    apns.wait(lambda told: told)
    apns.notifications.clear()
    device = activity(crew["mia"], fresh(), number)
    answers = iter([(503, "ServiceUnavailable", {"retry-after": "1"})])
    apns.decide = lambda notification: next(answers, (200, None))
    close(crew, number)
    apns.wait(lambda told: len(told) == 1)
    assert device in registered(crew["mia"])
    told = apns.wait(lambda told: len(told) == 2)
    assert {one.payload["aps"]["event"] for one in told} == {"end"}
    eventually(lambda: device not in registered(crew["mia"]))


def test_a_token_of_an_activity_gets_no_other_message(crew, apns):
    number = start(crew)
    apns.wait(lambda told: told)
    apns.notifications.clear()
    mia = crew["mia"]
    running = activity(mia, fresh(), number)
    for device in (running, mia.starter_id):
        mia.refused(404, "PUT", f"/datasets/settings/subscriptions/{device}")
    assert mia.ok("POST", "/push/test", {})["devices"] == []
    asked = crew["lea"].ok("POST", f"/users/mia.{crew['team']}/location-request", {})
    assert asked["pushDevices"] == []
    update(mia, "settings", "1")
    assert settled(apns, mia) == []


def test_a_person_who_signed_out_everywhere_gets_nothing(crew, apns, admin):
    admin.ok("PUT", f"/users/mia.{crew['team']}/password",
             {"password": "a long enough password 7", "keep": ["api-keys"]})
    assert registered(crew["mia"]) == []
    start(crew)
    assert settled(apns, crew["sam"]) == []


def test_a_token_belongs_to_the_person_who_registered_it_last(crew, apns):
    """The phone of somebody who signed out, in the hands of another: what it shows is the other's."""
    assert activity(crew["sam"], crew["mia"].starter, "start") == crew["mia"].starter_id
    assert registered(crew["mia"]) == []
    start(crew)
    assert settled(apns, crew["sam"]) == []


@pytest.mark.parametrize("answer", [(410, "Unregistered"), (400, "BadDeviceToken"), (410, "ExpiredToken")], ids=str)
def test_a_token_that_apple_no_longer_knows_is_removed(crew, apns, answer):
    apns.decide = lambda notification: answer
    start(crew)
    eventually(lambda: registered(crew["mia"]) == [])


def test_an_activity_is_registered_for_an_open_incident_of_the_own_team_alone(crew):
    number = start(crew)
    for of in (number + 1_000, 2 ** 31 - 1):
        crew["mia"].refused(422, "POST", "/push/devices", {"platform": "apns", "token": fresh(), "activity": of})
    fault = crew["sam"].refused(
        422, "POST", "/push/devices", {"platform": "apns", "token": fresh(), "activity": number})
    assert [one["pointer"] for one in fault["errors"]] == ["/activity"], fault
    close(crew, number)
    crew["mia"].refused(422, "POST", "/push/devices", {"platform": "apns", "token": fresh(), "activity": number})
    assert registered(crew["mia"]) == [crew["mia"].starter_id]


@pytest.mark.parametrize("body", [
    {"platform": "apns", "activity": "end"}, {"platform": "apns", "activity": 0},
    {"platform": "apns", "activity": 2 ** 40}, {"platform": "apns", "activity": {}},
    {"platform": "fcm", "activity": "start"}], ids=str)
def test_what_is_no_activity_is_refused(crew, body):
    crew["mia"].refused(422, "POST", "/push/devices", {"token": fresh(), **body})


def test_tokens_of_activities_push_out_the_oldest_of_their_kind_and_no_device(crew):
    mia = crew["mia"]
    number = start(crew)
    devices = [register(mia, "apns", fresh()) for _ in range(20)]
    starters = [activity(mia, fresh(), "start") for _ in range(25)]
    running = [activity(mia, fresh(), number, platform="apns-sandbox") for _ in range(25)]
    assert set(registered(mia)) == {*devices, *starters[-20:], *running[-20:]}
    mia.refused(409, "POST", "/push/devices", {"platform": "apns", "token": fresh()})
    # The same token for something else is another registration of the same device.
    listed = {one["id"]: one.get("activity") for one in mia.ok("GET", "/push/devices")["items"]}
    assert listed[starters[-1]] == "start" and listed[running[-1]] == number and listed[devices[0]] is None
    mia.ok("DELETE", f"/push/devices/{starters[-1]}")
    assert starters[-1] not in registered(mia)
