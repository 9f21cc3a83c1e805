/**
 * What somebody does to a region while it is edited: the shape, what is selected, what is being drawn, and what can be
 * undone. Each action makes the next value, and says what happened. Pure.
 */
import {
    emptyShape, fewestVertices, halfway, inserted, isSamePlace, moved, neighbour, removed, ringAt, rounded, shifted,
    squareAround, stepped, vertexAt, vertexCount, withHole, withoutRing, withPart,
} from "./shape.js";

/** How many vertices all steps that can be undone may have together, and how many steps there are at the least. */
const keptVertices = 2_000_000;
const fewestSteps = 20;
const mostSteps = 300;

/**
 * @typedef {import("./shape.js").Place} Place
 * @typedef {object} Edit
 * @property {import("./shape.js").Shape} shape
 * @property {Place|"whole"|undefined} selected
 * @property {{kind: "polygon"|"hole"|"circle", points: number[][]}|undefined} drawing what is not closed yet
 * @property {import("./shape.js").Shape[]} past the latest last
 * @property {import("./shape.js").Shape[]} future the next first
 * @property {string|undefined} series names the moves that are undone as one
 * @property {{what: string, place?: Place, at?: number[]}|undefined} said what happened, for a screen reader
 */

/** @returns {Edit} */
export function beginEdit(shape = emptyShape) {
    return Object.freeze({ shape, past: [], future: [] });
}

/** Whether the last step can be taken back, or what is being drawn loses a point. */
export function canUndo({ past, drawing }) {
    return past.length > 0 || Boolean(drawing?.points.length);
}

/**
 * The edit after an action. An action that does nothing gives the same edit, or one that only says why.
 * @param {Edit} edit
 * @param {{type: string, [name: string]: unknown}} action
 * @returns {Edit}
 */
export function act(edit, action) {
    const change = actions[action.type];
    if (!change) { throw new TypeError(`no such action: ${action.type}`); }
    return Object.freeze(change({ ...edit, said: undefined }, action));
}

const actions = {
    /** Selects a vertex, the whole shape, or nothing. */
    select: (edit, { place }) => {
        const isThere = place === "whole" ? edit.shape.kind !== "empty" : vertexAt(edit.shape, place);
        return { ...edit, selected: isThere ? place : undefined, series: undefined };
    },

    /** Selects a vertex before or after. */
    step: (edit, { by }) => {
        if (!isPlace(edit.selected)) { return edit; }
        const selected = neighbour(edit.shape, edit.selected, by);
        return say({ ...edit, selected, series: undefined }, "selected");
    },

    /** Moves a vertex. Moves of one `series` are undone together. */
    move: (edit, { place, to, series }) => {
        const before = vertexAt(edit.shape, place);
        if (!before || (before[0] === to[0] && before[1] === to[1])) { return edit; }
        return say({ ...stored(edit, moved(edit.shape, place, to), series), selected: place }, "moved");
    },

    /** Moves what is selected by an arrow key. */
    nudge: (edit, { key, metres }) => {
        const { selected, shape } = edit;
        if (selected === "whole") {
            const from = shape.kind === "circle" ? shape.centre : shape.polygons?.[0]?.[0]?.[0];
            if (!from) { return edit; }
            const to = stepped(from, key, metres);
            return act(edit, { type: "shift", by: [to[0] - from[0], to[1] - from[1]], series: "nudge whole" });
        }
        const from = vertexAt(shape, selected);
        if (!from) { return edit; }
        const series = `nudge ${selected.polygon} ${selected.ring} ${selected.vertex}`;
        return act(edit, { type: "move", place: selected, to: stepped(from, key, metres), series });
    },

    /** Moves the whole shape, in degrees; `from` is the shape before a series of moves that each begin there. */
    shift: (edit, { by, series, from = edit.shape }) => {
        if (edit.shape.kind === "empty" || (by[0] === 0 && by[1] === 0 && from === edit.shape)) { return edit; }
        return say(stored(edit, shifted(from, by), series), "shifted");
    },

    /** Adds a vertex after another, and selects it. */
    insert: (edit, { after, to, series }) => {
        const ring = ringAt(edit.shape, after);
        if (!ring?.[after.vertex]) { return edit; }
        const place = { ...after, vertex: after.vertex + 1 };
        const shape = inserted(edit.shape, after, to ?? halfway(ring, after.vertex));
        return say({ ...stored(edit, shape, series), selected: place }, "inserted");
    },

    /** Removes a vertex; a ring keeps three. */
    remove: (edit, { place }) => {
        if (!isPlace(place) || edit.shape.kind !== "polygon") { return edit; }
        const shape = removed(edit.shape, place);
        if (shape === edit.shape) { return say({ ...edit, selected: place }, "needed"); }
        const selected = neighbour(shape, { ...place, vertex: Math.max(0, place.vertex - 1) }, 0);
        return { ...say({ ...stored(edit, shape), selected: place }, "removed"), selected };
    },

    /** Removes a hole, a part, or a circle. */
    removeRing: (edit, { place }) => {
        const what = place.ring > 0 ? "holeRemoved" : "partRemoved";
        return say({ ...stored(edit, withoutRing(edit.shape, place)), selected: undefined }, what);
    },

    resize: (edit, { radius, series }) => {
        if (edit.shape.kind !== "circle" || edit.shape.radius === radius) { return edit; }
        return say(stored(edit, { ...edit.shape, radius }, series), "resized");
    },

    /** Replaces all of it: another leader's shape, a square to begin with. */
    replace: (edit, { shape }) => say({ ...stored(edit, shape), selected: undefined, drawing: undefined }, "replaced"),

    square: (edit, { centre, metres }) => {
        const shape = withPart(edit.shape, squareAround(centre, metres));
        const selected = { polygon: shape.polygons.length - 1, ring: 0, vertex: 0 };
        return say({ ...stored(edit, shape), selected, drawing: undefined }, "squared");
    },

    circle: (edit, { centre, radius }) => {
        const shape = { kind: "circle", centre: rounded(centre), radius };
        return say({ ...stored(edit, shape), selected: firstPlace, drawing: undefined }, "circled");
    },

    draw: (edit, { kind }) => ({ ...edit, drawing: { kind, points: [] }, selected: undefined, series: undefined }),
    stopDrawing: (edit) => ({ ...edit, drawing: undefined }),

    /** Adds a point to what is drawn. The second of a circle says its radius. */
    point: (edit, { at, radius }) => {
        if (!edit.drawing) { return edit; }
        const { kind, points } = edit.drawing;
        if (kind === "circle" && points.length === 1) {
            return radius > 0 ? act(edit, { type: "circle", centre: points[0], radius }) : edit;
        }
        const last = points.at(-1);
        if (last && last[0] === at[0] && last[1] === at[1]) { return edit; }
        const drawing = { kind, points: [...points, at] };
        return { ...edit, drawing, said: { what: "drawn", count: drawing.points.length, at } };
    },

    /** Closes what is drawn. */
    finish: (edit) => {
        if (!edit.drawing || edit.drawing.kind === "circle") { return edit; }
        const { kind, points } = edit.drawing;
        if (points.length < fewestVertices) { return { ...edit, said: { what: "tooFew" } }; }
        const isHole = kind === "hole" && edit.shape.kind === "polygon";
        const shape = isHole ? withHole(edit.shape, points) : withPart(edit.shape, points);
        return say({ ...stored(edit, shape), drawing: undefined, selected: undefined },
            isHole ? "holeAdded" : "closed");
    },

    undo: (edit) => {
        if (edit.drawing?.points.length) {
            const points = edit.drawing.points.slice(0, -1);
            return { ...edit, drawing: { ...edit.drawing, points }, said: { what: "undone" } };
        }
        if (edit.past.length === 0) { return { ...edit, said: { what: "nothingToUndo" } }; }
        return changed(edit, edit.past.at(-1), edit.past.slice(0, -1), [edit.shape, ...edit.future], "undone");
    },

    redo: (edit) => {
        if (edit.future.length === 0) { return { ...edit, said: { what: "nothingToRedo" } }; }
        return changed(edit, edit.future[0], [...edit.past, edit.shape], edit.future.slice(1), "redone");
    },
};

const firstPlace = Object.freeze({ polygon: 0, ring: 0, vertex: 0 });

function isPlace(selected) {
    return typeof selected === "object";
}

function changed(edit, shape, past, future, what) {
    const isThere = edit.selected === "whole" || vertexAt(shape, edit.selected);
    const selected = isThere ? edit.selected : undefined;
    return { ...edit, shape, past, future, selected, series: undefined, said: { what } };
}

/** The edit with a new shape, and the one before it to be undone; within a series only its first. */
function stored(edit, shape, series) {
    if (series !== undefined && series === edit.series) { return { ...edit, shape, future: [] }; }
    const steps = Math.min(mostSteps, Math.max(fewestSteps, Math.floor(keptVertices / (vertexCount(shape) + 1))));
    return { ...edit, shape, past: [...edit.past, edit.shape].slice(-steps), future: [], series };
}

function say(edit, what) {
    const place = isPlace(edit.selected) ? edit.selected : undefined;
    return { ...edit, said: { what, place, at: vertexAt(edit.shape, place) } };
}

/** Whether what is selected is this vertex. */
export function isSelected({ selected }, place) {
    return isPlace(selected) && isSamePlace(selected, place);
}
