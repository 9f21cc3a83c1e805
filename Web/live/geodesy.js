/** Shapes on the WGS-84 ellipsoid as points that a flat map can draw: longitude first, as in GeoJSON. */

const semiMajorAxisMetres = 6_378_137;
const flattening = 1 / 298.257223563;
const semiMinorAxisMetres = semiMajorAxisMetres * (1 - flattening);
/** Web Mercator ends here. */
const highestLatitude = 85.051129;

const radians = (degrees) => degrees * Math.PI / 180;
const degrees = (angle) => angle * 180 / Math.PI;

/**
 * Where one arrives from a point along the ellipsoid: Vincenty's direct formula (Survey Review XXIII, 176, 1975).
 * @param {number[]} start [longitude, latitude] in degrees
 * @param {number} bearingDegrees clockwise from north
 * @param {number} distanceMetres
 * @returns {number[]} [longitude, latitude]; the longitude goes on beyond 180 rather than wrap
 */
export function destination([longitude, latitude], bearingDegrees, distanceMetres) {
    const bearing = radians(bearingDegrees);
    const tanReduced = (1 - flattening) * Math.tan(radians(latitude));
    const cosReduced = 1 / Math.hypot(1, tanReduced);
    const sinReduced = tanReduced * cosReduced;
    const sinAzimuth = cosReduced * Math.sin(bearing);
    const cosSquared = 1 - sinAzimuth ** 2;
    const firstAngle = Math.atan2(tanReduced, Math.cos(bearing));
    const u2 = cosSquared * (semiMajorAxisMetres ** 2 - semiMinorAxisMetres ** 2) / semiMinorAxisMetres ** 2;
    const a = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)));
    const b = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)));

    const straight = distanceMetres / (semiMinorAxisMetres * a);
    let arc = straight;
    let middle = 0;
    for (let round = 0; round < 20; round += 1) {
        middle = Math.cos(2 * firstAngle + arc);
        const [sin, cos] = [Math.sin(arc), Math.cos(arc)];
        const correction = b * sin * (middle + b / 4 * (cos * (2 * middle ** 2 - 1)
            - b / 6 * middle * (4 * sin ** 2 - 3) * (4 * middle ** 2 - 3)));
        const next = straight + correction;
        if (Math.abs(next - arc) < 1e-12) { arc = next; break; }
        arc = next;
    }

    const [sin, cos] = [Math.sin(arc), Math.cos(arc)];
    const inward = sinReduced * sin - cosReduced * cos * Math.cos(bearing);
    const endLatitude = Math.atan2(
        sinReduced * cos + cosReduced * sin * Math.cos(bearing),
        (1 - flattening) * Math.hypot(sinAzimuth, inward),
    );
    const onSphere = Math.atan2(sin * Math.sin(bearing), cosReduced * cos - sinReduced * sin * Math.cos(bearing));
    const c = flattening / 16 * cosSquared * (4 + flattening * (4 - 3 * cosSquared));
    const offset = onSphere - (1 - c) * flattening * sinAzimuth
        * (arc + c * sin * (middle + c * cos * (2 * middle ** 2 - 1)));
    return [longitude + degrees(offset), degrees(endLatitude)];
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
    const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
    const boxes = polygons.map((rings) => boxOf(rings[0] ?? []));
    const largest = boxes.reduce((best, box) => (size(box) > size(best) ? box : best));
    return [(largest.west + largest.east) / 2, Math.min(largest.north, highestLatitude)];
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
