"""The audit log says what an edit changed, to those who may read it, and nothing of what is private."""

import pytest

from native_api import box, polygon

yard = box(13.4, 52.5, 13.41, 52.51)


@pytest.fixture(scope="module")
def world(server):
    admin = server.admin()
    # Of several teams the leader of each changes the own collection, and a new team gets no part in it.
    admin.make_team("audited")
    admin.make_team("audited-else")
    return {"admin": admin, "leader": admin.make_user("audited-lea", "leader", "audited"),
            "analyst": admin.make_user("audited-ana", "analyst")}


def newest(api, kind="region"):
    return next(entry for entry in api.items("/audit") if entry["change"].get("kind", entry["change"]["type"]) == kind)


def fields(entry):
    return {item["field"]: (item.get("before"), item.get("after")) for item in entry["details"]}


def test_an_edit_of_a_region_says_what_it_changed(world):
    leader, path = world["leader"], "/collections/audited/regions/quay"
    circle = {"type": "Feature", "id": "quay", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]},
              "properties": {"name": "Quay", "radius": 60, "gate": "7"}}
    leader.ok("PUT", path, circle)
    made = fields(newest(leader))
    assert made["radius"] == (None, 60) and made["name"] == (None, "Quay")
    # What the editor wrote beside the fields that Muster knows may be anything: it is named alone.
    assert made["properties"] == (None, None) and "gate" not in str(made)
    circle["properties"] |= {"radius": 80, "muster": True}
    leader.ok("PUT", path, circle)
    changed = fields(newest(leader))
    assert changed == {"radius": (60, 80), "muster": (False, True)}
    # The same again changes nothing.
    leader.ok("PUT", path, circle)
    assert "details" not in newest(leader)
    many = [(13.4 + index / 1e4, 52.5) for index in range(400)] + [(13.43, 52.51), (13.4, 52.51)]
    leader.ok("PUT", path, polygon("quay", many, name="Quay", muster=True))
    shape = fields(newest(leader))
    assert shape["geometry"] == (
        {"type": "Point", "coordinates": [13.4, 52.5]}, {"type": "Polygon", "vertices": len(many)})
    leader.ok("DELETE", path)
    removed = newest(leader)
    assert removed["change"]["removed"] and fields(removed)["name"] == ("Quay", None)


def test_edits_of_users_teams_and_rules_say_what_they_changed(world):
    admin = world["admin"]
    admin.ok("POST", "/users", {"name": "audited-mia", "role": "member", "team": "audited", "phone": "+4930123456"})
    admin.ok("PATCH", "/users/audited-mia", {"role": "leader", "phone": "+4930654321"})
    entry = newest(admin, "user")
    assert fields(entry) == {"role": ("member", "leader"), "phone": (None, None)}
    assert "4930" not in str(admin.items("/audit")), "whom to call is not in the log"
    admin.ok("PATCH", "/teams/audited", {"silenceSeconds": 300})
    assert fields(newest(admin, "team"))["silenceSeconds"][1] == 300
    admin.ok("POST", "/rules", {"name": "audited", "pattern": {"source": ["muster"]}})
    admin.ok("PATCH", "/rules/audited", {"enabled": False, "pattern": {"source": ["other"]}})
    assert fields(newest(admin, "rule")) == {
        "enabled": (True, False), "pattern": ({"source": ["muster"]}, {"source": ["other"]})}


def test_names_made_in_the_same_edit_are_known_and_what_is_removed_is_told(world):
    admin = world["admin"]
    table = "name,role,team\naudited-new,leader,audited-fresh\n"
    answer = admin.send(
        "POST", "/user-imports?makeTeams=true", raw=table.encode(), headers={"Content-Type": "text/csv"})
    assert answer.ok, answer.text
    made = next(entry for entry in admin.items("/audit") if entry["change"].get("name") == "audited-new")
    assert fields(made)["team"] == (None, "audited-fresh")
    # A new collection of an admin is linked to every tracker in the same edit.
    admin.ok("POST", "/collections", {"name": "audited-more"})
    linked = next(entry for entry in admin.items("/audit") if entry["change"].get("kind") == "tracker"
                  and entry["change"]["name"] == "audited")
    before, after = fields(linked)["collections"]
    assert "audited" in before and after == before + ["audited-more"]
    admin.ok("DELETE", "/rules/audited")
    assert fields(newest(admin, "rule"))["name"] == ("audited", None)


def test_long_values_and_many_properties_keep_the_log_small(world):
    admin, leader = world["admin"], world["leader"]
    long = {"detail-type": [f"{index:0>200}" for index in range(9)]}
    admin.ok("POST", "/rules", {"name": "audited-long", "pattern": long})
    entry = newest(admin, "rule")
    assert fields(entry)["pattern"] == (None, None), "a value over 1,000 bytes is named and not kept"
    path, properties = "/collections/audited/regions/noted", {f"k{index}": 1 for index in range(5_000)}
    leader.ok("PUT", path, polygon("noted", yard, **properties))
    leader.ok("PUT", path, polygon("noted", yard, **properties, one="more"))
    kept = newest(leader)["details"]
    assert kept == [{"field": "properties"}]
    leader.ok("DELETE", path)


def test_a_large_shape_is_told_by_its_size(world):
    leader, path = world["leader"], "/collections/audited/regions/coast"
    leader.ok("PUT", path, polygon("coast", yard, name="Coast"))
    ring = [(13.4 + index / 1e6, 52.5) for index in range(40_000)] + [(13.45, 52.51), (13.4, 52.51)]
    leader.ok("PUT", path, polygon("coast", ring, name="Coast"))
    assert fields(newest(leader)) == {
        "geometry": ({"type": "Polygon", "vertices": len(yard)}, {"type": "Polygon", "vertices": len(ring)})}
    leader.ok("DELETE", path)


def test_what_changed_of_a_person_is_the_admins_to_read(world):
    admin, leader = world["admin"], world["leader"]
    admin.ok("POST", "/users", {"name": "audited-moved", "role": "member"})
    admin.ok("PATCH", "/users/audited-moved", {"team": "audited"})
    assert fields(newest(admin, "user"))["team"] == (None, "audited")
    seen = newest(leader, "user")
    assert seen["change"]["name"] == "audited-moved" and "details" not in seen


def test_the_log_does_not_keep_the_name_of_somebody_who_was_removed(world):
    admin = world["admin"]
    admin.ok("POST", "/users", {"name": "audited-erased", "role": "member", "team": "audited"})
    assert fields(newest(admin, "user")) == {
        "name": (None, None), "role": (None, "member"), "team": (None, "audited")}
    admin.ok("DELETE", "/users/audited-erased")
    removed = newest(admin, "user")
    assert removed["change"]["removed"] and "details" not in removed
    assert "audited-erased" not in str(admin.items("/audit"))


def test_an_analyst_reads_what_is_about_places_and_people_and_not_about_accounts(world):
    leader, analyst = world["leader"], world["analyst"]
    leader.ok("PUT", "/collections/audited/regions/hall", polygon("hall", yard, name="Hall"))
    leader.ok("POST", "/users/audited-lea/declarations", {"kind": "safe"})
    kinds = {entry["change"]["type"] for entry in analyst.items("/audit")}
    assert {"region", "declaration"} <= kinds
    users = {entry["change"]["name"] for entry in analyst.items("/audit") if entry["change"].get("kind") == "user"}
    assert users <= {"audited-ana"}
    leader.ok("DELETE", "/collections/audited/regions/hall")
