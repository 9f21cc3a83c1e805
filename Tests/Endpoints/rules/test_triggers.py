"""A person's triggers and actions: set by the command line, fired by anything, run once, also across crashes."""

import itertools
import json
import os
import random
import subprocess
import threading

import pytest
import requests

from muster_process import MusterProcess, binary, run
from native_api import NativeApi
from soak import rounds
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct, make, settled

count = itertools.count(1)
texts = ["text1", "text2", "text3", "url1", "url2", "url3"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that may call this machine."""
    with MusterProcess(tmp_path_factory.mktemp("muster"), ["--allow-private-targets"]) as server:
        yield server


@pytest.fixture
def muster(server):
    return lambda *arguments, **more: run(*arguments, data=server.data, **more)


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def owner(admin):
    """A person of their own: the API as them."""
    name = f"bea{next(count)}"
    owner = admin.make_user(name)
    owner.name = name
    return owner


def test_a_trigger_posts_plain_text_to_slack(muster, admin, owner, receiver):
    assert muster("trigger", "set", "1", "--user", owner.name, "--slack", receiver.url,
                  "--template", "<user> says <text1>, see <url1><text2>") == f"Trigger 1 of {owner.name} is set.\n"
    words = ("--text", "the door & <gate>", "--url", "https://cam.example/1")
    assert muster("trigger", "fire", "1", "--user", owner.name, *words) == f"Fired {owner.name}/trigger-1.\n"
    receiver.wait(lambda calls: calls)
    settled(admin)
    (call,) = distinct(receiver.calls)
    assert call.headers["content-type"] == "application/json"
    # Slack's three characters are escaped, and nothing else is.
    assert json.loads(call.body) == {
        "text": f"{owner.name} says the door &amp; &lt;gate&gt;, see https://cam.example/1"}
    (line,) = muster("trigger", "list", "--user", owner.name).splitlines()
    number, action, fired = line.split("\t")
    assert (number, action) == ("1", f"{owner.name}.action-1") and fired.startswith("last fired 20")


def test_a_trigger_posts_json_as_home_assistant_and_n8n_take_it(muster, admin, owner, receiver):
    said = muster("trigger", "set", "2", "--user", owner.name, "--url", receiver.url)
    assert "Its secret: whsec_" in said
    muster("trigger", "fire", "2", "--user", owner.name, "--text", 'a "b"')
    body = json.loads(receiver.wait(lambda calls: calls)[0].body)
    assert {name: body[name] for name in texts} == {**dict.fromkeys(texts, ""), "text1": 'a "b"'}
    assert (body["trigger"], body["user"], body["name"]) == (f"{owner.name}/trigger-2", owner.name, "fired")
    # Set again with another form: the locative form of Home Assistant, IFTTT's three values.
    form = '{"device": "<device>", "id": "<text1>", "trigger": "enter", "value1": "<text1>", "value2": "<url1>"}'
    assert "secret" not in muster(
        "trigger", "set", "2", "--user", owner.name, "--url", receiver.url + "/other", "--template", form)
    muster("trigger", "fire", "2", "--user", owner.name, "--text", "home")
    receiver.wait(lambda calls: len(distinct(calls)) == 2)
    first, second = distinct(receiver.calls)
    assert second.path == "/hook/other"
    assert json.loads(second.body) == {
        "device": f"{owner.name}/trigger-2", "id": "home", "trigger": "enter", "value1": "home", "value2": ""}
    assert first.event != second.event


def test_a_trigger_that_is_run_by_hand_waits_and_runs_each_once(muster, admin, owner, receiver):
    muster("trigger", "set", "3", "--user", owner.name, "--url", receiver.url, "--by-hand")
    action = f"{owner.name}.action-3"
    for text in ("one", "two"):
        muster("trigger", "fire", "3", "--user", owner.name, "--text", text)
    # Deliveries that were accepted from now on wait.
    assert waiting(admin, action) == 2
    assert receiver.calls == []
    assert muster("trigger", "run", "--user", owner.name) == f"{action}\t2 run, 0 given up, 0 waiting\n"
    assert [json.loads(call.body)["text1"] for call in distinct(receiver.calls)] == ["one", "two"]
    assert muster("trigger", "run", "--user", owner.name) == f"{action}\t0 run, 0 given up, 0 waiting\n"
    # Deliveries wait again, also after the action was set anew.
    muster("trigger", "set", "3", "--user", owner.name, "--url", receiver.url, "--template", "<text1>")
    muster("trigger", "fire", "3", "--user", owner.name, "--text", "three")
    assert waiting(admin, action) == 1 and len(distinct(receiver.calls)) == 2
    muster("trigger", "set", "3", "--user", owner.name, "--url", receiver.url, "--at-once")
    receiver.wait(lambda calls: len(distinct(calls)) == 3)


def failed_run(server, user):
    """Runs what waits for a user, which fails. Returns what the command says."""
    done = subprocess.run(
        [binary, "trigger", "run", "--user", user, "--data", server.data], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    return done.stdout


def waiting(admin, target):
    return admin.ok("GET", f"/targets/{target}/deliveries")["pending"]


def test_a_failed_action_is_not_reported_as_run(server, muster, admin, owner, receiver):
    receiver.answer = lambda call: 301 if call.body == b"moved" else 204
    muster("trigger", "set", "1", "--user", owner.name, "--url", receiver.url, "--template", "<text1>", "--by-hand")
    for text in ("moved", "here"):
        muster("trigger", "fire", "1", "--user", owner.name, "--text", text)
    failed = failed_run(server, owner.name)
    assert failed == f"{owner.name}.action-1\t1 run, 1 given up, 0 waiting\n"
    # The next run sends the dead letters again.
    receiver.answer = lambda call: 204
    again = muster("trigger", "run", "--user", owner.name)
    assert again == f"{owner.name}.action-1\t1 run, 0 given up, 0 waiting\n"


def test_a_target_that_was_switched_off_stays_off(server, muster, admin, owner, receiver):
    action = f"{owner.name}.action-1"
    muster("trigger", "set", "1", "--user", owner.name, "--url", receiver.url)
    muster("target", "disable", action)
    muster("trigger", "fire", "1", "--user", owner.name)
    off = failed_run(server, owner.name)
    assert off == f"{action}\tswitched off, 0 given up, 1 waiting: muster target enable {action}\n"
    said = muster("trigger", "set", "1", "--user", owner.name, "--url", receiver.url)
    assert f"muster target enable {action}" in said
    admin.refused(409, "POST", f"/targets/{action}/run")
    assert admin.ok("GET", f"/targets/{action}")["enabled"] is False
    assert waiting(admin, action) == 1 and receiver.calls == []
    muster("target", "remove", action)


def test_a_run_that_is_killed_leaves_nothing_open(server, muster, admin, owner, receiver):
    action = f"{owner.name}.action-1"
    muster("trigger", "set", "1", "--user", owner.name, "--url", receiver.url, "--template", "<text1>", "--by-hand")
    muster("trigger", "fire", "1", "--user", owner.name, "--text", "before")
    held = threading.Event()
    receiver.answer = lambda call: 204 if held.wait(120) else 500
    command = subprocess.Popen([binary, "trigger", "run", "--user", owner.name, "--data", server.data])
    receiver.wait(lambda calls: calls)
    command.kill()
    command.wait()
    muster("trigger", "fire", "1", "--user", owner.name, "--text", "after")
    held.set()
    # A delivery that was being sent arrives, and later ones wait for the next run.
    eventually(lambda: waiting(admin, action), lambda count: count == 1)
    assert [call.body for call in distinct(receiver.calls)] == [b"before"]
    assert "1 run" in muster("trigger", "run", "--user", owner.name)
    assert [call.body for call in distinct(receiver.calls)] == [b"before", b"after"]


def test_a_run_goes_on_when_the_server_is_killed(make_server):
    server = make_server(arguments=["--allow-private-targets"]).start()
    server.admin().make_user("bea")

    def muster(*arguments):
        return run("trigger", *arguments, "--user", "bea", data=server.data)

    # A delivery that was being sent when the server ended is sent again, under the same id.
    answers = iter([503])
    with Receiver(answer=lambda call: next(answers, 204)) as receiver:
        muster("set", "1", "--url", receiver.url, "--template", "<text1>", "--by-hand")
        muster("fire", "1", "--text", "before")
        assert server.admin().ok("POST", "/targets/bea.action-1/run")["count"] == 1
        receiver.wait(lambda calls: calls)
        server.kill()
        server.start()
        muster("fire", "1", "--text", "after")
        receiver.wait(lambda calls: len(calls) >= 2)
        eventually(lambda: waiting(server.admin(), "bea.action-1"), lambda count: count == 1)
        assert {call.body for call in receiver.calls} == {b"before"}
        assert len({call.event for call in receiver.calls}) == 1
        # The count of waiting deliveries is correct right after a start.
        server.kill()
        server.start()
        assert muster("run") == "bea.action-1\t1 run, 0 given up, 0 waiting\n"
        assert receiver.calls[-1].body == b"after"


@pytest.mark.parametrize("name", ["bea@example.org", "b" * 64, "bea-0123456789abcdef"])
def test_every_user_has_triggers(muster, admin, receiver, name):
    admin.make_user(name)
    assert "Its secret: whsec_" in muster("trigger", "set", "1", "--user", name, "--url", receiver.url)
    muster("trigger", "fire", "1", "--user", name, "--text", "x")
    assert json.loads(receiver.wait(lambda calls: calls)[0].body)["trigger"] == f"{name}/trigger-1"
    assert "\tlast fired 20" in muster("trigger", "list", "--user", name)


def test_a_refused_trigger_leaves_no_target_behind(muster, admin, owner, receiver):
    assert "<nobody>" in muster(
        "trigger", "set", "1", "--user", owner.name, "--url", receiver.url, "--template", "<nobody>", status=1)
    admin.refused(404, "GET", f"/targets/{owner.name}.action-1")
    assert "whsec_" in muster("trigger", "set", "1", "--user", owner.name, "--url", receiver.url)
    # A user who already has the largest number of devices is told so.
    for number in range(2, 102):
        admin.send("POST", f"/users/{owner.name}/devices", {"name": f"d{number}"})
    full = muster("trigger", "set", "2", "--user", owner.name, "--url", receiver.url, status=1)
    assert "100 devices already" in full


def test_a_trigger_sends_to_a_target_that_is_there(muster, admin, owner, receiver):
    make(admin, f"ops-{owner.name}", receiver.url)
    muster("trigger", "set", "5", "--user", owner.name, "--target", f"ops-{owner.name}", "--template", "<text1>")
    muster("trigger", "fire", "5", "--user", owner.name, "--text", "x")
    receiver.wait(lambda calls: calls)
    settled(admin)
    (call,) = distinct(receiver.calls)
    assert call.body == b"x" and call.headers["content-type"].startswith("text/plain")


def test_wrong_trigger_arguments_are_refused(muster, owner, receiver):
    for arguments in (
            ("set", "6", "--user", owner.name, "--slack", receiver.url), ("set", "1", "--user", owner.name),
            ("set", "1", "--user", owner.name, "--slack", receiver.url, "--url", receiver.url),
            ("fire", "1", "--user", owner.name, *("--text", "x") * 4), ("run", "--user", owner.name, "--number", "0")):
        assert muster("trigger", *arguments, status=64)
    assert "no such device" in muster("trigger", "fire", "1", "--user", owner.name, status=1)
    assert "<nobody>" in muster(
        "trigger", "set", "1", "--user", owner.name, "--slack", receiver.url, "--template", "<nobody>", status=1)
    muster("trigger", "set", "1", "--user", owner.name, "--slack", receiver.url)
    assert "another kind" in muster("trigger", "set", "1", "--user", owner.name, "--url", receiver.url, status=1)


# MARK: IFTTT


def poll(api, slug, body=None):
    return api.send("POST", f"//ifttt/v1/triggers/{slug}", body)


def test_a_polling_service_gets_each_trigger_newest_first(admin, owner):
    trigger = admin.make_device(owner.name, "trigger-1")
    assert poll(owner, "trigger_1", {"triggerFields": {}, "limit": 50}).json() == {"data": []}
    for number in range(60):
        trigger.ok("POST", "/signals", {
            "name": "fired", "id": f"s{number}", "values": {"text1": str(number), "other": "x"}})
    items = poll(owner, "trigger_1", {"triggerFields": {}}).json()["data"]
    assert [item["meta"]["id"] for item in items] == [f"s{number}" for number in range(59, 9, -1)]
    assert {name: items[0][name] for name in texts} == {**dict.fromkeys(texts, ""), "text1": "59"}
    assert "other" not in items[0] and items[0]["created_at"].startswith("20")
    times = [item["meta"]["timestamp"] for item in items]
    assert times == sorted(times, reverse=True) and all(isinstance(time, int) for time in times)
    assert [item["text1"] for item in poll(trigger, "trigger-1", {"limit": 2}).json()["data"]] == ["59", "58"]
    assert poll(owner, "trigger_1", {"limit": 0}).json() == {"data": []}
    assert owner.send("GET", "//ifttt/v1/status").status_code == 200
    assert owner.ok("GET", "//ifttt/v1/user/info") == {"data": {"name": owner.name, "id": owner.name}}


def test_a_poller_cannot_read_anothers_triggers(admin, owner):
    admin.make_device(owner.name, "trigger-1").ok("POST", "/signals", {"name": "fired"})
    stranger = admin.make_user(f"cal{next(count)}")
    for api in (stranger, admin):
        answer = poll(api, "trigger_1")
        assert answer.status_code == 404 and answer.json()["errors"][0]["message"]
    for token in (None, "mk_wrong"):
        answer = poll(NativeApi(admin.address, token), "trigger_1")
        assert answer.status_code == 401 and answer.json()["errors"][0]["message"]
    for body in ({"limit": -1}, {"limit": "2"}):
        assert poll(owner, "trigger_1", body).status_code == 400
    assert owner.send("POST", "//ifttt/v1/triggers/trigger_1", raw=b"{").status_code == 400


# MARK: Exactly once


class Outbox:
    """An app with five triggers that keeps what it fired until the server has answered, and sends it again under the
    same id."""

    def __init__(self, server, tokens):
        self.server, self.tokens = server, tokens
        self.session = requests.Session()
        self.session.trust_env = False

    def send(self, number):
        """Sends a trigger once. Returns whether the server has acknowledged it."""
        body = {"name": "fired", "id": f"t{number}", "values": {"text1": str(number)}}
        try:
            answer = self.session.post(
                self.server.address + "/api/v1/signals", json=body, timeout=60,
                headers={"Authorization": f"Bearer {self.tokens[number % len(self.tokens)]}"})
        except requests.RequestException:
            return False
        assert answer.status_code in (200, 503), answer.text
        return answer.ok


def done_by(calls):
    """The ids under which each trigger's action was called. A call that a crash cut off in the middle is none."""
    done = {}
    for call in calls:
        if len(call.body) == int(call.headers["content-length"]):
            done.setdefault(int(json.loads(call.body)), set()).add(call.event)
    return done


@pytest.mark.soak
def test_each_trigger_runs_its_action_once_by_its_id_across_crashes(make_server):
    """The server is killed at any moment, and the receiver refuses a fifth of the calls."""
    seed = int(os.environ.get("MUSTER_TEST_SEED", "20261125"))
    print(f"seed {seed}")
    chance = random.Random(seed)
    crashes = rounds(4, 100)
    server = make_server(arguments=["--allow-private-targets", "--quota-signal-burst", "100000"]).start()
    admin = server.admin()
    admin.make_user("bea")
    outbox = Outbox(server, [admin.make_device("bea", f"trigger-{number}").token for number in range(1, 6)])
    with Receiver(answer=lambda call: 204 if chance.random() < 0.8 else 503) as receiver:
        make(admin, "action", receiver.url)
        admin.ok("POST", "/rules", {
            "name": "run", "pattern": {"detail": {"User": ["bea"]}},
            "targets": [{"target": "action", "input": {"path": "$.detail.Values.text1"}}]})
        fired = 0
        for _ in range(crashes):
            killer = threading.Timer(chance.uniform(0.01, 0.3), server.kill)
            killer.start()
            for _ in range(chance.randrange(1, 30)):
                if not outbox.send(fired):
                    break
                fired += 1
            killer.join()
            server.start()
            # What was not answered is sent again, and so is the last one that was.
            eventually(lambda: outbox.send(fired))
            assert outbox.send(max(0, fired - 1))
            fired += 1
        receiver.wait(lambda calls: len(done_by(calls)) == fired, 300)
        calls = receiver.calls
        admin.address = server.address
        settled(admin, 120)
        assert admin.items("/deadletters") == []
    done = done_by(calls)
    assert set(done) == set(range(fired))
    assert all(len(events) == 1 for events in done.values()), "a trigger ran its action under two ids"
    assert len(set.union(*done.values())) == fired
    print(f"{fired} triggers, {len(calls)} calls, {crashes} crashes")
