"""A client of the native API over plain HTTP, which shares no code with Muster."""

from datetime import datetime, timedelta, timezone

import requests

timeout_seconds = 60


class NativeApi:
    """One caller's access to the native API."""

    def __init__(self, address, token=None):
        self.address = address
        self.token = token
        self.session = requests.Session()
        self.session.trust_env = False

    def send(self, method, path, body=None, *, raw=None, headers=None, token=None, stream=False):
        """Sends a request. A path that begins with // is not below /api/v1."""
        url = self.address + (path[1:] if path.startswith("//") else "/api/v1" + path)
        fields = dict(headers or {})
        token = token or self.token
        if token and "Authorization" not in fields:
            fields["Authorization"] = f"Bearer {token}"
        return self.session.request(
            method, url, json=body, data=raw, headers=fields, timeout=timeout_seconds, stream=stream)

    def ok(self, method, path, body=None, **more):
        """Sends a request that must succeed. Returns the parsed body, or None where it is empty."""
        response = self.send(method, path, body, **more)
        assert response.ok, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        return response.json() if response.content else None

    def refused(self, status, method, path, body=None, **more):
        """Sends a request that must fail with a problem document (RFC 9457). Returns the document."""
        response = self.send(method, path, body, **more)
        assert response.status_code == status, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        return problem(response)

    def items(self, path):
        """Returns all items of a list, from all pages."""
        found, cursor = [], None
        while True:
            answer = self.ok("GET", path + joint(path) + "limit=1000" + (f"&cursor={cursor}" if cursor else ""))
            found += answer["items"]
            cursor = answer.get("nextCursor")
            if cursor is None:
                return found

    def changes(self, since=0):
        """Returns all changes after a sequence number."""
        found = []
        while True:
            answer = self.ok("GET", f"/changes?since={since}&limit=1000")
            found += answer["items"]
            if not answer["more"]:
                return found
            assert answer["lastSequence"] > since
            since = answer["lastSequence"]

    def history(self, device, query=""):
        """Returns all stored positions of a device, oldest first."""
        user, name = device.split("/")
        return self.items(f"/users/{user}/devices/{name}/positions" + query)

    def last_sequence(self):
        return self.ok("GET", "/positions?limit=1")["sequence"]

    def make_team(self, name, features=(), silence=7 * 86_400, policy="raw"):
        """Creates a team whose tracker is linked to a collection of its own, with these regions.

        The default policy is raw, so that a test knows which fix crosses which boundary.
        """
        tracker = self.ok("POST", "/teams", {"name": name, "silenceSeconds": silence})["tracker"]
        self.ok("POST", "/collections", {"name": name, "policy": policy})
        self.ok("PATCH", f"/trackers/{tracker}", {"collections": [name]})
        if features:
            self.ok("POST", f"/collections/{name}/regions", collection(features))
        return tracker

    def make_user(self, name, role="member", team=None):
        """Creates a user. Returns the API as that user, with an API key."""
        self.ok("POST", "/users", {"name": name, "role": role, **({"team": team} if team else {})})
        key = self.ok("POST", "/keys", {"label": "tests", "user": name})["key"]
        return NativeApi(self.address, key)

    def make_device(self, user, name="phone"):
        """Creates a device. Returns the API as that device."""
        self.ok("POST", f"/users/{user}/devices", {"name": name})
        token = self.ok("POST", f"/users/{user}/devices/{name}/token")["token"]
        return NativeApi(self.address, token)


def problem(response):
    """Checks that a response is a valid problem document. Returns the document."""
    assert response.headers["Content-Type"].split(";")[0] == "application/problem+json", response.text[:500]
    document = response.json()
    assert document["type"].startswith("urn:muster:problem:")
    assert document["status"] == response.status_code
    assert document["title"]
    for fault in document.get("errors", []):
        assert fault["detail"]
        assert fault["pointer"] == "" or fault["pointer"][0] in "/?", fault
    return document


def joint(path):
    return "&" if "?" in path else "?"


def now():
    """Returns the current time, in milliseconds since 1970."""
    return int(datetime.now(timezone.utc).timestamp() * 1000)


def stamp(milliseconds):
    """Formats a time as the API does: RFC 3339 with milliseconds, in UTC."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def milliseconds(text):
    """Parses a time of the API. Returns milliseconds since 1970."""
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round((moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) / timedelta(milliseconds=1))


def fix(latitude, longitude, at, **more):
    """Makes a position to report."""
    return {"latitude": latitude, "longitude": longitude, "sampleTime": stamp(at), **more}


def polygon(identifier, *rings, **properties):
    """Makes a GeoJSON feature of a polygon. Closes the rings, which are lists of (longitude, latitude)."""
    closed = [[list(corner) for corner in ring] + [list(ring[0])] for ring in rings]
    return {
        "type": "Feature", "id": identifier, "properties": properties,
        "geometry": {"type": "Polygon", "coordinates": closed}}


def box(west, south, east, north):
    """Returns the corners of a rectangle, counter-clockwise."""
    return [(west, south), (east, south), (east, north), (west, north)]


def collection(features):
    return {"type": "FeatureCollection", "features": list(features)}
