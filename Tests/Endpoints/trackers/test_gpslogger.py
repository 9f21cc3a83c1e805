"""GPSLogger's custom URL, as its `CustomUrlManager` and `CSVFileLogger` make it: each fix at once, and in bulk, which
sends each line of its CSV file again."""

import base64
import csv
import io
import re
from decimal import Decimal

import pytest

from muster_process import root
from native_api import milliseconds, now
from tracker_app import TrackerApp

columns = ("time", "lat", "lon", "elevation", "accuracy", "bearing", "speed", "satellites", "provider", "hdop", "vdop",
           "pdop", "geoidheight", "ageofdgpsdata", "dgpsid", "activity", "battery", "annotation", "timestamp_ms",
           "time_offset", "distance", "starttimestamp_ms", "profile_name", "battery_charging")
variables = {"LAT": "lat", "LON": "lon", "ALT": "elevation", "ACC": "accuracy", "DIR": "bearing", "SPD": "speed",
             "TIMESTAMP": "timestamp_ms", "BATT": "battery"}
"""The app's variables in the order in which it replaces them, and the column of each."""


def java(number):
    """A number as Java's `String.valueOf` writes it: with an exponent below a thousandth."""
    if number == 0 or abs(number) >= 1e-3:
        return repr(float(number))
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    digits = "".join(map(str, digits))
    return f"{'-' * sign}{digits[0]}.{digits[1:] or '0'}E{exponent + len(digits) - 1}"


class GPSLogger(TrackerApp):
    """The app with the settings of docs/trackers.md. A fix has the names of the CSV file's columns, and lacks what the
    phone does not know."""

    def __init__(self, server, user, token, delimiter=",", decimal="."):
        basic = base64.b64encode(f"{user}:{token}".encode()).decode()
        super().__init__(server, token, {"Authorization": f"Basic {basic}"})
        self.delimiter, self.decimal = delimiter, decimal
        self.body = re.search(r"\| HTTP Body \| `(.*?)` \|", (root / "docs/trackers.md").read_text())[1]
        self.file = io.StringIO()
        self.writer = csv.DictWriter(self.file, columns, delimiter=delimiter)
        self.writer.writeheader()

    def log(self, fix, is_online=True):
        """Records a fix in the file, and sends it where there is a network."""
        row = {name: value if isinstance(value, (int, str)) else java(value).replace(".", self.decimal)
               for name, value in fix.items()}
        self.writer.writerow({
            "time": "2026-12-01T10:00:00.000Z", "satellites": 7, "provider": "gps", "activity": "", "annotation": "",
            "distance": "12" + self.decimal + "5", "starttimestamp_ms": 1, "profile_name": "Default, mine", **row})
        if is_online:
            self.report(fix)

    def send_file(self):
        """Sends the file in bulk, as *Allow auto sending* has the app do."""
        for row in csv.DictReader(io.StringIO(self.file.getvalue(), newline=""), delimiter=self.delimiter):
            known = {name: text for name, text in row.items() if text}
            self.report({
                "timestamp_ms": int(known["timestamp_ms"]),
                **{name: float(known[name].replace(",", ".")) for name in (
                    "lat", "lon", "elevation", "accuracy", "bearing", "speed", "battery") if name in known}})

    def report(self, fix):
        """Sends one request. What the phone does not know is 0 there."""
        body = self.body
        for variable, name in variables.items():
            value = str(fix[name] // 1000) if name == "timestamp_ms" else java(float(fix.get(name, 0)))
            body = re.sub(f"%{variable}", value, body, flags=re.IGNORECASE)
        assert "%" not in body
        status, _, answer = self.send("POST", "/osmand", body.encode())
        assert status == 200, (status, answer)


@pytest.mark.parametrize("delimiter, decimal", [(",", "."), (";", ","), ("\t", ",")])
def test_a_file_that_is_sent_in_bulk_fills_the_gap_and_stores_nothing_twice(server, admin, delimiter, decimal):
    user = f"walker{ord(delimiter)}"
    admin.make_user(user)
    app = GPSLogger(server, user, admin.make_device(user).token, delimiter, decimal)
    start = now() - 600_000
    # Fixes come with milliseconds, which the app's %TIMESTAMP cuts off. One in three was made without a network.
    for index in range(30):
        app.log({
            "timestamp_ms": start + index * 10_007, "lat": 51.4778 + index / 7_000_003, "lon": -0.0001 + index / 90_001,
            "elevation": 31.25, "accuracy": 12.0, "bearing": 271.5, "speed": 1.5, "battery": 55,
            "battery_charging": "false"}, is_online=index % 3 > 0)
    assert len(admin.history(f"{user}/phone")) == 20
    for _ in range(2):
        app.send_file()
        history = admin.history(f"{user}/phone")
        assert [milliseconds(position["sampleTime"]) for position in history] == [
            (start + index * 10_007) // 1000 * 1000 for index in range(30)]
    for index, position in enumerate(history):
        assert position["latitude"] == 51.4778 + index / 7_000_003
        assert position["longitude"] == -0.0001 + index / 90_001
        told = {"accuracy": 12, "altitude": 31.25, "heading": 271.5, "speed": 1.5, "battery": 55}
        assert {name: position[name] for name in told} == told
    assert admin.items(f"/refused-reports?user={user}") == []


def test_a_line_of_the_file_with_nothing_but_a_place_is_a_position(server, admin):
    admin.make_user("ranger")
    app = GPSLogger(server, "ranger", admin.make_device("ranger").token)
    at = now() // 1000 * 1000 - 5_000
    app.log({"timestamp_ms": at, "lat": 43.5665, "lon": -6.058}, is_online=False)
    app.send_file()
    (stored,) = admin.history("ranger/phone")
    assert (milliseconds(stored["sampleTime"]), stored["latitude"]) == (at, 43.5665)
    assert "accuracy" not in stored
