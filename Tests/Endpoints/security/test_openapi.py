"""What the server says of itself in OpenAPI holds for whatever that description allows to send."""

import os
import subprocess
import sys

import requests

from native_api import box, fix, now, polygon
from soak import rounds

seconds = rounds(10, 300)
seed = 20261121


def test_every_documented_request_has_a_documented_answer(make_server, tmp_path):
    server = make_server().start()
    admin = server.admin()
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51))])
    admin.make_user("ann", "member", "north")
    device = admin.make_device("ann")
    device.ok("POST", "/positions", fix(52.505, 13.405, now()))
    device.ok("POST", "//owntracks", [
        {"_type": "waypoint", "desc": "home", "rid": "h", "tst": 1704067200}, {"_type": "card", "name": "Ann"},
        {"_type": "beacon", "uuid": "CA271EAE-5FA8-4E80-8F08-2A302A95A959", "major": 1, "minor": 2,
         "tst": now() // 1000, "acc": 1.5, "rssi": -70, "prox": 3}])
    print(f"seed {seed}")
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", server.address + "/api/v1/openapi.json",
        "--header", f"Authorization: Bearer {admin.token}", "--seed", str(seed), "--max-time", str(seconds),
        "--phases", "examples,coverage,fuzzing", "--mode", "all", "--checks", ",".join(checks),
        # The feed never ends; and the key that all this is done with is not to be revoked.
        # Schemathesis makes no tables, and no requests for certificates.
        "--exclude-path", "/api/v1/live", "--exclude-path", "/api/v1/keys/{key}",
        "--exclude-path", "/api/v1/user-imports", "--exclude-path", "/Marti/api/tls/signClient/v2",
        "--exclude-path-regex", "^/(status|devices|mydevices|data|messages|subscribe|authenticate|meshblu|ifttt|"
        "aws|tracking|geofencing|tags|identitypools|graphql|couchdb|_|[{]db|$)",
        "--continue-on-failure",
        "--request-timeout", "60", "--suppress-health-check", "all", "--no-color"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=seconds + 600,
        env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "examples")})
    print(done.stdout[-20_000:], done.stderr[-2000:])
    assert server.process.poll() is None, "the server died"
    assert requests.get(server.address + "/health", timeout=60).ok
    assert done.returncode == 0


checks = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
          "response_headers_conformance", "unsupported_method"]
