"""What the record of an incident keeps: words, marks, who was missing, and each closing and reopening."""

import csv
import io

from incident_crew import make_crew_in
from native_api import NativeApi, box, fix, now, polygon

yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True, name="Yard")
inside = (52.505, 13.405)


def start(server, name, people=2):
    leader, phones = make_crew_in(yard, server, name, people)
    return leader, phones, leader.ok("POST", f"/teams/{name}/incidents", {"kind": "real"})["number"]


def enter(phone):
    for ago in (50_000, 25_000, 0):
        phone.ok("POST", "/positions", fix(*inside, now() - ago, accuracy=5))


def people(api, number):
    return {person["user"]: person for person in api.ok("GET", f"/incidents/{number}")["roll"]}


def reports(api, number):
    """The report as JSON, the rows of the CSV, and the page."""
    path = f"/incidents/{number}/report?format="
    rows = list(csv.DictReader(io.StringIO(api.send("GET", path + "csv").text, newline="")))
    return api.ok("GET", path + "json"), rows, api.send("GET", path + "html").text


def test_the_text_of_a_call_is_in_the_roll_and_in_every_report(server):
    leader, phones, number = start(server, "shed")
    said = "/users/shed-p0/declarations"
    phones["shed-p0"].ok("POST", said, {"kind": "sos"})
    phones["shed-p0"].ok("POST", said, {"kind": "sos", "note": "Behind the fuel <shed>, ankle"})
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "found"})
    spoken = people(leader, number)["shed-p0"]["said"]
    assert [(one["kind"], one["by"], one["note"]) for one in spoken] == [
        ("sos", "shed-p0", "Behind the fuel <shed>, ankle")]
    report, rows, page = reports(leader, number)
    told = [line for line in report["changes"] if line["event"] == "declared"]
    assert [(line["declared"], line["by"], line["note"]) for line in told] == [
        ("sos", "shed-p0", "Behind the fuel <shed>, ankle")]
    assert [(row["event"], row["declared"]) for row in rows if row["note"] == "Behind the fuel <shed>, ankle"] == [
        ("declared", "sos"), ("unaccounted", "")]
    # In the list of the missing, in the roll call, and among the changes.
    assert page.count("Behind the fuel &lt;shed&gt;, ankle") == 3
    calls = [entry["change"] for entry in leader.items("/audit") if entry["change"]["type"] == "declaration"]
    assert [change.get("repeated", False) for change in calls] == [True, False]
    # A text in the audit log would outlive its deletion.
    assert "fuel" not in str(calls)


def test_everyone_who_is_missing_is_named_when_an_incident_is_closed(server):
    leader, phones, number = start(server, "gap", people=1)
    enter(phones["gap-p0"])
    leader.ok("POST", f"/incidents/{number}/roll", {"name": "Ana Zimmer", "note": "welds in the archive"})
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "the fire brigade goes on"})
    report, rows, page = reports(leader, number)
    missing = [(line["user"], line.get("note")) for line in report["changes"] if line["event"] == "atClosing"]
    assert missing == [("Ana Zimmer", "welds in the archive"), ("gap-lea", None)]
    assert [(row["user"], row["note"]) for row in rows if row["event"] == "atClosing"] == [
        ("Ana Zimmer", "welds in the archive"), ("gap-lea", "")]
    assert [(row["user"], row["note"]) for row in rows if row["event"] == "unaccounted"] == [
        ("gap-lea", ""), ("Ana Zimmer", "welds in the archive")]
    assert "when it was closed: unknown (welds in the archive)" in page


def test_a_mark_stays_beside_what_the_phone_says_later(server):
    leader, phones, number = start(server, "mark")
    leader.ok("POST", "/users/mark-p0/declarations", {"kind": "safe", "note": "at the gate"})
    enter(phones["mark-p0"])
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    found = people(leader, number)["mark-p0"]
    assert found["source"] == "region" and "markedBy" not in found
    mark = found["mark"]
    assert (mark["state"], mark["by"], mark["note"]) == ("safe", "mark-lea", "at the gate")
    assert mark["at"] != found["since"] and found["firstAccountedTime"] >= mark["at"]
    report, rows, page = reports(leader, number)
    row = next(row for row in rows if row["event"] == "accounted" and row["user"] == "mark-p0")
    assert (row["mark"], row["markTime"], row["markBy"], row["note"]) == (
        "safe", mark["at"], "mark-lea", "at the gate")
    assert row["firstAccountedTime"] == found["firstAccountedTime"]
    assert f"marked safe by mark-lea at {mark['at']}: at the gate" in page
    assert f"first accounted for {found['firstAccountedTime']}, after 0:0" in page


def test_when_somebody_was_first_accounted_for_survives_a_restart(make_server):
    server = make_server().start()
    leader, phones, number = start(server, "first")
    admin = server.admin()
    admin.ok("POST", "/teams/first/crews", {"name": "Engine"})
    for user in ("first-p0", "first-p1"):
        admin.ok("PATCH", f"/users/{user}", {"crew": "Engine"})
    for kind in ("safe", "clear", "safe"):
        leader.ok("POST", "/users/first-p0/declarations", {"kind": kind})
    before = people(leader, number)["first-p0"]["firstAccountedTime"]
    assert "firstAccountedTime" not in people(leader, number)["first-p1"]
    server.kill()
    server.start()
    leader = NativeApi(server.address, leader.token)
    assert people(leader, number)["first-p0"]["firstAccountedTime"] == before
    assert "allAccountedTime" not in leader.ok("GET", f"/incidents/{number}")["crews"][0]
    leader.ok("POST", "/users/first-p1/declarations", {"kind": "offSite"})
    last = people(leader, number)["first-p1"]["firstAccountedTime"]
    assert last > before and leader.ok("GET", f"/incidents/{number}")["crews"][0]["allAccountedTime"] == last


def test_each_closing_and_reopening_is_kept_with_its_reason_and_counts(server):
    leader, phones, number = start(server, "again", people=1)
    enter(phones["again-p0"])
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "smoke is gone"})
    leader.ok("POST", f"/incidents/{number}/reopen", {"reason": "smoke again"})
    leader.ok("POST", "/users/again-lea/declarations", {"kind": "safe"})
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "out"})
    first, last = leader.ok("GET", f"/incidents/{number}")["closings"]
    assert (first["closedBy"], first["reason"], first["reopenedBy"], first["reopenReason"]) == (
        "again-lea", "smoke is gone", "again-lea", "smoke again")
    assert first["counts"] == {"people": 2, "accounted": 1, "checking": 0, "unaccounted": 1}
    assert last["counts"]["accounted"] == 2 and "reopenedAt" not in last
    page = reports(leader, number)[2]
    assert f"{first['closedAt']} by again-lea, 1 of 2 accounted for: smoke is gone" in page
    assert f"{first['reopenedAt']} by again-lea: smoke again" in page
    # Of the counts a member learns nothing.
    member = NativeApi(server.address, phones["again-p0"].token)
    assert "closings" not in str(member.send("GET", f"/incidents/{number}").text)
