/** The timeline: which events, reminders in one line, and how far back the log was looked at. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { groupsOf } from "../../Web/console/timeline/eventlist.js";
import { folded, groupValue, isWanted, kinds, noFilter } from "../../Web/console/timeline/listedevents.js";
import { EventHistory } from "../../Web/console/timeline/eventhistory.js";
import { Problem } from "../../Web/console/shared/http.js";
import { markOrder } from "../../Web/console/shared/marks.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("timeline");

const region = { collection: "site", id: "sq", name: "Square" };
const members = new Map([
    ["ann", { user: "ann", team: "north", crew: "Engine 3" }], ["ben", { user: "ben", team: "north" }],
    ["cem", { user: "cem", team: "south", crew: "Engine 3" }],
]);
const events = [
    { sequence: 9, kind: "incident", user: "north" }, { sequence: 8, kind: "sos", user: "cem" },
    { sequence: 7, kind: "enter", user: "ann", region }, { sequence: 6, kind: "safe", user: "ann", region },
    { sequence: 5, kind: "unknown", user: "ben" },
];
const kept = (filter) => events.filter((event) => isWanted(event, { ...noFilter, ...filter }, members))
    .map(({ sequence }) => sequence);

test("events are chosen by kind, person, crew, team and region, and by all of them together", () => {
    assert.deepEqual(kept({}), [9, 8, 7, 6, 5]);
    assert.deepEqual(kept({ kind: "calls" }), [8]);
    assert.deepEqual(kept({ kind: "safety" }), [6, 5]);
    assert.deepEqual(markOrder.filter((mark) => ![...kinds.safety, ...kinds.calls].includes(mark)), [],
        "every state that somebody comes into is found by a kind");
    assert.deepEqual(kept({ person: " AN" }), [7, 6]);
    assert.deepEqual(kept({ person: "north" }), []);
    assert.deepEqual(kept({ group: groupValue("north") }), [9, 7, 6, 5]);
    assert.deepEqual(kept({ group: groupValue("north", "Engine 3") }), [7, 6]);
    assert.deepEqual(kept({ region: "site/sq", kind: "crossings" }), [7]);
    assert.deepEqual(kept({ kind: "no such kind" }), []);
});

test("teams are offered where there are several, and crews by their team", () => {
    assert.deepEqual(groupsOf(members).map(([, words]) => words),
        ["north", "north: Engine 3", "south", "south: Engine 3"]);
    const one = new Map([...members].slice(0, 2));
    assert.deepEqual(groupsOf(one).map(([, words]) => words), ["Engine 3"]);
});

test("reminders of one call are one line at the last of them, and a new call has its own", () => {
    const reminder = (sequence, user, call = "sos") => (
        { sequence, at: `12:${sequence}`, user, kind: "reminder", call });
    const lines = folded([
        reminder(40, "ann"), { sequence: 39, kind: "enter", user: "ann" }, reminder(38, "ben"), reminder(37, "ann"),
        { sequence: 36, kind: "sos", user: "ann" }, reminder(35, "ann"), reminder(34, "ann", "needsHelp"),
    ]);
    assert.deepEqual(lines.map(({ sequence, count }) => [sequence, count]),
        [[40, 2], [39, undefined], [38, 1], [36, undefined], [35, 1], [34, 1]]);
    assert.equal(lines[0].at, "12:40");
});

/** A log of so many changes, of which every tenth is told; those before `first` are deleted. */
function logOf(length, first = 0) {
    const asked = [];
    const get = async (path) => {
        const [, since, limit] = /since=(\d+)&limit=(\d+)/.exec(path).map(Number);
        asked.push([since, limit]);
        if (since < first) { throw new Problem(410); }
        const items = Array.from({ length: Math.max(0, Math.min(limit, length - since)) },
            (_, index) => ({ sequence: since + index + 1, at: new Date((since + index + 1) * 1000).toISOString() }));
        const lastSequence = items.at(-1)?.sequence ?? length;
        return { items, lastSequence, more: lastSequence < length };
    };
    const eventOf = ({ sequence }) => (sequence % 10 === 0 ? { sequence, kind: "safe" } : undefined);
    return { asked, history: (sequence = length) => new EventHistory({ get, eventOf, sequence }) };
}

test("a look back reads pages until there is enough, and goes on from there to the beginning", async () => {
    const { history, asked } = logOf(2500);
    const log = history();
    await log.older(() => true);
    assert.deepEqual(asked, [[1500, 1000]]);
    assert.deepEqual([log.found.events.length, log.found.events[0].sequence, log.found.isWhole], [100, 2500, false]);
    assert.equal(log.found.lookedBackMs, 1_501_000);
    // Of what is wanted there is little: it looks on.
    await log.older(({ sequence }) => sequence === 10);
    assert.deepEqual(asked.slice(1), [[500, 1000], [0, 500]]);
    assert.deepEqual([log.found.events.length, log.found.isWhole, log.found.isTrimmed], [250, true, false]);
});

test("where earlier changes were deleted, every one that is kept is found, and that is said", async () => {
    const { history } = logOf(2500, 1234);
    const log = history();
    await log.older(() => false);
    assert.deepEqual([log.found.isTrimmed, log.found.isWhole], [true, true]);
    assert.equal(log.found.events.at(-1).sequence, 1240);
});

test("the end of a doubt is listed at its own time, whatever page of the log has the beginning", async () => {
    const since = "2026-11-21T06:00:00Z";
    const changes = Array.from({ length: 1500 }, (_, index) => ({ sequence: index + 1, at: "2026-11-21T06:30:00Z" }));
    const eventOf = ({ sequence, at }) => ([1, 1400].includes(sequence)
        ? { sequence, at: since, since, loggedAt: at, user: "ann", kind: "safe" } : undefined);
    const get = async (path) => {
        const [, first, limit] = /since=(\d+)&limit=(\d+)/.exec(path).map(Number);
        return { items: changes.slice(first, first + limit), lastSequence: first + limit, more: false };
    };
    const log = new EventHistory({ get, eventOf, sequence: 1500 });
    await log.older(() => true);
    assert.deepEqual(log.found.events.map(({ at }) => at), ["2026-11-21T06:30:00Z", since]);
});

test("what came while nothing was heard is read once, and nothing counts twice", async () => {
    const { history, asked } = logOf(2500);
    const log = history(1000);
    log.take([{ sequence: 1010, kind: "safe" }, { sequence: 990, kind: "safe" }], 1020);
    assert.deepEqual(log.found.events.map(({ sequence }) => sequence), [1010]);
    await log.catchUp(2500);
    assert.deepEqual(asked, [[1020, 1000], [2020, 1000]]);
    assert.equal(log.found.events.length, 1 + 148);
});

test("of a long time of feed the newest events are kept, and a look back begins at the oldest of them", async () => {
    const { history, asked } = logOf(10_000);
    const log = history(1000);
    for (let sequence = 1001; sequence <= 6001; sequence += 1) {
        log.take([{ sequence, kind: "safe", at: new Date(sequence * 1000).toISOString() }], sequence);
    }
    assert.deepEqual([log.found.events.length, log.found.events.at(-1).sequence], [2500, 3502]);
    assert.equal(log.found.lookedBackMs, 3_502_000);
    await log.older(() => true);
    assert.deepEqual(asked, [[2501, 1000]]);
    assert.equal(log.found.events.at(-1).sequence, 2510);
});
