"""Regions on real tracks, with the expected crossings.

The tracks come from gpxpy and are part of the test data. Points are named by their index, from 0. A person checked each
expected crossing against the coordinates in the file: for a rectangle by comparing two numbers, for a slanted edge by
the side of the line, for a circle by the distance. A point on an edge is inside.
"""

from native_api import box, polygon


def circle(identifier, longitude, latitude, radius, **properties):
    return {
        "type": "Feature", "id": identifier, "properties": {"radius": radius, **properties},
        "geometry": {"type": "Point", "coordinates": [longitude, latitude]}}


def parts(identifier, *boxes, **properties):
    """Makes a multipolygon of rectangles."""
    coordinates = [polygon("", each)["geometry"]["coordinates"] for each in boxes]
    return {
        "type": "Feature", "id": identifier, "properties": properties,
        "geometry": {"type": "MultiPolygon", "coordinates": coordinates}}


regions = {
    # A walk up to a turning point, and down a little further east.
    "Mojstrovka": [
        polygon("pass", box(13.7470, 46.4340, 13.7490, 46.4360), muster=True),
        polygon("wall", [(13.7380, 46.4310), (13.7405, 46.4310), (13.7380, 46.4335)]),
        polygon("moat", box(13.7380, 46.4300, 13.7440, 46.4350), box(13.7396, 46.4306, 13.7418, 46.4318)),
        circle("turn", 13.738842, 46.432191, 70),
    ],
    # A loop in one valley, and the next day another in the next valley: from point 357 to 358 it leaps 13 km.
    "korita-zbevnica": [
        polygon("start", box(14.1430, 45.3795, 14.1460, 45.3815), muster=True),
        polygon("valley", box(14.1400, 45.3650, 14.1700, 45.3900)),
        parts("ends", box(14.1430, 45.3795, 14.1460, 45.3815), box(14.0150, 45.4520, 14.0190, 45.4535)),
        circle("ridge", 14.0060, 45.4600, 230),
    ],
    # A drive around a small town, and a walk in it.
    "around-visnjan-with-car": [
        polygon("home", box(13.7136, 45.2731, 13.7146, 45.2738), muster=True),
        polygon("bend", box(13.7110, 45.2720, 13.7122, 45.2737)),
        polygon("town", [
            (13.7190, 45.2755), (13.7210, 45.2755), (13.7225, 45.2800), (13.7205, 45.2815), (13.7180, 45.2790)]),
        circle("square", 13.7198, 45.2763, 35),
    ],
}

expected = {
    "Mojstrovka": [
        ("enter", "pass", 0),     # 13.748273 46.434981, the first point
        ("exit", "pass", 8),      # 13.748003 → 13.746923, west of 13.7470
        ("enter", "moat", 19),    # 13.744593 → 13.743763, west of 13.7440
        ("exit", "moat", 24),     # into the hole: 46.433271 → 46.43117, between 46.4306 and 46.4318
        ("enter", "moat", 27),    # out of the hole southwards: 46.43092 → 46.43035
        ("exit", "moat", 32),     # into it: 46.43058 → 46.43063
        ("enter", "wall", 38),    # 46.431 lies on the lower edge
        ("enter", "moat", 47),    # out of the hole westwards: 13.739682 → 13.739552
        ("enter", "turn", 49),    # 72 m → 64 m
        ("exit", "turn", 64),     # 69 m → 78 m
        ("exit", "moat", 65),     # into the hole: 13.739502 → 13.739602
        ("exit", "wall", 75),     # 46.43105 → 46.43095, south of 46.4310
        ("enter", "moat", 84),    # 46.4306 lies on the edge of the hole
        ("exit", "moat", 88),     # into the hole: 46.43053 → 46.43102
        ("enter", "moat", 98),    # 46.4318 lies on the edge of the hole
        ("exit", "moat", 140),    # 13.743983 → 13.744123, east of 13.7440
        ("enter", "pass", 167),   # 13.746983 → 13.747123, and there it ends
    ],
    "korita-zbevnica": [
        ("enter", "start", 0),    # 14.144491442 45.380600095, the first point
        ("enter", "valley", 0),
        ("enter", "ends", 0),
        ("exit", "start", 9),     # 14.145983336 → 14.146441743, east of 14.1460
        ("exit", "ends", 9),
        ("enter", "start", 350),  # 14.146135217 → 14.145489894
        ("enter", "ends", 350),
        ("exit", "start", 358),   # the leap; from one part of "ends" into the other, which is no crossing
        ("exit", "valley", 358),
        ("exit", "ends", 373),    # 45.453211432 → 45.453511504, north of 45.4535
        ("enter", "ridge", 439),  # 236 m → 224 m
        ("exit", "ridge", 498),   # 221 m → 238 m
        ("enter", "ends", 866),   # 14.019789761 → 14.018819639, west of 14.0190
    ],
    "around-visnjan-with-car": [
        ("enter", "home", 0),     # 13.7142099626 45.273518851, the first point
        ("exit", "home", 11),     # 13.7138032727 → 13.7135986704, west of 13.7136
        ("enter", "bend", 15),    # 13.712228816 → 13.712112559, west of 13.7122
        ("exit", "bend", 28),     # 45.2733849082 → 45.2738018241, north of 45.2737
        ("enter", "town", 35),    # past the edge from 13.7205 45.2815 to 13.7180 45.2790
        ("exit", "town", 49),     # past the edge from 13.7210 45.2755 to 13.7225 45.2800
        ("enter", "town", 52),    # back over the same edge
        ("enter", "square", 61),  # 54 m → 30 m
        ("exit", "square", 81),   # 32 m → 39 m
        ("exit", "town", 84),     # south of 45.2755
        ("enter", "home", 93),    # 13.7146829534 → 13.7140272371, west of 13.7146
    ],
}
