"""Who is on the roll of an incident: nothing takes anyone off it but a person's word."""


from incident_crew import make_crew_in
from native_api import NativeApi, box, fix, now, polygon, stamp
from waiting import eventually

yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True, name="Yard")
inside, outside = (52.505, 13.405), (52.6, 13.6)


def make_crew(server, name, people=2):
    return make_crew_in(yard, server, name, people)


def evacuate(leader, team, kind="real"):
    """Starts an incident in which everyone of the crew is accounted for; its number."""
    number = leader.ok("POST", f"/teams/{team}/incidents", {"kind": kind})["number"]
    return number


def roll(api, number):
    answer = api.ok("GET", f"/incidents/{number}")
    return answer, {person["user"]: person for person in answer["roll"]}


def all_safe(leader, team, phones):
    """Brings everyone into the yard; the leader, without a phone, says so itself."""
    for phone in phones.values():
        for ago in (50_000, 25_000, 0):
            phone.ok("POST", "/positions", fix(*inside, now() - ago, accuracy=5))
    leader.ok("POST", f"/users/{team}-lea/declarations", {"kind": "safe"})


def test_who_is_in_no_team_and_so_on_no_roll_is_listed_for_an_admin(make_server):
    admin = make_server().start().admin()
    admin.make_team("dock")
    for name, role, team in (("ann", "member", None), ("bo", "leader", None), ("cy", "member", "dock"),
                             ("vera", "analyst", None), ("gate", "gateway", None)):
        admin.ok("POST", "/users", {"name": name, "role": role, **({"team": team} if team else {})})

    def listed():
        return [user["name"] for user in admin.ok("GET", "/users?inNoTeam=true")["items"]]

    assert listed() == ["ann", "bo"]
    admin.ok("DELETE", "/teams/dock")
    assert listed() == ["ann", "bo", "cy"]
    admin.refused(422, "GET", "/users?inNoTeam=perhaps")


def test_a_removed_user_stays_on_the_roll_also_when_the_server_is_killed_at_once(make_server):
    server = make_server().start()
    admin = server.admin()
    leader, phones = make_crew(server, "dock")
    number = evacuate(leader, "dock")
    all_safe(leader, "dock", phones)
    assert roll(leader, number)[0]["allAccounted"]
    admin.ok("DELETE", "/users/dock-p0")
    server.kill()
    server.start()
    leader = NativeApi(server.address, leader.token)
    answer, found = eventually(lambda: roll(leader, number), lambda read: not read[0]["allAccounted"])
    gone = found["dock-p0"]
    assert answer["open"] and not answer["allAccounted"] and answer["counts"]["unaccounted"] == 1
    assert not gone["accounted"] and not gone["left"] and gone["state"] == "unknown"
    assert gone["removed"]["by"] == "admin" and gone["lastSeen"]["latitude"] == inside[0]
    path = f"/incidents/{number}/roll/{gone['person']}"
    assert leader.ok("POST", path + "/mark", {"state": "safe", "note": "with me"})["markedBy"] == "dock-lea"
    assert roll(leader, number)[0]["allAccounted"]
    leader.ok("POST", path + "/removal", {"reason": "went home"})
    leader.refused(409, "POST", path + "/removal", {"reason": "went home"})
    answer, found = roll(leader, number)
    assert answer["counts"]["people"] == 2 and found["dock-p0"]["takenOff"]["reason"] == "went home"
    report = leader.ok("GET", f"/incidents/{number}/report")
    lines = [(line["event"], line.get("by")) for line in report["changes"] if line.get("user") == "dock-p0"]
    assert lines[-3:] == [("removed", "admin"), ("changed", "dock-lea"), ("takenOff", "dock-lea")]
    page = leader.send("GET", f"/incidents/{number}/report?format=html").text
    assert "removed from the server at" in page and "taken off by dock-lea: went home" in page
    authors = [entry["author"] for entry in leader.items("/audit") if entry["change"]["type"] == "roll"]
    assert authors == ["dock-lea", "dock-lea"]


def test_deleting_what_places_people_in_safety_leaves_them_on_the_roll_unaccounted(server):
    admin = server.admin()
    leader, phones = make_crew(server, "ward", people=3)
    number = evacuate(leader, "ward")
    all_safe(leader, "ward", phones)
    assert roll(leader, number)[0]["allAccounted"]
    admin.ok("DELETE", "/users/ward-p0/devices/phone")
    found = await_missing(leader, number, "ward-p0")
    assert found["deviceRemoved"]["device"] == "phone" and found["deviceRemoved"]["by"] == "admin"
    admin.refused(409, "DELETE", "/teams/ward")
    assert admin.ok("GET", "/teams/ward")["name"] == "ward"
    admin.ok("DELETE", "/collections/ward")
    for user in ("ward-p1", "ward-p2"):
        await_missing(leader, number, user)
    assert roll(leader, number)[0]["counts"]["people"] == 4


def await_missing(leader, number, user):
    """Someone on the roll, once they are no longer accounted for."""
    found = eventually(lambda: roll(leader, number)[1][user], lambda person: not person["accounted"])
    assert not found["left"]
    return found


def test_a_user_moved_to_another_team_stays_on_the_roll_of_the_old_one(server):
    admin = server.admin()
    leader, phones = make_crew(server, "mill")
    admin.make_team("mill-other")
    number = evacuate(leader, "mill")
    admin.make_user("mill-late", "member", "mill")
    assert roll(leader, number)[0]["counts"]["people"] == 4
    admin.ok("PATCH", "/users/mill-p1", {"team": "mill-other"})
    answer, found = roll(leader, number)
    assert answer["counts"]["people"] == 4
    assert found["mill-p1"]["moved"]["team"] == "mill-other" and found["mill-p1"]["moved"]["by"] == "admin"
    phones["mill-p1"].ok("POST", "/users/mill-p1/declarations", {"kind": "needsHelp"})
    assert roll(leader, number)[1]["mill-p1"]["state"] == "needsHelp"
    leader.ok("POST", f"/incidents/{number}/roll/{found['mill-p1']['person']}/removal", {"reason": "not here"})
    assert roll(leader, number)[0]["counts"]["people"] == 3


def test_visitors_are_put_on_the_roll_marked_and_taken_off_again(server):
    leader, phones = make_crew(server, "fair", people=1)
    number = evacuate(leader, "fair", "drill")
    all_safe(leader, "fair", phones)
    before = leader.last_sequence()
    path = f"/incidents/{number}/roll"
    zoe = leader.ok("POST", path, {"name": "Zoë =1", "note": "red coat"})
    assert zoe["person"] < 0 and zoe["state"] == "unknown" and zoe["by"] == "fair-lea"
    answer, found = roll(leader, number)
    assert not answer["allAccounted"] and found["Zoë =1"]["visitor"] and found["Zoë =1"]["note"] == "red coat"
    leader.ok("POST", f"{path}/{zoe['person']}/mark", {"state": "safe"})
    assert roll(leader, number)[0]["allAccounted"]
    yan = leader.ok("POST", path, {"name": "Yan", "state": "needsHelp"})
    assert roll(leader, number)[1]["Yan"]["state"] == "needsHelp"
    leader.refused(422, "POST", f"{path}/{yan['person']}/removal", {})
    leader.ok("POST", f"{path}/{yan['person']}/removal", {"reason": "hospital"})
    assert roll(leader, number)[0]["allAccounted"]
    changes = leader.changes(before)
    assert [(one["event"], one["user"]) for one in changes if one["type"] == "roll"] == [
        ("visitor", "Zoë =1"), ("changed", "Zoë =1"), ("visitor", "Yan"), ("takenOff", "Yan")]
    assert [one["happened"] for one in changes if one["type"] == "incident"] == [
        "notAllAccounted", "allAccounted", "notAllAccounted", "allAccounted"]
    # A member learns of no one else on the roll.
    member = NativeApi(server.address, phones["fair-p0"].token)
    assert [one for one in member.changes(before) if one["type"] == "roll"] == []
    for body, pointer in (({}, "/name"), ({"name": " "}, "/name"), ({"name": "x" * 201}, "/name"),
                          ({"name": "x", "state": "sos"}, "/state")):
        document = leader.refused(422, "POST", path, body)
        assert [fault["pointer"] for fault in document["errors"]] == [pointer]
    person = roll(leader, number)[1]["fair-p0"]["person"]
    leader.refused(409, "POST", f"{path}/{person}/mark", {"state": "safe"})
    leader.refused(409, "POST", f"{path}/-99/mark", {"state": "safe"})
    leader.refused(404, "POST", f"{path}/x/mark", {"state": "safe"})
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    leader.refused(409, "POST", path, {"name": "late"})
    text = leader.send("GET", f"/incidents/{number}/report?format=csv").text
    assert ",visitor,Zoë =1," in text and ",takenOff,Yan," in text and ",hospital" in text


def test_a_closed_incident_is_reopened_on_its_roll(server):
    leader, phones = make_crew(server, "gate")
    number = evacuate(leader, "gate", "drill")
    visitor = leader.ok("POST", f"/incidents/{number}/roll", {"name": "Zoë", "state": "safe"})["person"]
    all_safe(leader, "gate", phones)
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "all clear"})
    leader.refused(422, "POST", f"/incidents/{number}/reopen", {})
    opened = leader.ok("POST", f"/incidents/{number}/reopen", {"reason": "smoke again"})
    assert opened["number"] == number and opened["open"] and opened["happened"] == "reopened"
    assert opened["reopenedBy"] == "gate-lea" and opened["reopenReason"] == "smoke again"
    answer, found = roll(leader, number)
    # Said in it before it was closed: it ended then. Who is inside is inside.
    assert found["gate-lea"]["state"] == "unknown" and found["gate-p0"]["accounted"]
    assert found["Zoë"]["person"] == visitor and found["Zoë"]["accounted"]
    leader.refused(409, "POST", f"/incidents/{number}/reopen", {"reason": "again"})
    leader.ok("POST", "/users/gate-lea/declarations", {"kind": "safe"})
    assert roll(leader, number)[0]["allAccounted"]
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "all clear"})
    other = evacuate(leader, "gate", "drill")
    leader.refused(409, "POST", f"/incidents/{number}/reopen", {"reason": "again"})
    # A real one takes over.
    real = evacuate(leader, "gate", "real")
    taken = leader.ok("GET", f"/incidents/{other}")
    assert not taken["open"] and taken["closedHow"] == "takenOver" and taken["takenOverBy"] == real
    changes = [entry["change"] for entry in leader.items("/audit")]
    assert [change["happened"] for change in changes if change["type"] == "incident"] == [
        "started", "started", "closed", "reopened", "closed", "started"]


def test_a_drill_closes_by_itself_where_its_team_chose_so(server):
    leader, phones = make_crew(server, "hut", people=1)
    leader.refused(403, "PATCH", "/teams/hut", {"closesRealIncidents": True})
    chosen = leader.ok("PATCH", "/teams/hut", {"closesDrills": True, "closesAfterSeconds": 0})
    assert chosen["closesDrills"] and not chosen["closesRealIncidents"] and chosen["closesAfterSeconds"] == 0
    number = evacuate(leader, "hut", "drill")
    all_safe(leader, "hut", phones)
    closed = eventually(lambda: leader.ok("GET", f"/incidents/{number}"), lambda incident: not incident["open"])
    assert closed["closedHow"] == "automatic" and closed["allAccounted"] and "closedBy" not in closed


def test_an_expired_declaration_is_shown_as_unconfirmed_and_does_not_count(server):
    leader, phones = make_crew(server, "pier", people=1)
    said = now() - 13 * 3600 * 1000
    phones["pier-p0"].ok("POST", "/users/pier-p0/declarations", {"kind": "offSite", "sampleTime": stamp(said)})
    leader.ok("POST", "/users/pier-lea/declarations", {"kind": "offSite"})
    number = evacuate(leader, "pier")
    _, found = roll(leader, number)
    assert found["pier-lea"]["accounted"] and "unconfirmed" not in found["pier-lea"]
    assert not found["pier-p0"]["accounted"]
    assert found["pier-p0"]["unconfirmed"] == {"kind": "offSite", "at": stamp(said), "by": "pier-p0"}
    # A team may take a word for longer; it has to be said again.
    leader.ok("PATCH", "/teams/pier", {"declaredHoldsSeconds": 86_400})
    phones["pier-p0"].ok("POST", "/users/pier-p0/declarations", {"kind": "offSite"})
    assert roll(leader, number)[0]["allAccounted"]
