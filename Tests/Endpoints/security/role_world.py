"""Two teams, and one of everyone who may ask about a member of one of them."""

from native_api import NativeApi, box, fix, now, polygon, stamp

region = polygon("yard", box(13.4, 52.5, 13.41, 52.51))
subscription = {"platform": "webpush", "subscription": {"endpoint": "https://push.example/x", "keys": {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg"}}}
sample = fix(52.505, 13.405, now() - 1000, device="sam/phone")
seen_beacon = {"device": "sam/phone", "sightings": [{
    "uuid": "CA271EAE-5FA8-4E80-8F08-2A302A95A959", "major": 52, "minor": 505, "sampleTime": sample["sampleTime"]}]}
an_hour_ago = f"from={stamp(now() - 3_600_000)}&to={stamp(now() - 3_000_000)}"
measured = {"device": "sam/phone", "peer": "f0" * 16, "sampleTime": sample["sampleTime"], "metres": 2.9,
            "deviationMetres": 0.3, "source": "uwb"}


class World:
    """Two teams, and everyone who may ask about sam of team south."""

    def __init__(self, server):
        self.server = server
        admin = self.admin = server.admin()
        for team in ("north", "south"):
            tracker = admin.ok("POST", "/teams", {"name": team, "silenceSeconds": 604_800})["tracker"]
            assert tracker == team
        # Made after the teams and linked to one tracker each: otherwise an admin's collection is everyone's.
        for team in ("north", "south"):
            admin.ok("POST", "/collections", {"name": team})
        for team in ("north", "south"):
            admin.ok("PATCH", f"/trackers/{team}", {"collections": [team]})
        admin.ok("POST", "/collections/south/regions", {"type": "FeatureCollection", "features": [region]})
        admin.ok("POST", "/targets", {"name": "journal", "kind": "log"})
        admin.ok("POST", "/teams/south/crews", {"name": "Engine 3"})
        self.askers = {
            "nobody": NativeApi(server.address), "admin": admin,
            "other leader": admin.make_user("nora", "leader", "north"),
            "other member": admin.make_user("ned", "member", "north"),
            "own leader": admin.make_user("sue", "leader", "south"),
            "own member": admin.make_user("sam", "member", "south"),
            "analyst": admin.make_user("ana", "analyst"),
            "gateway": admin.make_user("gate", "gateway"),
            "other device": admin.make_device("ned"),
            "own device": admin.make_device("sam"),
        }
        sams = {**subscription, "subscription": {
            **subscription["subscription"], "endpoint": "https://push.example/sam"}}
        self.push = self.askers["own member"].ok("POST", "/push/devices", sams)["id"]
        self.key = admin.ok("POST", "/keys", {"label": "sam's other", "user": "sam"})["id"]
        admin.make_device("gate", "C8-25-2D-8E-9C-2C")
        self.askers["own device"].ok("POST", "/positions", fix(52.505, 13.405, now() - 60_000))
        for asker in ("own device", "other device"):
            self.askers[asker].ok("POST", "//owntracks", [
                {"_type": "waypoint", "desc": "home", "lat": 52.505, "lon": 13.405, "rid": "h", "tst": 1704067200},
                {"_type": "beacon", "uuid": "CA271EAE-5FA8-4E80-8F08-2A302A95A959", "major": 52, "minor": 505,
                 "tst": now() // 1000 - 60}])
        self.askers["other device"].ok("POST", "/positions", fix(52.6, 13.5, now() - 60_000))
        incident = self.askers["own leader"].ok("POST", "/teams/south/incidents", {"kind": "drill"})
        assert incident["number"] == 1

    def ask(self, asker, rule):
        path = rule.path.replace("{key}", self.key).replace("{push}", self.push)
        # A text is a table.
        body = {"raw": rule.body, "headers": {"Content-Type": "text/csv"}} if isinstance(rule.body, str) else {
            "body": rule.body}
        response = self.askers[asker].send(rule.method, "/" + path, **body, stream=rule.path.endswith("/live"))
        if rule.path.endswith("/live"):
            response.close()
        return response
