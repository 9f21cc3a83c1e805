"""The peers of `muster-bench places`: SQLite's R*Tree and PostGIS, one connection, the same places and questions.

    peer_places.py FOLDER [POSTGRES]   with the places.tsv and questions.tsv that `muster-bench places --write FOLDER`
                                       wrote, and a folder with the socket of a PostgreSQL that has PostGIS

SQLite's index finds candidates in a box; the distance is then the haversine's, on a sphere: cheaper and less exact than
the geodesic that Muster and PostGIS's geography compute. The nearest ten are looked for in boxes that double.
"""

import json
import math
import os
import sqlite3
import subprocess
import sys
import time

folder = sys.argv[1]
radius_metres = 4023.35
earth_metres = 6_371_008.8


def rows(name):
    with open(f"{folder}/{name}", encoding="ascii") as file:
        return [tuple(map(float, line.split("\t"))) for line in file]


places, questions = rows("places.tsv"), rows("questions.tsv")


def report(name, count, seconds, hits):
    print(f"{name:50} {count / seconds:10,.0f} questions/s {hits / count:10.2f} places each", flush=True)
    if "MUSTER_BENCH_FIGURES" in os.environ:
        with open(os.environ["MUSTER_BENCH_FIGURES"], "a", encoding="utf-8") as file:
            print(json.dumps({"row": name, "figure": "questions/s", "value": count / seconds}), file=file)


def distance(x, y, other_x, other_y):
    a, b = math.radians(y), math.radians(other_y)
    half = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(math.radians(other_x - x) / 2) ** 2
    return 2 * earth_metres * math.asin(math.sqrt(half))


class RTree:
    """SQLite in memory."""

    def __init__(self):
        self.base = sqlite3.connect(":memory:")
        self.base.execute("CREATE VIRTUAL TABLE places USING rtree(id, west, east, south, north)")
        begin = time.perf_counter()
        self.base.executemany("INSERT INTO places VALUES (?, ?, ?, ?, ?)", ((i, x, x, y, y) for i, x, y in places))
        print(f"SQLite {sqlite3.sqlite_version} R*Tree, built in {time.perf_counter() - begin:.1f} s", flush=True)

    def within(self, x, y, metres):
        reach = math.degrees(metres / earth_metres) * 1.01
        across = reach / math.cos(math.radians(y))
        found = self.base.execute(
            "SELECT id, west, south FROM places WHERE east >= ? AND west <= ? AND north >= ? AND south <= ?",
            (x - across, x + across, y - reach, y + reach))
        return [(away, i) for i, px, py in found if (away := distance(x, y, px, py)) <= metres]

    def nearest(self, x, y, count):
        metres = 1_000
        while len(found := self.within(x, y, metres)) < count:
            metres *= 2
        return sorted(found)[:count]


tree = RTree()
for name, ask in (
        ("SQLite's R*Tree: within 4023 m", lambda x, y: tree.within(x, y, radius_metres)),
        ("SQLite's R*Tree: the nearest ten", lambda x, y: tree.nearest(x, y, 10))):
    begin, hits, some = time.perf_counter(), 0, questions[:4000]
    for _, x, y in some:
        hits += len(ask(x, y))
    report(name, len(some), time.perf_counter() - begin, hits)

if len(sys.argv) > 2:
    statements = f"""
        CREATE EXTENSION IF NOT EXISTS postgis;
        CREATE TABLE place (id float8, x float8, y float8);
        CREATE TABLE question (id float8, x float8, y float8);
        \\copy place FROM '{folder}/places.tsv'
        \\copy question FROM '{folder}/questions.tsv'
        ALTER TABLE place ADD COLUMN at geography(Point, 4326);
        UPDATE place SET at = ST_SetSRID(ST_MakePoint(x, y), 4326)::geography;
        CREATE INDEX ON place USING gist (at);
        VACUUM ANALYZE place;
        SET max_parallel_workers_per_gather = 0;
        CREATE FUNCTION ask(kind text) RETURNS TABLE (seconds float8, hits bigint) LANGUAGE plpgsql AS $$
        DECLARE q record; n bigint; t timestamptz := clock_timestamp();
        BEGIN
            hits := 0;
            FOR q IN SELECT ST_SetSRID(ST_MakePoint(x, y), 4326)::geography g FROM question WHERE id < 4000 LOOP
                IF kind = 'within' THEN
                    SELECT count(*) INTO n FROM place WHERE ST_DWithin(at, q.g, {radius_metres});
                ELSE
                    SELECT count(*) INTO n FROM (SELECT id FROM place ORDER BY at <-> q.g LIMIT 10) s;
                END IF;
                hits := hits + n;
            END LOOP;
            seconds := extract(epoch FROM clock_timestamp() - t);
            RETURN NEXT;
        END $$;
    """
    psql = ["psql", "-q", "-At", "-h", sys.argv[2], "-U", "postgres", "-d", "postgres", "-v", "ON_ERROR_STOP=1"]
    subprocess.run(psql, input=statements, text=True, check=True, stdout=subprocess.DEVNULL)
    for name, kind in (("PostGIS: within 4023 m", "within"), ("PostGIS: the nearest ten", "near")):
        done = subprocess.run(psql + ["-c", f"SELECT * FROM ask('{kind}')"], capture_output=True, text=True, check=True)
        seconds, hits = done.stdout.strip().split("|")
        report(name, min(4000, len(questions)), float(seconds), int(hits))
