"""A tracker app, as a server sees it: Traccar Client, GPSLogger, Overland."""

import http.client
import json
from urllib.parse import urlencode, urlsplit

from native_api import now


class TrackerApp:
    """An app that reports with a device's token."""

    def __init__(self, server, token=None, headers=None):
        self.server = server
        self.token = token
        self.headers = headers or {}

    def send(self, method, path, body=None, headers=None):
        """Sends one request. Returns status, headers and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(self.server.address).port, timeout=60)
        try:
            raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, raw, {**self.headers, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def get(self, path=None, **fields):
        """Reports by fields of the query, as the older Traccar Client for Android does, by POST."""
        return self.send("GET", f"{path or '/osmand/' + self.token}?{urlencode(fields)}")

    def tell(self, **fields):
        """Reports by fields. The server must accept them."""
        status, _, answer = self.get(**fields)
        assert status == 200, (status, answer)


def fix(at=None, lat=43.5665, lon=-6.058, **more):
    """The fields of `ProtocolFormatter.kt` in traccar/traccar-client-android."""
    return {"id": "123456", "timestamp": at or now() // 1000, "lat": lat, "lon": lon, "speed": 10.0, "bearing": 271.5,
            "altitude": 417.0, "accuracy": 4.5, "batt": 83.0, **more}


def client_json(token_or_id, time, latitude=37.4219983, longitude=-122.084, **more):
    """What `preferences.dart` in traccar/traccar-client makes; the values are those of Traccar's own test."""
    return {
        "location": {
            "timestamp": time,
            "coords": {"latitude": latitude, "longitude": longitude, "accuracy": 5, "speed": 0, "heading": -1,
                       "altitude": 5},
            "is_moving": False, "odometer": 0, "event": "motionchange",
            "battery": {"level": 0.5, "is_charging": False}, "activity": {"type": "still"}, "extras": {},
            "_": f"&id={token_or_id}&lat={latitude}&lon={longitude}&timestamp={time}&", **more},
        "device_id": token_or_id}
