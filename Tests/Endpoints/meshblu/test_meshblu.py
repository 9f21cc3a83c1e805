"""Meshblu's HTTP API, by curl and requests as its clients use it: each person has their own devices, and no others."""

import base64
import itertools
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from meshblu_owner import Owner, curl, data
from muster_process import MusterProcess
from native_api import now, stamp
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct, make, settled

count = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that may call this machine, and logs all it can."""
    arguments = ["--allow-private-targets", "--log-level", "trace"]
    with MusterProcess(tmp_path_factory.mktemp("muster"), arguments) as server:
        yield server


@pytest.fixture
def owner(admin):
    return Owner(admin, f"oda{next(count)}")


@pytest.fixture
def other(admin):
    return Owner(admin, f"odo{next(count)}")


@pytest.mark.parametrize("prefix", ["", "meshblu/"])
def test_the_articles_curl_command_works_as_written(server, admin, owner, prefix):
    """The article's request, with the host of this server, and a uuid and token of a device."""
    device = owner.device(name="trigger-1")
    article = ('curl -X POST -d "wind=12&temperature=78" https://meshblu.octoblu.com/data/{my uuid}'
               ' --header "meshblu_auth_uuid: {my uuid}" --header "meshblu_auth_token: {my token}"')
    command = article.replace("https://meshblu.octoblu.com/", f"{server.address}/{prefix}")
    command = command.replace("{my uuid}", device["uuid"]).replace("{my token}", device["token"])
    command = command.replace("curl ", "curl -s -w '%{http_code}' ", 1)
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == "201"
    (item,) = data(owner, device)
    assert (item["wind"], item["temperature"], item["uuid"]) == ("12", "78", device["uuid"])
    (signal,) = admin.items(f"/users/{owner.name}/devices/trigger-1/signals")
    assert signal["values"] == {"wind": "12", "temperature": "78"} and signal["name"] == "data"


def test_the_reference_app_fires_a_trigger_that_runs_an_action_once(server, admin, owner):
    """What the app sends: JSON, and the headers by their names."""
    device = owner.device(name="trigger-1")
    with Receiver() as receiver:
        make(admin, f"slack-{owner.name}", receiver.url)
        admin.ok("POST", "/rules", {
            "name": f"t1-{owner.name}", "pattern": {"detail": {"Device": [f"{owner.name}/trigger-1"]}},
            "targets": [{"target": f"slack-{owner.name}"}]})
        status, body = curl(
            "-X", "POST", server.address + f"/data/{device['uuid']}", "-H", "Content-Type: application/json",
            "-d", '{"foo":"bar"}', "-H", f"meshblu_auth_uuid: {device['uuid']}",
            "-H", f"meshblu_auth_token: {device['token']}")
        assert (status, body) == (201, "")
        receiver.wait(lambda calls: calls)
        settled(admin)
        (call,) = distinct(receiver.calls)
        assert json.loads(call.body)["detail"]["Values"] == {"foo": "bar"}


def proofs(uuid, token):
    coded = base64.b64encode(f"{uuid}:{token}".encode()).decode()
    wrong = {"skynet_auth_uuid": "x", "skynet_auth_token": "y"}
    return [
        {"Authorization": f"Basic {coded}"}, {"Authorization": f"Bearer {coded}"}, {"Authorization": f"Any {coded}"},
        {"skynet_auth_uuid": uuid, "skynet_auth_token": token},
        {"meshblu_auth_uuid": uuid, "meshblu_auth_token": token},
        {"X-Meshblu-UUID": uuid, "X-Meshblu-Token": token},
        {**wrong, "X-Meshblu-UUID": uuid.upper(), "X-Meshblu-Token": token},
        {"Authorization": "Basic eDp5", **wrong, "meshblu_auth_uuid": uuid, "meshblu_auth_token": token},
    ]


def test_each_form_of_credentials_is_accepted_and_the_last_one_counts(server, owner):
    device = owner.device()
    plain = requests.Session()
    for headers in proofs(device["uuid"], device["token"]):
        answer = plain.get(server.address + f"/devices/{device['uuid']}", headers=headers, timeout=60)
        assert answer.status_code == 200, headers
    # The owner's own UUID, and name, with a key.
    for name in (device["owner"], owner.name):
        for headers in proofs(name, owner.key):
            if name != owner.name or "X-Meshblu-UUID" not in headers or headers["X-Meshblu-UUID"] == name:
                assert plain.get(server.address + "/mydevices", headers=headers, timeout=60).ok, headers
    wrong = [
        {}, {"meshblu_auth_uuid": device["uuid"]}, {"meshblu_auth_token": device["token"]},
        {"Authorization": "Basic %%%"}, {"Authorization": "Basic"},
        {"meshblu_auth_uuid": device["uuid"], "meshblu_auth_token": owner.key},
        {"meshblu_auth_uuid": device["owner"], "meshblu_auth_token": device["token"]},
        {"meshblu_auth_uuid": device["uuid"], "meshblu_auth_token": device["token"],
         "X-Meshblu-UUID": device["uuid"], "X-Meshblu-Token": "md_wrong"},
    ]
    for headers in wrong:
        answer = plain.get(server.address + "/mydevices", headers=headers, timeout=60)
        assert answer.status_code == 401 and set(answer.json()) == {"error"}, headers


def test_devices_are_made_found_changed_and_removed(admin, owner):
    device = owner.device(name="lamp", type="light", floor=2)
    assert device["name"] == "lamp" and device["type"] == "light" and device["token"].startswith("md_")
    second = owner.device(name="lamp", type="light")
    assert second["name"].startswith("device-")
    found = owner.send("GET", "devices?type=light").json()["devices"]
    assert {each["uuid"] for each in found} == {device["uuid"], second["uuid"]}
    assert all("token" not in each for each in found)
    assert owner.send("GET", "mydevices?floor=2").json()["devices"] == [
        {key: value for key, value in device.items() if key != "token"}]
    missing = owner.send("GET", "devices?type=drone")
    assert missing.status_code == 404 and missing.json() == {"message": "Devices not found", "code": 404}
    changed = owner.send("PUT", f"devices/{device['uuid']}", {"on": True, "floor": None, "token": "x", "uuid": "y"})
    assert changed.status_code == 200
    assert changed.json() == {
        "uuid": device["uuid"], "owner": device["owner"], "name": "lamp", "type": "light", "on": True}
    assert owner.send("PUT", f"devices/{device['uuid']}", {"k": "x" * 5000}).status_code == 422
    # A query may also ask for what identifies a device. A token is no property.
    for query in (f"owner={device['owner']}", f"uuid={device['uuid'].upper()}", f"token={device['token']}"):
        uuids = [each["uuid"] for each in owner.send("GET", f"devices?name=lamp&{query}").json()["devices"]]
        assert uuids == [device["uuid"]], query
    assert owner.send("GET", f"devices?owner={device['uuid']}").status_code == 404
    gone = owner.send("DELETE", f"devices/{device['uuid']}")
    assert (gone.status_code, gone.json()) == (200, {"uuid": device["uuid"]})
    assert owner.send("GET", f"devices/{device['uuid']}").status_code == 404
    assert {item["name"] for item in admin.items(f"/devices?user={owner.name}")} == {second["name"]}


def test_properties_that_are_set_at_the_same_time_are_all_kept(owner):
    device = owner.device(name="lamp")

    def put(number):
        for step in range(4):
            answer = requests.put(
                f"{owner.address}/devices/{device['uuid']}", json={f"p{number}-{step}": step}, timeout=60,
                headers={"meshblu_auth_uuid": device["uuid"], "meshblu_auth_token": device["token"]})
            assert answer.status_code == 200

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(8)))
    (found,) = owner.send("GET", f"devices/{device['uuid']}").json()["devices"]
    assert len([name for name in found if name.startswith("p")]) == 32


def test_a_device_that_is_refused_is_not_made(admin, owner):
    before = admin.items(f"/devices?user={owner.name}")
    assert owner.send("POST", "devices", {"k": "x" * 5000}).status_code == 422
    assert admin.items(f"/devices?user={owner.name}") == before


def test_an_idempotency_key_is_separate_for_data_and_messages(admin, owner):
    device = owner.device(name="lamp")
    auth = device["uuid"], device["token"]
    for key in ("first", "k" * 64):
        headers = {"Idempotency-Key": key}
        for _ in range(2):
            sent = [
                owner.send("POST", f"data/{device['uuid']}", {"a": 1}, auth=auth, headers=headers),
                owner.send("POST", "messages", {"devices": "*", "payload": 1}, auth=auth, headers=headers)]
            assert [answer.status_code for answer in sent] == [201, 200], sent[1].text
    names = [signal["name"] for signal in admin.items(f"/users/{owner.name}/devices/lamp/signals")]
    assert sorted(names) == ["data", "data", "message", "message"]


def test_a_page_at_another_origin_may_send_every_form_of_credentials(make_server):
    server = make_server(arguments=["--cors-origin", "https://app.example"]).start()
    preflight = requests.options(server.address + "/data/x", timeout=60, headers={
        "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "meshblu_auth_uuid"})
    assert preflight.status_code == 204
    allowed = preflight.headers["Access-Control-Allow-Headers"].split(", ")
    assert {"meshblu_auth_uuid", "meshblu_auth_token", "skynet_auth_uuid", "skynet_auth_token", "x-meshblu-uuid",
            "x-meshblu-token", "idempotency-key", "authorization"} <= set(allowed)


def test_tokens_are_made_checked_and_revoked(owner):
    device = owner.device()
    uuid = device["uuid"]

    def is_good(token):
        answer = owner.session.get(owner.address + f"/authenticate/{uuid}", params={"token": token}, timeout=60)
        assert answer.json() == {"uuid": uuid, "authentication": answer.ok}
        return answer.ok

    more = owner.send("POST", f"devices/{uuid}/tokens").json()
    assert more["uuid"] == uuid and is_good(more["token"]) and is_good(device["token"])
    assert not is_good("md_wrong") and not is_good("") and not is_good(owner.key)
    assert owner.send("DELETE", f"devices/{uuid}/tokens/{more['token']}").status_code == 204
    assert owner.send("DELETE", f"devices/{uuid}/tokens/{more['token']}").status_code == 404
    assert not is_good(more["token"]) and is_good(device["token"])
    fresh = owner.send("POST", f"devices/{uuid}/token")
    assert fresh.status_code == 201 and is_good(fresh.json()["token"]) and not is_good(device["token"])
    # A device's token makes no others: who stole one would keep the door open.
    auth = uuid, fresh.json()["token"]
    for method, path in (("POST", "token"), ("POST", "tokens"), ("DELETE", f"tokens/{fresh.json()['token']}")):
        assert owner.send(method, f"devices/{uuid}/{path}", auth=auth).status_code == 401
    assert owner.send("POST", "devices", {}, auth=auth).status_code == 401
    assert owner.send("DELETE", f"devices/{uuid}", auth=auth).status_code == 401


def test_a_user_cannot_read_or_change_anothers_devices(owner, other, admin):
    device = owner.device(type="secret-lamp")
    assert owner.send("POST", f"data/{device['uuid']}", {"door": "4711"}).status_code == 201
    theirs = other.device()
    for auth in (other.auth, (theirs["uuid"], theirs["token"])):
        for method, path, body in (
                ("GET", "devices/{}", None), ("GET", "data/{}", None), ("POST", "data/{}", {"a": 1}),
                ("PUT", "devices/{}", {"a": 1}), ("GET", "subscribe/{}", None)):
            answer = other.send(method, path.format(device["uuid"]), body, auth=auth)
            assert answer.status_code == 404 and "4711" not in answer.text, path
            nobody = other.send(method, path.format("0d3a53a0-2a0b-11e3-b09c-ff4de847b2cc"), body, auth=auth)
            assert (nobody.status_code, nobody.text) == (answer.status_code, answer.text)
        assert "secret-lamp" not in other.send("GET", "devices", auth=auth).text
    for path in ("devices/{}/token", "devices/{}/tokens"):
        assert other.send("POST", path.format(device["uuid"])).status_code == 404
    assert other.send("DELETE", f"devices/{device['uuid']}").status_code == 404
    # An admin's devices are the admin's, too: by this protocol nobody sees everyone's.
    found = requests.get(
        owner.address + f"/data/{device['uuid']}", headers={"Authorization": f"Bearer {admin.token}"}, timeout=60)
    assert found.status_code == 404
    # A device fires for itself alone, and reads what its owner's other devices fired.
    second = owner.device()
    auth = second["uuid"], second["token"]
    assert owner.send("POST", f"data/{device['uuid']}", {"a": 1}, auth=auth).status_code == 401
    assert owner.send("GET", f"data/{device['uuid']}", auth=auth).json()["data"][0]["door"] == "4711"
    assert len(data(owner, device)) == 1


def test_data_comes_newest_first_by_time_and_number(owner):
    device = owner.device()
    begin = now() - 60_000
    for index in range(12):
        body = {"n": index, "nested": {"a": [1]}, "none": None, "timestamp": stamp(begin + index * 1000)}
        assert owner.send("POST", f"data/{device['uuid']}", body).status_code == 201
    found = data(owner, device)
    assert [item["n"] for item in found] == [str(number) for number in range(11, 1, -1)]
    assert found[0]["nested"] == '{"a":[1]}' and found[0]["none"] == ""
    assert found[0]["timestamp"] == stamp(begin + 11_000)
    query = f"start={stamp(begin + 3000)}&finish={begin + 6000}&limit=2"
    part = owner.send("GET", f"data/{device['uuid']}?{query}").json()["data"]
    assert [item["n"] for item in part] == ["5", "4"]
    # The same trigger, sent again because the answer was lost, is one.
    for _ in range(2):
        again = owner.send("POST", f"data/{device['uuid']}", {"n": "key"}, headers={"Idempotency-Key": "once"})
        assert again.status_code == 201
    assert [item["n"] for item in data(owner, device)[:2]] == ["key", "11"]


@pytest.mark.parametrize("status, body, content", [
    (422, '{"a":', "application/json"), (413, "x" * 70_000, "application/x-www-form-urlencoded"),
    (422, '{"timestamp": "soon"}', "application/json"), (422, '{"timestamp": 0}', "application/json"),
    (422, '{"timestamp": "2999-01-01T00:00:00Z"}', "application/json"),
    (422, json.dumps({f"k{number}": 1 for number in range(40)}), "application/json"),
    (422, json.dumps({"k": "x" * 4096}), "application/json"),
])
def test_bad_data_is_refused_with_a_reason_and_not_stored(owner, status, body, content):
    device = owner.device()
    answer = owner.send(
        "POST", f"data/{device['uuid']}", data=body, headers={"Content-Type": content})
    assert answer.status_code == status, answer.text
    assert answer.json().get("error") or answer.json().get("title")
    assert data(owner, device) == []


def test_the_body_wins_over_the_query_and_a_token_is_never_stored_as_data(server, owner):
    device = owner.device()
    answer = owner.send("POST", f"data/{device['uuid']}?a=1&b=2+3&token={device['token']}", {"a": "body"})
    assert answer.status_code == 201
    (item,) = data(owner, device)
    assert (item["a"], item["b"]) == ("body", "2 3") and "token" not in item
    owner.session.get(owner.address + f"/authenticate/{device['uuid']}?token={device['token']}", timeout=60)
    owner.send("DELETE", f"devices/{device['uuid']}/tokens/{device['token']}")
    assert device["token"] not in server.log() and owner.key not in server.log()


class Listener:
    """Reads the lines of a subscription."""

    def __init__(self, owner, path, auth=None):
        self.response = owner.send("GET", path, auth=auth, stream=True)
        assert self.response.status_code == 200
        self.lines = self.response.iter_lines(chunk_size=1)

    def next(self):
        return json.loads(next(filter(None, self.lines)))

    def ends_without_a_line(self):
        """Whether the server ends the stream before it sends anything but heartbeats."""
        try:
            return next(filter(None, self.lines), None) is None
        except requests.exceptions.ChunkedEncodingError:
            return True

    def close(self):
        self.response.close()


def test_an_addressee_hears_a_message_however_its_uuid_is_spelled(owner):
    sender, reader = owner.device(), owner.device()
    single = Listener(owner, f"subscribe/{reader['uuid'].upper()}")
    own = Listener(owner, "subscribe", (reader["uuid"].upper(), reader["token"]))
    for spell in (str.upper, str.lower):
        sent = owner.send("POST", "messages", {"devices": [spell(reader["uuid"])], "payload": spell("Hi")},
                          auth=(sender["uuid"].upper(), sender["token"]))
        assert sent.status_code == 200 and sent.json()["devices"] == [reader["uuid"]]
        assert [listener.next()["payload"] for listener in (single, own)] == [spell("Hi")] * 2


def test_subscribers_hear_what_the_owners_devices_fire_and_send(owner, other):
    sender, reader, third = owner.device(), owner.device(), owner.device()
    stranger = other.device()
    auth = {device["uuid"]: (device["uuid"], device["token"]) for device in (sender, reader, third)}
    listener = Listener(owner, "subscribe", auth[reader["uuid"]])
    single = Listener(owner, f"subscribe/{sender['uuid']}")
    assert single.response.headers["X-Accel-Buffering"] == "no"
    foreign = Listener(other, "subscribe")

    def message(devices, payload, who=sender):
        answer = owner.send("POST", "messages", {"devices": devices, "payload": payload}, auth=auth[who["uuid"]])
        assert (answer.status_code, answer.json()) == (
            200, {"devices": devices if isinstance(devices, list) else [devices], "payload": payload})

    owner.send("POST", f"data/{sender['uuid']}", {"wind": 12}, auth=auth[sender["uuid"]])
    message([third["uuid"]], "not for the reader")
    message([reader["uuid"], stranger["uuid"]], {"on": [True, None, 1.5]})
    message("*", "from the third", third)
    fired = listener.next()
    assert fired["devices"] == ["*"] and fired["fromUuid"] == sender["uuid"] and fired["payload"]["wind"] == "12"
    assert listener.next() == {"devices": [reader["uuid"], stranger["uuid"]], "payload": {"on": [True, None, 1.5]},
                               "fromUuid": sender["uuid"]}
    assert listener.next()["payload"] == "from the third"
    assert [single.next()["payload"] for _ in range(3)][1:] == ["not for the reader", {"on": [True, None, 1.5]}]
    # What is another's comes to nobody else: their first line is their own.
    other.send("POST", f"data/{stranger['uuid']}", {"own": 1})
    assert foreign.next()["payload"]["own"] == "1"
    for bad in ({}, {"devices": 1}, {"devices": []}, {"devices": [1]}, {"payload": 1}):
        refused = owner.send("POST", "messages", bad, auth=auth[sender["uuid"]])
        assert (refused.status_code, refused.json()) == (422, {"error": "Invalid Message Format"})
    assert owner.send("POST", "messages", {"devices": "*"}).status_code == 401
    for each in (listener, single, foreign):
        each.close()


def test_a_subscription_sends_something_while_nothing_happens(owner):
    listener = Listener(owner, "subscribe")
    assert next(listener.lines) == b""
    listener.close()


def test_subscriptions_of_a_token_are_few_and_end_with_it(owner):
    device = owner.device()
    auth = device["uuid"], device["token"]
    listeners = [Listener(owner, "subscribe", auth) for _ in range(10)]
    refused = eventually(lambda: owner.send("GET", "subscribe", auth=auth, stream=True),
                         lambda answer: answer.status_code != 200)
    assert refused.status_code == 429 and "10" in refused.json()["error"]
    owner.send("POST", f"devices/{device['uuid']}/token")
    owner.send("POST", f"data/{device['uuid']}", {"a": 1})
    for listener in listeners:
        assert listener.ends_without_a_line()


def test_status_is_for_anyone(server):
    answer = requests.get(server.address + "/status", timeout=60)
    assert (answer.status_code, answer.json()) == (200, {"meshblu": "online"})


def test_a_flood_is_refused_with_when_to_come_back(make_server):
    server = make_server(arguments=["--quota-signal-burst", "5", "--quota-signals-per-second", "0.0001"]).start()
    owner = Owner(server.admin(), "oda")
    device = owner.device()
    answers = [owner.send("POST", f"data/{device['uuid']}", {"n": number}) for number in range(7)]
    assert [answer.status_code for answer in answers] == [201] * 5 + [429] * 2
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_a_trigger_that_was_acknowledged_outlives_the_server(make_server):
    server = make_server(arguments=["--allow-private-targets"]).start()
    owner = Owner(server.admin(), "oda")
    device = owner.device()
    assert owner.send("POST", f"data/{device['uuid']}", {"n": 1}).status_code == 201
    server.kill()
    server.start()
    owner.address = server.address
    assert [item["n"] for item in data(owner, device)] == ["1"]
    # The device is called the same, and its token opens as before.
    answer = owner.send("GET", f"devices/{device['uuid']}", auth=(device["uuid"], device["token"]))
    assert answer.status_code == 200
