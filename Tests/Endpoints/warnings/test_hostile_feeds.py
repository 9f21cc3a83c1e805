"""Feeds of warnings that fail, lie, or attack; and wrong settings."""

import os
import subprocess

import pytest

from muster_process import binary, run
from test_warnings import regions, shown, state
from waiting import eventually
from warning_feed import alert, at, box

bomb = b'<!DOCTYPE alert [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><alert><note>&b;</note></alert>'


def fault(admin):
    """Waits until the feed's last look failed. Returns why."""
    return eventually(lambda: state(admin).get("fault"))


@pytest.mark.parametrize("document, words", [
    (bomb, "a document type is refused"),
    (b"<html><body>Maintenance</body></html>", "the root element is html"),
    (b"", "there is no element"),
    (b"<feed>" + b"x" * (4 << 20) + b"</feed>", "the answer is too long"),
    (lambda: (503, {"Retry-After": "1"}, b""), "it answered 503"),
    (lambda: (302, {"Location": "/feed.atom"}, b""), "it leads on more than 3 times"),
    (lambda: (302, {"Location": "file:///etc/passwd"}, b""), "must begin with http:// or https://"),
    (lambda: (302, {"Location": "http://169.254.169.254/latest"}, b""), "metadata address may not be reached"),
    (lambda: (302, {}, b""), "without a place"),
])
def test_a_feed_that_cannot_be_read_is_told_in_words(follow, service, document, words):
    service.documents["/feed.atom"] = document
    server = follow()
    assert words in fault(server.admin())
    listed = subprocess.run(
        [binary, "warnings", "list", "--data", str(server.data)], capture_output=True, text=True, timeout=60)
    assert listed.returncode == 1 and words in listed.stdout and "not heard" in listed.stdout


def test_a_faulty_alert_does_not_keep_the_others_from_being_shown(follow, service):
    sent, end = at(-60), at(3_600)
    service.publish("/bomb.cap", bomb)
    service.publish("/gone.cap", None)
    service.publish("/world.cap", alert("w2", sent, expires=end, area=box(-80, -170, 80, 170)))
    service.publish("/codes.cap", alert("w3", sent, expires=end, area=""))
    service.publish("/crossed.cap", alert("w4", sent, expires=end, area="<polygon>0,0 1,1 0,1 1,0 0,0</polygon>"))
    service.publish("/away.cap", lambda: (302, {"Location": "http://169.254.169.254/"}, b""))
    service.publish("/1.cap", alert("w1", sent, expires=end, headline="Flood"))
    admin = follow().admin()
    shown(admin, "Flood")
    found = eventually(lambda: state(admin), lambda found: found["withoutArea"] == 1)
    assert (found["warnings"], found["refusedShapes"], found["unread"]) == (1, 2, 3)
    assert "fault" not in found


def test_an_alert_that_the_service_withholds_is_told_and_asked_for_until_it_comes(follow, service):
    service.publish("/1.cap", lambda: (503, {}, b""))
    admin = follow().admin()
    assert fault(admin) == "an alert's document: it answered 503"
    eventually(lambda: service.count("/1.cap"), lambda count: count > 4)
    assert state(admin)["unread"] == 1
    service.documents["/1.cap"] = alert("w1", at(-60), expires=at(3_600), headline="Flood")
    shown(admin, "Flood")
    eventually(lambda: state(admin), lambda found: "fault" not in found and found["unread"] == 0)


def test_the_key_in_a_feeds_url_is_not_printed():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}

    def check(text):
        checked = subprocess.run(
            [binary, "config", "check"], env=clean | {"MUSTER_WARNINGS": text}, capture_output=True, text=True,
            timeout=60)
        assert "secret" not in checked.stdout + checked.stderr
        return checked.stdout + checked.stderr

    assert "north=https://w.example/…  (MUSTER_WARNINGS)" in check("north=https://w.example/secret?key=secret")
    assert "a value is not of the form TEAM=URL" in check("https://w.example/secret?key=secret")


def test_a_feed_in_a_private_network_is_refused_unless_the_operator_allows_it(make_server, service):
    server = make_server().start()
    server.admin().make_team("north")
    server.end()
    server.arguments = ["--warnings", f"north={service.url}", "--warnings-seconds", "1"]
    assert fault(server.start().admin()) == "a private or loopback address may not be reached"
    assert service.requests == []


def test_a_feed_for_a_team_that_does_not_exist_is_told_and_begins_with_the_team(make_server, service):
    service.publish("/1.cap", alert("w1", at(-60), expires=at(3_600), headline="Flood"))
    server = make_server()
    server.arguments = ["--warnings", f"north={service.url}", "--warnings-seconds", "1", "--allow-private-targets"]
    admin = server.start().admin()
    assert fault(admin) == "there is no team north"
    admin.make_team("north")
    shown(admin, "Flood")
    assert regions(admin)


@pytest.mark.parametrize("options, words", [
    (["--warnings", "https://w.example"], "is not of the form TEAM=URL"),
    (["--warnings", "north=ftp://w.example"], "must begin with http:// or https://"),
    (["--warnings", "north=https://w.example", "--warnings", "north=https://w.example"], "given twice"),
    (["--warnings-severity", "bad"], "is not minor, moderate, severe or extreme"),
    (["--warnings-area", "1,2,3"], "is not south,west,north,east"),
    (["--warnings-language", "klingon!"], "is not a language"),
    (["--warnings-seconds", "0"], "--warnings-seconds"),
])
def test_a_wrong_setting_is_refused_in_words(tmp_path, options, words):
    assert words in run("serve", *options, data=tmp_path / "data", status=64)
