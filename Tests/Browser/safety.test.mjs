/** What the page makes of calls for help and incidents. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventWords } from "../../Web/live/events.js";
import { markOrder, marks } from "../../Web/live/marks.js";
import { calls, counts, emptyState, reduce, tally } from "../../Web/live/state.js";

const at = "2026-11-21T12:03:00.000Z";
const snapshot = {
    sequence: 10, positions: [], regions: [], incidents: [],
    members: ["alice", "bob", "zoe"].map((user) => ({ user, state: "unknown", team: "crew", safetySequence: 10 })),
};
const begun = reduce(emptyState, { type: "snapshot", snapshot });
const after = (...changes) => reduce(begun, {
    type: "changes", changes: changes.map((change, index) => ({ sequence: 11 + index, at, ...change })),
});

test("every state there is has a mark, a word and a place in the list", () => {
    assert.deepEqual(new Set(Object.keys(counts(emptyState))), new Set(markOrder));
    assert.deepEqual(new Set(Object.keys(marks)), new Set(markOrder));
    assert.equal(new Set(markOrder.map((state) => marks[state].word)).size, markOrder.length);
});

test("calls for help stand with who has heard them, those in danger first", () => {
    const state = after(
        { type: "safety", user: "bob", state: "needsHelp", since: at, source: "ownDeclaration" },
        { type: "safety", user: "alice", state: "sos", since: at, source: "marked", markedBy: "lea" },
        { type: "safety", user: "bob", state: "needsHelp", since: at, acknowledgedBy: "lea" });
    assert.deepEqual(calls(state).map(({ user, acknowledgedBy }) => [user, acknowledgedBy]),
        [["alice", undefined], ["bob", "lea"]]);
    assert.deepEqual(calls(reduce(state, {
        type: "changes", changes: [{ sequence: 20, type: "safety", user: "alice", state: "safe", since: at }],
    })).map(({ user }) => user), ["bob"]);
});

test("an incident is open until it is closed, and counts who of its team is accounted for", () => {
    const incident = { type: "incident", number: 3, team: "crew", kind: "drill", startedAt: at, startedBy: "lea" };
    const open = after(
        { ...incident, open: true }, { type: "safety", user: "alice", state: "safe", since: at },
        { type: "safety", user: "bob", state: "offSite", since: at });
    assert.equal(open.incidents.get(3).kind, "drill");
    assert.deepEqual(tally(open, open.incidents.get(3)), { accounted: 2, people: 3 });
    const closed = reduce(open, { type: "changes", changes: [{ ...incident, sequence: 30, at, open: false }] });
    assert.equal(closed.incidents.size, 0);
    assert.equal(open.incidents.size, 1);
});

test("events say what happened in words, a drill as a drill", () => {
    const words = (change) => eventWords(after(change).events[0]);
    assert.equal(words({ type: "safety", user: "alice", state: "sos", since: at }), "calls SOS");
    assert.equal(words({ type: "reminder", user: "alice", state: "needsHelp" }),
        "still needs help: nobody has heard it");
    assert.equal(words({ type: "safety", user: "alice", state: "safe", markedBy: "lea" }), "is marked safe by lea");
    const incident = { type: "incident", number: 1, team: "crew", startedAt: at };
    assert.equal(words({ ...incident, kind: "drill", open: true }), "DRILL – evacuation started");
    assert.equal(words({ ...incident, kind: "real", open: false, closedHow: "allAccounted" }),
        "evacuation ended: all are accounted for");
});
