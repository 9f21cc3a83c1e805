/** A week of a page that nobody closes: what it keeps is bounded, however much happens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import "../../Web/console/frame/texts.js";
import { DrawnPeople } from "../../Web/console/map/drawn.js";
import { Siren } from "../../Web/console/incident/siren.js";
import { TrackFollower } from "../../Web/console/person/trackfollower.js";
import { pointLimit } from "../../Web/console/person/track.js";
import { withDelivery } from "../../Web/console/shared/deliveries.js";
import { Drafts } from "../../Web/console/shared/drafts.js";
import { pause } from "../../Web/console/shared/pause.js";
import { closedLimit, emptyState, eventLimit, reduce } from "../../Web/console/shared/state.js";
import { EventHistory } from "../../Web/console/timeline/eventhistory.js";
import { eventOf } from "../../Web/console/shared/eventlog.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

const weekMs = 7 * 86_400_000;
const beganMs = Date.parse("2026-03-26T00:00:00Z");
const people = 200;
/** A part of what happens in a week: the page that is left open in a browser (`test_week_page.py`) takes more. */
const changes = 60_000;
const batch = 1000;

const stamp = (ms) => new Date(ms).toISOString();
const nameOf = (index) => `person ${index % people}`;
const region = { collection: "site", id: "a", name: "Assembly point A", muster: true };
const regions = Array.from({ length: 20 }, (_, index) => ({ collection: "site", id: `r${index}`, name: `R${index}` }));

/** The change of a number: all kinds in turn, of all people. */
function changeOf(sequence) {
    const at = stamp(beganMs + (sequence / changes) * weekMs);
    const user = nameOf(Math.floor(sequence / 16));
    const device = `${user}/phone`;
    const fix = {
        latitude: 59.9 + (sequence % 97) / 1e4, longitude: 10.7, accuracy: 5, sampleTime: at, receivedTime: at,
    };
    const common = { sequence, at, user };
    switch (sequence % 16) {
        case 0: return { ...common, type: "safety", state: sequence % 32 ? "safe" : "unsafe", since: at, region };
        case 1: return { ...common, type: "crossing", device, kind: "enter", region, sampleTime: at };
        case 2: return { ...common, type: "crossing", device, kind: "exit", region, sampleTime: at };
        case 3: return { ...common, type: "declaration", kind: "needsHelp", note: `note ${sequence}`, sampleTime: at };
        case 4: return { ...common, type: "safety", state: "sos", since: at };
        case 5: return { ...common, type: "reminder", state: "sos" };
        case 6: return { ...common, type: "checkInTimer", happened: "overdue", lastWord: at, dueAt: at };
        case 7: return { ...common, type: "action", kind: "locationAsked", author: "lea" };
        case 8: return { ...common, type: "belief", device, estimate: fix };
        case 9: return {
            ...common, type: "presence", device, region: regions[Math.floor(sequence / 48) % 20], standing: "inside",
            probability: 0.9, since: at, sampleTime: at,
        };
        case 10: return {
            ...common, type: "presence", device, region: regions[Math.floor(sequence / 80) % 20], standing: "outside",
            since: at, sampleTime: at,
        };
        case 11: return {
            ...common, type: "incident", team: "north", number: Math.floor(sequence / 32), open: sequence % 32 < 16,
            kind: "drill", startedAt: at, closedAt: at, closedHow: "person", closedBy: "lea",
        };
        case 12: return { ...common, type: "pause", happened: "began", since: at, until: at };
        case 13: return { ...common, type: "note", kind: "battery" };
        default: return { ...common, type: "position", device, position: fix };
    }
}

/** Everything of the page that takes what the feed tells, as `app.js` puts it together. */
class Week {
    live = emptyState;
    track;
    drawn = new DrawnPeople();
    sounds = 0;

    constructor() {
        const members = Array.from({ length: people }, (_, index) => (
            { user: nameOf(index), team: "north", state: "unknown", safetySequence: 0 }));
        this.live = reduce(this.live, { type: "snapshot", snapshot: {
            sequence: 0, members, positions: [], regions: [...regions, region],
        } });
        this.siren = new Siren({
            report: () => {}, play: () => {}, notify: () => {}, isHidden: () => true,
            schedule: () => { this.sounds += 1; return () => { this.sounds -= 1; }; },
        });
        this.follower = new TrackFollower({
            get: async () => ({ items: [] }), newestMs: () => beganMs, report: (selected) => { this.track = selected; },
        });
        this.follower.select(nameOf(0), `${nameOf(0)}/phone`, []);
        this.follower.choose({ span: "all" });
        this.history = new EventHistory({
            get: async () => ({ items: [] }), sequence: 0, eventOf: (change) => eventOf(this.live, change),
        });
    }

    /** Takes the changes from one number up to another. */
    pass(from, to) {
        for (let first = from; first < to; first += batch) {
            const told = Array.from({ length: batch }, (_, index) => changeOf(first + index + 1));
            this.live = reduce(this.live, { type: "changes", changes: told });
            this.follower.take(told);
            this.drawn.update(this.live);
            this.history.take(this.live.events, this.live.sequence);
            this.siren.look({ live: this.live, user: { name: "lea", role: "leader", team: "north" }, now: beganMs });
        }
    }

    /** How much of everything there is. */
    sizes() {
        const members = [...this.live.members.values()];
        const most = (part) => Math.max(...members.map((member) => member[part].size));
        return {
            members: members.length, positions: most("positions"), clocks: most("clocks"), beliefs: most("beliefs"),
            presences: Math.max(...members.map(({ presences }) =>
                [...presences.values()].reduce((sum, { size }) => sum + size, 0))),
            regions: this.live.regions.size, questions: this.live.questions.size, events: this.live.events.length,
            open: this.live.incidents.size, closed: this.live.closed.size, track: this.track.track.points.length,
            history: this.history.found.events.length, sounds: this.sounds,
        };
    }
}

function heapBytes() {
    collectGarbage();
    collectGarbage();
    return process.memoryUsage().heapUsed;
}

test("after 60,000 changes a page keeps no more than after half of them", (context) => {
    const week = new Week();
    const early = changes / 2;
    week.pass(0, early);
    const [sizesEarly, bytesEarly] = [week.sizes(), heapBytes()];
    week.pass(early, changes);
    const [sizes, bytes] = [week.sizes(), heapBytes()];
    context.diagnostic(`heap after ${early} changes: ${Math.round(bytesEarly / 1024)} KiB, after ${changes}: `
        + `${Math.round(bytes / 1024)} KiB; ${JSON.stringify(sizes)}`);
    assert.equal(week.live.sequence, changes);
    assert.deepEqual([sizes.members, sizes.events, sizes.closed, sizes.questions],
        [people, eventLimit, closedLimit, people]);
    assert.ok(sizes.presences <= regions.length + 1 && sizes.positions === 1 && sizes.beliefs === 1);
    assert.ok(sizes.track <= pointLimit && sizes.history <= 5000 && sizes.sounds <= 1 && sizes.open <= 1,
        JSON.stringify(sizes));
    for (const [name, size] of Object.entries(sizes)) {
        const mayGrow = ["track", "history"].includes(name);
        assert.ok(size <= sizesEarly[name] || mayGrow, `${name}: ${sizesEarly[name]}, then ${size}`);
    }
    assert.ok(bytes < bytesEarly + 4 * 2 ** 20, `${bytesEarly} bytes, then ${bytes}`);
});

test("of what somebody says and types in a week the page keeps the last", () => {
    let deliveries = [];
    const drafts = new Drafts();
    for (let number = 0; number < 2000; number += 1) {
        const delivery = { declaration: { id: String(number), kind: "safe" }, at: beganMs };
        for (const state of ["sending", "received"]) { deliveries = withDelivery(deliveries, { ...delivery, state }); }
        drafts.set(`form ${number}`, { note: "typed" });
    }
    assert.deepEqual(deliveries.map(({ declaration }) => declaration.id), ["1997", "1998", "1999"]);
    assert.deepEqual([drafts.get("form 1949", "gone"), drafts.get("form 1950", "gone")], ["gone", { note: "typed" }]);
});

test("an order that waits for a week leaves nothing behind of each attempt", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = {
        aborted: false,
        addEventListener: (...all) => { listeners += 1; signal.addEventListener(...all); },
        removeEventListener: (...all) => { listeners -= 1; signal.removeEventListener(...all); },
    };
    for (let attempt = 0; attempt < 20; attempt += 1) { await pause(0, counted); }
    assert.equal(listeners, 0);
});
