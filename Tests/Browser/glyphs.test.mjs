/** Letters for the map: their distance fields, the bytes MapLibre reads, and which of them are kept. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { encodeGlyphs, signedDistances } from "../../Web/console/map/glyphs-field.js";
import { GlyphDrawing, parseGlyphsURL } from "../../Web/console/map/glyphs.js";

/** Numbers from 0 to 1 that a seed decides (Mulberry32). */
function seeded(seed) {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** The field by looking at every pair of pixels. */
function distancesPairByPair(coverage, width, height) {
    const nearest = (pixel, offsetOf) => {
        let least = 1e20;
        for (let other = 0; other < coverage.length; other++) {
            const [x, y] = [other % width - pixel % width, Math.floor(other / width) - Math.floor(pixel / width)];
            least = Math.min(least, x * x + y * y + offsetOf(coverage[other]));
        }
        return Math.sqrt(least);
    };
    const outer = (covered) => (covered >= 1 ? 0 : covered <= 0 ? 1e20 : Math.max(0, 0.5 - covered) ** 2);
    const inner = (covered) => (covered >= 1 ? 1e20 : covered <= 0 ? 0 : Math.max(0, covered - 0.5) ** 2);
    return Uint8Array.from(coverage, (_, pixel) => {
        const distance = nearest(pixel, outer) - nearest(pixel, inner);
        return Math.max(0, Math.min(255, Math.round(255 - 255 * (distance / 8 + 0.25))));
    });
}

test("a field has the distance that looking at every pair of pixels finds", () => {
    for (let seed = 1; seed <= 60; seed++) {
        const random = seeded(seed);
        const [width, height] = [1 + Math.floor(random() * 13), 1 + Math.floor(random() * 13)];
        const density = random();
        const coverage = Array.from({ length: width * height },
            () => (random() < density ? Math.min(1, Math.max(0, random() * 2 - 0.5)) : 0));
        const expected = distancesPairByPair(coverage, width, height);
        assert.deepEqual([...signedDistances(coverage, width, height)], [...expected], `seed ${seed}`);
    }
});

test("a field is high inside the letter, low far from it, and falls steadily across the edge", () => {
    const row = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
    const field = [...signedDistances(row, row.length, 1)];
    assert.equal(field[0], 0);
    assert.equal(field.at(-1), 255);
    for (let pixel = 1; pixel < field.length; pixel++) { assert.ok(field[pixel] >= field[pixel - 1]); }
    assert.ok(field[7] < 191 && field[8] > 191);
});

test("an empty letter and a wholly covered one have a field", () => {
    assert.deepEqual([...signedDistances([0, 0, 0, 0], 2, 2)], [0, 0, 0, 0]);
    assert.deepEqual([...signedDistances([1, 1, 1, 1], 2, 2)], [255, 255, 255, 255]);
});

test("a range is written as MapLibre's protocol buffer", () => {
    const glyph = { id: 300, width: 1, height: 2, left: -1, top: 3, advance: 9, bitmap: Uint8Array.of(7, 8) };
    assert.deepEqual([...encodeGlyphs("bold", "256-511", [glyph])], [
        0x0a, 34,
        0x0a, 4, ...Buffer.from("bold"),
        0x12, 7, ...Buffer.from("256-511"),
        0x1a, 17, 0x08, 0xac, 0x02, 0x12, 2, 7, 8, 0x18, 1, 0x20, 2, 0x28, 1, 0x30, 6, 0x38, 9,
    ]);
});

test("an address of glyphs names a stack and a range of 256, and nothing else", () => {
    assert.deepEqual(parseGlyphsURL("glyphs://regular/0-255"), { isBold: false, first: 0, last: 255 });
    assert.deepEqual(parseGlyphsURL("glyphs://bold/65280-65535"), { isBold: true, first: 65280, last: 65535 });
    for (const other of ["glyphs://regular/1-256", "glyphs://regular/0-511", "glyphs://regular/65536-65791",
        "glyphs://regular/0-255.pbf", "glyphs:///0-255", "https://regular/0-255"]) {
        assert.equal(parseGlyphsURL(other), undefined, other);
    }
});

/** A worker that answers each range with its first code point, and counts; or fails. */
function countingWorker({ fails = () => false } = {}) {
    const worker = {
        drawn: 0,
        terminate() { worker.isOver = true; },
        postMessage({ request, first }) {
            worker.drawn += 1;
            const answer = fails(worker.drawn) ? { failure: "no canvas" } : { glyphs: Uint32Array.of(first).buffer };
            queueMicrotask(() => worker.onmessage({ data: { request, ...answer } }));
        },
    };
    return worker;
}

const rangeURL = (number) => `glyphs://regular/${number * 256}-${number * 256 + 255}`;

test("a range is drawn once, also when two maps ask at the same time, and each gets bytes of its own", async () => {
    const worker = countingWorker();
    const drawing = new GlyphDrawing("sans-serif", () => worker);
    const [one, other] = await Promise.all([drawing.range(rangeURL(1)), drawing.range(rangeURL(1))]);
    assert.equal(worker.drawn, 1);
    assert.notEqual(one, other);
    assert.equal(new Uint32Array(one)[0], 256);
    assert.deepEqual(new Uint32Array(other), new Uint32Array(one));
});

test("the ranges used last are kept, and no more than 32", async () => {
    const worker = countingWorker();
    const drawing = new GlyphDrawing("sans-serif", () => worker);
    for (let number = 0; number < 32; number++) { await drawing.range(rangeURL(number)); }
    await drawing.range(rangeURL(0));
    await drawing.range(rangeURL(32));
    assert.equal(worker.drawn, 33);
    await drawing.range(rangeURL(0));
    assert.equal(worker.drawn, 33);
    await drawing.range(rangeURL(1));
    assert.equal(worker.drawn, 34);
});

test("a range that could not be drawn is drawn again when it is asked for again", async () => {
    const worker = countingWorker({ fails: (count) => count === 1 });
    const drawing = new GlyphDrawing("sans-serif", () => worker);
    await assert.rejects(drawing.range(rangeURL(0)), /no canvas/);
    assert.equal(new Uint32Array(await drawing.range(rangeURL(0)))[0], 0);
});

test("a worker that cannot start fails who waits, and the next request starts another", async () => {
    const workers = [];
    const drawing = new GlyphDrawing("sans-serif", () => {
        workers.push(countingWorker());
        if (workers.length === 1) {
            workers[0].postMessage = () => queueMicrotask(() => workers[0].onerror({ message: "no modules" }));
        }
        return workers.at(-1);
    });
    await assert.rejects(drawing.range(rangeURL(0)), /no modules/);
    assert.ok(workers[0].isOver);
    assert.equal(new Uint32Array(await drawing.range(rangeURL(0)))[0], 0);
    assert.equal(workers.length, 2);
});
