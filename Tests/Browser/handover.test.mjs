/** Who is told that the lead of an incident changed, and until when. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { handoverNews, SeenHandovers } from "../../Web/console/incident/handover.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";

const at = "2026-11-21T12:00:00.000Z";
const incident = { number: 3, team: "crew", kind: "real", open: true, startedAt: at, startedBy: "lea", leader: "lea" };
const begun = reduce(emptyState, { type: "snapshot", snapshot: {
    sequence: 10, positions: [], regions: [], incidents: [incident],
    members: ["lea", "ben"].map((user) => ({ user, team: "crew", state: "unknown", safetySequence: 10 })),
} });
const handed = (...turns) => reduce(begun, { type: "changes", changes: turns.map(([to, by], index) => ({
    type: "incident", sequence: 11 + index, at, ...incident, leader: to, happened: "handedOver", to, by })) });
const told = (live, name, seen = []) => handoverNews(live, name, seen).map(({ words }) => words);

test("the new leader is told that they lead, and the old one that they no longer do", () => {
    const live = handed(["ben", "lea"]);
    assert.match(told(live, "ben")[0], /^You lead now: Evacuation of crew\. lea handed it over to you at /);
    assert.match(told(live, "lea")[0], /^ben leads now: Evacuation of crew, since .+\. You no longer lead it$/);
    assert.deepEqual(told(live, "omar"), [], "nobody else is");
    assert.deepEqual(told(begun, "lea"), [], "who started it knows that they lead");
});

test("who takes over an incident that another leads is not said to have been given it by themselves", () => {
    const live = handed(["ben", "ben"]);
    assert.match(told(live, "ben")[0], /^You lead now: Evacuation of crew, since /);
    assert.equal(told(live, "lea").length, 1, "who led it until then is told all the same");
});

test("what somebody said they know of is not told again, but the next handover is", () => {
    const first = handed(["ben", "lea"]);
    const [{ key }] = handoverNews(first, "ben", []);
    assert.deepEqual(told(first, "ben", [key]), []);
    const again = handed(["ben", "lea"], ["lea", "ben"], ["ben", "lea"]);
    assert.equal(told(again, "ben", [key]).length, 1);
});

test("a leader whose page no longer has the event is told, too, and an incident that is over tells nothing", () => {
    const live = { ...begun, incidents: new Map([[3, { ...incident, leader: "ben" }]]) };
    assert.deepEqual(told(live, "ben"), ["You lead now: Evacuation of crew"]);
    const over = reduce(handed(["ben", "lea"]), { type: "changes", changes: [
        { type: "incident", sequence: 20, at, ...incident, open: false, closedAt: at, closedBy: "ben" }] });
    assert.deepEqual(told(over, "ben"), []);
});

test("what was seen is remembered by the browser, and a broken memory tells everything", () => {
    const values = new Map();
    const storage = { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => { values.set(key, value); } };
    let keys;
    new SeenHandovers({ storage, report: (found) => { keys = found; } }).add("3 11");
    new SeenHandovers({ storage, report: (found) => { keys = found; } });
    assert.deepEqual(keys, ["3 11"]);
    values.set([...values.keys()][0], "{");
    new SeenHandovers({ storage, report: (found) => { keys = found; } });
    assert.deepEqual(keys, []);
});
