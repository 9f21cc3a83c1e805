"""Answers geometric questions, one JSON object a line, so that the Swift tests have someone else to ask.

{"op": "locate", "polygons": [[[[lon, lat], ...], ...], ...], "points": [[lon, lat], ...]}
    -> {"exact": [1 | 0 | -1, ...], "shapely": [1 | 0 | -1, ...] or null}: inside, on the boundary, outside.
    "exact" is computed in rational numbers, with edges straight in longitude and latitude, across the antimeridian
    the short way, and rings that go round a pole. "shapely" is null where an edge crosses the antimeridian: GEOS
    knows the plane only.
{"op": "valid", "polygons": ...} -> {"valid": true | false, "reason": "..."}: shapely's opinion of the multipolygon.

One polygon is asked of shapely as a polygon, several as a multipolygon. Needs shapely; see Tests/requirements.txt.
"""

import json
import sys
from fractions import Fraction

import shapely
from shapely.geometry import MultiPolygon, Point, Polygon
from shapely.validation import explain_validity


def turn(ring, index):
    """How many turns the longitude gains on the edge to vertex `index`: the rules of MusterGeometry's Ring."""
    (west, south), (east, north) = ring[index - 1], ring[index]
    difference = Fraction(east) - Fraction(west)
    if abs(difference) <= 180:
        return 0
    if abs(difference) == 360 and south == north:
        last = len(ring) - 1
        before = ring[index - 2] if index >= 2 else ring[last - 1]
        after = ring[index + 1] if index < last else ring[1]
        if abs(south) == 90 or (before[0] == west and after[0] == east):
            return 0
    return -1 if difference > 0 else 1


def unrolled(ring):
    """The vertices with longitudes that run on, in rational numbers, and by how many turns the ring misses itself."""
    turns = 0
    result = [(Fraction(ring[0][0]), Fraction(ring[0][1]))]
    for index in range(1, len(ring)):
        turns += turn(ring, index)
        result.append((Fraction(ring[index][0]) + 360 * turns, Fraction(ring[index][1])))
    return result, turns


class Ring:
    def __init__(self, ring, is_hole):
        self.vertices, net = unrolled(ring)
        self.pole = 0 if net == 0 else (1 if (net > 0) != is_hole else -1)
        self.rough = [float(x) for x, _ in self.vertices]
        self.latitudes = [y for _, y in self.vertices]
        self.reach = range(int(min(self.rough) - 180) // 360 - 1, int(max(self.rough) + 180) // 360 + 2)

    def locate(self, x, y):
        """Counts the edges that a ray along the meridian meets: away from the pole that the ring encloses."""
        if abs(y) == 90:
            return 0 if any(y == latitude for latitude in self.latitudes) else (1 if self.pole * 90 == y else -1)
        crossings = 0
        for turns in self.reach:
            px = x + 360 * turns
            rough = float(px)
            for index in range(1, len(self.vertices)):
                if max(self.rough[index - 1], self.rough[index]) < rough - 1e-6:
                    continue
                if min(self.rough[index - 1], self.rough[index]) > rough + 1e-6:
                    continue
                (ax, ay), (bx, by) = self.vertices[index - 1], self.vertices[index]
                side = (bx - ax) * (y - ay) - (by - ay) * (px - ax)
                if side == 0 and min(ax, bx) <= px <= max(ax, bx) and min(ay, by) <= y <= max(ay, by):
                    return 0
                if (ax <= px) != (bx <= px):
                    # The edge at this meridian is below the point where the point is left of an eastward edge.
                    is_below = (side > 0) == (bx > ax)
                    crossings += is_below if self.pole >= 0 else not is_below
        return 1 if crossings % 2 else -1


class Area:
    def __init__(self, rings):
        self.exterior = Ring(rings[0], False)
        self.holes = [Ring(ring, True) for ring in rings[1:]]

    def locate(self, x, y):
        outer = self.exterior.locate(x, y)
        if outer <= 0:
            return outer
        inner = [-hole.locate(x, y) for hole in self.holes]
        return min(inner, default=1)


def exact(polygons, points):
    areas = [Area(rings) for rings in polygons]
    return [max(area.locate(Fraction(x), Fraction(y)) for area in areas) for x, y in points]


def planar(polygons):
    """The geometry for shapely, or None where an edge is not what the plane says."""
    for rings in polygons:
        for ring in rings:
            if any(turn(ring, index) for index in range(1, len(ring))):
                return None
    parts = [Polygon(rings[0], rings[1:]) for rings in polygons]
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def by_shapely(polygons, points):
    geometry = planar(polygons)
    if geometry is None:
        return None
    shapely.prepare(geometry)
    boundary = geometry.boundary
    result = []
    for x, y in points:
        point = Point(x, y)
        on_boundary = boundary.intersects(point)
        result.append(0 if on_boundary else (1 if geometry.covers(point) else -1))
    return result


def answer(request):
    polygons = request["polygons"]
    if request["op"] == "valid":
        geometry = planar(polygons)
        if geometry is None:
            return {"valid": None, "reason": "crosses the antimeridian"}
        return {"valid": bool(geometry.is_valid), "reason": explain_validity(geometry)}
    points = request["points"]
    return {"exact": exact(polygons, points), "shapely": by_shapely(polygons, points)}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
