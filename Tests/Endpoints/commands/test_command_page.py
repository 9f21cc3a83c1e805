"""docs/command-line.md has an example of every command, and its examples reach every route of Muster's own API."""

import json
import re

import pytest

from muster_process import run
from page_commands import blocks, check_page, commands, isolated

page = "docs/command-line.md"

# The routes that no command calls, and why.
without_command = {
    "POST /api/v1/session": "a command signs in with the key that the server leaves in its folder",
    "POST /api/v1/session/refresh": "the same",
    "DELETE /api/v1/session": "the same: there is nothing to sign out of",
    "GET /api/v1/teams/{team}/history": "is what the console replays an hour by",
    "GET /api/v1/health": "is for monitors; `muster doctor` looks at the folder itself",
    "GET /api/v1/openapi.json": "is for programs that make clients",
    "GET /api/v1/push/key": "an app or a page registers the device that it runs on; docs/push.md",
    "GET /api/v1/push/devices": "the same",
    "POST /api/v1/push/devices": "the same",
    "DELETE /api/v1/push/devices/{device}": "the same",
    "PUT /api/v1/datasets/{dataset}/subscriptions/{device}": "the same, for a dataset; docs/push-sync.md",
    "DELETE /api/v1/datasets/{dataset}/subscriptions/{device}": "the same",
    "POST /api/v1/ranges": "`muster nearby --report` does, as the device that measures; docs/nearby.md",
    "PUT /api/v1/users/{user}/devices/{device}/range-tag": "the same: nobody agrees for another",
    "DELETE /api/v1/users/{user}/devices/{device}/range-tag": "the same",
    "GET /api/v1/nearby/relay": "`muster nearby --relay` does, as long as it runs; docs/nearby.md",
    "GET /api/v1/cognito": "is for programs that configure Cognito's clients; docs/cognito.md",
    "GET /api/v1/shared": "the page that a link opens does, without an account; docs/links.md",
    "GET /api/v1/shared/{token}/link.kml": "programs of maps do, by the address that `muster link make --kml` prints",
    "GET /api/v1/shared/{token}/map.kml": "the same",
    "POST /api/v1/shared/visitors": "the same",
    "POST /api/v1/shared/password": "the same",
    "PUT /api/v1/users/{user}/pause": "nobody says for others that they pause; docs/safety.md",
    "DELETE /api/v1/users/{user}/pause": "the same",
    "POST /api/v1/incidents/{incident}/acknowledgement": "nobody says for others that they have seen a call",
    "GET /api/v1/targets/{target}/deliveries/waiting": "is what the console shows of a target; docs/webhooks.md",
    "GET /api/v1/codes": "an admin reads one with the key of a program; docs/cognito.md",
}


def names_of_commands():
    """Every command that does something, as a person types it, from the program's own description of itself."""
    def below(command, words):
        inner = command.get("subcommands", [])
        return [name for each in inner for name in below(each, words + [each["commandName"]])] or [" ".join(words)]

    root = json.loads(run("--experimental-dump-help"))["command"]
    # ArgumentParser adds `help` to the root.
    return [name for each in root["subcommands"] if each["commandName"] != "help"
            for name in below(each, ["muster", each["commandName"]])]


def typed_lines():
    """The lines of the page that a reader types, without what stays hidden."""
    return [line for block in blocks(page) if block.is_command for line in commands(block).splitlines()]


def test_every_command_has_an_example():
    shown = "\n".join(typed_lines())
    missing = [name for name in names_of_commands() if not re.search(rf"\b{re.escape(name)}(?![\w-])", shown)]
    assert not missing


def test_every_example_is_a_command():
    names = names_of_commands()
    shown = [match[0] for line in typed_lines()
             for match in re.finditer(r"(?<![\w/<-])muster [a-z][a-z -]*", line.split("#")[0])]
    assert len(shown) >= len(names)
    strangers = [each for each in shown if not any(f"{each} ".startswith(f"{name} ") for name in names)]
    assert not strangers


def test_the_examples_reach_every_route_of_the_api(tmp_path):
    isolation = isolated()
    if isolation is None:
        pytest.skip("this system gives no process a network of its own (unshare)")
    server = "http://127.0.0.1:8080"
    afterwards = [f"curl -sf {server}/metrics > metrics", f"curl -sf {server}/api/v1/openapi.json > openapi.json"]
    check_page(page, tmp_path, isolation, afterwards=afterwards)
    paths = json.loads((tmp_path / "work/openapi.json").read_text())["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods
              if path.startswith("/api/v1/")}
    assert len(routes) > 70
    reached = reached_routes((tmp_path / "work/metrics").read_text())
    assert not sorted(routes - reached - set(without_command)), "no example of the page calls these routes"
    assert not sorted(set(without_command) - routes), "reasons for routes that are not there"


def reached_routes(metrics):
    """The routes that the server answered with success, by its metrics."""
    counts = re.findall(r'^muster_requests_total\{method="(\w+)",route="([^"]+)",status="2xx"\} \d+$', metrics, re.M)
    return {f"{method} {route}" for method, route in counts}
