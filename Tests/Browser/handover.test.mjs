/** Who is told that the lead of an incident changed, and until when. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { handoverNews, SeenHandovers } from "../../Web/console/incident/handover.js";
import { loadSnapshot } from "../../Web/console/shared/snapshot.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";

const at = "2026-11-21T12:00:00.000Z";
const incident = { number: 3, team: "crew", kind: "real", open: true, startedAt: at, startedBy: "lea", leader: "lea" };
const people = ["lea", "ben"].map((user) => ({ user, team: "crew", state: "unknown", safetySequence: 10 }));
const snapshotOf = (...incidents) => reduce(emptyState, {
    type: "snapshot", snapshot: { sequence: 10, positions: [], regions: [], incidents, members: people } });
const begun = snapshotOf(incident);
const timeOf = (index) => `2026-11-21T12:0${index}:00.000Z`;
/** The state after handovers, each as [to, by, from]. */
const handed = (...turns) => reduce(begun, { type: "changes", changes: turns.map(([to, by, from], index) => ({
    type: "incident", sequence: 11 + index, at, ...incident, leader: to, happened: "handedOver", to, by, from,
    handedOverTime: timeOf(index) })) });
const told = (live, name, seen = []) => handoverNews(live, name, seen).map(({ words }) => words);

test("the new leader is told that they lead, and the old one that they no longer do", () => {
    const live = handed(["ben", "lea", "lea"]);
    assert.match(told(live, "ben")[0], /^You lead now: Evacuation of crew\. lea handed it over to you at /);
    assert.match(told(live, "lea")[0], /^ben leads now: Evacuation of crew, since .+\. You no longer lead it$/);
    assert.deepEqual(told(live, "omar"), [], "nobody else is");
    assert.deepEqual(told(begun, "lea"), [], "who started it knows that they lead");
});

test("who takes over an incident that another leads is not said to have been given it by themselves", () => {
    const live = handed(["ben", "ben", "lea"]);
    assert.match(told(live, "ben")[0], /^You lead now: Evacuation of crew, since /);
    assert.equal(told(live, "lea").length, 1, "who led it until then is told all the same");
});

test("where nobody led an incident, nobody is told that they no longer do", () => {
    const live = handed(["ben", "ben", undefined]);
    assert.deepEqual([told(live, "ben").length, told(live, "lea").length], [1, 0]);
});

test("what somebody said they know of is not told again, but the next handover is", () => {
    const first = handed(["ben", "lea", "lea"]);
    const [{ key }] = handoverNews(first, "ben", []);
    assert.deepEqual(told(first, "ben", [key]), []);
    const again = handed(["ben", "lea", "lea"], ["lea", "ben", "ben"], ["ben", "lea", "lea"]);
    assert.equal(told(again, "ben", [key]).length, 1);
});

test("who started an incident and gets its lead back is told so", () => {
    const live = handed(["ben", "lea", "lea"], ["lea", "ben", "ben"]);
    assert.match(told(live, "lea")[0], /^You lead now: Evacuation of crew\. ben handed it over to you at /);
    assert.match(told(live, "ben")[0], /^lea leads now/);
});

test("a handover is told though its event is long gone, and of several the newest alone", () => {
    const live = handed(["ben", "lea", "lea"], ["omar", "ben", "ben"]);
    const later = reduce({ ...live, events: [] }, { type: "changes", changes: [
        { type: "incident", sequence: 90, at, ...incident, leader: "omar", happened: "allAccounted" }] });
    assert.equal(told(later, "omar").length, 1);
    assert.equal(told(later, "ben").length, 1);
    assert.deepEqual(told(later, "lea"), [], "who led it before the last two is told nothing");
});

test("a page that is opened later reads the newest handover with the roll, and tells it once", async () => {
    const handover = { at: timeOf(0), to: "ben", by: "lea", from: "lea" };
    const answers = {
        incidents: { items: [{ ...incident, leader: "ben" }] }, "incidents/3": { ...incident, roll: [], handover },
        "positions?limit=1000": { sequence: 10, items: [] },
    };
    const get = async (path) => answers[path] ?? { items: [] };
    const live = reduce(emptyState, { type: "snapshot", snapshot: await loadSnapshot(get, []) });
    const [{ key }] = handoverNews(live, "ben", []);
    const [{ key: sameKey }] = handoverNews(handed(["ben", "lea", "lea"]), "ben", []);
    assert.equal(key, sameKey, "what was told by the feed is not told again after a reload");
    assert.deepEqual(told(live, "lea").length, 1);
});

test("an incident that is over tells nothing", () => {
    const over = reduce(handed(["ben", "lea", "lea"]), { type: "changes", changes: [
        { type: "incident", sequence: 20, at, ...incident, open: false, closedAt: at, closedBy: "ben" }] });
    assert.deepEqual(told(over, "ben"), []);
});

/** A browser's memory, and what a page over it reports. */
function memory() {
    const values = new Map();
    const storage = { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => { values.set(key, value); } };
    const world = { values, keys: undefined };
    world.open = () => new SeenHandovers({ storage, report: (found) => { world.keys = found; } });
    return world;
}

test("what was seen is remembered by the browser, and a broken memory tells everything", () => {
    const world = memory();
    const seen = world.open();
    seen.begin("ben");
    seen.add("3 11");
    world.open().begin("ben");
    assert.deepEqual(world.keys, ["3 11"]);
    world.values.set([...world.values.keys()][0], "{");
    world.open().begin("ben");
    assert.deepEqual(world.keys, []);
});

test("of two leaders at one browser each is told, whatever the other said that they know", () => {
    const world = memory();
    const seen = world.open();
    const live = handed(["ben", "lea", "lea"]);
    seen.begin("lea");
    for (const { key } of handoverNews(live, "lea", world.keys)) { seen.add(key); }
    assert.deepEqual(told(live, "lea", world.keys), []);
    seen.begin("ben");
    assert.equal(told(live, "ben", world.keys).length, 1);
});
