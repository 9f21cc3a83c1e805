"""The peer of `muster-bench regions`: GEOS, through shapely's STRtree and prepared geometry, on one thread.

    peer_regions.py FOLDER     with the regions.tsv and places.tsv that `muster-bench regions --write FOLDER` wrote

Each figure is the best of three runs. A place on a boundary is inside, as with Muster.
"""

import sys
import time

import numpy
import shapely

folder = sys.argv[1]
with open(f"{folder}/regions.tsv", encoding="ascii") as file:
    regions = shapely.from_wkt([line.split("\t")[1] for line in file])
places = numpy.loadtxt(f"{folder}/places.tsv", delimiter="\t")[:, 1:]


def best(name, count, body):
    rate, hits = 0.0, 0
    for _ in range(3):
        begin = time.perf_counter()
        hits = body()
        rate = max(rate, count / (time.perf_counter() - begin))
    print(f"{name:60} {rate:13,.0f} points/s {hits / count:9.3f} regions a point", flush=True)
    return hits


tree = shapely.STRtree(regions)
shapely.prepare(regions)
print(f"shapely {shapely.__version__}, GEOS {shapely.geos_version_string}")


def in_bulk(some):
    """All places in one call each: candidates by box, then prepared polygons."""
    points = shapely.points(some)
    asked, candidates = tree.query(points)
    return int(shapely.intersects_xy(regions[candidates], some[asked, 0], some[asked, 1]).sum())


def in_batches(some):
    return sum(in_bulk(some[start:start + 64]) for start in range(0, len(some), 64))


def one_by_one(some):
    hits = 0
    for x, y in some:
        candidates = tree.query(shapely.Point(x, y))
        hits += int(shapely.intersects_xy(regions[candidates], x, y).sum())
    return hits


def joined(some):
    """The other way round: a tree of the places, asked by each prepared region. It needs all places beforehand."""
    return len(shapely.STRtree(shapely.points(some)).query(regions, predicate="intersects")[0])


few = places[:min(20_000, len(places))]
best("shapely STRtree + prepared, one by one", len(few), lambda: one_by_one(few))
best("shapely STRtree + prepared, batches of 64", len(places), lambda: in_batches(places))
found = best("shapely STRtree + prepared, all in one call", len(places), lambda: in_bulk(places))
best("shapely STRtree of the points, asked by prepared regions", len(places), lambda: joined(places))

with open(f"{folder}/rates.tsv", encoding="ascii") as file:
    ours = int(float(dict(line.split("\t") for line in file)["hits"]))
print(f"{found} regions found in all, {'as' if found == ours else 'NOT as'} Muster found: {ours}")
