/** The region index as WebAssembly against the same code compiled for this machine. `make wasm` builds both. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { before, describe, test } from "node:test";

import { Regions } from "../../Wasm/regions.mjs";

const folder = new URL("../../.build/wasm/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder));
const isBuilt = existsSync(new URL("regions.wasm", folder)) && existsSync(new URL("answers.json", folder));
const reason = existsSync(new URL("skipped", folder)) ? read("skipped").toString().trim() : "run `make wasm` first";

describe("the WebAssembly module", { skip: isBuilt ? false : reason }, () => {
    let answers;
    let regions;

    before(async () => {
        answers = JSON.parse(read("answers.json"));
        regions = await Regions.load(read("regions.wasm"));
        for (const [id, shape] of answers.regions) {
            assert.ok(Array.isArray(shape) ? regions.putCircle(id, ...shape) : regions.put(id, shape), `${id}`);
        }
    });

    /** Asks at all places; every answer must be the native one. */
    function compareAll() {
        const { places, found } = answers;
        let hits = 0;
        for (const [index, expected] of found.entries()) {
            const actual = regions.containing(places[2 * index], places[2 * index + 1]);
            assert.deepEqual(actual, expected, `place ${index}`);
            hits += actual.length;
        }
        assert.ok(hits > found.length, "the places are worth asking at");
    }

    test("finds at every place what the native index finds, region by region put", compareAll);

    test("finds the same in one mesh of all regions", () => {
        regions.rebuild();
        compareAll();
    });

    test("measures distances as the native code does, to a micrometre", () => {
        const { places, distances } = answers;
        for (const [index, expected] of distances.entries()) {
            const actual = regions.distance(...places.slice(2 * index, 2 * index + 4));
            assert.ok(Math.abs(actual - expected) < 1e-6, `${index}: ${actual}, not ${expected}`);
        }
    });

    test("refuses what the server refuses, and forgets what is removed", async () => {
        const fresh = await Regions.load(read("regions.wasm"));
        const bow = [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]];
        assert.equal(fresh.put(1, { type: "Polygon", coordinates: bow }), false);
        assert.equal(fresh.putCircle(2, 0, 91, 10), false);
        const two = [[[[0, 0], [1, 0], [0, 1], [0, 0]]], [[[5, 5], [6, 5], [5, 6], [5, 5]]]];
        assert.equal(fresh.put(3, { type: "MultiPolygon", coordinates: two }), true);
        assert.deepEqual(fresh.containing(5.1, 5.1), [3]);
        assert.deepEqual(fresh.containing(0, 0), [3]);
        assert.deepEqual(fresh.containing(3, 3), []);
        assert.throws(() => fresh.containing(0, 91), RangeError);
        fresh.remove(3);
        assert.deepEqual(fresh.containing(5.1, 5.1), []);
    });
});
