"""TAK's protocol 1: asked for as ATAK does, with messages of takproto in both directions."""

import pytest
import takproto

from muster_process import MusterProcess
from native_api import fix, now
from tak_client import Client, call, enroll, event, marker_of
from waiting import eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    server = MusterProcess(tmp_path_factory.mktemp("tak"), ["--tak-port", "0"])
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture(scope="module")
def people(server, admin, tmp_path_factory):
    """Of ann, a member, her watch; and the data package of her leader."""
    admin.make_team("south")
    admin.make_user("lena", "leader", "south")
    admin.make_user("ann", "member", "south")
    watch = admin.make_device("ann", "watch")
    watch.ok("POST", "/positions", fix(43.45, -6.05, now(), accuracy=5))
    return watch, enroll(server, tmp_path_factory.mktemp("package"), "lena", "phone", "--reads")


def message(text):
    return takproto.xml2proto(text, takproto.TAKProtoVer.STREAM)


def request(version):
    return event("lena", "t-x-takp-q", detail=f'<TakControl><TakRequest version="{version}"/></TakControl>')


def test_a_client_that_asks_for_it_gets_messages(server, admin, people):
    with Client(server, people[1]) as client:
        offer = client.await_event(lambda found: found.type == "t-x-takp-v")
        assert offer.detail.find("TakControl/TakProtocolSupport").get("version") == "1"
        client.send(request(1))
        answer = client.await_event(lambda found: found.type == "t-x-takp-r")
        assert answer.detail.find("TakControl/TakResponse").get("status") == "true" and not answer.is_message
        after = client.events.index(answer) + 1
        client.send_bytes(message(event("lena-1", latitude=43.6)))
        found = eventually(lambda: admin.history("lena/phone"))[0]
        assert (found["latitude"], found["battery"], found["speed"], found["accuracy"]) == (43.6, 77, 1.5, 5)
        people[0].ok("POST", "/positions", fix(43.46, -6.05, now(), accuracy=5))
        moved = client.await_event(lambda found: marker_of("ann")(found) and found.latitude == 43.46, after=after)
        assert moved.is_message and all(found.is_message for found in client.events[after:])


def test_a_version_that_is_unknown_is_refused_and_xml_goes_on(server, people):
    with Client(server, people[1]) as client:
        client.send(request(2))
        answer = client.await_event(lambda found: found.type == "t-x-takp-r")
        assert answer.detail.find("TakControl/TakResponse").get("status") == "false"
        assert not client.await_event(marker_of("ann")).is_message


def test_a_call_in_a_message_is_an_sos(server, admin, people):
    with Client(server, people[1]) as client:
        client.send_bytes(message(call("lena-1")))
        eventually(lambda: admin.ok("GET", "/teams/south/safety")["members"], lambda members: any(
            person["user"] == "lena" and person["state"] == "sos" for person in members))


def test_messages_that_are_cut_or_wrong_end_nothing_but_themselves(server, admin, people):
    before = len(admin.history("lena/phone"))
    with Client(server, people[1]) as client:
        client.send_bytes(b"\xbf\x03\x12\xff\x01" + b"\xbf\x00" + message(event("lena-1", latitude=43.7)))
        eventually(lambda: len(admin.history("lena/phone")) == before + 1)


def test_a_message_of_more_than_64_kb_is_left_out_and_one_of_2_mb_ends_the_connection(server, admin, people):
    before = len(admin.history("lena/phone"))
    with Client(server, people[1]) as client:
        # 0x20000 bytes follow.
        client.send_bytes(b"\xbf\x80\x80\x08" + b"x" * 0x20000 + message(event("lena-1", latitude=43.8)))
        eventually(lambda: len(admin.history("lena/phone")) == before + 1)
        client.send_bytes(b"\xbf\xff\xff\xff\x7f" + b"x" * 100)
        client.await_end()
