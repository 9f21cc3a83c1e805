/**
 * Snapping: what is drawn near a vertex or an edge of another region takes exactly its place, so that the two leave no
 * gap and do not overlap. Pure.
 */
import { bounds, unwrap } from "../shared/drawing.js";
import { rounded } from "./shape.js";

/**
 * @typedef {{name: string, rings: number[][][],
 *     box: {west: number, south: number, east: number, north: number}}} Target
 */

/** What there is to snap to: the rings of other regions. Circles have no vertices. @returns {Target[]} */
export function snapTargets(regions, except) {
    const targets = [];
    for (const [key, { name, geometry }] of regions) {
        if (key === except) { continue; }
        const polygons = geometry?.type === "Polygon" ? [geometry.coordinates]
            : geometry?.type === "MultiPolygon" ? geometry.coordinates : [];
        for (const rings of polygons) {
            const flat = rings.map((ring) => unwrap(ring, rings[0][0][0]));
            const [[west, south], [east, north]] = bounds(flat[0]);
            targets.push({ name, rings: flat, box: { west, south, east, north } });
        }
    }
    return targets;
}

/**
 * The place to take instead of one that is pointed at.
 * @param {number[]} at [longitude, latitude]
 * @param {Target[]} targets
 * @param {number} reachDegrees how near is near enough, in degrees of latitude; a vertex comes before an edge
 * @returns {{at: number[], kind: "vertex"|"edge"|undefined, name?: string}} `at` as it was where nothing is near
 */
export function snap(at, targets, reachDegrees) {
    const squeeze = Math.max(0.01, Math.cos(at[1] * Math.PI / 180));
    const reach = { x: reachDegrees / squeeze, y: reachDegrees };
    let vertex = { distance: reachDegrees };
    let edge = { distance: reachDegrees };
    for (const { name, rings, box } of targets) {
        const turn = 360 * Math.round((at[0] - (box.west + box.east) / 2) / 360);
        const [x, y] = [at[0] - turn, at[1]];
        if (x < box.west - reach.x || x > box.east + reach.x || y < box.south - reach.y || y > box.north + reach.y) {
            continue;
        }
        for (const ring of rings) {
            for (let index = 0; index < ring.length; index += 1) {
                const [from, to] = [ring[index], ring[(index + 1) % ring.length]];
                const apart = Math.hypot((from[0] - x) * squeeze, from[1] - y);
                if (apart < vertex.distance) { vertex = { distance: apart, at: [from[0] + turn, from[1]], name }; }
                const near = onEdge([x, y], from, to, squeeze);
                if (near.distance < edge.distance) {
                    edge = { distance: near.distance, at: rounded([near.at[0] + turn, near.at[1]]), name };
                }
            }
        }
    }
    if (vertex.at) { return { at: vertex.at, kind: "vertex", name: vertex.name }; }
    if (edge.at) { return { at: edge.at, kind: "edge", name: edge.name }; }
    return { at, kind: undefined };
}

/** The nearest point of an edge, and how far it is, in degrees of latitude. */
function onEdge([x, y], from, to, squeeze) {
    const [dx, dy] = [(to[0] - from[0]) * squeeze, to[1] - from[1]];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0
        : Math.max(0, Math.min(1, ((x - from[0]) * squeeze * dx + (y - from[1]) * dy) / length));
    const at = [from[0] + (to[0] - from[0]) * along, from[1] + (to[1] - from[1]) * along];
    return { at, distance: Math.hypot((at[0] - x) * squeeze, at[1] - y) };
}
