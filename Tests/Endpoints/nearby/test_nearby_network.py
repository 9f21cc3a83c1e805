"""`muster nearby` between two hosts, over a cable that is slow, loses packets, is cut and joined again."""

import time

import pytest

from lossy_cable import NetemHosts, NoCable, RelayHosts, addresses
from nearby_device import Device, wait_seconds

port = 7070
silence_seconds = 25
"""Longer than TCP takes to repeat a packet that was lost three times, and than this machine pauses."""
cut_seconds = 2


@pytest.fixture(params=[NetemHosts, RelayHosts], ids=["netem", "relay"])
def hosts(request):
    try:
        with request.param() as hosts:
            yield hosts
    except NoCable as fault:
        pytest.skip(f"{request.node.callspec.id}: {fault}")


@pytest.fixture
def pair(hosts, tmp_path):
    """Starts ana on one host, and ben on the other, who connects to her."""
    devices = []

    def start():
        places = [("ana", ["--listen", f"{addresses[0]}:{port}", "--simulate", "0,0,90"]),
                  ("ben", ["--connect", f"{addresses[0]}:{port}", "--simulate", "4,0,270"])]
        for (name, arguments), namespace in zip(places, hosts.names):
            devices.append(Device(tmp_path / name, name, *arguments, namespace=namespace, timeout=silence_seconds))
            devices[-1].wait("listening")
        return devices
    yield start
    for device in devices:
        device.end()


def measured_more(device, count):
    """Waits until the device was measured so many times more."""
    before, end = device.count("measured"), time.monotonic() + wait_seconds
    with device.news:
        assert device.news.wait_for(
            lambda: sum(event["event"] == "measured" for event in device.events) >= before + count,
            end - time.monotonic()), device.events[-5:]


def test_a_slow_cable_that_loses_packets_ends_nothing(hosts, pair):
    hosts.degrade(delay=0.15, loss=0.05)
    ana, ben = pair()
    for device, other in ((ana, "ben"), (ben, "ana")):
        device.wait("connected", peer=other)
        seen, _ = device.wait("measured", peer=other)
        assert seen["source"] == "simulated"
    for device in (ana, ben):
        measured_more(device, 30)
    assert ana.count("disconnected") == ben.count("disconnected") == 0
    assert ana.count("connected") == 1


def test_a_cable_that_is_cut_is_silence_and_joined_again_the_same_peer(hosts, pair):
    ana, ben = pair()
    first, count = ana.wait("connected", peer="ben")
    _, count = ana.wait("measured", count, peer="ben")
    hosts.degrade(loss=1)
    for device, other in ((ana, "ben"), (ben, "ana")):
        gone, _ = device.wait("disconnected", peer=other)
        assert "silent" in gone["reason"], gone
        assert device.wait("removed", peer=other)[0]["reason"] == "timeout"
    hosts.degrade()
    again, count = ana.wait("connected", count, peer="ben")
    assert (again["key"], again["run"]) == (first["key"], first["run"])
    ana.wait("measured", count, peer="ben")


def test_a_short_interruption_does_not_disconnect(hosts, pair):
    ana, ben = pair()
    ana.wait("measured", peer="ben")
    hosts.degrade(loss=1)
    # How long the cut lasts; there is nothing to wait for in it.
    time.sleep(cut_seconds)
    hosts.degrade(delay=0.05)
    measured_more(ana, 10)
    assert ana.count("disconnected") == ben.count("disconnected") == 0
