/**
 * Shapes on the WGS-84 ellipsoid as points that a flat map can draw, and distances and directions for an arrow or a
 * sentence. Longitude comes first, as in GeoJSON. Nothing is decided by these functions: what is decided, the engine
 * measures (engine/engine.js).
 */

const semiMajorAxisMetres = 6_378_137;
const flattening = 1 / 298.257223563;
const eccentricitySquared = flattening * (2 - flattening);
/** Web Mercator ends here. */
const highestLatitude = 85.051129;

const radians = (degrees) => degrees * Math.PI / 180;
const degrees = (angle) => angle * 180 / Math.PI;

/** The ellipsoid's radii of curvature in metres, along the meridian and across it, at a latitude in radians. */
function radiiAt(latitude) {
    const bend = 1 - eccentricitySquared * Math.sin(latitude) ** 2;
    const across = semiMajorAxisMetres / Math.sqrt(bend);
    return { along: across * (1 - eccentricitySquared) / bend, across };
}

/**
 * The point that lies at a distance and a bearing from another along the ellipsoid, exact to a millimetre up to 100 km,
 * the largest radius of a region: Bowring's direct formula (Bulletin géodésique 55, 1981).
 * @param {number[]} start [longitude, latitude] in degrees
 * @param {number} bearingDegrees clockwise from north
 * @param {number} distanceMetres
 * @returns {number[]} [longitude, latitude]; the longitude goes on beyond 180 rather than wrap
 */
export function destination([longitude, latitude], bearingDegrees, distanceMetres) {
    const [start, bearing] = [radians(latitude), radians(bearingDegrees)];
    const cos = Math.cos(start);
    const bulge = eccentricitySquared / (1 - eccentricitySquared);
    const [a, b] = [Math.sqrt(1 + bulge * cos ** 4), Math.sqrt(1 + bulge * cos ** 2)];
    const arc = distanceMetres * b ** 2 / (semiMajorAxisMetres * Math.sqrt(1 + bulge));
    const turn = Math.atan2(a * Math.tan(arc) * Math.sin(bearing),
        b * cos - Math.tan(arc) * Math.sin(start) * Math.cos(bearing));
    const half = Math.asin(Math.sin(arc) * (Math.cos(bearing)
        - Math.sin(start) * Math.sin(bearing) * Math.tan(turn / 2) / a)) / 2;
    const end = start + 2 * half * (b - 1.5 * bulge * half * Math.sin(2 * start + 4 / 3 * b * half));
    return [longitude + degrees(turn / a), degrees(end)];
}

/**
 * How far and in which direction one point lies from another, at most some 50 km away: on a plane with the ellipsoid's
 * radii of curvature at the middle latitude, to within a thousandth.
 * @param {number[]} start [longitude, latitude] in degrees
 * @param {number[]} end
 * @returns {{distanceMetres: number, bearingDegrees: number}} the bearing clockwise from north, 0 to below 360
 */
export function wayTo([startLongitude, startLatitude], [endLongitude, endLatitude]) {
    const middle = radians((startLatitude + endLatitude) / 2);
    const { along, across } = radiiAt(middle);
    const north = radians(endLatitude - startLatitude) * along;
    const east = radians(nearest(endLongitude, startLongitude) - startLongitude) * across * Math.cos(middle);
    return {
        distanceMetres: Math.hypot(north, east),
        bearingDegrees: (degrees(Math.atan2(east, north)) + 360) % 360,
    };
}

/** The polygon of a circle's edge as a closed ring. A circle that holds a pole is drawn up to the map's edge. */
export function circleRing(centre, radiusMetres, corners = 72) {
    const ring = [];
    for (let corner = 0; corner < corners; corner += 1) {
        ring.push(destination(centre, 360 * corner / corners, radiusMetres));
    }
    ring.push([...ring[0]]);
    const unwrapped = unwrap(ring);
    const turn = unwrapped.at(-1)[0] - unwrapped[0][0];
    if (Math.abs(turn) < 180) { return unwrapped; }
    const edge = centre[1] > 0 ? highestLatitude : -highestLatitude;
    return [...unwrapped, [unwrapped.at(-1)[0], edge], [unwrapped[0][0], edge], unwrapped[0]];
}

/** The same ring with each edge going the short way round, beyond ±180 where it must. */
export function unwrap(ring, near = ring[0]?.[0] ?? 0) {
    let previous = near;
    return ring.map(([longitude, latitude]) => {
        previous = nearest(longitude, previous);
        return [previous, latitude];
    });
}

/** A GeoJSON geometry that a flat map draws as Muster means it, a Point as its circle; undefined for any other. */
export function drawable(geometry, radiusMetres) {
    switch (geometry?.type) {
        case "Point":
            return radiusMetres > 0
                ? { type: "Polygon", coordinates: [circleRing(geometry.coordinates, radiusMetres)] }
                : undefined;
        case "Polygon":
            return { type: "Polygon", coordinates: polygon(geometry.coordinates) };
        case "MultiPolygon":
            return { type: "MultiPolygon", coordinates: geometry.coordinates.map((part) => polygon(part)) };
        default:
            return undefined;
    }
}

/** Where a drawable geometry's name stands, on top: the middle of the northern edge of its largest part's box. */
export function labelPoint(geometry) {
    const { west, east, north } = largestBox(geometry);
    return [(west + east) / 2, Math.min(north, highestLatitude)];
}

/** The middle of the box of a drawable geometry's largest part: from there directions are told. */
export function middlePoint(geometry) {
    const { west, south, east, north } = largestBox(geometry);
    return [(west + east) / 2, (south + north) / 2];
}

/** Whether a point lies in a Polygon or MultiPolygon, and in none of its holes. */
export function liesIn(geometry, point) {
    return polygonsOf(geometry).some(([edge, ...holes]) =>
        isInRing(edge ?? [], point) && !holes.some((hole) => isInRing(hole, point)));
}

/** Whether a point lies in a ring. */
export function isInRing(ring, [longitude, y]) {
    const x = ring.length > 0 ? nearest(longitude, ring[0][0]) : longitude;
    let isInside = false;
    for (let index = 0, before = ring.length - 1; index < ring.length; before = index, index += 1) {
        const [[x1, y1], [x2, y2]] = [ring[index], ring[before]];
        if ((y1 > y) !== (y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1) { isInside = !isInside; }
    }
    return isInside;
}

function polygonsOf({ type, coordinates }) {
    return type === "Polygon" ? [coordinates] : coordinates;
}

/**
 * The smallest box that holds all points, across the antimeridian if that is shorter.
 * @param {number[][]} points [longitude, latitude]
 * @returns {number[][] | undefined} [[west, south], [east, north]], east ≥ west; undefined for no points
 */
export function bounds(points) {
    if (points.length === 0) { return undefined; }
    const longitudes = points.map(([longitude]) => nearest(longitude, 0)).sort((left, right) => left - right);
    let west = longitudes[0];
    let east = longitudes.at(-1);
    let widest = west + 360 - east;
    for (let index = 1; index < longitudes.length; index += 1) {
        const gap = longitudes[index] - longitudes[index - 1];
        if (gap > widest) { [widest, west, east] = [gap, longitudes[index], longitudes[index - 1] + 360]; }
    }
    let [south, north] = [Infinity, -Infinity];
    for (const [, latitude] of points) { [south, north] = [Math.min(south, latitude), Math.max(north, latitude)]; }
    return [[west, Math.max(south, -highestLatitude)], [east, Math.min(north, highestLatitude)]];
}

function polygon(rings) {
    const outer = unwrap(rings[0] ?? []);
    return [outer, ...rings.slice(1).map((hole) => unwrap(hole, outer[0]?.[0]))];
}

function largestBox(geometry) {
    const boxes = polygonsOf(geometry).map((rings) => boxOf(rings[0] ?? []));
    return boxes.reduce((best, box) => (size(box) > size(best) ? box : best));
}

function boxOf(ring) {
    const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
    for (const [longitude, latitude] of ring) {
        box.west = Math.min(box.west, longitude);
        box.east = Math.max(box.east, longitude);
        box.south = Math.min(box.south, latitude);
        box.north = Math.max(box.north, latitude);
    }
    return box;
}

function size({ west, south, east, north }) {
    return (east - west) * (north - south);
}

/** The longitude plus or minus whole turns, within half a turn of another. */
function nearest(longitude, other) {
    return longitude - 360 * Math.round((longitude - other) / 360);
}
