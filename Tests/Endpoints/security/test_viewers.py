"""Who can see a person, as the person is told: held against who reads their positions."""

from muster_process import run
from native_api import NativeApi, fix, now


def people_of(server, name):
    admin = server.admin()
    for team in (name, f"{name}-other"):
        admin.make_team(team)
    people = {user: admin.make_user(f"{name}-{user}", role, team) for user, role, team in (
        ("lea", "leader", name), ("mia", "member", name), ("max", "member", name),
        ("sue", "leader", f"{name}-other"), ("ann", "analyst", None), ("gus", "gateway", None))}
    return admin, people


def test_the_list_names_those_who_read_the_position_and_nobody_else(server):
    admin, people = people_of(server, "v")
    admin.make_device("v-mia").ok("POST", "/positions", fix(52.5, 13.4, now()))
    listed = people["mia"].items("/users/v-mia/viewers")
    everyone = {"admin": admin, **{f"v-{name}": api for name, api in people.items()}}
    reading = {name for name, api in everyone.items()
               if api.send("GET", "/users/v-mia/devices/phone/positions").status_code == 200}
    named = {viewer["name"] for viewer in listed if "name" in viewer}
    # The token that an admin made for the phone is listed too: its bearer reads what mia reads.
    [token] = [viewer for viewer in listed if "token" in viewer]
    assert token["device"] == "phone" and token["madeBy"] == "admin" and token["since"]
    assert reading & set(everyone) == (named & set(everyone)) | {"v-mia"} and "v-mia" not in named
    roles = {viewer["name"]: viewer["role"] for viewer in listed if "name" in viewer}
    assert roles["v-lea"] == "leader" and roles["v-ann"] == "analyst" and roles["admin"] == "admin"
    # The server does not store since when a user has a role, so the list does not say it.
    assert not any("since" in viewer for viewer in listed if "name" in viewer)
    assert people["lea"].items("/users/v-mia/viewers") == listed == admin.items("/users/v-mia/viewers")


def test_links_that_show_the_person_are_listed_while_they_live(server):
    admin, people = people_of(server, "l")
    lea, mia = people["lea"], people["mia"]
    number = lea.ok("POST", "/teams/l/incidents", {"kind": "drill"})["number"]
    wishes = [{"kind": "person", "user": "l-mia", "note": "her family"}, {"kind": "person", "user": "l-max"},
              {"kind": "incident", "incident": number}, {"kind": "visitors", "team": "l"}]
    links = [lea.ok("POST", "/links", {**wish, "expiresSeconds": 3600}) for wish in wishes]
    listed = [viewer for viewer in mia.items("/users/l-mia/viewers") if "link" in viewer]
    assert [(viewer["link"], viewer["kind"], viewer["madeBy"]) for viewer in listed] == [
        (links[0]["link"], "person", "l-lea"), (links[2]["link"], "incident", "l-lea")]
    assert listed[0]["note"] == "her family" and listed[0]["expires"] == links[0]["expiresTime"]
    assert listed[1]["incident"] == number and listed[0]["since"] == links[0]["createdTime"]
    secrets = [link["url"].split("#")[1] for link in links]
    assert not any(secret in str(listed) for secret in secrets)
    assert "to person" in run("user", "viewers", "l-mia", data=server.data)
    lea.ok("DELETE", f"/links/{links[0]['link']}")
    assert [viewer["link"] for viewer in mia.items("/users/l-mia/viewers") if "link" in viewer] == [links[2]["link"]]


def test_only_the_person_their_leader_and_admins_may_ask(server):
    admin, people = people_of(server, "a")
    device = admin.make_device("a-mia")
    path = "/users/a-mia/viewers"
    for asker, status in ("max", 404), ("sue", 404), ("ann", 403), ("gus", 403):
        people[asker].refused(status, "GET", path)
    device.refused(403, "GET", path)
    NativeApi(server.address).refused(401, "GET", path)
    people["lea"].ok("GET", path)


def test_the_list_comes_in_pages(server):
    admin, people = people_of(server, "p")
    for _ in range(3):
        people["lea"].ok("POST", "/links", {"kind": "person", "user": "p-mia", "expiresSeconds": 3600})
    whole = people["mia"].items("/users/p-mia/viewers")
    paged, cursor = [], ""
    while cursor is not None:
        answer = people["mia"].ok("GET", f"/users/p-mia/viewers?limit=1{cursor and '&cursor=' + cursor}")
        assert len(answer["items"]) == 1
        paged += answer["items"]
        cursor = answer.get("nextCursor")
    assert paged == whole and len(whole) >= 5
    people["mia"].refused(422, "GET", "/users/p-mia/viewers?cursor=x")
