"""Our multicast DNS with an implementation of others (zeroconf), and between two hosts of a network of our own."""

import contextlib
import queue
import shutil
import socket
import subprocess
import uuid

import pytest
from zeroconf import IPVersion, ServiceBrowser, ServiceInfo, ServiceListener, Zeroconf

import mdns_probe
from mdns_probe import MDNSProbe

pytestmark = pytest.mark.skipif(
    not mdns_probe.binary.exists(), reason="mdns-probe is not built: swift build --product mdns-probe")

loopback = "127.0.0.1"


def multicast_fault():
    """Why the loopback interface carries no multicast; None when it does."""
    group = socket.inet_aton("224.0.0.251")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        try:
            receiver.bind(("", 0))
            receiver.settimeout(30)
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + socket.inet_aton(loopback))
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(loopback))
            sender.sendto(b"?", ("224.0.0.251", receiver.getsockname()[1]))
            receiver.recv(10)
        except OSError as error:
            return str(error)
    return None


@pytest.fixture(scope="module")
def others():
    """The other implementation, on the loopback interface."""
    fault = multicast_fault()
    if fault:
        pytest.skip(f"the loopback interface carries no multicast: {fault}")
    with contextlib.closing(Zeroconf(interfaces=[loopback], ip_version=IPVersion.V4Only)) as zeroconf:
        yield zeroconf


@pytest.fixture
def kind():
    """A type of services that no other test uses."""
    return f"_t{uuid.uuid4().hex[:10]}._tcp"


class Heard(ServiceListener):
    """What the other implementation tells of a type."""

    def __init__(self, zeroconf, kind):
        self.events = queue.Queue()
        self.browser = ServiceBrowser(zeroconf, f"{kind}.local.", self)

    def add_service(self, zeroconf, kind, name):
        self.events.put(("added", name))

    def update_service(self, zeroconf, kind, name):
        self.events.put(("updated", name))

    def remove_service(self, zeroconf, kind, name):
        self.events.put(("removed", name))

    def wait(self, event):
        while True:
            found = self.events.get(timeout=mdns_probe.wait_seconds)
            if found[0] == event:
                return found[1]


def info(kind, name, port=4712, host="other-host.local.", **properties):
    return ServiceInfo(
        f"{kind}.local.", f"{name}.{kind}.local.", port=port, addresses=[socket.inet_aton(loopback)],
        properties=properties, server=host)


def test_others_see_us_resolve_us_and_hear_our_goodbye(others, kind):
    heard = Heard(others, kind)
    with MDNSProbe("--advertise", kind, "Ana's phone. 🎉", 4711, "id=7") as probe:
        probe.wait("named", name="Ana's phone. 🎉")
        name = heard.wait("added")
        assert name == f"Ana's phone. 🎉.{kind}.local."
        found = others.get_service_info(f"{kind}.local.", name, timeout=60_000)
        assert (found.port, found.properties, found.parsed_addresses()) == (4711, {b"id": b"7"}, [loopback])
        probe.end()
        assert heard.wait("removed") == name
    heard.browser.cancel()


def test_we_see_others_resolve_them_and_hear_changes_and_their_goodbye(others, kind):
    service = info(kind, "Bo Größe", id="7")
    with MDNSProbe("--browse", kind) as probe:
        others.register_service(service)
        found = probe.wait("found", name="Bo Größe")
        assert (found["port"], found["text"], found["addresses"]) == (4712, {"id": "7"}, [loopback])
        assert found["host"] == "other-host.local"
        others.update_service(info(kind, "Bo Größe", id="8"))
        assert probe.wait("changed")["text"] == {"id": "8"}
        others.unregister_service(service)
        probe.wait("removed", name="Bo Größe")


def test_a_name_that_others_have_gets_a_number(others, kind):
    service = info(kind, "Ana")
    others.register_service(service)
    with MDNSProbe("--advertise", kind, "Ana", 4711) as probe:
        # It asks for less than a second, in which a busy machine may not answer: it learns of the other afterwards.
        probe.wait("named", name="Ana (2)")
    others.unregister_service(service)


def test_others_find_that_a_name_is_ours(others, kind):
    with MDNSProbe("--advertise", kind, "Ana", 4711) as probe:
        probe.wait("named", name="Ana")
        service = info(kind, "Ana")
        others.register_service(service, allow_name_change=True)
        assert service.name == f"Ana-2.{kind}.local."
        others.unregister_service(service)


def test_running_and_starting_services_and_shared_names_are_found(kind):
    if fault := multicast_fault():
        pytest.skip(f"the loopback interface carries no multicast: {fault}")
    with MDNSProbe("--advertise", kind, "Ana", 1) as first, MDNSProbe("--browse", kind) as browser:
        first.wait("named")
        browser.wait("found", name="Ana", port=1)
        with MDNSProbe("--advertise", kind, "Ana", 2) as second:
            second.wait("named", name="Ana (2)")
            browser.wait("found", name="Ana (2)", port=2)
        browser.wait("removed", name="Ana (2)")


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True)


@pytest.fixture
def two_hosts():
    """The names of two network namespaces with a cable between interfaces `left` and `right`."""
    if not shutil.which("ip"):
        pytest.skip("ip is not installed; Scripts/setup test installs it")
    names = [f"mdns-{uuid.uuid4().hex[:8]}" for _ in range(2)]
    try:
        for name in names:
            made = ip("netns", "add", name)
            if made.returncode:
                pytest.skip(f"root makes network namespaces; here none: {made.stderr.strip()}")
        made = ip("link", "add", "left", "netns", names[0], "type", "veth", "peer", "name", "right",
                  "netns", names[1])
        if made.returncode:
            pytest.skip(f"no virtual cables here: {made.stderr.strip()}")
        for name, interface in zip(names, ["left", "right"]):
            # Without duplicate address detection, an IPv6 address can be used at once.
            ip("netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{interface}.accept_dad=0")
            ip("-n", name, "link", "set", interface, "up")
        yield names
    finally:
        for name in names:
            ip("netns", "del", name)


def test_two_hosts_find_each_other_by_ipv6_alone(two_hosts, kind):
    left, right = two_hosts
    with MDNSProbe("--advertise", kind, "Ana", 1, interfaces="left", namespace=left) as ana, \
            MDNSProbe("--browse", kind, interfaces="right", namespace=right) as bo:
        found = bo.wait("found", name="Ana")
        assert all(address.startswith("fe80::") for address in found["addresses"])
        ana.end()
        bo.wait("removed", name="Ana")


def test_a_cable_that_is_cut_and_joined_and_an_address_that_comes(two_hosts, kind):
    left, right = two_hosts
    with MDNSProbe("--advertise", kind, "Ana", 1, interfaces="left", namespace=left), \
            MDNSProbe("--browse", kind, interfaces="right", namespace=right) as bo:
        bo.wait("found", name="Ana")
        ip("-n", left, "addr", "add", "10.77.0.1/24", "dev", "left")
        ip("-n", right, "addr", "add", "10.77.0.2/24", "dev", "right")
        changed = bo.wait("changed", name="Ana")
        assert "10.77.0.1" in changed["addresses"]
        ip("-n", right, "link", "set", "right", "down")
        bo.wait("removed", name="Ana")
        ip("-n", right, "link", "set", "right", "up")
        bo.wait("found", name="Ana")


bus_settings = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow eavesdrop="true"/>
  </policy>
</busconfig>
"""


@pytest.fixture
def avahi(two_hosts, tmp_path):
    """Runs avahi's tools on the right of two hosts, beside a daemon and a bus of their own."""
    programs = ["dbus-daemon", "avahi-daemon", "avahi-browse"]
    if missing := [program for program in programs if not shutil.which(program)]:
        pytest.skip(f"{', '.join(missing)} are missing: install Debian's dbus, avahi-daemon and avahi-utils")
    bus = tmp_path / "bus"
    (tmp_path / "bus.conf").write_text(bus_settings.format(path=bus))
    (tmp_path / "avahi.conf").write_text("[server]\nallow-interfaces=right\n[rlimits]\n")
    environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={bus}", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    # The daemon keeps its process id in /run/avahi-daemon; this one's is not to meet that of the machine.
    inside = ["ip", "netns", "exec", two_hosts[1], "unshare", "-m", "sh", "-c"]
    daemons = [
        subprocess.Popen(["dbus-daemon", f"--config-file={tmp_path}/bus.conf", "--nofork", "--nopidfile"]),
        subprocess.Popen(
            [*inside, f"mount -t tmpfs none /run && exec avahi-daemon --no-drop-root --no-chroot"
             f" --no-rlimits -f {tmp_path}/avahi.conf"], env=environment, stderr=subprocess.PIPE, text=True)]
    try:
        said = []
        for line in daemons[1].stderr:
            said.append(line)
            if "Server startup complete" in line:
                break
        else:
            pytest.skip(f"avahi-daemon does not run here: {''.join(said[-3:]).strip()}")
        yield environment
    finally:
        for daemon in daemons:
            daemon.kill()
            daemon.wait()


def test_avahi_sees_us_resolves_us_and_hears_our_goodbye(two_hosts, avahi, kind):
    with MDNSProbe("--advertise", kind, "Ana's phone", 4711, "id=7", interfaces="left", namespace=two_hosts[0]) as ana:
        ana.wait("named")
        with subprocess.Popen(["avahi-browse", "-pr", kind], env=avahi, stdout=subprocess.PIPE, text=True) as browser:
            found = next(line for line in browser.stdout if line.startswith("="))
            assert found.split(";")[3] == r"Ana\039s\032phone"
            assert found.rstrip().endswith(';4711;"id=7"')
            ana.end()
            gone = next(line for line in browser.stdout if line.startswith("-"))
            assert found.split(";")[3] in gone
            browser.kill()
