/** What the app knows of whoever holds the phone: from the server, from the cache, and with which age. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { Store } from "../../Web/console/shared/store.js";
import { PersonCache } from "../../Web/me/cache.js";
import { isSameOwn, ownOf } from "../../Web/me/own.js";
import { OwnLoop } from "../../Web/me/ownloop.js";

const ana = { name: "ana", role: "member", team: "north" };
const region = {
    collection: "site", id: "field", name: "School field", muster: true, policy: "confident",
    geometry: { type: "Point" }, properties: { crossingMode: "insideIsSafe", radius: 20 },
};

function liveWith({ state = "safe", incidents = [] } = {}) {
    return reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 7, positions: [], regions: [region], incidents,
        members: [
            { user: "ana", team: "north", state, safetySequence: 7 }, { user: "ben", team: "north", state: "unknown" },
        ],
    } });
}

test("nothing is known before the server was heard", () => {
    assert.equal(ownOf(emptyState, ana, 5), undefined);
    assert.equal(ownOf(liveWith(), undefined, 5), undefined);
});

test("the own part has the person, their team's open incidents and the regions as features", () => {
    const incidents = [{ number: 1, team: "north", open: true }, { number: 2, team: "south", open: true }];
    const live = liveWith({ incidents });
    const own = ownOf(live, ana, 5);
    assert.equal(own.member.state, "safe");
    assert.equal(own.heardAt, 5);
    assert.deepEqual(own.incidents.map(({ number }) => number), [1]);
    assert.equal(own.showsSafety, true);
    assert.deepEqual(own.regions, [{
        type: "Feature", id: "field", collection: "site", policy: "confident", geometry: { type: "Point" },
        properties: { crossingMode: "insideIsSafe", radius: 20, name: "School field", muster: true },
    }]);
    assert.equal(ownOf(live, ana, 6).regions, own.regions, "features are made once for each load");
    assert.equal(isSameOwn(own, ownOf(live, ana, 6)), true);
    assert.equal(isSameOwn(own, ownOf(liveWith({ state: "unsafe" }), ana, 6)), false);
});

/** A database whose values are in memory, with the faults that a test wants. */
class Database {
    values = new Map();
    fails = false;

    async get(store, user, key) { return this.values.get(`${store} ${user} ${key}`); }

    async put(store, user, key, value) {
        if (this.fails) { throw new Error("full"); }
        this.values.set(`${store} ${user} ${key}`, structuredClone(value));
    }
}

function world({ database = new Database(), now = 1_000_000 } = {}) {
    const connection = { state: "connecting" };
    const store = new Store({ user: ana, live: emptyState, connection, own: undefined }, (act) => act());
    const cache = new PersonCache(async () => database);
    cache.begin("ana");
    const loop = {
        serverNow: now, heardAt: undefined, clockAheadMs: 250, assumed: undefined,
        assumeClock(ms) { this.assumed = ms; },
    };
    return { store, cache, database, loop, own: new OwnLoop({ store, cache, loop }) };
}

const settled = () => new Promise((resolve) => { setTimeout(resolve); });

test("what the server said is shown after a restart without it, with its time and its clock", async () => {
    const first = world();
    await first.own.begin();
    first.loop.heardAt = 999_000;
    first.store.set({ live: liveWith(), connection: { state: "live" } });
    await settled();
    const second = world({ database: first.database, now: 5_000_000 });
    await second.own.begin();
    const { own } = second.store.value;
    assert.equal(own.member.state, "safe");
    assert.equal(own.heardAt, 1_000_000);
    assert.equal(own.isKept, true);
    assert.deepEqual(own.regions.map(({ id }) => id), ["field"]);
    assert.equal(second.loop.assumed, 250);
});

test("the cache never takes the place of what the server says now", async () => {
    const first = world();
    await first.own.begin();
    first.store.set({ live: liveWith(), connection: { state: "live" } });
    await settled();
    const second = world({ database: first.database });
    const beginning = second.own.begin();
    second.store.set({ live: liveWith({ state: "unsafe" }), connection: { state: "live" } });
    await beginning;
    await settled();
    assert.equal(second.store.value.own.member.state, "unsafe");
    assert.equal(second.store.value.own.isKept, undefined);
});

test("when the server falls silent, the time is when it was last heard", async () => {
    const { store, loop, own } = world();
    await own.begin();
    store.set({ live: liveWith(), connection: { state: "live" } });
    loop.serverNow = 1_030_000;
    loop.heardAt = 1_009_000;
    store.set({ connection: { state: "waiting", wasLiveMs: 1_009_000 } });
    assert.equal(store.value.own.heardAt, 1_009_000);
});

test("a browser that keeps nothing changes nothing of what is shown", async () => {
    const { store, database, own } = world();
    database.fails = true;
    await own.begin();
    store.set({ live: liveWith(), connection: { state: "live" } });
    await settled();
    assert.equal(store.value.own.member.state, "safe");
    assert.equal(database.values.size, 0);
});

test("who signed out is not written again by what was on its way", async () => {
    const { cache, database } = world();
    const writing = cache.write("own", { state: "safe" });
    cache.begin(undefined);
    await writing;
    assert.equal(database.values.size, 0);
    assert.equal(await cache.read("own"), undefined);
});
