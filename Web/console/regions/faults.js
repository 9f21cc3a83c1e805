/** Where the faults are that the server found in a region: at which vertex, or in which field. Pure. */
import { ringAt } from "./shape.js";

/**
 * @typedef {object} ShownFault
 * @property {string} detail the server's words
 * @property {string|undefined} field the setting that it is about: the last part of its pointer
 * @property {import("./shape.js").Place|undefined} place the vertex that it is at
 * @property {number[]|undefined} at [longitude, latitude] where it is on the map
 */

/**
 * The faults of one Feature.
 * @param {{pointer?: string, detail: string, coordinate?: number[], coordinates?: number[]}[]} faults as the server
 *   lists them
 * @param {import("./shape.js").Shape} shape which was sent
 * @returns {ShownFault[]}
 */
export function shownFaults(faults, shape) {
    return faults.map(({ pointer = "", detail, coordinate, coordinates }) => {
        const place = placeOf(pointer, shape);
        const field = /^(?:\/features\/0)?\/properties\/(\w+)(?:\/(\w+))?/.exec(pointer);
        const at = coordinate ?? coordinates ?? (place && ringAt(shape, place)?.[place.vertex]);
        return { detail, place, at, field: field ? field[2] ?? field[1] : undefined };
    });
}

/** The vertex that a pointer names, as `/geometry/coordinates/0/5` does. @returns {Place|undefined} */
export function placeOf(pointer, shape) {
    const found = /\/geometry\/coordinates((?:\/\d+)+)/.exec(pointer);
    if (!found || shape.kind !== "polygon") { return undefined; }
    const numbers = found[1].slice(1).split("/").map(Number);
    // A polygon alone has no level for its polygons.
    const [polygon, ring, vertex = 0] = shape.polygons.length > 1 ? numbers : [0, ...numbers];
    const vertices = shape.polygons[polygon]?.[ring];
    // The last position of a ring is the first one again.
    return vertices && { polygon, ring, vertex: vertex >= vertices.length ? 0 : vertex };
}
