/** People who lie on each other on the map. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { MapPiles } from "../../Web/console/map/mappiles.js";
import { newestOf, pileFeatures, pilesOf } from "../../Web/console/map/piles.js";

/** A mark at a place in pixels. */
const mark = (user, x, y, { weight = 0, device = `${user}/phone` } = {}) => ({
    type: "Feature", geometry: { type: "Point", coordinates: [x, y] }, properties: { user, device, weight } });
const project = ([x, y]) => ({ x, y });
const namesOf = (piles) => piles.map(({ people }) => people.map(({ user }) => user));

test("people at one place are a pile, those to look for first, and people apart are none", () => {
    const piles = pilesOf([
        mark("ann", 100, 100), mark("ben", 100, 100, { weight: 8 }), mark("cem", 103, 99), mark("dee", 300, 300),
    ], project);
    assert.deepEqual(namesOf(piles), [["ben", "ann", "cem"]]);
    assert.deepEqual(piles[0].place, [100, 100]);
    assert.deepEqual(pileFeatures(piles)[0].properties, { pile: "ben\nann\ncem", count: 3, weight: 8 });
});

test("who lies across the edge of two cells is in the pile beside, and the largest pile comes first", () => {
    const piles = pilesOf([
        mark("ann", 13.9, 13.9), mark("ben", 14.1, 14.1), mark("cem", 500, 0), mark("dee", 500, 1), mark("eli", 501, 0),
    ], project);
    assert.deepEqual(namesOf(piles), [["cem", "dee", "eli"], ["ann", "ben"]]);
});

test("two devices of one person are no pile", () => {
    assert.deepEqual(pilesOf([mark("ann", 1, 1), mark("ann", 1, 1, { device: "ann/watch" })], project), []);
});

test("three thousand people in a row are grouped at once", () => {
    const many = Array.from({ length: 3000 }, (_, index) => mark(`user-${index}`, Math.floor(index / 3) * 40, 0));
    const piles = pilesOf(many, project);
    assert.equal(piles.length, 1000);
    assert.ok(piles.every(({ people }) => people.length === 3));
});

test("a press on a number opens the pile that it was drawn for, and none where that is gone", () => {
    let features = [
        mark("ann", 0, 0), mark("ben", 0, 0), mark("cem", 300, 0), mark("dee", 300, 0), mark("eli", 300, 0),
    ];
    const drawn = [];
    const piles = new MapPiles({
        on: () => {}, getZoom: () => 20, getBounds: () => ({ contains: () => true }), project,
        getSource: () => ({ setData: (data) => { drawn.push(data.features); } }),
    }, (kind) => (kind === "people" ? features : []), () => {});
    piles.refresh();
    const [, pressed] = drawn[0].map(({ properties }) => properties.pile);
    assert.deepEqual(piles.named(pressed).people.map(({ user }) => user), ["ann", "ben"]);
    // Two left the larger pile: the other one is the first now, while the map still shows the numbers of before.
    features = features.slice(0, 3);
    piles.refresh();
    assert.deepEqual(piles.named(pressed).people.map(({ user }) => user), ["ann", "ben"]);
    assert.equal(piles.named(drawn[0][0].properties.pile), undefined);
});

test("a list that is open has the people who lie there now, and none once they went apart", () => {
    const opened = pilesOf([mark("ann", 0, 0), mark("ben", 0, 0), mark("cem", 0, 0), mark("dee", 90, 0),
        mark("eli", 90, 0)], project);
    const later = pilesOf([mark("ann", 0, 0), mark("ben", 0, 0), mark("fay", 0, 0), mark("cem", 90, 0),
        mark("dee", 90, 0)], project);
    assert.deepEqual(namesOf(newestOf(opened, opened)), namesOf(opened));
    assert.deepEqual(namesOf(newestOf([opened[0]], later)), [["ann", "ben", "fay"]]);
    assert.deepEqual(newestOf([opened[1]], pilesOf([mark("dee", 0, 0), mark("eli", 300, 0)], project)), []);
});
