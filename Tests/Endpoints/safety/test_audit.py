"""The audit log says what an edit changed, to those who may read it, and nothing of what is private."""

import pytest

from native_api import box, polygon

yard = box(13.4, 52.5, 13.41, 52.51)


@pytest.fixture(scope="module")
def world(server):
    admin = server.admin()
    admin.make_team("audited")
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
    assert made["radius"] == (None, 60) and made["name"] == (None, "Quay") and made["gate"] == (None, "7")
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


def test_an_import_and_a_long_pattern_keep_the_log_small(world):
    admin, leader = world["admin"], world["leader"]
    long = {"detail-type": [f"{index:0>200}" for index in range(9)]}
    admin.ok("POST", "/rules", {"name": "audited-long", "pattern": long})
    admin.ok("PATCH", "/rules/audited-long", {"enabled": False})
    entry = next(entry for entry in admin.items("/audit") if entry["change"].get("name") == "audited-long"
                 and fields(entry).get("name"))
    assert fields(entry)["pattern"] == (None, None), "a value over 1,000 bytes is named and not kept"
    properties = {f"note{index}": "x" * 900 for index in range(20)}
    leader.ok("PUT", "/collections/audited/regions/noted", polygon("noted", yard, **properties))
    kept = newest(leader)["details"]
    assert len(kept) >= 20 and len(str(kept)) < 6_000
    leader.ok("DELETE", "/collections/audited/regions/noted")


def test_an_analyst_reads_what_is_about_places_and_people_and_not_about_accounts(world):
    leader, analyst = world["leader"], world["analyst"]
    leader.ok("PUT", "/collections/audited/regions/hall", polygon("hall", yard, name="Hall"))
    leader.ok("POST", "/users/audited-lea/declarations", {"kind": "safe"})
    kinds = {entry["change"]["type"] for entry in analyst.items("/audit")}
    assert {"region", "declaration"} <= kinds
    users = {entry["change"]["name"] for entry in analyst.items("/audit") if entry["change"].get("kind") == "user"}
    assert users <= {"audited-ana"}
    leader.ok("DELETE", "/collections/audited/regions/hall")
