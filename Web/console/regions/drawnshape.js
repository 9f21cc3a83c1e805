/**
 * What the map draws of the shape that is edited, in pieces: a change of one vertex among twenty thousand changes one
 * piece of an edge, and only that is given to the map. Pure.
 */
import { circleRing } from "../shared/drawing.js";
import { ringsOf, vertexCount } from "./shape.js";

/** So many edges are one piece. */
const pieceLength = 256;
/** A shape with more vertices is filled anew when the mouse is released, and not while it moves. */
const quicklyFilled = 2000;

export class DrawnShape {
    /** By id: what the piece was drawn from. */
    #pieces = new Map();
    #filled;

    /**
     * Draws a shape.
     * @param {import("./shape.js").Shape} shape
     * @param {boolean} [isMoving] whether the next one follows within a moment
     * @returns {{add: object[], remove: string[]}} the features that are new or other than before, by their property
     *   `id`, and the ids of those that are gone
     */
    update(shape, isMoving = false) {
        const add = [];
        const before = this.#pieces;
        this.#pieces = new Map();
        for (const { id, points } of pieces(shape)) {
            this.#pieces.set(id, points);
            if (!areSame(before.get(id), points)) {
                add.push(feature({ type: "LineString", coordinates: points }, { id, part: "edge" }));
            }
        }
        const remove = [...before.keys()].filter((id) => !this.#pieces.has(id));
        const isLate = isMoving && vertexCount(shape) > quicklyFilled;
        if (!isLate && this.#filled !== shape) {
            const geometry = fillOf(shape);
            if (geometry) { add.push(feature(geometry, { id: "fill", part: "fill" })); }
            if (!geometry && this.#filled && fillOf(this.#filled)) { remove.push("fill"); }
            this.#filled = shape;
        }
        return { add, remove };
    }
}

function pieces(shape) {
    if (shape.kind === "circle") {
        return shape.radius > 0 ? [{ id: "circle", points: circleRing(shape.centre, shape.radius) }] : [];
    }
    return ringsOf(shape).flatMap(({ polygon, ring, vertices }) => {
        const found = [];
        for (let start = 0; start < vertices.length; start += pieceLength) {
            const points = vertices.slice(start, start + pieceLength + 1);
            if (start + pieceLength >= vertices.length) { points.push(vertices[0]); }
            found.push({ id: `${polygon}/${ring}/${start / pieceLength}`, points });
        }
        return found;
    });
}

/** The geometry that is filled: as the map has it, its longitudes beyond 180 where they are. */
function fillOf(shape) {
    if (shape.kind === "circle") {
        return shape.radius > 0
            ? { type: "Polygon", coordinates: [circleRing(shape.centre, shape.radius)] } : undefined;
    }
    if (shape.kind === "empty") { return undefined; }
    const closed = shape.polygons.map((rings) => rings.map((ring) => [...ring, ring[0]]));
    return { type: "MultiPolygon", coordinates: closed };
}

/** Whether two pieces go through the same vertices. A circle's are made anew each time. */
function areSame(left, right) {
    return left?.length === right.length && left.every((point, index) =>
        point === right[index] || (point[0] === right[index][0] && point[1] === right[index][1]));
}

function feature(geometry, properties) {
    return { type: "Feature", geometry, properties };
}

/** The points that a view of a shape must hold. */
export function extentOf(shape) {
    return shape.kind === "circle" && !(shape.radius > 0) ? [shape.centre]
        : (fillOf(shape)?.coordinates ?? []).flat(shape.kind === "circle" ? 1 : 2);
}

/** The lines of what is being drawn, on to where the pointer is. */
export function rubberLines(drawing, pointer, radius) {
    if (!drawing || drawing.points.length === 0) { return []; }
    if (drawing.kind === "circle") {
        const ring = radius > 0 && circleRing(drawing.points[0], radius);
        return ring ? [feature({ type: "LineString", coordinates: ring }, {})] : [];
    }
    const points = pointer ? [...drawing.points, pointer] : drawing.points;
    const line = points.length > 1 ? [feature({ type: "LineString", coordinates: points }, {})] : [];
    const closing = points.length > 2
        ? [feature({ type: "LineString", coordinates: [points.at(-1), points[0]] }, { isClosing: true })] : [];
    return [...line, ...closing];
}

