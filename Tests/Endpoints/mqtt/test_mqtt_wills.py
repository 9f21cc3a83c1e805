"""When the server publishes a client's will: at once, after its delay, or not at all (MQTT 5.0, sections 3.1.2.5 and
3.1.3.2.2)."""

import json

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from mqtt_client import Client, port_and_server, versions, wait_seconds
from native_api import now
from owntracks_phone import location
from waiting import eventually

port, server = port_and_server()
both = pytest.mark.parametrize("version", sorted(versions))
an_hour = 3_600


class Phone:
    """A phone whose will says that it is gone."""

    made = 0

    def __init__(self, admin, port, version="5"):
        Phone.made += 1
        self.user = f"owner{Phone.made}"
        self.admin, self.port, self.version = admin, port, version
        admin.make_user(self.user)
        self.token = admin.make_device(self.user).token
        self.topic = f"owntracks/{self.user}/phone"

    def client(self, delay=0, expiry=an_hour, clean=False, name="phone", at=None):
        will = [self.topic, json.dumps({"_type": "lwt", "tst": at or now() // 1000}), 1, False]
        if self.version == "5":
            properties = Properties(PacketTypes.WILLMESSAGE)
            properties.WillDelayInterval = delay
            will.append(properties)
        more = {"expiry": expiry} if self.version == "5" else {}
        return Client(self.port, self.user, self.token, self.version, name, clean=clean, will=will, **more)

    def client_without_will(self, clean=False):
        return Client(self.port, self.user, self.token, "5", "phone", clean=clean, expiry=an_hour)

    def is_gone(self):
        """Whether the will was published."""
        return bool(self.admin.items(f"/users/{self.user}/devices/phone/notes?kind=lwt"))


@pytest.fixture
def phone(admin, port):
    return Phone(admin, port)


def was_dropped(phone):
    """Ends the session, at which a will that still waits is published. Returns whether none was."""
    with phone.client_without_will(clean=True):
        return not phone.is_gone()


def test_a_delayed_will_is_published_once_the_delay_is_over(phone):
    with phone.client(delay=1) as client:
        client.cut()
    eventually(phone.is_gone)


def test_a_delayed_will_is_published_when_the_session_ends_sooner(phone):
    with phone.client(delay=an_hour, expiry=1) as client:
        client.cut()
    eventually(phone.is_gone)


def test_a_delayed_will_is_dropped_when_the_client_resumes_its_session(phone):
    with phone.client(delay=an_hour) as client:
        client.cut()
    with phone.client_without_will() as client:
        assert client.present
    assert was_dropped(phone)


def test_a_delayed_will_is_published_when_the_client_comes_back_with_a_clean_start(phone):
    with phone.client(delay=an_hour) as client:
        client.cut()
    assert not phone.is_gone()
    # The session has ended, so the will is there before the client is answered.
    with phone.client(delay=an_hour, clean=True):
        assert phone.is_gone()


def test_a_takeover_that_resumes_the_session_drops_the_delayed_will(phone):
    with phone.client(delay=an_hour) as first, phone.client_without_will() as second:
        assert first.disconnected.get(timeout=wait_seconds).value == 0x8E and second.present
    assert was_dropped(phone)


def test_a_takeover_with_a_clean_start_publishes_the_delayed_will_at_once(phone):
    with phone.client(delay=an_hour) as first, phone.client(delay=an_hour, clean=True):
        assert first.disconnected.get(timeout=wait_seconds).value == 0x8E
        assert phone.is_gone()


def test_a_takeover_of_a_session_that_is_not_kept_publishes_the_delayed_will_at_once(phone):
    with phone.client(delay=an_hour, expiry=0), phone.client(delay=an_hour):
        assert phone.is_gone()


@both
def test_the_will_of_a_taken_over_client_comes_before_what_the_new_one_publishes(admin, port, version):
    phone = Phone(admin, port, version)
    start = now() // 1000 - 100
    # Each time a session of its own and later times, so that nothing repeats what was before.
    for at in range(start, start + 10, 2):
        since = admin.ok("GET", "/health")["sequence"]
        with phone.client(name=f"at{at}", at=at) as first, phone.client(name=f"at{at}", at=at) as second:
            assert second.publish(phone.topic, json.dumps(location(at + 1))) == 0
            first.disconnected.get(timeout=wait_seconds)
            changes = admin.ok("GET", f"/changes?since={since}&limit=100")["items"]
            kinds = [change["type"] for change in changes if change["type"] in ("note", "position")]
            assert kinds == ["note", "position"], changes


def test_a_client_that_is_refused_does_not_end_the_waiting_of_a_will(phone):
    with phone.client(delay=1) as client:
        client.cut()
    stranger = Client(phone.port, phone.user, "md_wrong", "5", "phone", clean=True)
    assert stranger.connect()[0].is_failure
    stranger.paho.loop_stop()
    eventually(phone.is_gone)
