"""Official warnings in CAP 1.2: from a service's feed to regions that end by themselves, over real sockets."""

from muster_process import run
from native_api import box as corners, fix, now, polygon
from waiting import eventually
from warning_feed import alert, at, box


def regions(admin, name="warnings-north"):
    """Returns the regions of warnings by their names; none while there is no collection."""
    answer = admin.send("GET", f"/collections/{name}/regions?limit=1000")
    return {one["properties"]["name"]: one for one in answer.json()["features"]} if answer.ok else {}


def state(admin):
    """Returns how it stands with the only feed."""
    (item,) = admin.ok("GET", "/warnings")["items"]
    return item


def shown(admin, *names):
    """Waits until exactly these warnings are shown. Returns their regions."""
    return eventually(lambda: regions(admin), lambda found: sorted(found) == sorted(names))


# MARK: From a feed to regions


def test_a_warning_of_a_feed_is_a_raw_region_with_what_the_service_says(follow, service):
    sent, end = at(-60), at(3_600)
    service.publish("/1.cap", alert("w1", sent, expires=end, headline="Flood <b>now</b>"))
    server = follow()
    admin = server.admin()
    (region,) = shown(admin, "Flood <b>now</b>").values()
    warning = region["properties"]["warning"]
    assert region["properties"]["muster"] is False
    assert (warning["severity"], warning["sender"]) == ("severe", "Example Weather Service")
    assert (warning["area"], warning["instruction"]) == ("North coast", "Leave the banks.")
    assert warning["expires"][:19] == end[:19] and warning["identifier"] == "w1"
    assert admin.ok("GET", "/collections/warnings-north")["policy"] == "raw"
    eventually(lambda: state(admin), lambda found: found["warnings"] == 1)
    assert state(admin)["host"] == service.address and "fault" not in state(admin)
    leader = admin.make_user("lena", "leader", "north")
    assert sorted(regions(leader)) == ["Flood <b>now</b>"]
    leader.refused(403, "DELETE", f"/collections/warnings-north/regions/{region['id']}")
    listed = run("warnings", "list", data=server.data)
    assert f"north\t{service.address}\tok" in listed and "1 warnings in 1 regions" in listed


def test_updates_replace_and_cancellations_end_warnings(follow, service):
    sent, end = at(-60), at(3_600)
    service.publish("/1.cap", alert("w1", sent, expires=end, headline="One"))
    service.publish("/2.cap", alert("w2", sent, expires=end, headline="Two", area=box(40, -3, 41, -2)))
    admin = follow().admin()
    shown(admin, "One", "Two")
    later = at(-30)
    service.publish("/3.cap", alert(
        "w3", later, kind="Update", references=[("w1", sent)], expires=end, headline="One, worse"))
    shown(admin, "One, worse", "Two")
    service.publish("/4.cap", alert("w4", at(), kind="Cancel", references=[("w3", later), ("w2", sent)]))
    shown(admin)
    assert service.count("/1.cap") == 1, "a known alert was asked for again"


def test_exercises_and_tests_are_not_shown_and_end_nothing(follow, service):
    sent, end = at(-60), at(3_600)
    service.publish("/2.cap", alert("w2", sent, expires=end, headline="Drill", status="Exercise"))
    service.publish("/3.cap", alert("w3", sent, kind="Cancel", references=[("w1", sent)], status="Test"))
    service.publish("/1.cap", alert("w1", sent, expires=end, headline="Real"))
    shown(follow().admin(), "Real")


def test_a_url_of_one_alert_is_enough(follow, service):
    service.documents["/now.xml"] = alert("w1", at(-60), expires=at(3_600), headline="Alone")
    admin = follow(url=f"{service.address}/now.xml").admin()
    shown(admin, "Alone")
    eventually(lambda: [fields.get("if-none-match") for _, fields in service.requests], lambda tags: any(tags))


def test_settings_leave_out_what_a_team_does_not_want(follow, service):
    sent, end = at(-60), at(3_600)
    spanish = ("<info><language>es-ES</language><headline>Inundación</headline><severity>Severe</severity>"
               f"<area>{box(43, -7, 44, -6)}</area></info>")
    service.publish("/1.cap", alert("w1", sent, expires=end, more=spanish))
    service.publish("/2.cap", alert("w2", sent, expires=end, headline="Mild", severity="Minor"))
    service.publish("/3.cap", alert("w3", sent, expires=end, headline="Far", area=box(10, 10, 11, 11)))
    admin = follow(
        "--warnings-language", "es", "--warnings-severity", "moderate", "--warnings-area", "42,-8,45,-5").admin()
    eventually(lambda: state(admin).get("heardAt"))
    shown(admin, "Inundación")


def test_entering_a_warning_is_reported_and_starts_nothing(follow, service):
    admin = follow().admin()
    admin.make_user("ana", "member", "north")
    phone = admin.make_device("ana")
    phone.ok("POST", "/positions", fix(43.5, -6.5, now() - 60_000))
    before = admin.ok("GET", "/users/ana")
    service.publish("/1.cap", alert("w1", at(-60), expires=at(3_600), headline="Flood"))
    (region,) = shown(admin, "Flood").values()
    phone.ok("POST", "/positions", fix(42.5, -6.5, now() - 30_000))
    phone.ok("POST", "/positions", fix(43.5, -6.5, now()))
    entered = [one for one in admin.changes() if one.get("region") == region["id"] or region["id"] in str(one)]
    assert any("enter" in str(one).lower() for one in entered), entered
    assert admin.ok("GET", "/incidents")["items"] == []
    assert admin.ok("GET", "/users/ana").get("safety") == before.get("safety")


# MARK: Ends


def test_a_warning_ends_by_its_own_time_also_while_the_service_is_silent(follow, service):
    service.publish("/1.cap", alert("w1", at(-60), expires=at(6), headline="Brief"))
    service.publish("/2.cap", alert("w2", at(-60), expires=at(3_600), headline="Long"))
    admin = follow().admin()
    eventually(lambda: regions(admin), lambda found: "Long" in found)
    service.documents["/feed.atom"] = lambda: (503, {}, b"")
    shown(admin, "Long")
    assert eventually(lambda: state(admin).get("fault"))


def test_after_a_restart_what_expired_is_gone_and_the_rest_stays_without_the_service(follow, service):
    service.publish("/1.cap", alert("w1", at(-60), expires=at(6), headline="Brief"))
    service.publish("/2.cap", alert("w2", at(-60), expires=at(3_600), headline="Long"))
    server = follow()
    eventually(lambda: regions(server.admin()), lambda found: "Long" in found)
    service.close()
    server.kill()
    server.start()
    shown(server.admin(), "Long")
    service.open()
    sent = at()
    service.publish("/3.cap", alert("w3", sent, expires=at(3_600), headline="New"))
    shown(server.admin(), "Long", "New")


def test_a_command_over_the_folder_of_a_stopped_server_leaves_warnings_alone(follow, service):
    service.publish("/1.cap", alert("w1", at(-60), expires=at(3_600), headline="Flood"))
    server = follow()
    (region,) = shown(server.admin(), "Flood").values()
    service.close()
    server.end()
    assert "warnings-north" in run("collection", "list", data=server.data)
    assert list(shown(server.start().admin(), "Flood").values()) == [region]


def test_a_team_that_is_not_there_is_told_at_the_start_and_may_come_later(make_server, service):
    service.publish("/1.cap", alert("w1", at(-60), expires=at(3_600), headline="Flood"))
    server = make_server(arguments=[
        "--warnings", f"north={service.url}", "--warnings-seconds", "1", "--allow-private-targets"]).start()
    admin = server.admin()
    eventually(lambda: state(admin).get("fault"), lambda fault: fault == "there is no team north")
    assert "Official warnings are for a team that does not exist" in server.log()
    admin.make_team("north")
    shown(admin, "Flood")


def test_without_its_feed_a_collection_of_warnings_goes(follow, service):
    service.publish("/1.cap", alert("w1", at(-60), expires=at(3_600), headline="Flood"))
    server = follow()
    shown(server.admin(), "Flood")
    server.end()
    server.arguments = []
    admin = server.start().admin()
    eventually(lambda: admin.send("GET", "/collections/warnings-north").status_code, lambda status: status == 404)
    assert "warnings-north" not in admin.ok("GET", "/trackers/north")["collections"]


def test_a_leaders_own_collection_of_the_same_name_is_left_alone(make_server, service):
    server = make_server().start()
    admin = server.admin()
    admin.make_team("north")
    admin.ok("POST", "/collections", {"name": "warnings-north"})
    admin.ok("POST", "/collections/warnings-north/regions", polygon("cap-1", corners(1, 1, 2, 2), name="Mine"))
    server.end()
    service.publish("/1.cap", alert("cap-1", at(-60), expires=at(3_600), headline="Flood"))
    server.arguments = ["--warnings", f"north={service.url}", "--warnings-seconds", "1", "--allow-private-targets"]
    admin = server.start().admin()
    eventually(lambda: regions(admin, "warnings-north-2"), lambda found: sorted(found) == ["Flood"])
    assert sorted(regions(admin)) == ["Mine"]
