"""People who leave an assembly point during an incident: what the roll, rules, the command line and the report say."""

import json
import math
import os

import pytest

from muster_process import root, run
from native_api import box, fix, now, polygon, stamp
from webhook_receiver import Receiver

here = (48.0, 11.0)
"""The middle of the assembly point, as latitude and longitude."""
shared = os.environ.get("MUSTER_TEST_DATA") or root.parent / "shared/data"
trails_path = os.path.join(shared, "leaving/trails.json")


def place(east, north=0):
    """Returns the latitude and longitude of a point, in metres from `here`."""
    return here[0] + north / 111_195, here[1] + east / (111_195 * math.cos(math.radians(here[0])))


def square(identifier, half, **properties):
    """Makes a muster region: a square of `half` metres to each side of `here`."""
    (south, west), (north, east) = place(-half, -half), place(half, half)
    return polygon(identifier, box(west, south, east, north), muster=True, **properties)


def circle(identifier, point):
    """Makes a muster region: a polygon of 24 corners around a point of the trails."""
    corners = [
        place(point["east"] + point["radius"] * math.sin(angle), point["north"] + point["radius"] * math.cos(angle))
        for angle in (math.tau * corner / 24 for corner in range(24, 0, -1))]
    return polygon(identifier, [(longitude, latitude) for latitude, longitude in corners], muster=True)


def call_roll(api, number):
    answer = api.ok("GET", f"/incidents/{number}")
    counts = answer["counts"]
    assert counts["accounted"] + counts["checking"] + counts["unaccounted"] == counts["people"]
    columns = [(person["accounted"], person["checking"]) for person in answer["roll"] if not person["left"]]
    assert (counts["accounted"], counts["checking"]) == (columns.count((True, False)), columns.count((False, True)))
    assert (True, True) not in columns
    return answer, {person["user"]: person for person in answer["roll"]}


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.mark.parametrize("accuracy, sources", [
    # Good fixes show at once that they drive, poor ones at first only that they seem to have left.
    (6, ["region", "position"]), (40, ["region", "seemsToHaveLeft", "position"])])
def test_four_people_who_drive_away_before_the_all_clear_are_unaccounted_within_20_s(
        make_server, receiver, accuracy, sources):
    server = make_server(arguments=["--allow-private-targets"]).start()
    admin = server.admin()
    admin.ok("POST", "/targets", {"name": "hook", "kind": "webhook", "url": receiver.url})
    run("rule", "add", "left", "--target", "hook", "--pattern", json.dumps(
        {"source": ["muster"], "detail": {"Source": ["seemsToHaveLeft", "position"]}}), data=server.data)
    admin.make_team("crew", [square("square", 60, name="Harbour square")], policy="confident")
    lea = admin.make_user("lea", "leader", "crew")
    phones = {}
    for user in ("ana", "ben", "cleo", "dan", "eve"):
        admin.make_user(user, "member", "crew")
        phones[user] = admin.make_device(user)
    start = now() - 240_000

    def report(user, second, east, accuracy=6):
        phones[user].ok("POST", "/positions", fix(*place(east), start + second * 1_000, accuracy=accuracy))

    for second in range(0, 61, 5):
        for user in phones:
            report(user, second, east=second % 3)
    number = lea.ok("POST", "/teams/crew/incidents", {"kind": "real"})["number"]
    lea.ok("POST", "/users/lea/declarations", {"kind": "safe"})
    answer, _ = call_roll(lea, number)
    assert answer["allAccounted"]
    assert answer["counts"] == {"people": 6, "accounted": 6, "checking": 0, "unaccounted": 0}
    drivers = ["ana", "ben", "cleo", "dan"]
    seen = []
    # They drive off at 60 s, at 14 m/s; Eve stays.
    for second in range(65, 121, 5):
        for user in drivers:
            report(user, second, east=14 * (second - 60), accuracy=accuracy)
        report("eve", second, east=1)
        answer, people = call_roll(lea, number)
        seen.append((second - 60, [people[user]["source"] for user in drivers], answer["counts"]))
        if second == 65 and accuracy == 6:
            # One fix decides nothing; it is a doubt, and that is a column of its own.
            assert answer["counts"] == {"people": 6, "accounted": 2, "checking": 4, "unaccounted": 0}
            assert not answer["allAccounted"]
        if second - 60 >= 20:
            for user in drivers:
                person = people[user]
                assert not person["accounted"] and not person["checking"], (second, person)
                assert (person["state"], person["source"]) in (
                    ("unknown", "seemsToHaveLeft"), ("unsafe", "position")), (second, person)
            assert answer["counts"] == {"people": 6, "accounted": 2, "checking": 0, "unaccounted": 4}
        if "seemsToHaveLeft" == people["ana"]["source"]:
            assert people["ana"]["region"]["name"] == "Harbour square"
            lines = run("incident", "show", str(number), data=server.data).splitlines()
            assert lines[1:4] == [
                "led by lea", "2 of 6 accounted for, 0 checking, 4 unaccounted", "4 seem to have left Harbour square"]
            assert sum(line.startswith("MISSING\t") for line in lines) == 4
            page = lea.send("GET", f"/incidents/{number}/report?format=html").text
            assert "<dd>4 seem to have left Harbour square</dd>" in page
    print("\n".join(f"after {seconds} s: {found}, {counts}" for seconds, found, counts in seen))
    assert list(dict.fromkeys(found[0] for _, found, _ in seen)) == sources
    told = 4 * (len(sources) - 1)
    events = [json.loads(call.body) for call in receiver.wait(lambda calls: len(calls) >= told)]
    assert {event["detail"]["User"] for event in events} == set(drivers)
    for event in events:
        assert event["detail-type"] == "Muster Safety Change"
        if event["detail"]["Source"] == "seemsToHaveLeft":
            assert event["detail"]["State"] == "unknown" and event["detail"]["Region"] == "square"
            assert event["detail"]["Doubt"] == "checking"
    turns = [change["happened"] for change in lea.changes() if change["type"] == "incident"]
    assert turns == ["started", "allAccounted", "notAllAccounted"]
    lines = run("incident", "close", str(number), "--reason", "they went home", data=server.data).splitlines()
    assert lines[1] == "2 of 6 accounted for, 0 checking, 4 unaccounted"
    # The record keeps where they were when it was closed, and not where their state last changed.
    for user in drivers:
        report(user, 125, east=14 * 65, accuracy=accuracy)
    _, people = call_roll(lea, number)
    assert {people[user]["lastSeen"]["sampleTime"] for user in drivers} == {stamp(start + 120_000)}


def test_the_answer_to_a_close_counts_who_was_accounted_for_at_that_moment(server):
    admin = server.admin()
    admin.make_team("dock", [square("dock", 60)], policy="confident")
    lea = admin.make_user("dock-lea", "leader", "dock")
    phone, start = None, now() - 120_000
    admin.make_user("dock-ana", "member", "dock")
    phone = admin.make_device("dock-ana")
    for second in range(0, 61, 5):
        phone.ok("POST", "/positions", fix(*place(0), start + second * 1_000, accuracy=6))
    admin.make_user("dock-ben", "member", "dock")
    number = lea.ok("POST", "/teams/dock/incidents", {"kind": "drill"})["number"]
    lea.ok("POST", "/users/dock-lea/declarations", {"kind": "safe"})
    phone.ok("POST", "/positions", fix(*place(400), start + 65_000, accuracy=6))
    _, people = call_roll(lea, number)
    assert people["dock-ana"]["state"] == "safe" and people["dock-ana"]["checking"]
    closed = lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    # The leader's own declaration ends with the incident, and counted until then.
    assert closed["counts"] == {"people": 3, "accounted": 1, "checking": 1, "unaccounted": 1}
    assert call_roll(lea, number)[0]["counts"] == closed["counts"]
    rows = lea.send("GET", f"/incidents/{number}/report?format=csv").text.splitlines()
    assert [row.split(",")[3:5] for row in rows[-3:-1]] == [["checking", "dock-ana"], ["unaccounted", "dock-ben"]]


@pytest.mark.skipif(not os.path.exists(trails_path), reason="needs the shared test data: set MUSTER_TEST_DATA")
def test_nobody_in_the_recorded_trails_counts_as_safe_for_long_while_truly_outside(server):
    with open(trails_path, encoding="utf-8") as file:
        trails = json.load(file)
    points, cases = trails["musterPoints"], trails["cases"]
    assert len(cases) == 43
    admin = server.admin()
    regions = [circle(f"point{index}", point) for index, point in enumerate(points)]
    admin.make_team("trails", regions, policy="confident")
    lea = admin.make_user("trails-lea", "leader", "trails")
    phones = []
    for index in range(len(cases)):
        admin.make_user(f"walker{index}", "member", "trails")
        phones.append(admin.make_device(f"walker{index}"))
    number = lea.ok("POST", "/teams/trails/incidents", {"kind": "drill"})["number"]
    start = now() - 400_000
    longest = []
    for index, case in enumerate(cases):
        user, outside_since, worst = f"walker{index}", None, 0
        for sample in case["fixes"]:
            phones[index].ok("POST", "/positions", fix(
                *place(sample["east"], sample["north"]), start + round(sample["t"] * 1_000),
                accuracy=sample["accuracy"]))
            outside = min(
                math.dist((sample["trueEast"], sample["trueNorth"]), (point["east"], point["north"])) - point["radius"]
                for point in points)
            outside_since = (outside_since if outside_since is not None else sample["t"]) if outside > 30 else None
            person = call_roll(lea, number)[1][user]
            if person["state"] == "safe" and outside_since is not None:
                worst = max(worst, sample["t"] - outside_since)
        longest.append(worst)
        assert worst <= 20, f"case {index}, {case['what']}, {case['kind']}: safe for {worst} s outside"
        if case["what"].startswith("became safe"):
            assert person["state"] != "safe", f"case {index}, {case['kind']}"
    print(f"safe for at most {max(longest):.1f} s while more than 30 m outside, in {len(cases)} trails")
