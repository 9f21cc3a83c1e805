/** Compares the engine as WebAssembly with the same code compiled natively. `make wasm` builds both. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import { Engine } from "../../Web/engine/engine.js";

const adopted = new URL("../../Web/engine/", import.meta.url);
const built = new URL("../../.build/wasm/", import.meta.url);
const bytes = readFileSync(new URL("engine.wasm", adopted));
const isBuilt = existsSync(new URL("answers/scenarios.bin", built));
const reason = existsSync(new URL("skipped", built)) ? readFileSync(new URL("skipped", built), "utf8").trim()
    : "run `make wasm` first";
const isSame = (left, right) => left.length === right.length && left.every((value, at) => Object.is(value, right[at]));

describe("the engine that the pages use", () => {
    test("is the one that engine.json names, and is small enough for a telephone", () => {
        const named = JSON.parse(readFileSync(new URL("engine.json", adopted), "utf8"));
        assert.equal(createHash("sha256").update(bytes).digest("hex"), named.sha256);
        assert.equal(bytes.length, named.bytes);
        assert.ok(gzipSync(bytes, { level: 9 }).length < 250_000);
    });

    test("asks nothing of its host", async () => {
        assert.deepEqual(WebAssembly.Module.imports(await WebAssembly.compile(bytes)), []);
    });

    test("refuses what the server refuses, and forgets what is removed", async () => {
        const engine = await Engine.load(bytes);
        const collection = engine.putCollection();
        const bow = [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]];
        assert.equal(engine.put(1, { collection, geometry: { type: "Polygon", coordinates: bow } }), false);
        assert.equal(engine.put(1, { collection, geometry: { type: "LineString", coordinates: bow[0] } }), false);
        const circle = (latitude, radius) =>
            ({ collection, geometry: { type: "Point", coordinates: [0, latitude] }, radius });
        assert.equal(engine.put(2, circle(91, 9)), false);
        assert.equal(engine.put(2, circle(9, undefined)), false);
        const two = [[[[0, 0], [1, 0], [0, 1], [0, 0]]], [[[5, 5], [6, 5], [5, 6], [5, 5]]]];
        assert.equal(engine.put(3, { collection, geometry: { type: "MultiPolygon", coordinates: two } }), true);
        engine.review(0);
        assert.deepEqual(engine.containing({ longitude: 5.1, latitude: 5.1 }), [3]);
        assert.deepEqual(engine.containing({ longitude: 0, latitude: 0 }), [3]);
        assert.deepEqual(engine.containing({ longitude: 3, latitude: 3 }), []);
        assert.throws(() => engine.containing({ longitude: 0, latitude: 91 }), RangeError);
        engine.remove(3);
        engine.review(0);
        assert.deepEqual(engine.containing({ longitude: 5.1, latitude: 5.1 }), []);
        assert.ok(Number.isNaN(engine.boundaryDistance(3, { longitude: 5, latitude: 5 })));
    });

    test("takes numbers that make no sense without harm", async () => {
        const engine = await Engine.load(bytes);
        const fix = { latitude: 46, longitude: 14, accuracy: 5, sampleTime: 0 };
        for (const wrong of [NaN, Infinity, 1e300, undefined]) {
            assert.throws(() => engine.feed({ ...fix, latitude: wrong }), RangeError);
            assert.throws(() => engine.feed({ ...fix, sampleTime: wrong }, 0), RangeError);
            assert.throws(() => engine.way([14, 46], [wrong, 46]), RangeError);
            engine.feed({ ...fix, accuracy: wrong, speed: wrong });
        }
        assert.ok(engine.estimate().deviationMetres > 0);
    });
});

describe("regions and geodesics", { skip: isBuilt ? false : reason }, () => {
    let answers;
    let engine;

    before(async () => {
        answers = JSON.parse(readFileSync(new URL("answers/regions.json", built)));
        engine = await Engine.load(bytes);
        const collection = engine.putCollection();
        for (const [id, shape] of answers.regions) {
            const region = Array.isArray(shape)
                ? { geometry: { type: "Point", coordinates: shape.slice(0, 2) }, radius: shape[2] }
                : { geometry: shape };
            assert.ok(engine.put(id, { ...region, collection }), `${id}`);
        }
    });

    /** Finds the regions at all places. Each answer must be the native one. */
    function compareAll() {
        const { places, found } = answers;
        let hits = 0;
        for (const [index, expected] of found.entries()) {
            const actual = engine.containing({ longitude: places[2 * index], latitude: places[2 * index + 1] });
            if (!isSame(actual, expected)) { assert.deepEqual(actual, expected, `place ${index}`); }
            hits += actual.length;
        }
        assert.ok(hits > found.length, "the places are worth asking at");
    }

    test("each of 100,000 places is in the server's regions, region by region put", compareAll);

    test("each is in the same in one mesh of all regions", () => {
        engine.rebuild();
        compareAll();
    });

    test("boundaries are as far as the server measures, to a nanometre", () => {
        const { places, boundaries } = answers;
        for (const [index, expected] of boundaries.entries()) {
            const place = { longitude: places[2 * index], latitude: places[2 * index + 1] };
            const actual = engine.boundaryDistance(index % 400, place);
            if (expected === null) { assert.ok(Number.isNaN(actual)); continue; }
            assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${index}: ${actual}`);
        }
    });

    test("geodesics are the server's, to ten nanometres", (context) => {
        const { places, lines } = answers;
        let same = 0;
        let worst = 0;
        for (const [index, expected] of lines.entries()) {
            const [from, to] = [places.slice(2 * index, 2 * index + 2), places.slice(2 * index + 2, 2 * index + 4)];
            const way = engine.way(from, to);
            worst = Math.max(worst, Math.abs(way.distanceMetres - expected[0]));
            if (way.distanceMetres === expected[0]) { same += 1; }
            const [longitude, latitude] = engine.destination(from, expected[1], expected[0]);
            assert.ok(Math.abs(latitude - expected[4]) < 1e-12, `${index}`);
            const apart = Math.abs(longitude - expected[3]) * Math.cos(latitude * Math.PI / 180);
            assert.ok(apart < 1e-12 || apart > 359, `${index}: ${longitude}, not ${expected[3]}`);
        }
        context.diagnostic(`${same} of ${lines.length} lengths bit for bit; at most ${worst} m off`);
        assert.ok(worst < 1e-8);
    });
});
