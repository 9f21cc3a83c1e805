"""A full disk: the server says so, goes on with all that needs no write, refuses the rest in words, and recovers."""

import os
import time

import pytest

import amazon
from couch_api import CouchApi
from full_disk import LimitedFiles, SmallDisk, report_until_refused, small_disk
from muster_process import admin_password
from native_api import box, fix, now, polygon
from owntracks_phone import Phone, location
from waiting import eventually

yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True, name="Yard")
inside = (52.505, 13.405)
silence_seconds = 60
"""So long after his last fix Bob is silent. The disk is full before that, however slow the machine is."""
recovery_seconds = 120
"""The server tries a write every 15 s at least; the machine may be busy."""
log_seconds = 60
"""The server logs that the disk refuses writes at most once in so long."""


@pytest.fixture(params=["a small disk", "limited files"])
def place(request, make_server, tmp_path):
    """Where a server keeps its data, and room can be taken from it and given back."""
    server = make_server()
    print(f"room is taken by: {request.param}")
    if request.param == "limited files":
        yield LimitedFiles(server)
        return
    with small_disk(tmp_path / "disk") as disk:
        try:
            yield SmallDisk(server, disk)
        finally:
            server.kill()


class Site:
    """A team with a leader, a member and an incident, and everybody who may ask."""

    def __init__(self, place):
        self.place, self.server = place, place.server
        place.start()
        self.admin = self.server.admin()
        self.admin.make_team("crew")
        self.admin.ok("POST", "/users", {
            "name": "lea", "role": "leader", "team": "crew", "password": "lea's password"})
        self.ann = self.admin.make_user("ann", team="crew")
        self.device = self.admin.make_device("ann")
        self.phone = Phone(self.server, "ann", self.device.token)
        self.location = amazon.client(self.server)
        self.location.create_tracker(TrackerName="vans")
        self.admin.make_team("watch", [yard], silence=silence_seconds)
        self.admin.make_user("bob", team="watch")
        self.watched = self.admin.make_device("bob")
        self.couch = CouchApi(self.server.address, "admin", admin_password)
        self.couch.ok("PUT", "/notes")
        self.couch.ok("PUT", "/notes/first", {"text": "stored"})
        self.start = now() - 3_000_000
        self.device.ok("POST", "/positions", fix(52.5, 13.4, self.start))
        self.incident = self.admin.ok("POST", "/teams/crew/incidents", {"kind": "drill"})["number"]
        self.visitor = self.admin.ok("POST", f"/incidents/{self.incident}/roll", {"name": "Zoe"})["person"]
        self.stored = [self.start]

    def take_room(self):
        """Fills the disk until not even one position is stored."""
        self.place.take_room()
        stored, refusal = report_until_refused(self.device, self.start + len(self.stored))
        self.stored += stored
        return refusal

    def bring_bob_to_safety(self):
        """Has Bob reported inside; when he was heard last."""
        at = now()
        for ago in (50_000, 25_000, 0):
            self.watched.ok("POST", "/positions", fix(*inside, at - ago, accuracy=5))
        assert self.safety_of_bob() == "safe"
        return time.monotonic()

    def safety_of_bob(self):
        return next(each["state"] for each in self.admin.ok("GET", "/teams/watch/safety")["members"])

    def sign_in(self):
        return self.server.api().ok("POST", "/session", {"name": "lea", "password": "lea's password"})

    def metric(self, name):
        lines = self.admin.send("GET", "//metrics").text.splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))

    def times_stored(self):
        return len(self.admin.history("ann/phone"))


def update(device):
    return {"DeviceId": device, "Position": [13.4, 52.5], "SampleTime": now() / 1000}


def require_words(text):
    assert "disk is full" in text and "nothing of this was stored" in text, text


def require_refusals(site):
    """Whatever needs a write is refused, by every endpoint, for now and in words."""
    for api, path, body in [
        (site.device, "/positions", fix(52.5, 13.4, now())),
        (site.ann, "/users/ann/declarations", {"id": "d" * 24, "kind": "safe"}),
        (site.admin, f"/incidents/{site.incident}/roll/{site.visitor}/mark", {"state": "safe"}),
        (site.admin, "/users", {"name": "eve", "role": "member"}),
        (site.admin, "/keys", {"label": "another"}),
    ]:
        document = api.refused(507, "POST", path, body)
        require_words(document["detail"])
    status, headers, _ = site.phone.post(location())
    assert status == 503 and int(headers["Retry-After"]) >= 1, "a phone that would drop its fix"
    answer = amazon.refused(
        "InternalServerException", 500, site.location.batch_update_device_position, TrackerName="vans",
        Updates=[update("van")])
    require_words(answer["Error"]["Message"])
    require_words(site.couch.refused(503, "service_unavailable", "PUT", "/notes/second", {"text": "not stored"}))


def require_reading(site):
    """Whatever needs no write works."""
    assert site.times_stored() == len(site.stored)
    roll = {person["user"]: person for person in site.admin.ok("GET", f"/incidents/{site.incident}")["roll"]}
    assert roll["Zoe"]["state"] != "safe" and roll["ann"]["state"] != "safe", "said to be stored"
    assert site.admin.ok("GET", "/changes?since=0&limit=10")["items"]
    assert site.couch.ok("GET", "/notes/first")["text"] == "stored"
    assert site.location.describe_tracker(TrackerName="vans")["TrackerName"] == "vans"
    browser = CouchApi(site.server.address)
    browser.ok("POST", "/_session", {"name": "admin", "password": admin_password})
    assert browser.ok("GET", "/notes/first")["text"] == "stored"
    assert site.server.api().send("GET", "//").status_code == 200


def require_sessions(site):
    """People sign in, stay signed in and sign out; the refresh token of one who stays."""
    session = site.sign_in()
    leader = site.server.api(session["accessToken"])
    assert leader.ok("GET", "/session")["user"]["name"] == "lea"
    with leader.send("GET", "/live?since=0", stream=True) as feed:
        assert feed.status_code == 200 and next(feed.iter_content(1))
    nobody = site.server.api()
    renewed = nobody.ok("POST", "/session/refresh", {"refreshToken": session["refreshToken"]})
    again = nobody.ok("POST", "/session/refresh", {"refreshToken": renewed["refreshToken"]})
    nobody.refused(401, "POST", "/session/refresh", {"refreshToken": session["refreshToken"]})
    # One of two who hold the session's tokens must be a thief: the session is over.
    nobody.refused(401, "POST", "/session/refresh", {"refreshToken": again["refreshToken"]})
    nobody.refused(401, "GET", "/session", token=again["accessToken"])
    leaving = site.sign_in()
    site.server.api(leaving["accessToken"]).ok("DELETE", "/session", {"refreshToken": leaving["refreshToken"]})
    nobody.refused(401, "GET", "/session", token=leaving["accessToken"])
    return site.sign_in()["refreshToken"]


def require_report(site):
    """Health, metrics and log say it; strangers learn nothing of the machine."""
    health = site.admin.ok("GET", "//health")
    assert health["status"] == "degraded" and health["storage"]["writable"] is False
    assert "disk is full" in health["storage"]["message"] and health["storage"]["since"]
    assert health["storage"]["reason"] and "freeBytes" in health["storage"]
    stranger = site.server.api().ok("GET", "//health", headers={"Host": "muster.example"})
    assert stranger["status"] == "degraded" and "sequence" not in stranger
    assert set(stranger["storage"]) == {"writable", "low", "since", "message"}
    assert site.metric("muster_storage_writable") == 0
    assert site.metric("muster_storage_failed_commits_total") >= 1
    assert site.metric("muster_disk_free_bytes") >= 0


def await_recovery(site):
    eventually(lambda: site.admin.ok("GET", "//health")["status"] == "ok", seconds=recovery_seconds,
               why="it does not recover")


def lines(site, words):
    return [line for line in site.server.log().splitlines() if words in line]


def test_a_full_disk_is_reported_and_reading_goes_on_until_there_is_room_again(place):
    site = Site(place)
    before = site.sign_in()["refreshToken"]
    heard = site.bring_bob_to_safety()
    full = time.monotonic()
    require_words(site.take_room().json()["detail"])
    require_report(site)
    require_refusals(site)
    require_reading(site)
    during = require_sessions(site)
    before = site.server.api().ok("POST", "/session/refresh", {"refreshToken": before})["refreshToken"]
    time.sleep(max(3, heard + silence_seconds + 3 - time.monotonic()))
    assert site.safety_of_bob() == "safe", "that he is silent was decided, and cannot be stored"
    said = len(lines(site, "Writes to the disk fail"))
    assert 1 <= said <= 1 + (time.monotonic() - full) // log_seconds, "not said, or said too often"
    assert not lines(site, "Writes to the disk succeed again")

    place.give_room()
    await_recovery(site)
    assert len(lines(site, "Writes to the disk succeed again")) <= 1
    assert site.metric("muster_storage_writable") == 1
    assert "storage" not in site.admin.ok("GET", "//health") or site.admin.ok("GET", "//health")["storage"]["low"]
    eventually(lambda: site.safety_of_bob() == "unknown",
               why="what the disk refused to store is not made up for")
    # The phone kept its fix, and brings it now.
    site.phone.tell(location())
    assert site.times_stored() == len(site.stored) + 1
    site.location.batch_update_device_position(TrackerName="vans", Updates=[update("van")])
    site.couch.ok("PUT", "/notes/second", {"text": "stored"})
    site.ann.ok("POST", "/users/ann/declarations", {"id": "d" * 24, "kind": "safe"})
    # Sessions that could not be stored are stored by now: they survive an end of the server.
    site.server.kill()
    place.start()
    for token in (before, during):
        session = site.server.api().ok("POST", "/session/refresh", {"refreshToken": token})
        assert site.server.api(session["accessToken"]).ok("GET", "/session")["user"]["name"] == "lea"
    assert site.times_stored() == len(site.stored) + 1


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_server_starts_on_a_full_disk_and_serves_what_is_stored(make_server, tmp_path, end):
    with small_disk(tmp_path / "disk") as disk:
        server = make_server()
        place = SmallDisk(server, disk)
        try:
            site = Site(place)
            await_reserve(server)
            site.take_room()
            getattr(server, end)()
            place.take_room()
            assert os.statvfs(disk).f_bavail == 0
            server.start()
            site.take_room()
            require_refusals(site)
            require_reading(site)
            require_report(site)
            assert site.sign_in()["accessToken"]
            place.give_room()
            await_recovery(site)
            site.phone.tell(location())
            assert site.times_stored() == len(site.stored) + 1
        finally:
            server.kill()


def await_reserve(server):
    eventually((server.data / "reserve").exists, why="no reserve is made")


def test_a_nearly_full_disk_is_reported(make_server, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        server = make_server(arguments=["--log-level", "warning"])
        place = SmallDisk(server, disk)
        try:
            place.start()
            admin = server.admin()
            assert "storage" not in admin.ok("GET", "//health")
            (disk / "filler").write_bytes(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize - (1 << 20)))
            health = eventually(
                lambda: admin.ok("GET", "//health"), lambda told: "storage" in told, why="nobody is warned")
            assert health["status"] == "ok" and health["storage"]["writable"] and health["storage"]["low"]
            assert "nearly full" in health["storage"]["message"]
            eventually(lambda: "nearly full" in server.log(), why=server.log)
        finally:
            server.kill()
