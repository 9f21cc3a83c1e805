"""Files of map tiles that tests make: pictures whose colour has the zoom, the column and the row."""

import math
import sqlite3
import struct
import zlib


def picture(red, green, blue, side=256):
    """A PNG of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes((red, green, blue)) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def tile_of(longitude, latitude, zoom):
    """The column and the row, from the north, of the tile that holds a place."""
    size = 2 ** zoom
    column = int((longitude + 180) / 360 * size)
    row = int((1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * size)
    return column, row


def write_pictures(path, box, zooms, tint=0):
    """Writes an MBTiles file of pictures for a box: west, south, east, north. Another tint makes another version."""
    west, south, east, north = box
    path.unlink(missing_ok=True)
    count = 0
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        database.execute("CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
        database.execute("CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", [
            ("name", "site"), ("format", "png"), ("bounds", ",".join(map(str, box))), ("attribution", "Site"),
            ("minzoom", str(zooms[0])), ("maxzoom", str(zooms[-1])), ("type", "overlay")])
        for zoom in zooms:
            (first, top), (last, bottom) = tile_of(west, north, zoom), tile_of(east, south, zoom)
            for column in range(first, last + 1):
                for row in range(top, bottom + 1):
                    data = picture(80 + column % 60, (60 + row % 60 + tint) % 256, zoom * 10)
                    database.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)",
                                     (zoom, column, 2 ** zoom - 1 - row, data))
                    count += 1
    return count
