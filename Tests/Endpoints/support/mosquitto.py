"""A mosquitto with the bridge that docs/mqtt.md recommends, and Home Assistant's view behind it."""

import json
import re
import shutil
import subprocess

import paho.mqtt.client as paho
import pytest

from muster_process import root
from waiting import eventually

program = shutil.which("mosquitto") or shutil.which("mosquitto", path=f"/usr/sbin:{root / '.venv/mosquitto/usr/sbin'}")


def recommended_bridge():
    """The configuration of the bridge that docs/mqtt.md shows."""
    page = (root / "docs/mqtt.md").read_text()
    return re.search(r"```text\n(connection muster\n.*?)```", page, re.S)[1]


class Mosquitto:
    """A broker of the house, whose bridge connects to Muster. It keeps what it has across restarts."""

    def __init__(self, folder, muster_port, port, key, version):
        if program is None:
            pytest.skip("mosquitto is not installed; Scripts/setup test unpacks Debian's package")
        self.folder, self.port, self.process = folder, port, None
        folder.mkdir()
        settings = {
            "address": f"127.0.0.1:{muster_port}", "remote_password": key, "bridge_protocol_version": version,
            "restart_timeout": "1", "bridge_cafile": None}
        lines = [f"listener {port} 127.0.0.1", "allow_anonymous true", "persistence true", "user root",
                 f"persistence_location {folder}/", "log_type all"]
        for line in recommended_bridge().splitlines():
            name = line.split(" ")[0]
            value = settings.pop(name, line[len(name) + 1:])
            if value is not None:
                lines.append(f"{name} {value}")
        assert not settings, settings
        self.file = folder / "mosquitto.conf"
        self.file.write_text("\n".join(lines) + "\n")

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([program, "-c", str(self.file)], stdout=log, stderr=log)
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(60)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(60)

    def log(self):
        return (self.folder / "log").read_text(errors="replace")


class HomeAssistant:
    """What a Home Assistant shows that is connected to a broker and discovers its entities there.

    https://www.home-assistant.io/integrations/mqtt/: an entity whose availability topic has not said
    `payload_available` last is unavailable, and so are all when there is no connection to the broker.
    """

    def __init__(self, port):
        self.last = {}
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv311)
        self.client.on_message = lambda client, data, message: self.last.__setitem__(message.topic, message.payload)
        self.client.on_connect = lambda client, *_: client.subscribe(
            [(f"{topic}/#", 1) for topic in ("owntracks", "muster", "homeassistant")])
        eventually(lambda: self._connects(port), seconds=60)
        self.client.loop_start()

    def _connects(self, port):
        try:
            self.client.connect("127.0.0.1", port, 30)
            return True
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.disconnect()
        self.client.loop_stop()

    def shown(self, name):
        """The state of a person's sensor or of a device's tracker, by the name of the person or the device.

        The tracker's is its place. None for an entity that is not there.
        """
        for topic, payload in list(self.last.items()):
            config = json.loads(payload) if topic.startswith("homeassistant/") and payload else None
            is_tracker = topic.startswith("homeassistant/device_tracker/")
            if config is None or name != (config["name"] if is_tracker else config["device"]["name"]):
                continue
            if self.last.get(config["availability_topic"], b"").decode() != config["payload_available"]:
                return "unavailable"
            if is_tracker:
                place = self.last.get(config["json_attributes_topic"])
                return place and json.loads(place)["latitude"]
            state = self.last.get(config["state_topic"])
            return state and json.loads(state)["state"]
        return None

    def awaits(self, **wanted):
        """Waits until the entities have these states."""
        eventually(lambda: {name: self.shown(name) for name in wanted}, lambda found: found == wanted)
