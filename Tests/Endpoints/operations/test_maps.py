"""Files of map tiles, as an operator names them and a stranger sees them."""

import gzip
import pathlib
import sqlite3
import subprocess

import requests

from muster_process import binary, root

files = pathlib.Path(root) / "Tests/MusterTilesTests/Files"


def test_the_server_sends_the_bytes_that_the_files_hold(make_server):
    server = make_server(arguments=["--tiles", str(files / "squares.pmtiles"), "--tiles", f"site={files}/doors.mbtiles",
                                    "--map-style", "https://maps.example/s.json"]).start()
    index = requests.get(server.address + "/tiles/index.json", timeout=60).json()
    assert [file["name"] for file in index["tiles"]] == ["world", "squares", "site"]
    assert index["style"] == "https://maps.example/s.json"
    with sqlite3.connect(files / "doors.mbtiles") as database:
        stored = database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles").fetchall()
    assert len(stored) > 10
    for zoom, column, row, data in stored:
        path = f"{server.address}/tiles/site/{zoom}/{column}/{2 ** zoom - 1 - row}"
        answer = requests.get(path, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=60)
        assert answer.headers["Content-Encoding"] == "gzip" and answer.raw.read() == data
        plain = requests.get(path, headers={"Accept-Encoding": "identity"}, timeout=60)
        assert "Content-Encoding" not in plain.headers and plain.content == gzip.decompress(data)
    assert requests.get(server.address + "/tiles/world/0/0/0", timeout=60).status_code == 200


def start_with(tmp_path, *options):
    return subprocess.run([binary, "serve", "--data", str(tmp_path / "data"), "--port", "0", *options],
                          capture_output=True, text=True, timeout=60)


def test_a_file_that_is_damaged_at_its_beginning_keeps_the_server_from_starting(tmp_path):
    cut = tmp_path / "cut.pmtiles"
    cut.write_bytes((files / "squares.pmtiles").read_bytes()[:5000])
    started = start_with(tmp_path, "--tiles", str(cut))
    assert started.returncode != 0
    assert f"{cut}: at byte 56: the section of tiles" in started.stderr
    assert "reaches beyond the end of the file at 5000" in started.stderr


def test_what_cannot_be_a_file_of_tiles_or_a_style_is_refused_in_words(tmp_path):
    for options, words in [
        (["--tiles", "/nowhere.pmtiles"], "/nowhere.pmtiles: it cannot be read: No such file or directory"),
        (["--tiles", __file__.replace(".py", "") + ".py"], "it is neither a PMTiles nor an MBTiles file"),
        (["--tiles", "a=x.pmtiles", "--tiles", "a=y.pmtiles"], "two files have the name 'a'"),
        (["--tiles", "world.pmtiles"], "'world' is the name of the map that comes with the page"),
        (["--map-style", "maps.example"], "'maps.example' is not of the form https://maps.example/style.json"),
    ]:
        started = start_with(tmp_path, *options)
        assert started.returncode != 0 and words in started.stderr, (options, started.stderr)


def test_config_check_reads_the_files(tmp_path):
    path = tmp_path / "muster.conf"
    path.write_text(f"MUSTER_TILES={files}/squares.pmtiles,site=/nowhere.mbtiles\n")
    checked = subprocess.run([binary, "config", "check", "--config", str(path)],
                             capture_output=True, text=True, timeout=60)
    assert checked.returncode == 1
    assert "--tiles: /nowhere.mbtiles: it cannot be read: No such file or directory" in checked.stderr
    assert "squares.pmtiles:" not in checked.stderr
