/** Places that the search finds beside people. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { townOf } from "../../Web/console/map/maptowns.js";
import { OwnPlaces, placesOfDocuments } from "../../Web/console/roster/ownplaces.js";
import { placesNamed, placesOfRegions } from "../../Web/console/roster/placesearch.js";
import { Problem } from "../../Web/console/shared/http.js";

const named = (text, places, limit) => placesNamed(text, places, limit).map(({ kind, name }) => `${kind} ${name}`);
const town = (name, place, names = []) => ({ kind: "town", name, names, place });

test("regions, own places and towns are found by a part of their names, those that begin with it first", () => {
    const places = [
        town("Harburg", [10, 53.5]), town("Old Harbour", [-77, 17.9]),
        { kind: "own", id: "p1", name: "Harbour café", place: [10.7, 59.9] },
        { kind: "region", id: "site/h", name: "Harbour", place: [10, 59] },
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
    assert.deepEqual(placesOfDocuments({ rows }).places.map(({ name, place }) => [name, ...place]),
        [["Quay", 10.7, 59.9], ["Mill", -10, -5]]);
    assert.deepEqual(placesOfDocuments({}), { places: [], isCut: false });
    assert.equal(placesOfDocuments({ rows, total_rows: 5000 }).isCut, true);
    const regions = new Map([
        ["a/q", { name: "Yard", id: "q", radius: 30, geometry: { type: "Point", coordinates: [10, 59] } }],
        ["a/b", { name: "Beacon", id: "b", geometry: null }],
    ]);
    assert.deepEqual(placesOfRegions(regions).map(({ name }) => name), ["Yard"]);
});

test("two regions of one name at one place are two, each with its collection, and so are two own places", () => {
    const yard = (collection) => ({
        name: "Yard", id: "y", collection, radius: 30, geometry: { type: "Point", coordinates: [10, 59] } });
    const regions = placesOfRegions(new Map([["north/y", yard("north")], ["south/y", yard("south")]]));
    const found = placesNamed("yard", [...regions, { kind: "own", id: "1", name: "Yard", place: [10, 59] },
        { kind: "own", id: "2", name: "Yard", place: [10, 59] }]);
    assert.deepEqual(found.map(({ kind, collection }) => [kind, collection].join(" ").trim()).sort(),
        ["own", "own", "region north", "region south"]);
});

/** The own places of a server whose answers the test gives, one after another. */
function ownOf(answers) {
    const world = { nowMs: 0, asked: 0 };
    world.own = new OwnPlaces({ now: () => world.nowMs, request: async () => {
        world.asked += 1;
        const answer = answers.shift();
        if (answer instanceof Error) { throw answer; }
        return { json: async () => answer };
    } });
    return world;
}

test("after a failure the own places are not asked for at each search, and once they are here not again", async () => {
    const rows = [{ id: "q", doc: { name: "Quay", geometry: { type: "Point", coordinates: [10.7, 59.9] } } }];
    const world = ownOf([new TypeError("no answer"), new TypeError("no answer"), { rows }]);
    const readAt = async (seconds) => {
        world.nowMs = seconds * 1000;
        const { places } = await world.own.read();
        return [world.asked, places.length];
    };
    assert.deepEqual(await readAt(0), [1, 0]);
    assert.deepEqual(await readAt(29), [1, 0]);
    assert.deepEqual(await readAt(30), [2, 0]);
    assert.deepEqual(await readAt(89), [2, 0]);
    assert.deepEqual(await readAt(90), [3, 1]);
    assert.deepEqual(await readAt(9000), [3, 1]);
});

test("a server without own places is asked once", async () => {
    const world = ownOf([new Problem(404, { title: "There is no such database." })]);
    await world.own.read();
    world.nowMs = 1e9;
    await world.own.read();
    assert.equal(world.asked, 1);
});
