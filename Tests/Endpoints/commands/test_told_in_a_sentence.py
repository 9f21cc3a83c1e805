"""What goes wrong at a terminal is told so that a person can act on it: what, where, and why."""

import socket

import pytest

from muster_process import MusterProcess, admin_password, run
from native_api import NativeApi


@pytest.mark.parametrize("is_running", [True, False], ids=["beside a server", "alone"])
def test_the_owner_of_the_data_folder_resets_the_admins_password(make_server, is_running):
    server = make_server().start()
    if not is_running:
        server.stop()
    run("user", "password", "admin", "--password-stdin", data=server.data, text="another sound one\n")
    if not is_running:
        server.start()
    api = NativeApi(server.address)
    api.refused(401, "POST", "/session", {"name": "admin", "password": admin_password})
    token = api.ok("POST", "/session", {"name": "admin", "password": "another sound one"})["accessToken"]
    # Over the network one's own password must be known, by a key too.
    change = {"password": "a third sound one"}
    key = NativeApi(server.address, token).ok("POST", "/keys", {"label": "mine"})["key"]
    for credential in (token, key):
        NativeApi(server.address, credential).refused(422, "PUT", "/users/admin/password", change)


@pytest.mark.parametrize("command, words", [
    ("incident start brigadde", "the server has no /teams/brigadde"),
    ("team status brigadde", "the server has no /teams/brigadde"),
    ("person help nobody", "there is no user 'nobody'"), ("user remove nobody", "there is no user 'nobody'"),
    ("device token phone --user nobody", "there is no user 'nobody'"),
    ("token list phone --user nobody", "there is no device 'phone' of a user 'nobody'"),
    ("incident report 7", "the server has no /incidents/7"),
    ("export --device nobody/phone --format csv", "nobody")])
def test_an_unknown_name_is_reported(server, command, words):
    assert words in run(*command.split(), data=server.data, status=1)


def test_a_link_whose_address_nobody_knows_is_not_made(make_server):
    server = make_server().start()
    order = ["link", "make", "person", "admin", "--expires-seconds", "600"]
    assert run(*order, data=server.data).startswith(server.address)
    server.stop()
    told = run(*order, data=server.data, status=1)
    assert "no server runs" in told and "muster serve" in told and "--public-url" in told
    named = run(*order, "--public-url", "https://muster.example", data=server.data)
    assert named.startswith("https://muster.example/console/")
    # The order that was refused made none.
    assert len(run("link", "list", data=server.data).splitlines()) == 2


def test_a_folder_without_a_store_is_named(tmp_path):
    for command in (["doctor"], ["backup", tmp_path / "copy.sqlite"]):
        told = run(*command, data=tmp_path / "nothing", status=1)
        assert f"there is no {tmp_path}/nothing/muster.sqlite" in told


def test_the_reason_why_a_server_cannot_listen_is_reported(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = run("serve", "--port", port, data=tmp_path / "data", status=1)
    assert f"port {port} of 127.0.0.1 is taken" in told
    (tmp_path / "text.pem").write_text("no certificate\n")
    for name, why in (("missing.pem", "cannot be read"), ("text.pem", "holds no certificate")):
        told = run("serve", "--port", "0", "--tls-certificate", tmp_path / name, "--tls-key", tmp_path / name,
                   data=tmp_path / "data", status=1)
        assert str(tmp_path / name) in told and why in told


def test_an_unreachable_peer_is_reported_with_the_cause(make_server):
    server = make_server().start()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        server.stop()
        refused = replicated(server, f"http://127.0.0.1:{port}")
        assert "Connection refused" in refused, refused
        unknown = replicated(server, "http://no.invalid")
        assert "the name was not found" in unknown, unknown


def replicated(server, source):
    """What a replication from an address says."""
    with MusterProcess(server.folder / "other", ["--allow-private-targets"]) as other:
        api = NativeApi(other.address)
        api.session.auth = ("admin", admin_password)
        api.session.put(f"{other.address}/notes", timeout=60)
        order = {"source": f"{source}/notes", "target": "notes"}
        return api.session.post(f"{other.address}/_replicate", json=order, timeout=60).text
