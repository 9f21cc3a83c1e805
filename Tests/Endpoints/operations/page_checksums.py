"""Writes the checksums at the end of a store file's pages, for tests that change the file directly."""

import struct

page_size = 4096
factor = 0x9E3779B97F4A7C15
low = (1 << 64) - 1


def rotated(value, by):
    return (value << by | value >> (64 - by)) & low


def checksum(page, number):
    lanes = [number + 1, 2, 3, 4]
    for index, word in enumerate(struct.unpack("<511Q", page[:-8])):
        lanes[index & 3] = rotated((lanes[index & 3] ^ word) * factor & low, 29)
    mixed = 0
    for lane in lanes:
        mixed = rotated((mixed ^ lane) * factor & low, 31)
    return struct.pack("<Q", mixed)


def seal(file):
    """Writes each page's checksum for its current content. No server may have the file open."""
    content = bytearray(file.read_bytes())
    for start in range(0, len(content), page_size):
        page = content[start:start + page_size]
        content[start + page_size - 8:start + page_size] = checksum(page, start // page_size + 1)
    file.write_bytes(content)
