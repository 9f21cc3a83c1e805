/**
 * What the engine answers after each fix of 200 seeded walks under both policies, of the golden sequences, and of the
 * shared test data where it is there, against the same code compiled for this machine. `make wasm` builds both.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { before, describe, test } from "node:test";

import { Engine } from "../../Web/engine/engine.js";

const bytes = readFileSync(new URL("../../Web/engine/engine.wasm", import.meta.url));
const built = new URL("../../.build/wasm/", import.meta.url);
const isBuilt = existsSync(new URL("answers/scenarios.bin", built));
const reason = existsSync(new URL("skipped", built)) ? readFileSync(new URL("skipped", built), "utf8").trim()
    : "run `make wasm` first";

/** How many enters, exits, dwells, passages and presences there were. */
const kinds = [0, 0, 0, 0, 0];

/** The engine with a scenario's regions. */
async function engineOf({ filter, silenceSeconds, collections, regions }, now) {
    const engine = await Engine.load(bytes);
    engine.setTeam({ filter, silenceSeconds });
    for (const collection of collections) { engine.putCollection(collection); }
    for (const region of regions) { assert.ok(engine.put(region.id, region), `region ${region.id}`); }
    engine.review(now);
    return engine;
}

/**
 * What the engine answers after a fix, in the order of the native program.
 * @returns {{numbers: number[], probabilities: Set<number>}} and which of the numbers are probabilities: they follow
 *   from a distance that is exact to nanometres. The server says them in whole per cent, which are among the other
 *   numbers
 */
function answersOf(engine, [longitude, latitude, accuracy, speed, sampleTime, receivedTime], isWhole) {
    const { exports } = engine;
    const numbers = [exports.feed(longitude, latitude, accuracy, speed, sampleTime, receivedTime)];
    const probabilities = new Set();
    const add = () => { for (const number of engine.answer()) { numbers.push(number); } };
    add();
    for (let at = 1; at < numbers.length; at += 6) { kinds[numbers[at]] += 1; }
    exports.sweep(receivedTime);
    add();
    exports.safety();
    add();
    exports.estimate();
    add();
    const start = numbers.length;
    exports.presences();
    add();
    for (let at = start + 2; at < numbers.length; at += 7) { probabilities.add(at); }
    if (isWhole) { exports.trackWords(); add(); }
    return { numbers, probabilities };
}

describe("what a phone decides", { skip: isBuilt ? false : reason }, () => {
    let scenarios;
    let numbers;
    const counts = { fixes: 0, numbers: 0, probabilities: 0, rounded: 0 };
    const isRounding = (left, right) => {
        counts.rounded += 1;
        return Math.abs(left - right) < 1e-9;
    };

    before(() => {
        scenarios = JSON.parse(readFileSync(new URL("answers/scenarios.json", built)));
        const file = readFileSync(new URL("answers/scenarios.bin", built));
        numbers = new Float64Array(file.buffer, file.byteOffset, file.length / 8);
        let at = 0;
        for (const scenario of scenarios) {
            scenario.at = at;
            for (let fix = 0; fix < scenario.fixes; fix += 1) { at += 7 + numbers[at + 6]; }
        }
        assert.equal(at, numbers.length);
    });

    /** Feeds the fixes of all scenarios of a kind; each answer must be the native one, bit for bit. */
    async function compare(kind, context) {
        const chosen = scenarios.filter(({ name }) => name.startsWith(kind));
        for (const scenario of chosen) {
            let { at } = scenario;
            const engine = await engineOf(scenario, numbers[at + 5]);
            for (let fix = 0; fix < scenario.fixes; fix += 1) {
                const expected = numbers.subarray(at + 7, at + 7 + numbers[at + 6]);
                const isWhole = fix % 20 === 0 || fix === scenario.fixes - 1;
                const { numbers: actual, probabilities } = answersOf(engine, numbers.subarray(at, at + 6), isWhole);
                const isSame = (number, index) => Object.is(number, expected[index])
                    || (probabilities.has(index) && isRounding(number, expected[index]));
                if (actual.length !== expected.length || !actual.every(isSame)) {
                    assert.deepEqual(actual, [...expected], `${scenario.name}, fix ${fix}`);
                }
                counts.fixes += 1;
                counts.numbers += actual.length;
                counts.probabilities += probabilities.size;
                at += 7 + numbers[at + 6];
            }
        }
        context.diagnostic(`${chosen.length} scenarios; so far ${counts.fixes} fixes, ${counts.numbers} numbers, `
            + `${counts.rounded} of ${counts.probabilities} probabilities other in their last digits`);
        return chosen.length;
    }

    test("200 seeded walks under the confident policy and the raw one", async (context) => {
        assert.equal(await compare("walk", context), 400);
        context.diagnostic(`enters, exits, dwells, passages, presences: ${kinds}`);
        assert.ok(kinds.every((count) => count > 5), "the walks are worth following");
    });

    test("the golden sequences", async (context) => {
        assert.equal(await compare("golden", context), 23);
    });

    for (const kind of ["leaving", "track"]) {
        test(`the shared test data: ${kind}`, async (context) => {
            const count = await compare(kind, context);
            if (count === 0) { context.skip("the shared test data is absent (MUSTER_TEST_DATA)"); }
        });
    }
});
