/** What of a shape can be grabbed on the map: its vertices in view, and the middles of their edges. Pure. */
import { isSamePlace, ringsOf } from "./shape.js";

/** More handles than this are no help, and slow. */
export const mostHandles = 300;
/** With more vertices than this in view, edges have no handle of their own. */
const mostWithMiddles = 120;

/**
 * @typedef {{kind: "vertex"|"middle"|"centre", place: import("./shape.js").Place, at: number[], isSelected: boolean}
 *   } Handle a middle's place is the vertex that its edge begins at
 */

/**
 * The handles for a view.
 * @param {import("./edit.js").Edit} edit
 * @param {{west: number, south: number, east: number, north: number}} view in degrees, east ≥ west
 * @returns {{handles: Handle[], isThinned: boolean}} `isThinned`: there are more vertices in view than handles
 */
export function handlesIn({ shape, selected }, view) {
    if (shape.kind === "circle") {
        const place = { polygon: 0, ring: 0, vertex: 0 };
        const isSelected = isSamePlace(selected, place) || selected === "whole";
        return { handles: [{ kind: "centre", place, at: shape.centre, isSelected }], isThinned: false };
    }
    const vertices = [];
    let selectedHandle;
    for (const { polygon, ring, vertices: all } of ringsOf(shape)) {
        for (let vertex = 0; vertex < all.length; vertex += 1) {
            if (!isIn(view, all[vertex])) { continue; }
            const place = { polygon, ring, vertex };
            const isSelected = isSamePlace(selected, place);
            const handle = { kind: "vertex", place, at: all[vertex], isSelected };
            vertices.push(handle);
            if (isSelected) { selectedHandle = handle; }
        }
    }
    if (vertices.length > mostHandles) {
        const every = Math.ceil(vertices.length / mostHandles);
        const kept = vertices.filter((handle, index) => index % every === 0 && handle !== selectedHandle);
        return { handles: selectedHandle ? [...kept, selectedHandle] : kept, isThinned: true };
    }
    const middles = vertices.length <= mostWithMiddles ? vertices.map((handle) => middleAfter(shape, handle)) : [];
    return { handles: [...middles.filter(({ at }) => isIn(view, at)), ...vertices], isThinned: false };
}

function middleAfter(shape, { place }) {
    const ring = shape.polygons[place.polygon][place.ring];
    const [from, to] = [ring[place.vertex], ring[(place.vertex + 1) % ring.length]];
    return { kind: "middle", place, at: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], isSelected: false };
}

function isIn({ west, south, east, north }, [longitude, latitude]) {
    const near = longitude - 360 * Math.round((longitude - (west + east) / 2) / 360);
    return near >= west && near <= east && latitude >= south && latitude <= north;
}

/**
 * The handle that is grabbed: the nearest within reach; of two at one place the vertex.
 * @param {Handle[]} handles
 * @param {(at: number[]) => {x: number, y: number}} project where a place is on the screen
 * @param {{x: number, y: number}} point
 * @param {number} reach pixels
 */
export function grabbed(handles, project, point, reach) {
    let best;
    for (const handle of handles) {
        const { x, y } = project(handle.at);
        // A middle gives way to a vertex beside it.
        const apart = Math.hypot(x - point.x, y - point.y) + (handle.kind === "middle" ? 4 : 0);
        if (apart <= reach && (!best || apart <= best.apart)) { best = { handle, apart }; }
    }
    return best?.handle;
}
