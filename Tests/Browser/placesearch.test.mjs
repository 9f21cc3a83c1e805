/** Places that the search finds beside people. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { townOf } from "../../Web/console/map/maptowns.js";
import { placesNamed, placesOfDocuments, placesOfRegions } from "../../Web/console/roster/placesearch.js";

const named = (text, places, limit) => placesNamed(text, places, limit).map(({ kind, name }) => `${kind} ${name}`);
const town = (name, place, names = []) => ({ kind: "town", name, names, place });

test("regions, own places and towns are found by a part of their names, those that begin with it first", () => {
    const places = [
        town("Harburg", [10, 53.5]), town("Old Harbour", [-77, 17.9]),
        { kind: "own", name: "Harbour café", place: [10.7, 59.9] },
        { kind: "region", name: "Harbour", place: [10, 59] },
    ];
    assert.deepEqual(named("HARB", places), ["region Harbour", "own Harbour café", "town Harburg", "town Old Harbour"]);
    assert.deepEqual(named("cafe", places), ["own Harbour café"]);
    assert.deepEqual(named("h", places), [], "one letter finds half the world");
    assert.deepEqual(named("harb", places, 2), ["region Harbour", "own Harbour café"]);
});

test("a town is found by its name in another language, and once though it lies in two tiles", () => {
    const munich = town("Munich", [11.576, 48.137], ["ミュンヘン", "慕尼黑"]);
    assert.deepEqual(named("ミュンヘン", [munich, { ...munich, place: [11.5761, 48.1371] }]), ["town Munich"]);
});

test("what the ground names besides towns, and what has no name, is no town", () => {
    const point = { type: "Point", coordinates: [11.5, 48.1] };
    assert.deepEqual(townOf({ geometry: point, properties: { kind: "town", name: "Dachau", "name:ja": "ダッハウ" } }),
        { kind: "town", name: "Dachau", names: ["ダッハウ"], place: [11.5, 48.1] });
    assert.equal(townOf({ geometry: point, properties: { kind: "country", name: "Germany" } }), undefined);
    assert.equal(townOf({ geometry: point, properties: { class: "state", name: "Bavaria" } }), undefined);
    assert.equal(townOf({ geometry: point, properties: { kind: "town" } }), undefined);
});

test("documents without a name or a place on the globe are left out, and a region without a shape is", () => {
    const document = (doc) => ({ doc });
    const rows = [
        document({ name: "Quay", geometry: { type: "Point", coordinates: [10.7, 59.9] } }),
        document({ properties: { name: "Mill" }, geometry: { type: "Point", coordinates: [-10, -5] } }),
        document({ name: "Off", geometry: { type: "Point", coordinates: [500, 0] } }),
        document({ name: 7, geometry: { type: "Point", coordinates: [1, 1] } }),
        document({ _id: "_design/points" }), {},
    ];
    assert.deepEqual(placesOfDocuments({ rows }).map(({ name, place }) => [name, ...place]),
        [["Quay", 10.7, 59.9], ["Mill", -10, -5]]);
    assert.deepEqual(placesOfDocuments({}), []);
    const regions = new Map([
        ["a/q", { name: "Yard", id: "q", radius: 30, geometry: { type: "Point", coordinates: [10, 59] } }],
        ["a/b", { name: "Beacon", id: "b", geometry: null }],
    ]);
    assert.deepEqual(placesOfRegions(regions).map(({ name }) => name), ["Yard"]);
});
