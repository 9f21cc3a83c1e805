"""The broker of a house, mosquitto, bridged to Muster as docs/mqtt.md recommends: what Home Assistant shows behind it
is true, whichever of the three ends and begins again, and nothing is shown as true while Muster is gone."""

import json

import pytest

from held_port import hold_port
from mosquitto import HomeAssistant, Mosquitto
from mqtt_client import Client, mqtt_options, mqtt_port
from native_api import now
from owntracks_phone import location

versions = pytest.mark.parametrize("version", ["mqttv31", "mqttv311", "mqttv50"])


class House:
    """Muster, a mosquitto that is bridged to it, and Ana, whose phone reports."""

    def __init__(self, make_server, folder, version):
        self.server = make_server(arguments=mqtt_options()).start()
        self.muster_port = mqtt_port(self.server)
        admin = self.server.admin()
        admin.make_team("home")
        self.ana = admin.make_user("ana", "member", "home").token
        self.token = admin.make_device("ana", "phone").token
        key = admin.make_user("house", "leader", "home").token
        self.held, port = hold_port()
        self.broker = Mosquitto(folder / "mosquitto", self.muster_port, port, key, version).start()
        self.second = now() // 1000 - 1_000

    def move(self, latitude):
        self.second += 1
        with Client(self.muster_port, "ana", self.token) as phone:
            message = location(self.second, lat=latitude)
            assert phone.publish("owntracks/ana/phone", json.dumps(message)) == 0

    def declare(self, kind):
        self.server.api(self.ana).ok("POST", "/users/ana/declarations", {"kind": kind})

    def home_assistant(self):
        return HomeAssistant(self.broker.port)


@pytest.fixture
def make_house(make_server, tmp_path):
    made = []

    def make(version):
        made.append(House(make_server, tmp_path, version))
        return made[-1]

    yield make
    for house in made:
        house.broker.kill()


@versions
def test_home_assistant_behind_a_bridge_shows_what_is_true_after_restarts(make_house, version):
    house = make_house(version)
    house.move(50)
    with house.home_assistant() as home:
        home.awaits(ana="unsafe", phone=50)
    # What changed while Home Assistant was away is what it finds.
    house.move(51)
    house.declare("needsHelp")
    with house.home_assistant() as home:
        home.awaits(ana="needsHelp", phone=51)
        # What changed while the broker was away.
        house.broker.stop()
        house.move(52)
        house.declare("sos")
    house.broker.start()
    with house.home_assistant() as home:
        home.awaits(ana="sos", phone=52)
    # Muster restarts, also by a crash, and goes on.
    for latitude, end in [(53, house.server.stop), (54, house.server.kill)]:
        with house.home_assistant() as home:
            end()
            home.awaits(ana="unavailable", phone="unavailable")
        with house.home_assistant() as home:
            home.awaits(ana="unavailable", phone="unavailable")
            house.server.start()
            home.awaits(ana="sos", phone=latitude - 1)
            house.move(latitude)
        with house.home_assistant() as home:
            home.awaits(ana="sos", phone=latitude)


def test_a_removed_device_is_gone_behind_a_bridge(make_house):
    house = make_house("mqttv50")
    house.move(50)
    with house.home_assistant() as home:
        home.awaits(phone=50)
        house.server.admin().ok("DELETE", "/users/ana/devices/phone")
        home.awaits(phone=None)
    with house.home_assistant() as home:
        home.awaits(ana="unknown", phone=None)


def test_a_bridge_with_mosquittos_own_notifications_is_accepted(make_house):
    """Without `notifications_local_only` the bridge also reports its state to Muster, by a will and a message."""
    house = make_house("mqttv311")
    house.broker.kill()
    text = house.broker.file.read_text()
    house.broker.file.write_text(text.replace("notifications_local_only true\n", "")
                                 .replace("notification_topic muster/status\n", ""))
    house.broker.start()
    house.move(50)
    with house.home_assistant() as home:
        home.awaits(phone=50)
