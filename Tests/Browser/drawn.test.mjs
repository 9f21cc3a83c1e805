/** What the map is given: the differences alone, one lot at a time. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { DrawnPeople } from "../../Web/console/map/drawn.js";
import { drawnPlace } from "../../Web/console/map/mapdata.js";
import { MapSource } from "../../Web/console/map/mapsource.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";

const square = { collection: "site", id: "sq", name: "Square", muster: true };
const time = (second) => `2026-11-21T06:00:${String(second).padStart(2, "0")}Z`;

function stateOf(users, incidents = []) {
    return reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 1, regions: [], incidents,
        members: users.map((user) => ({ user, team: "north", state: "unknown", safetySequence: 1 })),
        positions: users.map((user) => (
            { device: `${user}/phone`, longitude: 10.7, latitude: 59.9, accuracy: 5, sampleTime: time(1) })),
    } });
}

const after = (state, ...changes) => reduce(state, { type: "changes", changes });
const moved = (sequence, device, longitude) => ({
    sequence, type: "position", device, at: time(sequence),
    position: { longitude, latitude: 59.9, accuracy: 5, sampleTime: time(sequence), receivedTime: time(sequence) },
});
const safety = (sequence, user, fields) => ({ sequence, type: "safety", user, since: time(sequence), ...fields });

/** The devices that a difference adds and removes, by kind; kinds with neither are left out. */
function told(differences) {
    const kinds = Object.entries(differences).filter(([, { add, remove }]) => add.length + remove.length > 0);
    return Object.fromEntries(kinds.map(([kind, { add, remove }]) => (
        [kind, [add.map(({ properties }) => properties.device), remove]])));
}

test("the first state is drawn whole, and a state that did not change not at all", () => {
    const people = new DrawnPeople();
    const state = stateOf(["ann", "bob", "cem"]);
    assert.deepEqual(told(people.update(state)), { people: [["ann/phone", "bob/phone", "cem/phone"], []] });
    assert.deepEqual(told(people.update(state)), {});
});

test("of many people only the one who moved is drawn anew", () => {
    const people = new DrawnPeople();
    const state = stateOf(["ann", "bob", "cem"]);
    people.update(state);
    const { people: { add, remove } } = people.update(after(state, moved(2, "bob/phone", 10.8)));
    assert.deepEqual(add.map(({ geometry }) => geometry.coordinates), [[10.8, 59.9]]);
    assert.deepEqual(remove, []);
});

test("who becomes safe in a region moves from the people to the sheltered, and back", () => {
    const people = new DrawnPeople();
    const state = stateOf(["ann", "bob"]);
    people.update(state);
    const safe = after(state, safety(2, "ann", { state: "safe", region: square }));
    assert.deepEqual(told(people.update(safe)), { people: [[], ["ann/phone"]], sheltered: [["ann/phone"], []] });
    const doubted = after(safe, safety(3, "ann", { state: "safe", region: square, doubt: "checking" }));
    assert.deepEqual(told(people.update(doubted)), { people: [["ann/phone"], []], sheltered: [[], ["ann/phone"]] });
});

test("a fix that is not believed is drawn hollow with a line, and both go when it is believed", () => {
    const people = new DrawnPeople();
    const state = stateOf(["ann"]);
    people.update(state);
    const place = (longitude) => ({ longitude, latitude: 59.9 });
    const belief = { type: "belief", device: "ann/phone" };
    const doubted = after(state, { ...belief, sequence: 2, estimate: place(10.7), checking: place(10.9) });
    assert.deepEqual(told(people.update(doubted)), {
        people: [["ann/phone"], []], seeming: [["ann/phone"], []], doubts: [["ann/phone"], []] });
    const believed = after(doubted, { ...belief, sequence: 3, estimate: place(10.9) });
    assert.deepEqual(told(people.update(believed)), {
        people: [["ann/phone"], []], seeming: [[], ["ann/phone"]], doubts: [[], ["ann/phone"]] });
});

test("the map goes to where a person is drawn: where they are believed to be, or where they seem to have gone", () => {
    const place = (longitude) => ({ longitude, latitude: 59.9 });
    const doubted = after(stateOf(["ann"]), moved(2, "ann/phone", 10.9),
        { sequence: 3, type: "belief", device: "ann/phone", estimate: place(10.7), checking: place(10.9) });
    assert.deepEqual(drawnPlace(doubted.members.get("ann")), [10.7, 59.9]);
    const gone = after(doubted, safety(4, "ann", { state: "unknown", source: "seemsToHaveLeft", region: square }));
    assert.deepEqual(drawnPlace(gone.members.get("ann")), [10.9, 59.9]);
    assert.equal(drawnPlace({ positions: new Map(), beliefs: new Map() }), undefined);
});

test("who is gone is removed, and an incident draws everybody as they are shown now", () => {
    const people = new DrawnPeople();
    people.update(stateOf(["ann", "bob"]));
    assert.deepEqual(told(people.update(stateOf(["bob"]))).people[1], ["ann/phone"]);
    const unsafe = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 2, regions: [], positions: [{ device: "bob/phone", longitude: 1, latitude: 2, sampleTime: time(1) }],
        members: [{ user: "bob", team: "north", state: "unsafe", safetySequence: 1 }] } });
    assert.equal(people.update(unsafe).people.add[0].properties.state, "located");
    const begun = after(unsafe, { sequence: 3, type: "incident", number: 1, team: "north", kind: "real", open: true });
    assert.equal(people.update(begun).people.add[0].properties.state, "unsafe");
});

/** A map that takes what a source is given when it is told to. */
function mapOf() {
    const listeners = [];
    const given = [];
    const map = {
        hasSource: true,
        on: (_, listener) => listeners.push(listener),
        getSource: () => (map.hasSource ? { updateData: (difference) => given.push(difference) } : undefined),
    };
    const take = (sourceId = "people", sourceDataType = "content") => {
        for (const listener of listeners) { listener({ sourceId, sourceDataType }); }
    };
    return { map, given, take };
}

const feature = (device, longitude = 0) => (
    { type: "Feature", geometry: { type: "Point", coordinates: [longitude, 0] }, properties: { device } });
const devices = ({ add, remove }) => [add.map(({ properties }) => properties.device), remove];

test("while the map takes a difference the next ones wait, and then go together", () => {
    const { map, given, take } = mapOf();
    const source = new MapSource(map, "people", { schedule: () => {} });
    source.apply({ add: [feature("a")], remove: [] });
    source.apply({ add: [feature("a", 1), feature("b")], remove: [] });
    source.apply({ add: [feature("a", 2)], remove: ["b", "c"] });
    assert.equal(given.length, 1);
    // What the map says of other sources, or of its tiles, is no sign.
    take("regions");
    take("people", "metadata");
    assert.equal(given.length, 1);
    take();
    assert.deepEqual(devices(given[1]), [["a"], ["b", "c"]]);
    assert.equal(given[1].add[0].geometry.coordinates[0], 2);
    take();
    assert.equal(given.length, 2);
});

test("a device that went and came back is added last", () => {
    const { map, given, take } = mapOf();
    const source = new MapSource(map, "people", { schedule: () => {} });
    source.apply({ add: [feature("x")], remove: [] });
    source.apply({ add: [], remove: ["a"] });
    source.apply({ add: [feature("a", 5)], remove: [] });
    take();
    // MapLibre removes before it adds.
    assert.deepEqual(devices(given[1]), [["a"], ["a"]]);
});

test("an empty difference gives the map no work, and one before there is a source is kept", () => {
    const { map, given } = mapOf();
    const source = new MapSource(map, "people", { schedule: () => {} });
    source.apply({ add: [], remove: [] });
    assert.equal(given.length, 0);
    map.hasSource = false;
    source.apply({ add: [feature("a")], remove: [] });
    map.hasSource = true;
    source.apply({ add: [feature("b")], remove: [] });
    assert.deepEqual(devices(given[0]), [["a", "b"], []]);
});

test("a map that never says that it has taken a difference holds the next one up for two seconds", () => {
    const { map, given, take } = mapOf();
    const due = [];
    const source = new MapSource(map, "people", { schedule: (act, ms) => due.push([act, ms]) });
    source.apply({ add: [feature("a")], remove: [] });
    source.apply({ add: [feature("b")], remove: [] });
    assert.equal(due[0][1], 2000);
    due[0][0]();
    assert.deepEqual(given.map(devices), [[["a"], []], [["b"], []]]);
    // An alarm of a difference that was taken in time lets nothing pass.
    take();
    source.apply({ add: [feature("c")], remove: [] });
    source.apply({ add: [feature("d")], remove: [] });
    due[1][0]();
    assert.equal(given.length, 3);
});
