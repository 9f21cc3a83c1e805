/** The shape of a region while it is drawn: the model, its undo, snapping, handles, and what the map is given. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { DrawnShape, extentOf, rubberLines } from "../../Web/console/regions/drawnshape.js";
import { act, beginEdit, canUndo } from "../../Web/console/regions/edit.js";
import { grabbed, handlesIn, mostHandles } from "../../Web/console/regions/handles.js";
import { widthMetres } from "../../Web/console/regions/narrow.js";
import {
    emptyShape, geometryOf, isInside, nameOfPlace, removed, ringsOf, shapeOf, stepped, vertexAt, vertexCount,
} from "../../Web/console/regions/shape.js";
import { snap, snapTargets } from "../../Web/console/regions/snapping.js";
import { wayTo } from "../../Web/console/shared/drawing.js";

const square = [[0, 0], [2, 0], [2, 2], [0, 2]];
const polygon = { type: "Polygon", coordinates: [[...square, square[0]]] };
const at = (vertex, ring = 0, part = 0) => ({ polygon: part, ring, vertex });
const run = (edit, ...actions) => actions.reduce(act, edit);
const drawn = (...points) => points.map((point) => ({ type: "point", at: point }));

/** A ring of so many vertices on a circle of a degree. */
function round(count) {
    return Array.from({ length: count }, (_, index) => {
        const angle = 2 * Math.PI * index / count;
        return [Math.cos(angle), Math.sin(angle)];
    });
}

test("a shape's width is a circle's radius, half a square's side and a strip's width, anywhere", () => {
    const metres = (east, north, [longitude, latitude]) => [
        longitude + east / 111_320 / Math.cos(latitude * Math.PI / 180), latitude + north / 111_320];
    for (const place of [[13.4, 52.5], [179.9999, -16], [-70, 0]]) {
        const box = (width, height) => [[0, 0], [width, 0], [width, height], [0, height]]
            .map(([east, north]) => metres(east, north, place));
        const width = (...rings) => widthMetres({ kind: "polygon", polygons: [rings] });
        assert.ok(Math.abs(width(box(60, 60)) - 30) < 0.1);
        assert.ok(Math.abs(width(box(14, 2000)) - 14) < 0.2);
        assert.ok(width(box(60, 60), box(50, 50)) < 10, "a hole narrows what is around it");
        assert.ok(Math.abs(widthMetres({ kind: "polygon", polygons: [[box(200, 200)], [box(10, 10)]] }) - 5) < 0.1);
    }
    assert.equal(widthMetres({ kind: "circle", centre: [0, 0], radius: 25 }), 25);
    for (const shape of [emptyShape, { kind: "polygon", polygons: [[[]]] }, { kind: "polygon", polygons: [] }]) {
        assert.equal(widthMetres(shape), undefined);
    }
});

test("a geometry is the same after it was read and written", () => {
    const hole = [[0.5, 0.5], [0.5, 1], [1, 1], [0.5, 0.5]];
    for (const geometry of [
        polygon, { type: "Polygon", coordinates: [polygon.coordinates[0], hole] },
        { type: "MultiPolygon", coordinates: [polygon.coordinates, [[[5, 5], [6, 5], [6, 6], [5, 5]]]] },
        { type: "Point", coordinates: [7, 8] },
    ]) {
        assert.deepEqual(geometryOf(shapeOf(geometry, 30)), geometry);
    }
    assert.equal(shapeOf({ type: "Point", coordinates: [7, 8, 100] }, 30).radius, 30);
    assert.equal(geometryOf(shapeOf(null)), null);
    assert.equal(shapeOf({ type: "LineString", coordinates: [[0, 0], [1, 1]] }), emptyShape);
});

test("a shape across the antimeridian is drawn in one piece and written as GeoJSON has it", () => {
    const across = { type: "Polygon", coordinates: [[[179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]]] };
    const shape = shapeOf(across);
    assert.deepEqual(shape.polygons[0][0], [[179, 0], [181, 0], [181, 1], [179, 1]]);
    assert.deepEqual(geometryOf(shape), across);
});

test("a vertex is moved, added and removed, and a ring keeps three", () => {
    const begun = beginEdit(shapeOf(polygon));
    const edit = run(begun, { type: "move", place: at(2), to: [3, 3] }, { type: "insert", after: at(2) });
    assert.deepEqual(edit.shape.polygons[0][0], [[0, 0], [2, 0], [3, 3], [1.5, 2.5], [0, 2]]);
    assert.deepEqual(edit.selected, at(3));
    const fewer = run(edit, { type: "remove", place: at(3) }, { type: "remove", place: at(0) });
    assert.deepEqual(fewer.shape.polygons[0][0], [[2, 0], [3, 3], [0, 2]]);
    const refused = act(fewer, { type: "remove", place: at(1) });
    assert.equal(refused.shape, fewer.shape);
    assert.equal(refused.said.what, "needed");
    assert.equal(removed(fewer.shape, at(1)), fewer.shape);
    assert.deepEqual(begun.shape.polygons[0][0], square, "what was there before is as it was");
    assert.deepEqual(act(edit, { type: "insert", after: at(4) }).shape.polygons[0][0].at(-1), [0, 1],
        "the last edge leads back to the first vertex");
});

test("each step is undone and done again, and a new step ends what could be done again", () => {
    const begun = beginEdit(shapeOf(polygon));
    const moved = act(begun, { type: "move", place: at(0), to: [-1, 0] });
    const twice = act(moved, { type: "move", place: at(1), to: [3, 0] });
    const back = run(twice, { type: "undo" }, { type: "undo" });
    assert.equal(back.shape, begun.shape);
    assert.equal(canUndo(back), false);
    assert.equal(act(back, { type: "undo" }).said.what, "nothingToUndo");
    assert.equal(run(back, { type: "redo" }, { type: "redo" }).shape, twice.shape);
    const other = run(back, { type: "redo" }, { type: "move", place: at(2), to: [9, 9] });
    assert.equal(other.future.length, 0);
    assert.equal(act(other, { type: "redo" }).said.what, "nothingToRedo");
});

test("what is dragged, and what one key moves, is undone as one", () => {
    const begun = beginEdit(shapeOf(polygon));
    const dragged = run(begun, ...[[1, 1], [1.1, 1], [1.2, 1]].map((to) =>
        ({ type: "move", place: at(2), to, series: "drag 1" })));
    assert.equal(dragged.past.length, 1);
    const nudged = run(dragged, { type: "select", place: at(2) },
        ...["ArrowUp", "ArrowUp", "ArrowLeft"].map((key) => ({ type: "nudge", key, metres: 10 })));
    assert.equal(nudged.past.length, 2);
    // Another vertex in between ends the series.
    const again = run(nudged, { type: "step", by: 1 }, { type: "step", by: -1 },
        { type: "nudge", key: "ArrowUp", metres: 10 });
    assert.equal(again.past.length, 3);
    assert.equal(run(again, { type: "undo" }, { type: "undo" }, { type: "undo" }).shape, begun.shape);
});

test("arrow keys move by metres on the ground, in their direction", () => {
    for (const [key, bearing] of [["ArrowUp", 0], ["ArrowRight", 90], ["ArrowDown", 180], ["ArrowLeft", 270]]) {
        const { distanceMetres, bearingDegrees } = wayTo([10.7, 59.9], stepped([10.7, 59.9], key, 25));
        assert.ok(Math.abs(distanceMetres - 25) < 0.05, `${key}: ${distanceMetres} m`);
        assert.ok(Math.abs((bearingDegrees - bearing + 540) % 360 - 180) < 0.2, `${key}: ${bearingDegrees}°`);
    }
    const edit = run(beginEdit(shapeOf(polygon)), { type: "select", place: "whole" },
        { type: "nudge", key: "ArrowRight", metres: 1000 });
    const [first, second] = edit.shape.polygons[0][0];
    assert.equal(Math.round(wayTo([0, 0], first).distanceMetres), 1000);
    assert.ok(Math.abs(second[0] - first[0] - 2) < 1e-6, "the whole shape moved");
    assert.equal(act(beginEdit(), { type: "nudge", key: "ArrowUp", metres: 1 }).shape, emptyShape);
});

test("a polygon is drawn point by point, a point is taken back, and too few enclose nothing", () => {
    const begun = act(beginEdit(), { type: "draw", kind: "polygon" });
    const two = run(begun, ...drawn([0, 0], [1, 0]));
    assert.equal(act(two, { type: "finish" }).said.what, "tooFew");
    const three = run(two, ...drawn([1, 1], [1, 1], [5, 5]), { type: "undo" });
    assert.equal(three.drawing.points.length, 3, "the same point twice is one, and the last was taken back");
    const closed = act(three, { type: "finish" });
    assert.deepEqual(closed.shape, { kind: "polygon", polygons: [[[[0, 0], [1, 0], [1, 1]]]] });
    assert.equal(closed.drawing, undefined);
    assert.equal(act(closed, { type: "undo" }).shape, emptyShape);
});

test("a hole goes into the part that it begins in, and goes with its part", () => {
    const begun = run(beginEdit(shapeOf(polygon)), { type: "draw", kind: "polygon" },
        ...drawn([10, 10], [14, 10], [14, 14], [10, 14]), { type: "finish" },
        { type: "draw", kind: "hole" }, ...drawn([11, 11], [12, 11], [12, 12]), { type: "finish" });
    assert.deepEqual(begun.shape.polygons.map((rings) => rings.length), [1, 2]);
    assert.equal(isInside(begun.shape, [13, 13]), true);
    assert.equal(isInside(begun.shape, [11.9, 11.5]), false, "in the hole");
    assert.deepEqual(nameOfPlace(begun.shape, at(2, 1, 1)), { part: 2, hole: 1, number: 3 });
    const without = act(begun, { type: "removeRing", place: at(0, 1, 1) });
    assert.deepEqual(without.shape.polygons.map((rings) => rings.length), [1, 1]);
    assert.deepEqual(act(begun, { type: "removeRing", place: at(0, 0, 1) }).shape, shapeOf(polygon));
    assert.equal(act(beginEdit(shapeOf(polygon)), { type: "removeRing", place: at(0) }).shape, emptyShape);
});

test("a circle is drawn by its centre and a point of its edge, moved and resized", () => {
    const circle = run(beginEdit(), { type: "draw", kind: "circle" }, { type: "point", at: [1, 2] },
        { type: "point", at: [1, 2.1], radius: 80 });
    assert.deepEqual(circle.shape, { kind: "circle", centre: [1, 2], radius: 80 });
    const moved = run(circle, { type: "move", place: at(0), to: [3, 4] },
        ...[90, 95].map((radius) => ({ type: "resize", radius, series: "radius" })));
    assert.deepEqual(moved.shape, { kind: "circle", centre: [3, 4], radius: 95 });
    assert.equal(run(moved, { type: "undo" }, { type: "undo" }).shape, circle.shape);
    assert.equal(act(moved, { type: "remove", place: at(0) }).shape, moved.shape, "a centre is no vertex to remove");
    assert.equal(isInside(moved.shape, [3, 4.0005]), true);
    assert.equal(isInside(moved.shape, [3, 4.001]), false);
});

test("a place snaps to a vertex before an edge, to nothing far away, and not to itself", () => {
    const regions = new Map([
        ["c/a", { name: "A", geometry: polygon }],
        ["c/b", { name: "B", geometry: { type: "Point", coordinates: [3, 3] } }],
    ]);
    const targets = snapTargets(regions);
    assert.deepEqual(snap([2.01, 2.01], targets, 0.05), { at: [2, 2], kind: "vertex", name: "A" });
    assert.deepEqual(snap([1, 2.01], targets, 0.05), { at: [1, 2], kind: "edge", name: "A" });
    assert.deepEqual(snap([1, 1], targets, 0.05), { at: [1, 1], kind: undefined });
    assert.deepEqual(snap([362.01, 2.01], targets, 0.05).at, [362, 2], "also on the next world");
    assert.deepEqual(snap([2.01, 2.01], snapTargets(regions, "c/a"), 0.05).kind, undefined);
    // At 60° north a degree of longitude is half as long.
    const north = snapTargets(new Map([["c/n", { name: "N", geometry: {
        type: "Polygon", coordinates: [[[0, 60], [2, 60], [2, 61], [0, 61], [0, 60]]] } }]]));
    assert.equal(snap([2.08, 60.5], north, 0.05).kind, "edge");
    assert.equal(snap([2.12, 60.5], north, 0.05).kind, undefined);
});

test("handles are those in view, with the middles of edges, and never too many", () => {
    const edit = run(beginEdit(shapeOf(polygon)), { type: "select", place: at(1) });
    const all = handlesIn(edit, { west: -1, south: -1, east: 3, north: 3 });
    assert.equal(all.handles.filter(({ kind }) => kind === "vertex").length, 4);
    assert.equal(all.handles.filter(({ kind }) => kind === "middle").length, 4);
    assert.deepEqual(all.handles.filter(({ isSelected }) => isSelected).map(({ place }) => place), [at(1)]);
    const some = handlesIn(edit, { west: 1.5, south: -1, east: 3, north: 3 });
    const places = some.handles.filter(({ kind }) => kind === "vertex").map((handle) => handle.at);
    assert.deepEqual(places, [[2, 0], [2, 2]]);
    const many = beginEdit({ kind: "polygon", polygons: [[round(20_000)]] });
    const chosen = act(many, { type: "select", place: at(12_345) });
    const { handles, isThinned } = handlesIn(chosen, { west: -2, south: -2, east: 2, north: 2 });
    assert.ok(isThinned && handles.length <= mostHandles + 1, `${handles.length}`);
    assert.equal(handles.filter(({ isSelected }) => isSelected).length, 1, "the chosen one is among them");
    const near = handlesIn(chosen, { west: 0.999, south: -0.01, east: 1.001, north: 0.01 });
    assert.ok(!near.isThinned && near.handles.length > 20);
});

test("the nearest handle is grabbed, and a vertex rather than the middle beside it", () => {
    const project = ([x, y]) => ({ x: 10 * x, y: 10 * y });
    const handles = [{ kind: "middle", at: [1, 0] }, { kind: "vertex", at: [1.2, 0] }, { kind: "vertex", at: [9, 9] }];
    assert.equal(grabbed(handles, project, { x: 10, y: 0 }, 12), handles[1]);
    assert.equal(grabbed(handles, project, { x: 4, y: 0 }, 12), handles[1]);
    assert.equal(grabbed(handles, project, { x: 50, y: 50 }, 12), undefined);
});

test("of twenty thousand vertices one that moves is one piece for the map, and undo is bounded", () => {
    let edit = beginEdit({ kind: "polygon", polygons: [[round(20_000)]] });
    const drawnShape = new DrawnShape();
    const first = drawnShape.update(edit.shape);
    assert.equal(first.add.filter(({ properties }) => properties.part === "edge").length, Math.ceil(20_000 / 256));
    edit = act(edit, { type: "move", place: at(5000), to: [3, 3], series: "drag" });
    const moving = drawnShape.update(edit.shape, true);
    assert.deepEqual(moving.add.map(({ properties }) => properties.id), ["0/0/19"]);
    assert.deepEqual(moving.remove, []);
    assert.deepEqual(drawnShape.update(edit.shape).add.map(({ properties }) => properties.id), ["fill"],
        "it is filled once it stands still");
    for (let step = 0; step < 300; step += 1) {
        edit = act(edit, { type: "move", place: at(step), to: [2, step / 100] });
    }
    assert.equal(edit.past.length, 99);
    assert.equal(vertexCount(edit.shape), 20_000);
});

test("what is drawn goes when the shape goes", () => {
    const drawnShape = new DrawnShape();
    drawnShape.update(shapeOf(polygon));
    assert.deepEqual(drawnShape.update({ kind: "circle", centre: [1, 1], radius: 50 }).remove, ["0/0/0"]);
    assert.deepEqual(drawnShape.update(emptyShape).remove.sort(), ["circle", "fill"]);
    assert.deepEqual(extentOf(emptyShape), []);
    assert.deepEqual(extentOf({ kind: "circle", centre: [1, 1], radius: 0 }), [[1, 1]]);
    assert.equal(extentOf(shapeOf(polygon)).length, 5);
    assert.equal(rubberLines({ kind: "polygon", points: [[0, 0]] }, undefined).length, 0);
    assert.equal(rubberLines({ kind: "polygon", points: [[0, 0], [1, 0]] }, [1, 1]).length, 2);
});

/** A generator of numbers from 0 to below 1 by a seed. */
function seeded(seed) {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state / 2 ** 32;
    };
}

test("whatever somebody does, all of it can be undone, and every ring encloses something", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
        const random = seeded(seed);
        const number = (below) => Math.floor(random() * below);
        const point = () => [number(100) / 10, number(100) / 10];
        const begun = beginEdit(shapeOf(polygon));
        let edit = begun;
        for (let step = 0; step < 60; step += 1) {
            const rings = ringsOf(edit.shape);
            const ring = rings[number(rings.length)];
            const place = ring ? at(number(ring.vertices.length), ring.ring, ring.polygon) : at(0);
            const actions = [
                { type: "move", place, to: point(), series: random() < 0.5 ? "drag" : undefined },
                { type: "insert", after: place }, { type: "remove", place }, { type: "undo" }, { type: "redo" },
                { type: "draw", kind: ["polygon", "hole", "circle"][number(3)] }, { type: "finish" },
                { type: "point", at: point(), radius: 5 + number(50) }, { type: "point", at: point(), radius: 5 },
                { type: "removeRing", place }, { type: "select", place: random() < 0.3 ? "whole" : place },
                { type: "nudge", key: "ArrowUp", metres: 5 }, { type: "stopDrawing" }, { type: "step", by: 1 },
            ];
            edit = act(edit, actions[number(actions.length)]);
            assert.ok(ringsOf(edit.shape).every(({ vertices }) => vertices.length >= 3), `seed ${seed}, step ${step}`);
            if (typeof edit.selected === "object") {
                assert.ok(vertexAt(edit.shape, edit.selected), `seed ${seed}, step ${step}: what is selected is there`);
            }
        }
        edit = act(edit, { type: "stopDrawing" });
        const end = edit.shape;
        let steps = 0;
        while (canUndo(edit)) { edit = act(edit, { type: "undo" }); steps += 1; }
        assert.equal(edit.shape, begun.shape, `seed ${seed}`);
        for (let step = 0; step < steps; step += 1) { edit = act(edit, { type: "redo" }); }
        assert.equal(edit.shape, end, `seed ${seed}: done again`);
    }
});
