"""PAR by crews, the handover of an incident, and requests that are sent twice."""

import json

from muster_process import run
from native_api import NativeApi, milliseconds
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct, make, settled


def make_brigade(server, name):
    """A team of two crews with two leaders and a member in no crew. The API of each, by name."""
    admin = server.admin()
    admin.ok("POST", "/teams", {"name": name})
    people = {"admin": admin, "stranger": admin.make_user(name + "-stranger", "leader")}
    for role in ("lea", "leo"):
        people[role] = admin.make_user(f"{name}-{role}", "leader", name)
    for crew in ("Engine 3", "Ladder 5"):
        admin.ok("POST", f"/teams/{name}/crews", {"name": crew})
    for index, crew in enumerate(("Engine 3", "Engine 3", "Ladder 5", None)):
        people[f"p{index}"] = admin.make_user(f"{name}-p{index}", "member", name)
        admin.ok("PATCH", f"/users/{name}-p{index}", {"crew": crew})
    for leader in ("lea", "leo"):
        admin.ok("PATCH", f"/users/{name}-{leader}", {"crew": "Engine 3" if leader == "lea" else "Ladder 5"})
    return people


def start(leader, team, **more):
    return leader.ok("POST", f"/teams/{team}/incidents", {"kind": "real", **more})["number"]


def crews(answer):
    """The crews of the newest PAR, each as name, present, people, and its marks."""
    marks = ("isOverdue", "isShort")
    return [(crew.get("crew"), crew.get("present"), crew["people"], *(mark for mark in marks if crew[mark]))
            for crew in answer["par"]["crews"]]


def happened(api, since):
    return [change for change in api.changes(since) if change["type"] == "incident"]


def test_crews_report_from_request_to_complete_across_a_restart(make_server):
    server = make_server().start()
    people = make_brigade(server, "quay")
    lea, leo = people["lea"], people["leo"]
    number = start(lea, "quay")
    assert "par" not in lea.ok("GET", f"/incidents/{number}")
    before = lea.last_sequence()
    asked = lea.ok("POST", f"/incidents/{number}/par", {"note": "roof", "id": "one"})
    assert crews(asked) == [("Engine 3", None, 3), ("Ladder 5", None, 2), (None, None, 1)]
    par = asked["par"]
    assert (par["number"], par["requestedBy"], par["note"], par["everySeconds"]) == (1, "quay-lea", "roof", None)
    assert milliseconds(par["dueTime"]) - milliseconds(par["requestedTime"]) == 300_000
    # A repetition changes nothing, also after a crash.
    server.kill()
    server.start()
    lea, leo = (NativeApi(server.address, api.token) for api in (lea, leo))
    assert lea.ok("POST", f"/incidents/{number}/par", {"note": "roof", "id": "one"})["par"] == par
    lea.refused(409, "POST", f"/incidents/{number}/par/reports", {"crew": "Engine 3", "present": 3, "id": "one"})
    reports = f"/incidents/{number}/par/reports"
    assert crews(lea.ok("POST", reports, {"crew": "Engine 3", "present": 2, "note": "one on the pump"}))[0] == (
        "Engine 3", 2, 3, "isShort")
    leo.ok("POST", reports, {"crew": "Ladder 5", "present": 2, "number": 1})
    # Both leaders report one crew: the later report counts.
    leo.ok("POST", reports, {"crew": "Engine 3", "present": 3})
    leo.ok("POST", reports, {"crew": "Engine 3", "present": 3})
    answer = lea.ok("POST", reports, {"present": 1})
    assert answer["par"]["isComplete"] and not answer["allAccounted"]
    assert crews(answer) == [("Engine 3", 3, 3), ("Ladder 5", 2, 2), (None, 1, 1)]
    assert lea.ok("GET", f"/incidents/{number}")["par"] == answer["par"]
    found = happened(lea, before)
    assert [change["happened"] for change in found] == ["parRequested", *["parReported"] * 4, "parComplete"]
    assert found[0]["crews"][0] == {"crew": "Engine 3", "people": 3} and found[0]["by"] == "quay-lea"
    assert (found[1]["crew"], found[1]["present"], found[1]["people"]) == ("Engine 3", 2, 3)
    assert "crew" not in found[4] and found[4]["present"] == 1
    assert [change["author"] for change in lea.items("/audit") if change["change"]["type"] == "incident"] == [
        "quay-lea", "quay-leo", "quay-leo", "quay-lea", "quay-lea", "quay-lea"]


def test_who_may_ask_report_and_see_par(server):
    people = make_brigade(server, "fort")
    lea, member = people["lea"], people["p0"]
    analyst = people["admin"].make_user("fort-analyst", "analyst")
    number = start(lea, "fort")
    before = lea.last_sequence()
    requests = (("POST", "/par", {}), ("PUT", "/par", {"everySeconds": 900}),
                ("POST", "/par/reports", {"crew": "Engine 3", "present": 3}), ("POST", "/handover", {"to": "fort-leo"}))
    for method, path, body in requests:
        for api in (member, analyst):
            api.refused(403, method, f"/incidents/{number}{path}", body)
        people["stranger"].refused(404, method, f"/incidents/{number}{path}", body)
    for method, path, body in requests:
        lea.ok(method, f"/incidents/{number}{path}", body)
    assert analyst.ok("GET", f"/incidents/{number}")["par"]["number"] == 1
    seen = member.ok("GET", f"/incidents/{number}")
    assert "par" not in seen and "parTimer" not in seen and seen["leader"] == "fort-leo"
    # A member learns from the feed who leads, and nothing of crews.
    assert [change["happened"] for change in happened(member, before)] == ["handedOver"]
    assert [change["happened"] for change in happened(analyst, before)] == [
        "parRequested", "parTimerSet", "parReported", "handedOver"]
    people["stranger"].refused(404, "GET", f"/incidents/{number}")


def test_what_is_refused_of_par_says_why(server):
    people = make_brigade(server, "dyke")
    lea = people["lea"]
    number = start(lea, "dyke")
    par, reports = f"/incidents/{number}/par", f"/incidents/{number}/par/reports"
    assert "request one first" in lea.refused(409, "POST", reports, {"present": 1})["detail"]
    for method, path, body, pointer in (
            ("PUT", par, {}, "/everySeconds"), ("PUT", par, {"everySeconds": 59}, "/everySeconds"),
            ("PUT", par, {"everySeconds": 900, "graceSeconds": 1}, "/graceSeconds"),
            ("POST", par, {"note": "x" * 1001}, "/note"), ("POST", par, {"id": "no space"}, "/id"),
            ("POST", reports, {"crew": "Engine 3"}, "/present"), ("POST", reports, {"present": -1}, "/present"),
            ("POST", reports, {"present": 1.5}, "/present"), ("POST", reports, {"present": 1, "x": 1}, "/x"),
            ("POST", f"/incidents/{number}/handover", {"to": "dyke-p0"}, "/to"),
            ("POST", f"/incidents/{number}/handover", {"to": "dyke-stranger"}, "/to"),
            ("POST", f"/incidents/{number}/handover", {"to": "nobody"}, "/to")):
        document = lea.refused(422, method, path, body)
        assert [fault["pointer"] for fault in document["errors"]] == [pointer], body
    lea.ok("POST", par, {})
    document = lea.refused(422, "POST", reports, {"crew": "Engine 4", "present": 1})
    assert [fault["pointer"] for fault in document["errors"]] == ["/crew"]
    lea.ok("POST", par, {})
    assert "number 2" in lea.refused(409, "POST", reports, {"crew": "Engine 3", "present": 3, "number": 1})["detail"]
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "out"})
    for method, path, body in (("POST", par, {}), ("PUT", par, {"everySeconds": 900}),
                               ("POST", reports, {"crew": "Engine 3", "present": 3}),
                               ("POST", f"/incidents/{number}/handover", {"to": "dyke-leo"})):
        lea.refused(409, method, path, body)


def test_a_team_starts_its_timer_with_each_incident(server):
    people = make_brigade(server, "mole")
    lea = people["lea"]
    assert lea.ok("GET", "/teams/mole")["parEverySeconds"] is None
    lea.refused(422, "PATCH", "/teams/mole", {"parEverySeconds": 10})
    assert lea.ok("PATCH", "/teams/mole", {"parEverySeconds": 1800})["parEverySeconds"] == 1800
    assert lea.ok("PATCH", "/teams/mole", {"silenceSeconds": 600})["parEverySeconds"] == 1800
    number = start(lea, "mole")
    timed = lea.ok("GET", f"/incidents/{number}")
    assert timed["parTimer"]["everySeconds"] == 1800 and "par" not in timed
    assert milliseconds(timed["parTimer"]["nextTime"]) - milliseconds(timed["startedAt"]) == 1_800_000
    par = lea.ok("POST", f"/incidents/{number}/par", {})["par"]
    assert milliseconds(par["nextTime"]) - milliseconds(par["requestedTime"]) == 1_800_000
    stopped = lea.ok("PUT", f"/incidents/{number}/par", {"everySeconds": None, "graceSeconds": 60})
    assert "parTimer" not in stopped and stopped["par"]["nextTime"] is None and stopped["par"]["graceSeconds"] == 60
    assert lea.ok("PATCH", "/teams/mole", {"parEverySeconds": None})["parEverySeconds"] is None


def test_an_overdue_crew_reaches_a_rule_once(make_server):
    with Receiver() as receiver:
        server = make_server(arguments=["--allow-private-targets"]).start()
        people = make_brigade(server, "weir")
        lea = people["lea"]
        make(people["admin"], "hook", receiver.url)
        people["admin"].ok("POST", "/rules", {
            "name": "par", "pattern": {"detail-type": ["Muster Incident"], "detail": {"EventType": ["PAR_OVERDUE"]}},
            "targets": [{"target": "hook"}]})
        number = start(lea, "weir")
        lea.ok("POST", f"/incidents/{number}/par", {})
        lea.ok("POST", f"/incidents/{number}/par/reports", {"crew": "Ladder 5", "present": 2})
        # Crews are overdue sooner only once this one has reported: a shorter time counts from the server's next start.
        lea.ok("PUT", f"/incidents/{number}/par", {"everySeconds": None, "graceSeconds": 10})
        server.stop()
        server.start()
        answer = eventually(lambda: lea.ok("GET", f"/incidents/{number}"), lambda found: "overdueTime" in found["par"])
        assert crews(answer) == [("Engine 3", None, 3, "isOverdue"), ("Ladder 5", 2, 2), (None, None, 1, "isOverdue")]
        settled(people["admin"])
        (call,) = distinct(receiver.calls)
        detail = json.loads(call.body)["detail"]
        assert detail["Par"] == 1 and detail["Crews"] == [{"Crew": "Engine 3", "People": 3}, {"People": 1}]
        assert (detail["Incident"], detail["Leader"]) == (number, "weir-lea")


def test_the_par_of_a_closed_incident_keeps_what_was_asked_for(server):
    people = make_brigade(server, "lido")
    lea = people["lea"]
    number = start(lea, "lido")
    lea.ok("POST", f"/incidents/{number}/par", {})
    lea.ok("POST", f"/incidents/{number}/par/reports", {"crew": "Ladder 5", "present": 2})
    people["admin"].ok("PATCH", "/users/lido-p1", {"crew": "Ladder 5"})
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    assert crews(lea.ok("GET", f"/incidents/{number}")) == [
        ("Engine 3", None, 3), ("Ladder 5", 2, 2), (None, None, 1)]
    entries = [entry["change"] for entry in lea.items("/audit") if entry["change"].get("happened") == "parReported"]
    assert [(entry["crew"], entry["present"], entry["people"]) for entry in entries] == [("Ladder 5", 2, 2)]


def test_the_lead_is_handed_over_and_the_report_has_it_with_every_par(server):
    people = make_brigade(server, "pond")
    lea, leo = people["lea"], people["leo"]
    number = start(lea, "pond")
    assert lea.ok("GET", f"/incidents/{number}")["leader"] == "pond-lea"
    lea.ok("POST", f"/incidents/{number}/par", {})
    lea.ok("POST", f"/incidents/{number}/par/reports", {"crew": "Engine 3", "present": 2, "note": "=pump"})
    order = {"to": "pond-leo", "note": "relief", "id": "h1"}
    assert lea.ok("POST", f"/incidents/{number}/handover", order)["leader"] == "pond-leo"
    assert lea.ok("POST", f"/incidents/{number}/handover", order)["leader"] == "pond-leo"
    # The new leader hands it on to an admin; the repeated order of before brings nothing back.
    before = lea.last_sequence()
    leo.ok("POST", f"/incidents/{number}/handover", {"to": "admin"})
    [change] = happened(lea, before)
    newest = lea.ok("GET", f"/incidents/{number}")["handover"]
    assert newest == {"at": change["handedOverTime"], "to": "admin", "by": "pond-leo", "from": "pond-leo"}
    assert (change["to"], change["from"]) == ("admin", "pond-leo")
    assert lea.ok("POST", f"/incidents/{number}/handover", order)["leader"] == "admin"
    lea.ok("POST", f"/incidents/{number}/par", {"note": "again"})
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    report = lea.ok("GET", f"/incidents/{number}/report")
    assert [(line["by"], line["to"], line.get("note")) for line in report["handovers"]] == [
        ("pond-lea", "pond-leo", "relief"), ("pond-leo", "admin", None)]
    first, second = report["parRounds"]
    assert first["crews"][0]["present"] == 2 and first["crews"][0]["isShort"] and "present" not in first["crews"][1]
    assert second["note"] == "again" and "endedTime" in second and not second["isComplete"]
    events = [line["event"] for line in report["changes"] if "user" not in line]
    assert events == ["parRequested", "parReported", "handedOver", "handedOver", "parEnded", "parRequested", "parEnded",
                      "closed"]
    text = lea.send("GET", f"/incidents/{number}/report?format=csv").text
    rows = [row.split(",") for row in text.splitlines()]
    header = rows[0]
    reported = dict(zip(header, next(row for row in rows if row[3] == "parReported")))
    assert (reported["crew"], reported["par"], reported["people"], reported["present"], reported["note"]) == (
        "Engine 3", "1", "3", "2", "'=pump")
    assert sum(row[3] == "parRequested" for row in rows) == 6
    page = lea.send("GET", f"/incidents/{number}/report?format=html").text
    assert "<h2>PAR</h2>" in page and "2 of 3, short" in page and "no report of 1" in page
    assert "by pond-lea to pond-leo: relief" in page and "<dt>Led by</dt><dd>admin</dd>" in page


def test_a_leaders_request_that_is_sent_twice_counts_once(server):
    people = make_brigade(server, "ford")
    lea, leo = people["lea"], people["leo"]
    number = start(lea, "ford", id="s1")
    assert start(lea, "ford", id="s1") == number
    # The same id for something else, or from somebody else, is no repetition.
    lea.refused(409, "POST", "/teams/ford/incidents", {"kind": "drill", "id": "s1"})
    leo.refused(409, "POST", "/teams/ford/incidents", {"kind": "real", "id": "s1"})
    path = f"/incidents/{number}/roll"
    zoe = lea.ok("POST", path, {"name": "Zoe", "id": "v1"})
    assert lea.ok("POST", path, {"name": "Zoe", "id": "v1"}) == zoe
    leo.refused(409, "POST", path, {"name": "Zoe", "id": "v1"})
    mark = lea.ok("POST", f"{path}/{zoe['person']}/mark", {"state": "safe", "id": "m1"})
    lea.ok("POST", f"{path}/{zoe['person']}/mark", {"state": "needsHelp", "id": "m2"})
    assert lea.ok("POST", f"{path}/{zoe['person']}/mark", {"state": "safe", "id": "m1"}) == mark
    found = {person["user"]: person for person in lea.ok("GET", f"/incidents/{number}")["roll"]}
    assert found["Zoe"]["state"] == "needsHelp"
    off = lea.ok("POST", f"{path}/{zoe['person']}/removal", {"reason": "gone", "id": "r1"})
    assert lea.ok("POST", f"{path}/{zoe['person']}/removal", {"reason": "gone", "id": "r1"}) == off
    lea.refused(409, "POST", f"{path}/{zoe['person']}/removal", {"reason": "gone", "id": "v1"})
    # A report of another crew, or of another count, with an id that was used is not taken for the first one.
    lea.ok("POST", f"/incidents/{number}/par", {"id": "p1"})
    report = {"crew": "Engine 3", "present": 2, "id": "p2"}
    lea.ok("POST", f"/incidents/{number}/par/reports", report)
    lea.ok("POST", f"/incidents/{number}/par/reports", report)
    for change in ({"crew": "Ladder 5"}, {"present": 3}):
        lea.refused(409, "POST", f"/incidents/{number}/par/reports", {**report, **change})
    lea.refused(409, "POST", f"{path}/{zoe['person']}/mark", {"state": "needsHelp", "id": "m1"})
    closed = lea.ok("POST", f"/incidents/{number}/close", {"reason": "out", "id": "c1"})
    assert closed["counts"]["people"] == 6
    assert lea.ok("POST", f"/incidents/{number}/close", {"reason": "out", "id": "c1"}) == closed
    lea.refused(409, "POST", f"/incidents/{number}/close", {"reason": "out", "id": "c2"})
    assert start(lea, "ford", id="s1") == number and lea.ok("GET", "/incidents")["items"] == []
    opened = lea.ok("POST", f"/incidents/{number}/reopen", {"reason": "smoke", "id": "o1"})
    assert lea.ok("POST", f"/incidents/{number}/reopen", {"reason": "smoke", "id": "o1"}) == opened
    # A close that arrives again after the reopening closes nothing.
    assert lea.ok("POST", f"/incidents/{number}/close", {"reason": "out", "id": "c1"})["open"]
    events = [line["event"] for line in lea.ok("GET", f"/incidents/{number}/report")["changes"]]
    assert [events.count(event) for event in ("visitor", "takenOff", "closed", "reopened")] == [1, 1, 1, 1]
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "out", "id": "c3"})


def test_visitors_are_a_row_of_their_own_in_par(make_server):
    server = make_server().start()
    lea = make_brigade(server, "pier")["lea"]
    number = start(lea, "pier")
    path, reports = f"/incidents/{number}", f"/incidents/{number}/par/reports"
    lea.ok("POST", f"{path}/roll", {"name": "Zoe"})
    asked = lea.ok("POST", f"{path}/par", {})["par"]
    assert asked["crews"][-1] == {"visitors": True, "people": 1, "isOverdue": False, "isShort": False}
    assert asked["crews"][-2]["people"] == 1, "those in no crew do not count the visitors"
    # Who comes after the request is asked for, too.
    lea.ok("POST", f"{path}/roll", {"name": "Yan"})
    lea.refused(422, "POST", reports, {"crew": "Engine 3", "visitors": True, "present": 1})
    before = lea.last_sequence()
    answer = lea.ok("POST", reports, {"visitors": True, "present": 1, "id": "v1"})
    row = answer["par"]["crews"][-1]
    assert (row["visitors"], row["people"], row["present"], row["isShort"]) == (True, 2, 1, True)
    [told] = happened(lea, before)
    assert (told["visitors"], told["people"], told["present"]) == (True, 2, 1) and "crew" not in told
    server.kill()
    server.start()
    lea = NativeApi(server.address, lea.token)
    assert lea.ok("POST", reports, {"visitors": True, "present": 1, "id": "v1"})["par"] == answer["par"]
    lea.refused(409, "POST", reports, {"present": 1, "id": "v1"})
    printed = run("incident", "par-report", str(number), "--visitors", "2", data=server.data)
    assert "present\tvisitors\t2 of 2\t" in printed
    assert "<td>visitors</td>" in lea.send("GET", f"{path}/report?format=html").text


def test_par_and_a_handover_on_the_command_line(server):
    make_brigade(server, "lock")

    def muster(*arguments, **more):
        return run(*arguments, data=server.data, **more)

    muster("team", "set", "lock", "--par-every", "900")
    number = muster("incident", "start", "lock").split("\t")[0]
    lines = muster("incident", "show", number).splitlines()
    assert lines[1] == "led by admin" and lines[2].startswith("PAR every 900 s, the next at 20")
    lines = muster("incident", "par", number, "--note", "roof").splitlines()
    assert lines[1].startswith("PAR 1\trequested 20") and "by admin\tdue 20" in lines[1]
    assert lines[2:] == ["pending\tEngine 3\t3 asked for", "pending\tLadder 5\t2 asked for",
                         "pending\twithout a crew\t1 asked for"]
    assert "SHORT\tEngine 3\t2 of 3\treported 20" in muster(
        "incident", "par-report", number, "Engine 3", "2", "--note", "pump", "--par", "1")
    muster("incident", "par-report", number, "Ladder 5", "2")
    assert "\tcomplete\n" in muster("incident", "par-report", number, "--no-crew", "1")
    assert "name the crew" in muster("incident", "par-report", number, "1", status=1)
    assert "PAR every" not in muster("incident", "par-timer", number)
    assert "PAR every 600 s" in muster("incident", "par-timer", number, "--every", "600", "--grace", "120")
    assert muster("incident", "hand-over", number, "--to", "lock-leo", "--note", "relief") == (
        f"incident {number} is led by lock-leo\n")
    lines = muster("incident", "show", number).splitlines()
    assert lines[1] == "led by lock-leo" and any(line.startswith("present\tLadder 5\t2 of 2") for line in lines)
    muster("incident", "hand-over", number, "--to", "lock-p0", status=1)
    muster("incident", "close", number, "--reason", "over")
    muster("team", "set", "lock", "--par-every", "0")
    assert json.loads(muster("team", "set", "lock", "--json"))["parEverySeconds"] is None
