"""An unmodified PouchDB in a browser, on a page of another origin: its documents are in IndexedDB, its requests CORS.

The scenarios and the folder of builds are those of Node (test_pouchdb.py).
"""

import functools
import http.server
import pathlib
import threading

import pytest
import requests

from elsewhere import pouchdb_builds
from live_server import LiveServer

scenarios = pathlib.Path(__file__).resolve().parents[1] / "Endpoints/couchdb/pouchdb/scenarios.js"
expected = {
    "pushAndPull": {"written": 250, "pulled": 250, "again": 0, "same": True, "deep": True},
    "conflicts": {"same": True, "winner": "ben again", "losers": 2, "left": []},
    "live": {"there": True, "here": True, "gone": True},
    "attachments": {"small": True, "large": True},
}


class Pages(http.server.SimpleHTTPRequestHandler):
    """A page with the PouchDB of a folder, and nothing else."""

    def __init__(self, *request, folder):
        self.folder = folder
        super().__init__(*request)

    def do_GET(self):
        files = {
            "/": (b"<script src=pouchdb.js></script><script src=scenarios.js></script>", "text/html"),
            "/pouchdb.js": ((self.folder / "pouchdb.js").read_bytes(), "text/javascript"),
            "/scenarios.js": (scenarios.read_bytes(), "text/javascript"),
        }
        body, kind = files.get(self.path, (b"", "text/plain"))
        self.send_response(200 if self.path in files else 404)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def origin():
    pages = functools.partial(Pages, folder=pouchdb_builds())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def couch(origin, tmp_path_factory):
    server = LiveServer(tmp_path_factory.mktemp("muster"), arguments=["--cors-origin", origin])
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize("scenario", expected)
def test_pouchdb_replicates_from_a_page_of_another_origin(context, origin, couch, scenario):
    url = f"{couch.address}/db-{scenario.lower()}"
    assert requests.put(url, auth=couch.admin, timeout=60).status_code == 201
    tab = context.new_page()
    tab.goto(origin)
    name, password = couch.admin
    result = tab.evaluate(
        """([scenario, url, username, password]) => runScenario(scenario, { PouchDB, url, username, password })
            .then((result) => ({ result }), (error) => ({ error: String(error.stack ?? error.message) }))""",
        [scenario, url, name, password])
    assert result == {"result": expected[scenario]}
