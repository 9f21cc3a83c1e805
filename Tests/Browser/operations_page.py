"""What the tests of the console's operations share: a server of their own, and how a person uses a part."""

import http.server
import json
import threading

import pytest

from live_server import LiveServer, box, until

west, south = 10.9460, 59.6680


class Receiver:
    """A web server that takes webhooks: it keeps their bodies, and answers as it is told."""

    def __init__(self):
        self.status = 200
        self.bodies = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                # A test that sees the body may change the status for the next one.
                status = receiver.status
                receiver.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of this file's own, which may call this machine; with two teams, and a leader of each."""
    server = LiveServer(tmp_path_factory.mktemp("operations"), ["--allow-private-targets"])
    server.start()
    for number, team in enumerate(("east", "west")):
        server.make_team(team, [box("yard", "Yard", west + number, south)])
        server.make_user(f"{team}-lead", "leader", team)
        server.make_member(f"{team}-ann", team)
    yield server
    server.stop()


def show(page, *part):
    """Goes to a part of the operations, and waits until it is there."""
    page.go("operations", *part)
    # The part before is shown until the page has followed its new address.
    link = f"[href='{page.fragment('operations', part[0])}']" if part else ""
    until(lambda: page.is_shown(f"main.screen .parts [aria-current=page]{link}"))
    until(lambda: page.is_shown("main.screen .part"))


def rows(page):
    return page.texts("main.screen .rows > li")


def field(page, label):
    return page.find("main.screen").get_by_label(label, exact=True)


def press(page, name, answer=None):
    """Presses a button of the part, and says yes to the question that it asks where its name ends in an ellipsis."""
    return page.press("main.screen", name, answer)
