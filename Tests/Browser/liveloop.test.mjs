/** How the store follows the server: loading, the feed, cuts, and signing out, with a worker that answers by hand. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { LiveLoop } from "../../Web/console/shared/liveloop.js";
import { emptyState } from "../../Web/console/shared/state.js";
import { Store } from "../../Web/console/shared/store.js";

/** The worker of the page: what it is asked, and what it tells. */
class HandWorker {
    static newest;
    sent = [];
    #listeners = {};

    constructor() { HandWorker.newest = this; }
    addEventListener(type, act) { this.#listeners[type] = act; }
    postMessage(message) { this.sent.push(message); }
    tell(message) { this.#listeners.message({ data: message }); }
    last(type) { return this.sent.findLast((message) => message.type === type); }
}
globalThis.Worker = HandWorker;

const beganMs = Date.parse("2026-11-21T06:00:00Z");
const snapshot = {
    sequence: 7, at: "2026-11-21T06:05:00Z", isPartial: false, positions: [],
    members: [{ user: "ann", team: "north", state: "unknown", safetySequence: 7 }],
    regions: [{ collection: "site", id: "a", name: "A", geometry: { type: "Point", coordinates: [0, 0] } }],
};
const settle = () => new Promise((resolve) => { setImmediate(resolve); });

/** A loop of somebody who is signed in. */
function begin(context) {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: beganMs });
    context.after(() => { mock.timers.reset(); delete globalThis.document; });
    globalThis.document = { hidden: false };
    const store = new Store({
        user: { name: "lea" }, live: emptyState, connection: { state: "connecting" }, notice: "",
    }, () => {});
    const told = { taken: [], loads: 0 };
    /** By how much somebody set this device's clock forward. */
    let setMs = 0;
    const untouched = Date.now;
    Date.now = () => untouched.call(Date) + setMs;
    const setClock = (ms) => { setMs += ms; };
    const loop = new LiveLoop({
        store, token: async () => "token",
        taken: (changes) => told.taken.push(...changes), loaded: () => { told.loads += 1; },
        monotonicNow: () => Date.now() - setMs,
    });
    loop.begin();
    const worker = HandWorker.newest;
    const answer = async (parts = {}, history = []) => {
        const { number } = worker.last("load");
        worker.tell({ type: "answer", number, answer: { snapshot: { ...snapshot, ...parts }, history } });
        await settle();
    };
    const fail = async (failure) => {
        worker.tell({ type: "failure", number: worker.last("load").number, failure });
        await settle();
    };
    const report = (status) => worker.tell({ type: "status", status });
    return { store, loop, worker, told, answer, fail, report, setClock };
}

const safety = { sequence: 8, type: "safety", user: "ann", state: "safe", since: "2026-11-21T06:05:01Z" };

test("the state is loaded, then followed from there, and changes reach the store", async (context) => {
    const { store, loop, worker, told, answer, report } = begin(context);
    await answer();
    assert.deepEqual([worker.last("follow").since, told.loads], [7, 1]);
    assert.equal(loop.serverNow, beganMs + 300_000, "the server's clock is five minutes ahead of this device's");
    report({ state: "live", heardMs: beganMs });
    assert.deepEqual(store.value.connection, { state: "live" });
    worker.tell({ type: "changes", changes: [safety] });
    assert.equal(store.value.live.members.get("ann").state, "safe");
    assert.deepEqual(told.taken, [safety]);
});

test("the history is asked for once, and regions that did not change not again", async (context) => {
    const { worker, answer } = begin(context);
    assert.deepEqual(worker.last("load"), { type: "load", number: 1, knownRegions: undefined, wantsHistory: true });
    await answer();
    worker.tell({ type: "changes", changes: [{ sequence: 8, type: "directory", kind: "user" }] });
    worker.tell({ type: "changes", changes: [{ sequence: 9, type: "directory", kind: "user" }] });
    mock.timers.tick(700);
    const loads = worker.sent.filter(({ type }) => type === "load");
    assert.equal(loads.length, 2, "changes that come together are one load");
    assert.deepEqual([loads[1].knownRegions.length, loads[1].wantsHistory], [1, false]);
    await answer({ sequence: 9 });
    worker.tell({ type: "changes", changes: [{ sequence: 10, type: "region" }] });
    mock.timers.tick(700);
    assert.equal(worker.last("load").knownRegions, undefined);
});

test("while a state is loaded the feed is ended, so that no change overtakes it", async (context) => {
    const { worker, answer } = begin(context);
    await answer();
    worker.tell({ type: "resync" });
    assert.deepEqual(worker.sent.slice(-2).map(({ type }) => type), ["stop", "load"]);
    await answer({ sequence: 30 });
    assert.equal(worker.last("follow").since, 30);
});

test("a page that is cut off says since when the server was last heard, until it is live again", async (context) => {
    const { store, answer, report } = begin(context);
    await answer();
    report({ state: "live", heardMs: beganMs });
    mock.timers.tick(20_000);
    report({ state: "waiting", delayMs: 500, heardMs: beganMs + 9_000 });
    // The server's clock is five minutes ahead of this device's.
    assert.deepEqual(store.value.connection, { state: "waiting", delayMs: 500, wasLiveMs: beganMs + 309_000 });
    mock.timers.tick(500);
    report({ state: "connecting", heardMs: beganMs + 9_000 });
    report({ state: "waiting", delayMs: 1000, heardMs: beganMs + 9_000 });
    assert.equal(store.value.connection.wasLiveMs, beganMs + 309_000);
    report({ state: "live", heardMs: beganMs + 30_000 });
    assert.deepEqual(store.value.connection, { state: "live" });
});

test("a page whose network is gone, by the browser, is not live as of the last word", async (context) => {
    const { store, loop, worker, answer, report } = begin(context);
    await answer();
    loop.doubt();
    assert.equal(store.value.connection.state, "connecting", "what was never live is not said to be so no more");
    report({ state: "live", heardMs: beganMs });
    mock.timers.tick(3000);
    worker.tell({ type: "changes", changes: [safety] });
    mock.timers.tick(2000);
    loop.doubt();
    assert.deepEqual(store.value.connection, { state: "waiting", delayMs: 0, wasLiveMs: beganMs + 303_000 });
    assert.equal(worker.sent.at(-1).type, "doubt");
    // The worker hears the server also while nothing changes.
    report({ state: "waiting", delayMs: 0, heardMs: beganMs + 4500 });
    assert.equal(store.value.connection.wasLiveMs, beganMs + 304_500);
});

test("a reload of a page that is live is no cut", async (context) => {
    const { store, answer, report, worker } = begin(context);
    await answer();
    report({ state: "live", heardMs: beganMs });
    worker.tell({ type: "changes", changes: [{ sequence: 8, type: "region" }] });
    mock.timers.tick(700);
    await answer({ sequence: 8 });
    report({ state: "connecting", heardMs: beganMs });
    assert.equal(store.value.connection.state, "live");
});

test("a state that cannot be loaded is asked for every three seconds, and the page is not live", async (context) => {
    const { store, worker, answer, fail } = begin(context);
    await fail({ message: "network error" });
    assert.equal(store.value.connection.state, "waiting");
    mock.timers.tick(2999);
    assert.equal(worker.last("load").number, 1);
    mock.timers.tick(1);
    assert.equal(worker.last("load").number, 2);
    await answer();
    assert.ok(store.value.live.members.has("ann"));
});

test("a role that may not see the page is told so, and not asked for again", async (context) => {
    const { store, worker, fail } = begin(context);
    await fail({ message: "no", status: 403 });
    assert.equal(store.value.notice, "Your role may not see this page.");
    mock.timers.tick(60_000);
    assert.equal(worker.last("load").number, 1);
});

test("after signing out nothing of the state is there, and what comes late is dropped", async (context) => {
    const { store, loop, worker, told, answer } = begin(context);
    await answer();
    worker.tell({ type: "changes", changes: [{ sequence: 8, type: "region" }] });
    mock.timers.tick(700);
    loop.end();
    store.set({ user: undefined });
    assert.equal(worker.sent.at(-1).type, "stop");
    assert.equal(store.value.live, emptyState);
    await answer({ sequence: 9 });
    worker.tell({ type: "changes", changes: [safety] });
    mock.timers.tick(60_000);
    assert.equal(store.value.live, emptyState);
    assert.deepEqual([told.loads, told.taken.length], [1, 1]);
    assert.equal(worker.sent.at(-1).type, "taken");
});

test("when people were heard is asked every 20 s while somebody looks, teams in an incident first", async (context) => {
    const { store, worker, answer, report } = begin(context);
    const members = ["b", "a"].map((team) => ({ user: `of ${team}`, team, state: "unknown", safetySequence: 7 }));
    await answer({ members, incidents: [{ number: 1, team: "a", kind: "drill" }] });
    mock.timers.tick(20_000);
    assert.equal(worker.last("heard"), undefined, "not live yet");
    report({ state: "live", heardMs: Date.now() });
    globalThis.document.hidden = true;
    mock.timers.tick(20_000);
    assert.equal(worker.last("heard"), undefined, "nobody looks");
    globalThis.document.hidden = false;
    mock.timers.tick(20_000);
    assert.deepEqual(worker.last("heard").teams, ["a", "b"]);
    const heard = "2026-11-21T06:06:00Z";
    worker.tell({ type: "answer", number: worker.last("heard").number, answer: { people: [{ user: "of a", heard }] } });
    await settle();
    assert.equal(store.value.live.members.get("of a").heard, heard);
});

test("a clock that somebody sets while the page is open changes nothing of the server’s time", async (context) => {
    const { store, loop, worker, answer, report, setClock } = begin(context);
    await answer();
    report({ state: "live", heardMs: beganMs });
    for (const [number, ms] of [[1, 3_600_000], [2, -86_400_000]]) {
        setClock(ms);
        mock.timers.tick(1000);
        assert.equal(worker.sent.filter(({ type }) => type === "heard").length, number, "it asks within a second");
        const at = new Date(beganMs + 300_000 + number * 1000).toISOString();
        worker.tell({ type: "answer", number: worker.last("heard").number, answer: { people: [], at } });
        await settle();
        assert.equal(loop.serverNow, beganMs + 300_000 + number * 1000);
    }
    assert.equal(store.value.connection.state, "live");
});

test("the time that an answer takes is not taken for a clock that was set", async (context) => {
    const { loop, worker, answer, report } = begin(context);
    await answer();
    report({ state: "live", heardMs: beganMs });
    mock.timers.tick(20_000);
    const at = new Date(beganMs + 320_000 - 1500).toISOString();
    worker.tell({ type: "answer", number: worker.last("heard").number, answer: { people: [], at } });
    await settle();
    assert.equal(loop.serverNow, beganMs + 320_000);
});

test("while the server stands still a state that is loaded anew makes the page not live", async (context) => {
    const { store, worker, answer, report } = begin(context);
    await answer();
    report({ state: "live" });
    worker.tell({ type: "resync" });
    mock.timers.tick(9_000);
    assert.equal(store.value.connection.state, "live");
    mock.timers.tick(600);
    assert.equal(store.value.connection.state, "waiting");
    const asked = worker.sent.filter(({ type }) => type === "load").length;
    mock.timers.tick(21_000);
    await settle();
    mock.timers.tick(3_000);
    assert.equal(worker.sent.filter(({ type }) => type === "load").length, asked + 1);
});
