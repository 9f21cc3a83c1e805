/** The tracker as a whole: what the person is told, two tabs, restarts, clocks and disks that fail. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../Web/console/shared/http.js";
import { Store } from "../../Web/console/shared/store.js";
import { DatabaseError } from "../../Web/me/storage/database.js";
import { start } from "../../Web/me/tracking/tracking.js";
import { WakeLock } from "../../Web/me/tracking/wakelock.js";
import { noAnswer, noon, Profile, Receiver, Server, settle, when } from "./me_world.mjs";

const everything = { accuracyMetres: Infinity, distanceMetres: 0, seconds: -Infinity };
const all = { foreground: everything, background: everything };

/** A tab of a profile in which somebody is signed in, and its tracker. */
async function open(profile, server, { receiver, isOn = true, hides = false, ...options } = {}) {
    const tab = profile.tab(receiver ?? new Receiver(profile.time));
    tab.isHidden = hides;
    tab.store = new Store({ fix: undefined, tracking: { state: "off", waiting: 0 } }, (act) => act());
    tab.stop = start({
        store: tab.store, request: (...details) => server.request(...details), user: "ann",
        environment: tab.environment, ...options,
    });
    await tab.stop.started;
    await settle();
    if (isOn) { await tab.stop.turnOn(); }
    await settle();
    return tab;
}

async function world(options) {
    const profile = new Profile();
    const server = new Server(profile.time);
    const tab = await open(profile, server, options);
    return { profile, server, tab, time: profile.time };
}

const tracking = (tab) => tab.store.value.tracking;
const place = (number) => ({ latitude: 52 + number * 2e-4, longitude: 13 });

async function walk({ tab, time, noteTime }, from, until) {
    for (let number = from; number < until; number += 1) {
        noteTime?.(number);
        tab.receiver.move(place(number));
        await time.pass(5000, 2500);
    }
}

/** Each place in the order of the walk, no time twice. Who stands still is read every 5 s, at the same place. */
function assertWalk(server, count) {
    const places = [...server.stored.values()].map(({ latitude }) => latitude);
    assert.deepEqual(places.filter((latitude, index) => latitude !== places[index - 1]),
        Array.from({ length: count }, (_, number) => place(number).latitude));
    const { times } = server;
    assert.deepEqual(times, [...times].sort((left, right) => left - right));
    assert.equal(new Set(times).size, times.length);
}

test("who presses the switch as soon as it is drawn turns tracking on", async () => {
    const profile = new Profile();
    const tab = profile.tab(new Receiver(profile.time));
    const store = new Store({ fix: undefined, tracking: { state: "off", waiting: 0 } }, (act) => act());
    const server = new Server(profile.time);
    const stop = start({
        store, request: (...details) => server.request(...details), user: "ann", environment: tab.environment });
    await stop.turnOn();
    await stop.started;
    assert.equal(store.value.tracking.state, "asking");
    await stop();
});

test("it is off until somebody turns it on, and on again after a restart", async () => {
    const { profile, server, tab } = await world({ isOn: false });
    assert.equal(tracking(tab).state, "off");
    assert.equal(tab.receiver.watching, 0);
    await tab.stop.turnOn();
    assert.equal(tracking(tab).state, "asking");
    tab.receiver.move(place(0));
    await settle();
    assert.equal(tracking(tab).state, "on");
    await tab.stop();
    assert.equal(tab.receiver.watching, 0);
    assert.equal(tab.store.value.fix, undefined);
    const again = await open(profile, server, { isOn: false });
    assert.equal(tracking(again).state, "asking");
    await again.stop.turnOff();
    assert.equal(tracking(again).state, "off");
    await again.stop();
});

test("a fix is shown with its accuracy of 68 %, recorded, and sent with the browser's own", async () => {
    const { server, tab, time } = await world({ silenceSeconds: Infinity });
    tab.receiver.move({ ...place(0), accuracy: 16.2, speed: 1.4, heading: 270, altitude: 31 });
    await settle();
    const { fix } = tab.store.value;
    assert.ok(Math.abs(fix.accuracy - 10) < 1e-9);
    assert.deepEqual([fix.speed, fix.heading, fix.isStale], [1.4, 270, false]);
    assert.equal(fix.sampleTime, noon);
    assert.equal(tracking(tab).waiting, 1);
    await time.pass(21_000);
    assert.equal(tracking(tab).waiting, 0);
    assert.equal(tracking(tab).sentAt > noon, true);
    assert.deepEqual([...server.stored.values()], [{
        device: tracking(tab).device, ...place(0), sampleTime: "2026-11-21T12:00:00.000Z", accuracy: 16.2,
        accuracyPercent: 95, altitude: 31, speed: 1.4, heading: 270, battery: 82,
    }]);
    assert.match(tracking(tab).device, /^web-[a-z0-9]{6}$/);
    await tab.stop();
});

test("a walk arrives whole and in order, also where the server is away for most of it", async () => {
    const made = await world({ filters: all });
    let isAway = false;
    made.server.before = () => { if (isAway) { throw noAnswer(); } };
    await walk(made, 0, 10);
    isAway = true;
    await walk(made, 10, 60);
    assert.equal(tracking(made.tab).problem.kind, "away");
    assert.ok(tracking(made.tab).waiting >= 50);
    isAway = false;
    await made.time.pass(70_000);
    // Only the fixes since the tracker last sent may still wait.
    await when(() => tracking(made.tab).waiting <= 4);
    assertWalk(made.server, 60);
    assert.equal(tracking(made.tab).problem, undefined);
    await made.tab.stop();
});

test("by default the filter is MusterKit's, and nobody who stands still falls silent", async () => {
    const made = await world();
    for (let number = 0; number < 24; number += 1) {
        made.tab.receiver.move({ latitude: 52 + number * 1e-7, longitude: 13 });
        await made.time.pass(5000, 2500);
    }
    await made.time.pass(60_000);
    const { times } = made.server;
    assert.ok(times.length >= 6 && times.length <= 10, `${times.length} of 24`);
    await made.tab.stop();
});

test("in an incident, and while somebody calls for help, each reading is recorded and sent at once", async () => {
    for (const own of [{ incidents: [{ number: 1 }] }, { incidents: [], member: { state: "sos" } }]) {
        const made = await world();
        const stand = async () => {
            const before = made.server.stored.size;
            for (let number = 0; number < 12; number += 1) {
                made.tab.receiver.move(place(0));
                await made.time.pass(5000, 2500);
            }
            return made.server.stored.size - before;
        };
        const calm = await stand();
        assert.ok(calm >= 2 && calm <= 4, `${calm} a minute`);
        made.tab.store.set({ own });
        const urgent = await stand();
        assert.ok(urgent >= 10 && urgent <= 13, `${urgent} a minute`);
        made.tab.store.set({ own: { incidents: [], member: { state: "unknown" } } });
        const after = await stand();
        assert.ok(after <= 5, `${after} a minute`);
        await made.tab.stop();
    }
});

test("what the receiver does is told: denied, frozen, coarse, without a position, jumping", async () => {
    const made = await world({ filters: all });
    const { tab, time } = made;
    const state = () => tracking(tab).state;
    await walk(made, 0, 3);
    assert.equal(state(), "on");
    tab.receiver.isFrozen = true;
    const watches = tab.receiver.watching;
    await time.pass(40_000);
    assert.equal(state(), "frozen");
    assert.equal(tab.store.value.fix.isStale, true);
    assert.equal(tab.receiver.watching, watches, "the watch was begun again, not a second one");
    tab.receiver.isFrozen = false;
    await walk(made, 3, 4);
    assert.equal(state(), "on");
    assert.equal(tab.store.value.fix.isStale, false);
    for (let number = 4; number < 8; number += 1) {
        tab.receiver.move({ ...place(number), accuracy: 3000 });
        await time.pass(5000, 2500);
    }
    assert.equal(state(), "coarse");
    await walk(made, 8, 10);
    assert.equal(state(), "on");
    for (const number of [500, 10, 500, 10]) { await walk(made, number, number + 1); }
    assert.equal(tracking(tab).isJumping, true);
    tab.receiver.error = { code: 2 };
    await time.pass(10_000);
    assert.equal(tracking(tab).problem?.kind, "noPosition");
    tab.receiver.error = { code: 1 };
    await time.pass(10_000);
    assert.equal(state(), "denied");
    tab.receiver.error = undefined;
    await walk(made, 11, 12);
    assert.equal(state(), "on");
    assert.equal(tracking(tab).problem, undefined);
    await tab.stop();
});

test("a reading that the browser kept from before is none of now", async () => {
    const { tab, time } = await world({ filters: all });
    tab.receiver.move(place(0));
    await time.pass(5000);
    tab.receiver.timestamp = time.clock.now();
    for (let round = 0; round < 10; round += 1) {
        tab.receiver.move(place(1));
        await time.pass(5000);
    }
    assert.equal(tracking(tab).state, "frozen");
    assert.equal(tab.store.value.fix.isStale, true);
    await tab.stop();
});

test("two tabs are one tracker: the other shows it, and takes over when it ends", async () => {
    const made = await world({ filters: all });
    const { profile, server, time } = made;
    const other = await open(profile, server, { isOn: false, filters: all });
    assert.equal(tracking(other).state, "elsewhere");
    await walk(made, 0, 5);
    assert.equal(other.receiver.watching, 0);
    assert.equal(other.store.value.fix.latitude, place(4).latitude);
    await made.tab.stop();
    await settle();
    made.tab = other;
    await walk(made, 5, 10);
    assert.equal(tracking(other).state, "on");
    await time.pass(60_000);
    assertWalk(server, 10);
    await other.stop();
});

test("the tab that is looked at tracks: a hidden one gives way, also one that is asleep", async () => {
    for (const isFrozen of [false, true]) {
        const made = await world({ filters: all });
        const { profile, server, tab, time } = made;
        await walk(made, 0, 3);
        tab.isHidden = true;
        tab.seen();
        tab.end.isFrozen = isFrozen;
        const other = await open(profile, server, { isOn: false, filters: all });
        await time.pass(4000);
        assert.equal(tracking(tab).state, "elsewhere", `${isFrozen}`);
        assert.equal(tab.receiver.watching, 0);
        made.tab = other;
        await walk(made, 3, 6);
        assert.equal(tracking(other).state, "on");
        // The person sees both tabs side by side: the other tab keeps tracking.
        tab.end.isFrozen = false;
        tab.isHidden = false;
        tab.seen();
        await time.pass(10_000);
        assert.equal(tracking(other).state, "on");
        await time.pass(30_000);
        assertWalk(server, 6);
        await other.stop();
        await tab.stop();
    }
});

test("a start without a network keeps the time by what was known, and corrects it later", async () => {
    const made = await world({ filters: all });
    const { profile, server, time } = made;
    time.errorMs = -86_400_000;
    const there = new Map();
    made.noteTime = (number) => there.set(number, time.trueMs);
    await walk(made, 0, 5);
    await time.pass(40_000);
    assertWalk(server, 5);
    await made.tab.stop();
    server.before = () => { throw noAnswer(); };
    time.trueMs += 3_600_000;
    time.restart();
    made.tab = await open(profile, server, { isOn: false, filters: all });
    await walk(made, 5, 8);
    assert.ok(Math.abs(made.tab.store.value.fix.sampleTime - time.trueMs) < 6000, "by the error that was known");
    // Somebody sets the clock right, still offline.
    time.errorMs = 0;
    await walk(made, 8, 11);
    server.before = () => {};
    await time.pass(90_000);
    assertWalk(server, 11);
    // When each place was reached, and when it was read, within 5 s, by the server's clock.
    for (const [number, trueMs] of there) {
        const found = [...server.stored.values()].find(({ latitude }) => latitude === place(number).latitude);
        assert.ok(Math.abs(Date.parse(found.sampleTime) - trueMs) <= 6000, `${number}`);
    }
    assert.ok(server.times.at(-1) <= time.trueMs);
    await made.tab.stop();
});

test("a full disk is told, nothing of it is lost, and it ends by itself", async () => {
    const made = await world({ filters: all });
    const { profile, server, tab, time } = made;
    await walk(made, 0, 3);
    let isFull = true;
    profile.database.beforeWrite = () => { if (isFull) { throw new DatabaseError("full"); } };
    await walk(made, 3, 8);
    assert.equal(tracking(tab).problem.kind, "diskFull");
    assert.equal(tracking(tab).waiting >= 5, true);
    isFull = false;
    await time.pass(60_000);
    assert.equal(tracking(tab).problem, undefined);
    assertWalk(server, 8);
    await tab.stop();
});

test("where the browser keeps nothing, it says so and sends all the same", async () => {
    const profile = new Profile();
    const server = new Server(profile.time);
    profile.database.read = async () => { throw new DatabaseError("unavailable"); };
    const tab = await open(profile, server, { filters: all });
    const made = { profile, server, tab, time: profile.time };
    await walk(made, 0, 4);
    assert.equal(tracking(tab).problem.kind, "diskUnavailable");
    await profile.time.pass(30_000);
    assertWalk(server, 4);
    await tab.stop();
});

test("a session that ended elsewhere stops the sending, not the recording, and the next one sends", async () => {
    const made = await world({ filters: all });
    const { profile, server, tab, time } = made;
    await walk(made, 0, 6);
    server.before = () => { throw new Problem(401, { title: "over" }); };
    await walk(made, 6, 12);
    assert.equal(tracking(tab).problem.kind, "signedOut");
    assert.ok(tracking(tab).waiting >= 6);
    await tab.stop();
    server.before = () => {};
    const again = await open(profile, server, { isOn: false, filters: all });
    await time.pass(30_000);
    assertWalk(server, 12);
    await again.stop();
});

test("once it has ended nothing is written any more", async () => {
    const made = await world({ filters: all });
    await walk(made, 0, 4);
    await made.tab.stop();
    await made.profile.database.erase();
    made.tab.receiver.move(place(9));
    made.tab.seen();
    await made.time.pass(60_000);
    for (const store of ["queue", "refused", "settings"]) {
        assert.equal(await made.profile.database.read([store], (transaction) => transaction.count(store, "ann")), 0);
    }
});

test("the screen is kept lit while somebody asks for it, and it is told where the browser does not", async () => {
    const states = [];
    let isRefused = false;
    const locks = [];
    const browser = {
        request: async () => {
            if (isRefused) { throw new DOMException("hidden", "NotAllowedError"); }
            const lock = new EventTarget();
            lock.released = false;
            lock.release = async () => { lock.released = true; };
            locks.push(lock);
            return lock;
        },
    };
    const awake = new WakeLock({ wakeLock: browser, report: (state) => states.push(state) });
    await awake.look();
    assert.deepEqual(states, [], "nobody asked");
    awake.want(true);
    await settle();
    // The page was hidden, and is seen again.
    locks[0].released = true;
    locks[0].dispatchEvent(new Event("release"));
    await awake.look();
    await awake.look();
    assert.deepEqual([states, locks.length], [["on", "refused", "on"], 2]);
    awake.want(false);
    assert.equal(locks[1].released, true);
    isRefused = true;
    awake.want(true);
    await settle();
    assert.deepEqual(states.slice(3), ["off", "refused"]);
    const older = new WakeLock({ wakeLock: undefined, report: (state) => states.push(state) });
    older.want(true);
    await settle();
    assert.equal(states.at(-1), "unsupported");
});

test("without a receiver, over http, it says so and still sends what waits", async () => {
    const profile = new Profile();
    const server = new Server(profile.time);
    const tab = profile.tab();
    tab.environment.geolocation = undefined;
    const store = new Store({ tracking: { state: "off", waiting: 0 } }, (act) => act());
    const stop = start({ store, request: server.request, user: "ann", environment: tab.environment });
    await stop.started;
    await when(() => store.value.tracking.state === "unsupported");
    await stop.turnOn();
    assert.equal(store.value.tracking.state, "unsupported");
    await stop();
});
