"""The question "where are you now?" to one person by every channel at once, and what its asker is told of each."""

import pytest

from event_stream import EventStream
from muster_process import run
from native_api import now
from owntracks_phone import Phone, location
from push_apps import ana, apns, certificate, fcm, fresh, push_options, server  # noqa: F401
from push_browser import Browser
from push_person import paths
from waiting import eventually
from webhook_receiver import Receiver

command = {"_type": "cmd", "action": "reportLocation"}


@pytest.fixture(scope="module")
def service():
    with Receiver(lambda call: 201) as service:
        yield service


@pytest.fixture(scope="module")
def lea(admin):
    admin.make_team("north")
    return admin.make_user("lea", "leader", "north")


class Devices:
    """A person of the team north with an app of Apple, one of Google, a browser and a phone with OwnTracks."""

    def __init__(self, server, admin, person, service):
        self.person = person
        self.name = person.ok("GET", "/session")["user"]["name"]
        admin.ok("PATCH", f"/users/{self.name}", {"team": "north"})
        self.tokens = {"apns": fresh(), "fcm": "token:" + fresh()}
        self.ids = {platform: person.ok("POST", "/push/devices", {"platform": platform, "token": token})["id"]
                    for platform, token in self.tokens.items()}
        self.browser = Browser(service, next(paths), page="http://127.0.0.1/")
        self.ids["webpush"] = self.browser.register(person)
        self.phone = Phone(server, self.name, admin.make_device(self.name, "phone").token)

    def question(self, asker):
        return asker.ok("GET", f"/users/{self.name}/location-request")

    def channels(self, asker):
        return {channel["channel"]: channel for channel in self.question(asker)["channels"]}


@pytest.fixture
def devices(server, admin, ana, service, lea):
    return Devices(server, admin, ana, service)


def test_a_location_request_is_sent_by_every_channel_and_lists_which_and_when(
        server, lea, devices, apns, fcm):
    devices.phone.tell(location(now() // 1000 - 1_000))
    with EventStream(server.address, devices.person.token) as feed:
        asked = lea.ok("POST", f"/users/{devices.name}/location-request")
        assert (asked["state"], asked["by"]) == ("unheard", "lea")
        assert {device["platform"]: device["id"] for device in asked["pushDevices"]} == devices.ids

        # Each is told, in its own way.
        [alert] = apns.wait(lambda told: told)
        assert alert.token == devices.tokens["apns"]
        assert alert.payload["aps"]["alert"]["title"] == "Where are you now?" and alert.payload["data"]["by"] == "lea"
        assert alert.payload["aps"]["mutable-content"] == 1, "an app words it in the language of the phone"
        [message] = fcm.wait(lambda told: told)
        assert message["token"] == devices.tokens["fcm"]
        assert message["notification"]["title"] == "Where are you now?" and message["data"]["by"] == "lea"
        [shown] = devices.browser.wait(lambda messages: messages)
        assert shown["notification"]["title"] == "Where are you now?"
        feed.take(lambda events: any(event.get("kind") == "locationAsked" for _, _, event in events))
        eventually(lambda: len(devices.question(lea)["channels"]) == 4)
        # A position that had waited in the phone is no answer, and brings it the question.
        assert command in devices.phone.tell(location(now() // 1000 - 900))
        eventually(lambda: len(devices.question(lea)["channels"]) == 5)

    question = devices.question(lea)
    channels = devices.channels(lea)
    assert {name: (channel.get("device"), channel["outcome"]) for name, channel in channels.items()} == {
        "apns": (devices.ids["apns"], "delivered"), "fcm": (devices.ids["fcm"], "delivered"),
        "webpush": (devices.ids["webpush"], "delivered"), "owntracks": ("phone", "told"), "live": (None, "told")}
    assert all(asked["askedAt"] <= channel["at"] <= question["endsAt"] for channel in channels.values())
    assert channels["owntracks"]["at"] >= max(channels[name]["at"] for name in ("apns", "fcm", "webpush", "live"))
    assert question["state"] == "heard" and question["lastPositionAt"] < question["askedAt"] <= question["heardAt"]

    # The person answers by the one phone that measures.
    assert command not in devices.phone.tell(location(now() // 1000 + 1))
    question = devices.question(lea)
    assert question["state"] == "answered" and question["lastPositionAt"] >= question["askedAt"]
    assert len(question["channels"]) == 5
    told = run("person", "asked", devices.name, data=server.data)
    for name in channels:
        assert f"{name}\t" in told
    assert "answered: the last position is of" in told


def test_a_failed_channel_is_reported_as_such_and_hides_no_other(server, lea, devices, apns, fcm):
    apns.decide = lambda notification: (503, "ServiceUnavailable", {"retry-after": "600"})
    fcm.answer = lambda message: (404, "UNREGISTERED", {})
    lea.ok("POST", f"/users/{devices.name}/location-request")
    eventually(lambda: len(devices.question(lea)["channels"]) == 3)
    channels = devices.channels(lea)
    outcomes = {name: (channel["outcome"], channel.get("reason")) for name, channel in channels.items()}
    assert outcomes == {
        "apns": ("failed", "answered 503 ServiceUnavailable"), "fcm": ("gone", "answered 404 UNREGISTERED"),
        "webpush": ("delivered", None)}
    # Nobody looked at the live feed, and the phone has not reported: neither is claimed.
    assert devices.question(lea)["state"] == "unheard"
    # The device that is gone is none of the person's any more.
    eventually(lambda: {device["platform"] for device in devices.question(lea)["pushDevices"]} == {"apns", "webpush"})
