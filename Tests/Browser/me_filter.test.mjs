/** The member's app records the fixes that MusterKit records: both are held against the same cases. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { chordMetres } from "../../Web/me/tracking/distance.js";
import { filters, Monitor, SilenceRule } from "../../Web/me/tracking/filter.js";
import { Judgement } from "../../Web/me/tracking/judgement.js";

const golden = JSON.parse(readFileSync(new URL("../MusterKitTests/Golden/location-filter.json", import.meta.url)));

/** A monitor whose filter is chosen fix by fix. */
function decisions(fixes) {
    const monitors = {
        foreground: new Monitor(), everything: new Monitor({ foreground: filters.everything }),
    };
    const monitor = monitors[fixes.some(({ filter }) => filter === "everything") ? "everything" : "foreground"];
    return fixes.map(({ filter, nowMilliseconds, sampleMilliseconds, latitude, longitude, accuracyMetres }) => {
        monitor.isInBackground = filter === "background";
        return monitor.admits(
            { latitude, longitude, accuracy: accuracyMetres, wallMs: sampleMilliseconds }, nowMilliseconds);
    });
}

test("the cases say much, and none mixes what a monitor cannot be", () => {
    assert.ok(golden.length >= 20);
    const answers = golden.flatMap(({ fixes }) => fixes.map(({ isAdmitted }) => isAdmitted));
    assert.ok(answers.filter(Boolean).length > 100 && answers.filter((answer) => !answer).length > 100);
    for (const { name, fixes } of golden) {
        const used = new Set(fixes.map(({ filter }) => filter));
        assert.ok(!(used.has("everything") && used.has("foreground")), name);
    }
});

for (const { name, fixes } of golden) {
    test(`as MusterKit: ${name}`, () => {
        assert.deepEqual(decisions(fixes), fixes.map(({ isAdmitted }) => isAdmitted));
    });
}

test("somebody who stands still is recorded every 20 s, and the filter does not learn of it", () => {
    const [monitor, undisturbed] = [new Monitor(), new Monitor()];
    const rule = new SilenceRule();
    const place = { latitude: 52, longitude: 13, accuracy: 5 };
    const recorded = [];
    for (let seconds = 0; seconds <= 100; seconds += 5) {
        const fix = { ...place, wallMs: seconds * 1000 };
        const isAdmitted = monitor.admits(fix, fix.wallMs);
        assert.equal(isAdmitted, undisturbed.admits(fix, fix.wallMs));
        if (isAdmitted || rule.wants(fix.wallMs)) { rule.note(fix.wallMs); recorded.push(seconds); }
    }
    assert.deepEqual(recorded, [0, 20, 40, 60, 80, 100]);
    assert.equal(new SilenceRule(Infinity).wants(1e9), false);
});

test("a chord is the distance, across the antimeridian and at the pole", () => {
    const near = (metres, expected) => assert.ok(Math.abs(metres - expected) < 1e-3, `${metres}`);
    near(chordMetres({ latitude: 0, longitude: 179.9999 }, { latitude: 0, longitude: -179.9999 }), 22.2639);
    near(chordMetres({ latitude: 90, longitude: 5 }, { latitude: 90, longitude: 170 }), 0);
    near(chordMetres({ latitude: 52, longitude: 13 }, { latitude: 52.001, longitude: 13 }), 111.2669);
});

const at = (seconds, metresNorth, accuracy = 5) => ({
    latitude: 52 + metresNorth / 111_266.9, longitude: 13, accuracy, accuracy95: accuracy * 1.62,
    monotonicMs: seconds * 1000,
});

test("three coarse fixes in a row are told, and one good one ends it", () => {
    const judgement = new Judgement();
    for (const seconds of [0, 5]) { judgement.take(at(seconds, 0, 2000)); }
    assert.equal(judgement.isCoarse, false);
    judgement.take(at(10, 0, 201));
    assert.equal(judgement.isCoarse, true);
    judgement.take(at(15, 0, 200));
    assert.equal(judgement.isCoarse, false);
});

test("a receiver that jumps is told; a train and a single jump are not", () => {
    const told = (places) => {
        const judgement = new Judgement();
        return places.map((metres, index) => { judgement.take(at(index * 5, metres)); return judgement.isJumping; });
    };
    assert.deepEqual(told([0, 2000, 0, 5]), [false, false, true, true]);
    assert.deepEqual(told([0, 3000, 3005, 3010, 3020, 3030]), Array(6).fill(false));
    assert.deepEqual(told([0, 330, 660, 990, 1320]), Array(5).fill(false));
    assert.equal(told([0, 2000, 0, 5, 10, 15, 20, 25]).at(-1), false);
});
