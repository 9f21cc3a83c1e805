"""What no client should send: each is refused in words that name the place, and nothing of it is stored."""

import gzip
import json
import re
import socket
import time
from urllib.parse import urlsplit

import pytest

from bomb import gzip_bomb
from native_api import NativeApi, box, collection, fix, now, polygon, problem, stamp

hour = 3_600_000
day = 24 * hour


@pytest.fixture(scope="module")
def device(admin):
    """Ann's phone, which told one good position."""
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51))])
    admin.make_user("ann", "member", "north")
    admin.make_user("bob", "member", "north")
    admin.make_device("bob")
    device = admin.make_device("ann")
    device.ok("POST", "/positions", fix(10, 10, now() - 60_000))
    return device


@pytest.fixture(autouse=True)
def nothing_half_stored(server, admin, device):
    """After each test: the server lives, and its log has not grown."""
    before = admin.last_sequence()
    yield
    assert server.process.poll() is None
    assert admin.changes(before) == []
    assert len(admin.history("ann/phone")) == 1


def pointers(document):
    return [fault["pointer"] for fault in document.get("errors", [])]


good = fix(1, 2, now())
text = json.dumps(good)


def without(key):
    return {name: value for name, value in good.items() if name != key}


# MARK: Values

values = [
    ("latitude", 90.0001), ("latitude", -90.0001), ("latitude", 1e300), ("longitude", 180.0001), ("longitude", -540),
    ("latitude", "52.5"), ("latitude", None), ("latitude", True), ("latitude", []), ("longitude", {}),
    ("sampleTime", lambda: stamp(now() + day)), ("sampleTime", lambda: stamp(now() + hour)),
    ("sampleTime", "9999-12-31T23:59:59Z"),
    ("sampleTime", "1969-12-31T23:59:59.999Z"), ("sampleTime", "0001-01-01T00:00:00Z"),
    ("sampleTime", "yesterday"), ("sampleTime", "2026-02-30T00:00:00Z"), ("sampleTime", "2026-11-21 06:00"),
    ("sampleTime", "2026-11-21T06:00:00"), ("sampleTime", ""), ("sampleTime", 1795240800), ("sampleTime", None),
    ("accuracy", -1), ("accuracy", "5"), ("accuracy", 1e300), ("altitude", 1e9), ("altitude", "high"),
    ("speed", -0.1), ("heading", 361), ("heading", -1), ("battery", 101), ("battery", -1), ("battery", "full"),
    ("attributes", []), ("attributes", "text"), ("attributes", {"note": "x" * 5000}),
    ("device", 7), ("device", ""), ("device", "x" * 200), ("device", "ann/"), ("device", "/phone"), ("device", "a/b/c"),
    ("device", "nobody/phone"), ("device", "bob/phone"), ("device", "ann/other"), ("device", "../ann/phone"),
]


# Some values are of the moment of their test: the tests' names are not.
@pytest.mark.parametrize("key, value", values, ids=[f"{key}-{number}" for number, (key, _) in enumerate(values)])
def test_a_bad_value_is_named_alone_in_an_array_and_in_lines(device, key, value):
    bad = {**good, key: value() if callable(value) else value}
    assert f"/{key}" in pointers(device.refused(422, "POST", "/positions", bad))
    assert pointers(device.refused(422, "POST", "/positions", [good, good, bad])) == [f"/2/{key}"]
    lines = "\n".join(json.dumps(each) for each in (good, bad, good))
    document = device.refused(422, "POST", "/positions", raw=lines, headers={"Content-Type": "application/x-ndjson"})
    assert pointers(document) == [f"/1/{key}"]


@pytest.mark.parametrize("key", ["latitude", "longitude", "sampleTime"])
def test_a_missing_value_is_named(device, key):
    assert pointers(device.refused(422, "POST", "/positions", [good, without(key)])) == [f"/1/{key}"]


def test_every_fault_of_a_request_is_named(device):
    bad = [{**good, "latitude": 91}, good, {**good, "longitude": 181, "accuracy": -1}, {"latitude": 1}]
    found = pointers(device.refused(422, "POST", "/positions", bad))
    assert {"/0/latitude", "/2/longitude", "/2/accuracy", "/3/longitude", "/3/sampleTime"} <= set(found)


@pytest.mark.parametrize("number", [
    "NaN", "Infinity", "-Infinity", "1e999", "+1", "01", "1.", ".5", "0x10", "1e", "--1"])
def test_nan_and_infinity_are_refused(device, number):
    raw = text.replace('"latitude": 1,', f'"latitude": {number},')
    assert number in raw
    document = device.refused(422 if number == "1e999" else 400, "POST", "/positions", raw=raw, headers=json_type)
    assert any("latitude" in pointer for pointer in pointers(document))


json_type = {"Content-Type": "application/json"}

# MARK: Bodies

bodies = {
    "empty": b"", "white space": b" \n ", "a word": b"hello", "half": text[:-5].encode(), "null": b"null",
    "a number": b"7", "a text": b'"here"', "two values": text.encode() + text.encode(),
    "comma": b"[" + text.encode() + b",]",
    "single quotes": text.replace('"', "'").encode(), "comment": b"/* here */" + text.encode(),
    "UTF-16": text.encode("utf-16"), "UTF-32": text.encode("utf-32-le"),
    "Latin-1": '{"device":"gr\u00fc\u00df"}'.encode("latin-1"),
    "overlong UTF-8": b'{"device":"\xc0\xaf"}', "surrogate in UTF-8": b'{"device":"\xed\xa0\x80"}',
    "half a surrogate": b'{"device":"\\ud800"}', "control character": b'{"device":"\x01"}', "zero byte": b"\0",
    "deep arrays": b"[" * 100_000, "deep objects": b'{"a":' * 100_000, "deep but closed": b"[" * 5000 + b"]" * 5000,
    "deep attributes": text[:-1].encode() + b',"attributes":' + b'{"a":' * 400 + b"1" + b"}" * 400 + b"}",
    "twice the same key": text[:-1].encode() + b',"latitude":2}',
    "long number": b'{"latitude":' + b"1" * 100_000 + b"}",
    "array of arrays": b"[[" + text.encode() + b"]]", "array of null": b"[null]",
}


@pytest.mark.parametrize("name", bodies)
def test_a_body_that_is_not_a_report_is_refused(device, name):
    answer = device.send("POST", "/positions", raw=bodies[name], headers=json_type)
    assert answer.status_code in (400, 422), answer.text
    document = problem(answer)
    assert document.get("detail") or document.get("errors")


@pytest.mark.parametrize("name", bodies)
def test_a_body_that_is_not_a_region_is_refused(admin, name):
    answer = admin.send("POST", "/collections/north/regions", raw=bodies[name], headers=json_type)
    assert answer.status_code in (400, 422), answer.text
    problem(answer)


@pytest.mark.parametrize("name", bodies)
def test_a_body_that_is_not_a_user_is_refused(admin, name):
    answer = admin.send("POST", "/users", raw=bodies[name], headers=json_type)
    assert answer.status_code in (400, 413, 422), answer.text
    problem(answer)


def test_too_many_positions_are_refused(device):
    start = now() - 100_000
    many = [fix(1, 2, start + index) for index in range(1001)]
    document = device.refused(422, "POST", "/positions", many)
    assert "1000" in json.dumps(document)
    lines = "\n".join(map(json.dumps, many))
    device.refused(422, "POST", "/positions", raw=lines, headers={"Content-Type": "application/x-ndjson"})


def test_a_body_of_ten_megabytes_is_refused(device, admin):
    big = b'{"latitude":1,"longitude":2,"sampleTime":"2026-11-21T06:00:00Z","note":"' + b"x" * 10_000_000 + b'"}'
    assert "bytes" in device.refused(413, "POST", "/positions", raw=big, headers=json_type)["detail"]
    admin.refused(413, "POST", "/users", raw=big, headers=json_type)
    huge = b" " * (20 << 20)
    admin.refused(413, "POST", "/collections/north/regions", raw=huge, headers=json_type)


def test_a_body_of_ten_megabytes_in_chunks_is_refused(device):
    def chunks():
        for _ in range(160):
            yield b" " * 65_536

    device.refused(413, "POST", "/positions", raw=chunks(), headers=json_type)


# MARK: Packed

packed_type = {**json_type, "Content-Encoding": "gzip"}


def test_a_bomb_is_refused_and_never_unpacked(server, device):
    before = server.resident_bytes()
    bomb = gzip_bomb(400)
    assert len(bomb) < 1 << 20
    device.refused(413, "POST", "/positions", raw=bomb, headers=packed_type)
    # Packed twice: only the outer layer is unpacked, and that is no JSON.
    device.refused(400, "POST", "/positions", raw=gzip.compress(bomb), headers=packed_type)
    assert server.resident_bytes() - before < 64 << 20


packed = gzip.compress(text.encode())
unreadable = {
    "without its end": packed[:-9], "only begun": packed[:12],
    "two bytes": b"\x1f\x8b", "nothing": b"", "not packed": text.encode(),
    "of another length": packed[:-4] + b"\0\0\0\0", "with more behind it": packed + b"tail",
    "scrambled": bytes(byte ^ 0x55 for byte in packed),
}


@pytest.mark.parametrize("name", unreadable)
def test_a_body_that_cannot_be_unpacked_is_refused(device, name):
    document = device.refused(400, "POST", "/positions", raw=unreadable[name], headers=packed_type)
    assert document["detail"]


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "x"])
def test_an_unknown_encoding_is_refused(device, encoding):
    device.refused(415, "POST", "/positions", raw=text, headers={**json_type, "Content-Encoding": encoding})


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", "x"])
def test_an_unknown_type_is_refused(device, kind):
    device.refused(415, "POST", "/positions", raw=text, headers={"Content-Type": kind})


# MARK: Regions

square = box(13.5, 52.5, 13.6, 52.6)


def region(geometry, **more):
    return {"type": "Feature", "properties": {}, "geometry": geometry, **more}


def ring(*corners):
    return {"type": "Polygon", "coordinates": [[list(corner) for corner in corners]]}


regions = {
    "unclosed": (region(ring(*square)), "/geometry/coordinates/0", "clos|ends"),
    "bow tie": (region(ring((0, 0), (1, 1), (1, 0), (0, 1), (0, 0))), "/geometry/coordinates/0", "cross|intersect"),
    "two corners": (region(ring((0, 0), (1, 1), (0, 0))), "/geometry/coordinates/0", ""),
    "no area": (region(ring((0, 0), (1, 1), (2, 2), (0, 0))), "/geometry/coordinates/0", ""),
    "no ring": (region({"type": "Polygon", "coordinates": []}), "/geometry/coordinates", ""),
    "empty ring": (region({"type": "Polygon", "coordinates": [[]]}), "/geometry/coordinates/0", ""),
    "latitude": (region(ring((0, 0), (1, 0), (1, 91), (0, 0))), "/geometry/coordinates/0/2/1", "90"),
    "longitude": (region(ring((0, 0), (181, 0), (1, 1), (0, 0))), "/geometry/coordinates/0/1/0", "180"),
    "one number": (region(ring((0, 0), (1,), (1, 1), (0, 0))), "/geometry/coordinates/0/1", ""),
    "a text": (region(ring((0, 0), ("1", 0), (1, 1), (0, 0))), "/geometry/coordinates/0/1/0", "number"),
    "a line": (region({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}), "/geometry", ""),
    "no radius": (region({"type": "Point", "coordinates": [0, 0]}), "radius", "radius"),
    "radius of nought": (
        region({"type": "Point", "coordinates": [0, 0]}, properties={"radius": 0}), "radius", ""),
    "radius of the globe": (
        region({"type": "Point", "coordinates": [0, 0]}, properties={"radius": 1e9}), "radius", ""),
    "no geometry": (region(None), "/geometry", ""),
    "no type": ({"geometry": ring(*square, square[0])}, "/type", "required"),
    "another type": (region(ring(*square, square[0]), type="Region"), "/type", "Region"),
    "muster is a text": (
        region(ring(*square, square[0]), properties={"muster": "yes"}), "/properties/muster", "true or false"),
    "dwell below nought": (region(ring(*square, square[0]), properties={"dwell": -1}), "/properties/dwell", ""),
    "hole outside": (
        polygon("hole", square, box(14.0, 52.5, 14.1, 52.6)), "/geometry/coordinates/1", ""),
    "hole across": (
        polygon("hole", square, box(13.55, 52.55, 13.7, 52.7)), "/geometry/coordinates/", ""),
    "touching itself along a line": (
        region(ring((0, 0), (4, 0), (4, 4), (2, 0), (0, 4), (0, 0))), "/geometry/coordinates/0", ""),
}


@pytest.mark.parametrize("name", regions)
def test_an_invalid_region_is_refused_with_the_place_of_the_fault(admin, name):
    feature, place, words = regions[name]
    whole = collection([polygon("good", square), {**feature, "id": "bad"}])
    listed = admin.refused(422, "POST", "/collections/north/regions", whole)["errors"]
    for faults in (listed, admin.ok("POST", "/collections/north/regions?dryRun=true", whole)["faults"]):
        assert any(place in fault["pointer"] for fault in faults), faults
        assert any(fault["pointer"].startswith("/features/1") for fault in faults), faults
        assert re.search(words, json.dumps(faults)), faults
    admin.refused(422, "PUT", "/collections/north/regions/bad", feature)
    assert len(admin.ok("GET", "/collections/north/regions")["features"]) == 1


def test_an_id_that_stands_twice_is_refused(admin):
    document = admin.refused(
        422, "POST", "/collections/north/regions", collection([polygon("twin", square), polygon("twin", square)]))
    assert pointers(document) == ["/features/1/id"]


def test_a_taken_name_is_a_conflict_and_unchanged(admin):
    admin.refused(409, "POST", "/users", {"name": "ann", "role": "admin"})
    admin.refused(409, "POST", "/teams", {"name": "north"})
    admin.refused(409, "POST", "/collections", {"name": "north"})
    admin.refused(409, "POST", "/users/ann/devices", {"name": "phone"})
    admin.refused(409, "POST", "/trackers", {"name": "north"})
    assert admin.ok("GET", "/users/ann")["role"] == "member"


@pytest.mark.parametrize("body, key", [
    ({"role": "member"}, "name"), ({"name": "", "role": "member"}, "name"), ({"name": "a b", "role": "member"}, "name"),
    ({"name": "x" * 65, "role": "member"}, "name"), ({"name": "..", "role": "member"}, "name"),
    ({"name": "a/b", "role": "member"}, "name"), ({"name": "\u00fc", "role": "member"}, "name"),
    ({"name": 7, "role": "member"}, "name"), ({"name": "eve"}, "role"), ({"name": "eve", "role": "king"}, "role"),
    ({"name": "eve", "role": "member", "team": "nowhere"}, "team"),
    ({"name": "eve", "role": "member", "pass": "x"}, "pass"),
    ({"name": "eve", "role": "member", "password": "short"}, "password"),
    ({"name": "eve", "role": "member", "password": "x" * 5000}, "password"),
])
def test_an_invalid_user_is_refused(admin, body, key):
    assert pointers(admin.refused(422, "POST", "/users", body)) == [f"/{key}"]


@pytest.mark.parametrize("path, key", [
    ("/changes?since=-1", "since"), ("/changes?since=x", "since"), ("/changes?limit=0", "limit"),
    ("/changes?limit=1001", "limit"), ("/changes?since=99999999999999999999", "since"), ("/users?limit=x", "limit"),
    ("/users?cursor=%00", "cursor"), ("/users?cursor=AAAA", "cursor"), ("/positions?cursor=!!", "cursor"),
    ("/users/ann/devices/phone/positions?from=noon", "from"), ("/users/ann/devices/phone/positions?to=1", "to"),
    ("/users/ann/devices/phone/positions?format=shp", "format"), ("/live?since=x", "since"),
    ("/users/ann/devices/phone/positions?cursor=zzz", "cursor"),
])
def test_an_invalid_query_parameter_is_named(admin, path, key):
    assert pointers(admin.refused(422, "GET", path)) == [f"?{key}"]


@pytest.mark.parametrize("number", [2**63 - 1, 2**63 - 2, 2**62, 2**53])
def test_a_sequence_too_large_for_json_is_refused_and_as_a_last_event_id_breaks_nothing(server, admin, device, number):
    for api in (admin, device):
        for path in ("/changes", "/live"):
            assert pointers(api.refused(422, "GET", f"{path}?since={number}")) == ["?since"]
        with api.send("GET", "/live", headers={"Last-Event-ID": str(number)}, stream=True) as answer:
            assert answer.status_code == 200
            # A feed checks the log every 0.1 s, and no answer shows when: the test must let time pass.
            time.sleep(0.3)
    assert server.process.poll() is None


# MARK: Requests

@pytest.mark.parametrize("path", [
    "/nowhere", "/users/nobody", "/users/ann/devices/none", "/users/%00", "/users/%ff",
    "/teams/..%2fnorth", "/collections/north/regions/none", "/users/ann/devices/phone/nothing", "//.git/config",
    "//%2e%2e/%2e%2e/Package.swift",
])
def test_an_absent_resource_is_answered_with_a_problem_document(admin, path):
    admin.refused(404, "GET", path)


@pytest.mark.parametrize("path", ["/nowhere", "/live/../../Package.swift"])
def test_an_unknown_path_at_the_root_is_not_found(couch, path):
    couch.refused(404, "not_found", "GET", path)


@pytest.mark.parametrize("method, path", [
    ("DELETE", "/positions"), ("PUT", "/users"), ("PATCH", "/session"), ("POST", "/live"), ("DELETE", "/changes"),
    ("PUT", "//health"),
])
def test_an_unsupported_method_is_answered_with_the_supported_ones(admin, method, path):
    answer = admin.send(method, path)
    assert answer.status_code == 405, answer.text
    problem(answer)
    assert "GET" in answer.headers["Allow"] or "POST" in answer.headers["Allow"]


@pytest.mark.parametrize("token", [
    None, "mk_wrong", "md_wrong", "", "x" * 9000, "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.", "a.b.c", "\u00fc",
])
def test_requests_without_valid_credentials_are_refused(server, token):
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    for method, path in (("GET", "/users"), ("POST", "/positions"), ("GET", "/live")):
        answer = NativeApi(server.address).send(method, path, good if method == "POST" else None, headers=headers)
        # A header larger than any server takes may be refused as such.
        assert answer.status_code in ((401, 431) if token and len(token) > 4096 else (401,)), answer.text
        if answer.status_code == 401:
            problem(answer)
            assert "Bearer" in answer.headers["WWW-Authenticate"]


def exchange(server, request, seconds=60):
    """Sends bytes as they are; everything that comes until the connection ends, or goes still."""
    with socket.create_connection(("127.0.0.1", urlsplit(server.address).port), timeout=seconds) as connection:
        received = b""
        try:
            connection.sendall(request)
            connection.settimeout(2)
            while chunk := connection.recv(65_536):
                received += chunk
        except OSError:
            pass
        return received


@pytest.mark.parametrize("request_", [
    b"GET /api/v1/users HTTP/1.1\r\nHost: x\r\n" + b"X-Filler: " + b"x" * 200_000 + b"\r\n\r\n",
    b"GET /api/v1/users HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(20_000)) + b"\r\n",
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"nonsense\r\n\r\n", b"BREW /api/v1/users HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00" + bytes(100),
    b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /api/v1/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
])
def test_malformed_http_ends_in_a_refusal_or_a_closed_connection(server, admin, request_):
    before = server.resident_bytes()
    answer = exchange(server, request_)
    assert not answer or answer.startswith(b"HTTP/1.1 4"), answer[:200]
    assert server.resident_bytes() - before < 64 << 20
    assert admin.ok("GET", "//health") is not None
