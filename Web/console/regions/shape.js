/**
 * The shape of a region while it is drawn, as a value: polygons of rings of vertices, a circle, or nothing yet. Rings
 * are open here, and closed in GeoJSON. What does not change stays the same value (`===`). Pure.
 */
import { destination, isInRing, liesIn, unwrap, wayTo } from "../shared/drawing.js";

/**
 * @typedef {number[]} Vertex [longitude, latitude]; the longitude goes on beyond 180 rather than wrap
 * @typedef {{kind: "polygon", polygons: Vertex[][][]} | {kind: "circle", centre: Vertex, radius: number}
 *   | {kind: "empty"}} Shape the first ring of a polygon is its edge, the others are holes
 * @typedef {{polygon: number, ring: number, vertex: number}} Place a vertex; a circle's centre has only zeros
 */

/** @type {Shape} */
export const emptyShape = Object.freeze({ kind: "empty" });
/** Fewer vertices than this enclose nothing. */
export const fewestVertices = 3;
/** A place is rounded to so many parts of a degree, about a centimetre each: a mouse is not more exact. */
const digits = 1e7;
/** The server takes no larger circle. */
export const largestRadiusMetres = 100_000;

/** The shape of a GeoJSON geometry; empty for any that no region has. @returns {Shape} */
export function shapeOf(geometry, radius) {
    switch (geometry?.type) {
        case "Point": return { kind: "circle", centre: geometry.coordinates.slice(0, 2), radius: Number(radius) || 0 };
        case "Polygon": return { kind: "polygon", polygons: [opened(geometry.coordinates)] };
        case "MultiPolygon": return { kind: "polygon", polygons: geometry.coordinates.map(opened) };
        default: return emptyShape;
    }
}

/** The rings of a polygon without the vertex that closes each, on one side of the antimeridian. */
function opened(rings) {
    const near = rings[0]?.[0]?.[0];
    return rings.map((ring) => {
        const flat = ring.map(([longitude, latitude]) => [longitude, latitude]);
        const [first, last] = [flat[0], flat.at(-1)];
        const isClosed = flat.length > 1 && first[0] === last[0] && first[1] === last[1];
        return unwrap(isClosed ? flat.slice(0, -1) : flat, near);
    });
}

/** The GeoJSON geometry of a shape, as the server takes it; null for an empty one. */
export function geometryOf(shape) {
    if (shape.kind === "circle") { return { type: "Point", coordinates: wrapped(shape.centre) }; }
    if (shape.kind === "empty") { return null; }
    const polygons = shape.polygons.map((rings) => rings.map((ring) => {
        const closed = ring.map(wrapped);
        return closed.length > 0 ? [...closed, [...closed[0]]] : closed;
    }));
    return polygons.length === 1 ? { type: "Polygon", coordinates: polygons[0] }
        : { type: "MultiPolygon", coordinates: polygons };
}

function wrapped([longitude, latitude]) {
    return [longitude > 180 || longitude < -180 ? longitude - 360 * Math.round(longitude / 360) : longitude, latitude];
}

/** A place that the mouse, a finger or a step gives, to the centimetre. @returns {Vertex} */
export function rounded([longitude, latitude]) {
    const round = (value) => Math.round(value * digits) / digits;
    return [round(longitude), Math.max(-90, Math.min(90, round(latitude)))];
}

/** The rings of a shape, each with its place: `{polygon, ring, vertices}`. */
export function ringsOf(shape) {
    if (shape.kind !== "polygon") { return []; }
    return shape.polygons.flatMap((rings, polygon) => rings.map((vertices, ring) => ({ polygon, ring, vertices })));
}

/** How many vertices there are; a circle has its centre. */
export function vertexCount(shape) {
    if (shape.kind === "circle") { return 1; }
    return ringsOf(shape).reduce((sum, { vertices }) => sum + vertices.length, 0);
}

/** The vertex at a place; undefined where there is none. @returns {Vertex|undefined} */
export function vertexAt(shape, place) {
    if (!place) { return undefined; }
    if (shape.kind === "circle") { return shape.centre; }
    return shape.polygons?.[place.polygon]?.[place.ring]?.[place.vertex];
}

/** The ring of a place; undefined where there is none. */
export function ringAt(shape, place) {
    return place && shape.polygons?.[place.polygon]?.[place.ring];
}

/** Whether two places are the same. */
export function isSamePlace(left, right) {
    return left === right || Boolean(left && right && left.polygon === right.polygon && left.ring === right.ring
        && left.vertex === right.vertex);
}

/** The vertex before or after a place, round and round. @returns {Place} */
export function neighbour(shape, place, steps) {
    const count = ringAt(shape, place)?.length ?? 1;
    return { ...place, vertex: ((place.vertex + steps) % count + count) % count };
}

// Changes

/** The shape with a vertex elsewhere. */
export function moved(shape, place, to) {
    if (shape.kind === "circle") { return { ...shape, centre: to }; }
    return withRing(shape, place, (ring) => replaced(ring, place.vertex, 1, to));
}

/** The shape with one more vertex after a place: halfway to the next one, unless it is said where. */
export function inserted(shape, place, to) {
    const ring = ringAt(shape, place);
    return withRing(shape, place, () => replaced(ring, place.vertex + 1, 0, to ?? halfway(ring, place.vertex)));
}

/** The middle of the edge that begins at a vertex. @returns {Vertex} */
export function halfway(ring, vertex) {
    const [from, to] = [ring[vertex], ring[(vertex + 1) % ring.length]];
    return rounded([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
}

/** The shape without a vertex; the same one where its ring needs it. */
export function removed(shape, place) {
    const ring = ringAt(shape, place);
    if (!ring || ring.length <= fewestVertices) { return shape; }
    return withRing(shape, place, () => replaced(ring, place.vertex, 1));
}

/** The shape without a hole, or without a polygon and its holes. */
export function withoutRing(shape, { polygon, ring }) {
    if (shape.kind !== "polygon") { return emptyShape; }
    if (ring > 0) {
        return withPolygon(shape, polygon, (rings) => rings.filter((_, index) => index !== ring));
    }
    const polygons = shape.polygons.filter((_, index) => index !== polygon);
    return polygons.length > 0 ? { ...shape, polygons } : emptyShape;
}

/** The shape with one more polygon. A circle is no polygon: it is replaced. */
export function withPart(shape, ring) {
    const before = shape.kind === "polygon" ? shape.polygons : [];
    return { kind: "polygon", polygons: [...before, [ring]] };
}

/** The shape with a hole in the polygon that holds its first vertex, or in the first one. */
export function withHole(shape, ring) {
    const holder = shape.polygons.findIndex(([edge]) => isInRing(edge, ring[0]));
    return withPolygon(shape, Math.max(0, holder), (rings) => [...rings, ring]);
}

/** The shape moved as a whole, in degrees. */
export function shifted(shape, [east, north]) {
    const shift = ([longitude, latitude]) => rounded([longitude + east, latitude + north]);
    if (shape.kind === "circle") { return { ...shape, centre: shift(shape.centre) }; }
    if (shape.kind === "empty") { return shape; }
    return { ...shape, polygons: shape.polygons.map((rings) => rings.map((ring) => ring.map(shift))) };
}

/** The vertex some metres from a place, in the direction of an arrow key. @returns {Vertex} */
export function stepped(from, key, metres) {
    const bearing = { ArrowUp: 0, ArrowRight: 90, ArrowDown: 180, ArrowLeft: 270 }[key];
    return rounded(destination(from, bearing, metres));
}

/** A square around a place, its side in metres, to begin with: its corners from the south-west on. */
export function squareAround(centre, sideMetres) {
    return [225, 135, 45, 315].map((bearing) => rounded(destination(centre, bearing, sideMetres / Math.SQRT2)));
}

/** The length of the edge that ends at a vertex of a ring, in metres. */
export function edgeMetres(from, to) {
    return wayTo(from, to).distanceMetres;
}

/** Whether a place lies in a shape: a circle's is told by the distance. */
export function isInside(shape, place) {
    if (shape.kind === "circle") { return edgeMetres(shape.centre, place) <= shape.radius; }
    if (shape.kind === "empty") { return false; }
    return liesIn({ type: "MultiPolygon", coordinates: shape.polygons }, place);
}

/**
 * What a vertex is called: `3`, `hole 1, 3`, `part 2, 3`, as numbers from 1.
 * @returns {{part?: number, hole?: number, number: number}}
 */
export function nameOfPlace(shape, { polygon, ring, vertex }) {
    return {
        ...(shape.kind === "polygon" && shape.polygons.length > 1 ? { part: polygon + 1 } : {}),
        ...(ring > 0 ? { hole: ring } : {}),
        number: vertex + 1,
    };
}

function withPolygon(shape, polygon, change) {
    return { ...shape, polygons: replaced(shape.polygons, polygon, 1, change(shape.polygons[polygon])) };
}

function withRing(shape, { polygon, ring }, change) {
    return withPolygon(shape, polygon, (rings) => replaced(rings, ring, 1, change(rings[ring])));
}

/** A list with items in the place of some; a copy. */
function replaced(list, index, count, ...items) {
    const copy = list.slice();
    copy.splice(index, count, ...items);
    return copy;
}
