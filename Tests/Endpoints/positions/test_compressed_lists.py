"""Long lists are compressed for clients that accept it, and say the same."""

import json
import zlib

import pytest
import requests

from native_api import box, fix, now, polygon

people = 30


@pytest.fixture(scope="module")
def town(server):
    admin = server.admin()
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.405, 52.51), muster=True)])
    gateway = admin.make_user("gateway", "gateway")
    for index in range(people):
        admin.ok("POST", "/users", {"name": f"person{index}", "role": "member", "team": "north"})
        admin.ok("POST", f"/users/person{index}/devices", {"name": "phone"})
    moment = now() - 60_000
    gateway.ok("POST", "/positions", [
        fix(52.505, 13.402, moment, device=f"person{index}/phone") for index in range(people)])
    return admin


def ask(api, path, accepted):
    """Returns the header fields of an answer, and its body as it comes."""
    answer = requests.get(
        f"{api.address}/api/v1{path}", timeout=60, stream=True,
        headers={"Authorization": f"Bearer {api.token}", "Accept-Encoding": accepted})
    assert answer.status_code == 200
    return answer.headers, answer.raw.read(decode_content=False)


def told(body):
    """What an answer says, but for the time at which it was made."""
    answer = json.loads(body)
    return {name: value for name, value in answer.items() if name not in ("at", "serverClock")}


@pytest.mark.parametrize("path", [
    "/positions?limit=1000", "/presences?limit=1000", "/teams/north/safety", "/changes?since=0&limit=1000"])
def test_a_long_list_is_compressed_where_the_client_accepts_it(town, path):
    fields, plain = ask(town, path, "identity")
    assert "Content-Encoding" not in fields and len(plain) > 1024
    for accepted in ("gzip, deflate, br", "br;q=0.5, gzip"):
        fields, packed = ask(town, path, accepted)
        assert fields["Content-Encoding"] == "gzip" and "Accept-Encoding" in fields["Vary"]
        assert len(packed) < len(plain) / 3 and int(fields["Content-Length"]) == len(packed)
        assert told(zlib.decompress(packed, 31)) == told(plain)
    for declined in ("gzip;q=0", "gzip; q=0.000", "br"):
        fields, refused = ask(town, path, declined)
        assert "Content-Encoding" not in fields and told(refused) == told(plain)


def test_a_short_list_is_not_compressed(town):
    fields, body = ask(town, "/positions?limit=1&user=person1", "gzip")
    assert "Content-Encoding" not in fields and len(json.loads(body)["items"]) == 1
    fields, body = ask(town, "/collections/north/regions", "gzip")
    assert "Content-Encoding" not in fields and len(json.loads(body)["features"]) == 1
