"""Reads generated advertisements by beacontools, a decoder of others, for Tests/MusterWireTests.

    pip install beacontools==2.1.0 && python Tests/Oracles/beacon_frames.py > Tests/MusterWireTests/Golden/beacons.txt

A line is an advertisement in hexadecimal digits, and what beacontools makes of it. theengs-decoder, the other decoder
that one would ask, has no package that installs on Linux without a compiler for its C library.
"""

import random

from beacontools import parse_packet
from beacontools.packet_types import (
    EddystoneTLMFrame,
    EddystoneUIDFrame,
    EddystoneURLFrame,
    IBeaconAdvertisement,
)

chance = random.Random(19)


def random_bytes(count):
    return bytes(chance.randrange(256) for _ in range(count))


def structure(kind, data):
    return bytes([len(data) + 1, kind]) + data


flags = structure(0x01, b"\x06")
services = structure(0x03, b"\xaa\xfe")


def eddystone(data):
    return flags + services + structure(0x16, b"\xaa\xfe" + data)


def ibeacon():
    return flags + structure(0xFF, b"\x4c\x00\x02\x15" + random_bytes(20) + bytes([chance.randrange(128, 256)]))


def uid():
    return eddystone(b"\x00" + random_bytes(17) + b"\x00\x00")


def url():
    # beacontools takes letters and the 14 endings only.
    text = bytes(chance.choice(b"abcdefghijklmnopqrstuvwxyz0123456789-") for _ in range(chance.randrange(1, 12)))
    return eddystone(b"\x10" + random_bytes(1) + bytes([chance.randrange(4)]) + text + bytes([chance.randrange(14)]))


def tlm():
    return eddystone(b"\x20\x00" + random_bytes(12))


def described(frame):
    if isinstance(frame, IBeaconAdvertisement):
        return f"iBeacon {frame.uuid} {frame.major} {frame.minor} {frame.tx_power}"
    if isinstance(frame, EddystoneUIDFrame):
        return f"uid {frame.namespace} {frame.instance} {frame.tx_power}"
    if isinstance(frame, EddystoneURLFrame):
        return f"url {frame.url} {frame.tx_power}"
    if isinstance(frame, EddystoneTLMFrame):
        temperature = round(frame.temperature * 256)
        return f"tlm {frame.voltage} {temperature} {frame.advertising_count} {frame.seconds_since_boot}"
    raise ValueError(frame)


for make in (ibeacon, uid, url, tlm):
    for _ in range(100):
        payload = make()
        print(payload.hex(), described(parse_packet(payload)))
