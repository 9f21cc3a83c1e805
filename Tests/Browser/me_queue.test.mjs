/** The queue of fixes, and its sending: in order, once, whatever happens to an answer; and nothing lost in silence. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../Web/console/shared/http.js";
import { DatabaseError } from "../../Web/me/storage/database.js";
import { MemoryDatabase } from "../../Web/me/storage/memory.js";
import { position } from "../../Web/me/tracking/batch.js";
import { Queue, refusedLimit } from "../../Web/me/tracking/queue.js";
import { backOffMs, Sender } from "../../Web/me/tracking/sender.js";
import { ServerClock } from "../../Web/me/tracking/serverclock.js";
import { dice, noAnswer, noon, Server, settle, Time, unpacked, when } from "./me_world.mjs";

const user = "ann";

/** A fix of a walk: one in 5 s. */
function fix(time, number, more = {}) {
    return {
        latitude: 52 + number * 1e-4, longitude: 13, accuracy95: 8, accuracy: 8 / 1.62, offsetMs: 0,
        ...time.moment(), wallMs: time.clock.now() + number * 5000 - 86_400_000, ...more,
    };
}

function world({ limit, database = new MemoryDatabase() } = {}) {
    const time = new Time();
    const server = new Server(time);
    const serverClock = new ServerClock(time.moment);
    const made = { time, server, serverClock, database, told: [] };
    made.open = async () => {
        made.queue = new Queue({ database, user, limit });
        await made.queue.open();
        made.sender = new Sender({
            queue: made.queue, request: (...details) => server.request(...details), user, device: "web-abcdef",
            serverClock, moment: () => time.moment(), schedule: time.clock.schedule, chance: () => 0,
            report: () => made.told.push({ ...made.sender.progress }),
        });
        return made;
    };
    return made.open();
}

async function walk({ queue, time }, count, more) {
    const fixes = Array.from({ length: count }, (_, number) => fix(time, number, more));
    for (let start = 0; start < count; start += 500) { await queue.append(fixes.slice(start, start + 500)); }
    return fixes;
}

const inOrderOnce = (server, count) => {
    const { times } = server;
    assert.equal(times.length, count);
    assert.deepEqual(times, [...times].sort((left, right) => left - right));
};

test("8 hours of walking go out in batches of up to 1,000, in order, once", async () => {
    const made = await world();
    await walk(made, 5760);
    made.sender.begin();
    await when(() => made.queue.waiting === 0);
    inOrderOnce(made.server, 5760);
    assert.deepEqual(made.server.requests.map(({ method, path }) => `${method} ${path}`), [
        "GET session", "POST users/ann/devices", ...Array(6).fill("POST positions")]);
    const [first] = made.server.stored.values();
    assert.deepEqual(first, {
        device: "web-abcdef", latitude: 52, longitude: 13, sampleTime: "2026-11-20T12:00:00.000Z", accuracy: 8,
        accuracyPercent: 95,
    });
    assert.equal(made.sender.progress.problem, undefined);
    await made.sender.end();
});

test("a batch whose answer was lost is sent again with the same times, and is there once", async () => {
    const made = await world();
    await walk(made, 30, { offsetMs: undefined });
    let lost = 0;
    made.server.after = (_, path) => { if (path === "positions" && lost++ < 3) { throw noAnswer(); } };
    made.sender.begin();
    await when(() => made.sender.progress.problem);
    assert.equal(made.server.stored.size, 30);
    assert.equal(made.queue.waiting, 30);
    assert.equal(made.sender.progress.problem.kind, "away");
    // The clock turns out to be off by a second in between: what was sent keeps its time.
    made.time.errorMs = -2500;
    await made.time.pass(10_000);
    inOrderOnce(made.server, 30);
    assert.equal(made.queue.waiting, 0);
    await made.sender.end();
});

test("a page that ends between the server's commit and the answer sends the same again", async () => {
    const made = await world();
    await walk(made, 10, { offsetMs: undefined, isClockKnown: false });
    made.server.after = (_, path) => { if (path === "positions") { throw noAnswer(); } };
    made.sender.begin();
    await settle();
    await made.sender.end();
    made.server.after = () => {};
    made.time.errorMs = 700;
    await made.open();
    assert.equal(made.queue.waiting, 10);
    made.sender.begin();
    await settle();
    inOrderOnce(made.server, 10);
    assert.equal(made.queue.waiting, 0);
});

test("fixes of a clock a day off are stored by the server's, in order", async () => {
    for (const errorMs of [-86_400_000, 86_400_000]) {
        const made = await world();
        made.time.errorMs = errorMs;
        for (let number = 0; number < 40; number += 1) {
            const now = made.time.moment();
            await made.queue.append([{ ...fix(made.time, number), ...now, offsetMs: undefined }]);
            made.time.trueMs += 5_000;
        }
        made.sender.begin();
        await when(() => made.queue.waiting === 0);
        inOrderOnce(made.server, 40);
        const errors = made.server.times.map((time, number) => Math.abs(time - noon - number * 5000));
        assert.ok(Math.max(...errors) < 700, `${errors}`);
        await made.sender.end();
    }
});

test("one bad fix holds up no others, and is kept apart with the reason", async () => {
    const made = await world();
    const fixes = Array.from({ length: 300 }, (_, number) => fix(made.time, number));
    // The source gives no invalid place, but a newer server may refuse a fix that this page considers valid.
    for (const number of [0, 17, 299]) { fixes[number].latitude = 95; }
    await made.queue.append(fixes);
    made.sender.begin();
    await when(() => made.queue.waiting === 0);
    assert.equal(made.server.stored.size, 297);
    assert.deepEqual([made.queue.waiting, made.queue.refused], [0, 3]);
    const refusals = await made.queue.refusals();
    assert.deepEqual(refusals.map(({ reason }) => reason), Array(3).fill("latitude must be -90 to 90"));
    await made.queue.clearTold();
    assert.equal(made.queue.refused, 0);
});

test("a refusal that names no fix is found by halves", async () => {
    const made = await world();
    const fixes = await walk(made, 64);
    const { request } = made.server;
    made.server.request = async (path, options) => {
        // This server refuses a body that it cannot read without saying which fix is at fault.
        if (path === "positions" && (await unpacked(options.body, options.headers)).includes("52.0005,")) {
            throw new Problem(400, { title: "unreadable" });
        }
        return await request(path, options);
    };
    made.sender.begin();
    await when(() => made.queue.waiting === 0);
    assert.deepEqual([made.server.stored.size, made.queue.refused], [63, 1]);
    const [{ latitude, reason }] = await made.queue.refusals();
    assert.deepEqual([latitude, reason], [fixes[5].latitude, "unreadable"]);
    await made.sender.end();
});

test("a batch that is too large goes in smaller ones", async () => {
    const made = await world();
    await walk(made, 1000);
    const { request } = made.server;
    const sizes = [];
    made.server.request = async (path, options) => {
        if (path === "positions") {
            sizes.push(options.body.size ?? options.body.length);
            if (sizes.at(-1) > 5_000) { throw new Problem(413, { title: "too large" }); }
        }
        return await request(path, options);
    };
    made.sender.begin();
    await when(() => made.queue.waiting === 0);
    inOrderOnce(made.server, 1000);
    assert.equal(made.queue.refused, 0);
    await made.sender.end();
});

test("it waits as the server asks, and else doubles up to a minute", async () => {
    assert.deepEqual([1, 2, 3, 8, 99].map((failures) => backOffMs(failures, 0)), [500, 1000, 2000, 60_000, 60_000]);
    assert.deepEqual([1, 8].map((failures) => backOffMs(failures, 1)), [250, 30_000]);
    const made = await world();
    await walk(made, 3);
    const tries = [];
    made.server.before = (_, path) => {
        if (path !== "positions") { return; }
        tries.push(made.time.trueMs - noon);
        if (tries.length === 1) { throw new Problem(503, {}, 30); }
        if (tries.length === 2) { throw new Problem(507, { title: "the disk is full" }, 10); }
        if (tries.length === 3) { throw noAnswer(); }
    };
    made.sender.begin();
    await settle();
    await made.time.pass(29_000);
    assert.equal(tries.length, 1);
    assert.equal(made.sender.progress.problem.kind, "busy");
    await made.time.pass(2_000);
    assert.equal(tries.length, 2);
    assert.deepEqual(made.sender.progress.problem, { kind: "serverFull", detail: "the disk is full" });
    await made.time.pass(60_000);
    assert.equal(made.queue.waiting, 0);
    assert.equal(made.sender.progress.problem, undefined);
    await made.sender.end();
});

test("a network that is back does not make it knock before the server's time", async () => {
    const made = await world();
    await walk(made, 3);
    let tries = 0;
    made.server.before = (_, path) => {
        if (path === "positions" && tries++ === 0) { throw new Problem(429, {}, 60); }
    };
    made.sender.begin();
    await settle();
    for (const seconds of [1, 20, 30]) {
        await made.time.pass(seconds * 1000);
        made.sender.hurry();
        await settle();
        assert.equal(tries, 1);
    }
    await made.time.pass(10_000);
    assert.deepEqual([tries, made.queue.waiting], [2, 0]);
    await made.sender.end();
});

test("what the disk gives back that is no fix holds up no others", async () => {
    const made = await world();
    await made.queue.append([fix(made.time, 0), { latitude: 52, longitude: 13 }, { wallMs: noon }, fix(made.time, 3)]);
    made.sender.begin();
    await when(() => made.queue.waiting === 0);
    assert.deepEqual([made.server.stored.size, made.queue.refused], [2, 2]);
    await made.sender.end();
});

test("a session that is over stops the sending with words, and a new one goes on where it was", async () => {
    const made = await world();
    await walk(made, 5);
    made.server.before = () => { throw new Problem(401, { title: "the session is over" }); };
    made.sender.begin();
    await settle();
    await made.time.pass(300_000, 20_000);
    assert.equal(made.server.requests.length, 1, "it does not knock again");
    assert.equal(made.sender.progress.problem.kind, "signedOut");
    made.server.before = () => {};
    made.sender.retry();
    await settle();
    assert.equal(made.queue.waiting, 0);
    await made.sender.end();
});

test("a device that somebody removed is made again; one too many is told", async () => {
    const made = await world();
    await walk(made, 5);
    made.sender.begin();
    await settle();
    made.server.devices.clear();
    await made.queue.append([fix(made.time, 9)]);
    made.sender.hurry();
    await settle();
    assert.deepEqual([made.server.stored.size, made.queue.waiting, made.queue.refused], [6, 0, 0]);
    await made.sender.end();
    const other = await world();
    await walk(other, 1);
    other.server.before = (_, path) => {
        if (path.endsWith("/devices")) { throw new Problem(400, { detail: "a user has at most 100 devices" }); }
    };
    other.sender.begin();
    await settle();
    assert.deepEqual(other.sender.progress.problem, { kind: "noDevice", detail: "a user has at most 100 devices" });
    assert.equal(other.queue.waiting, 1);
});

test("a time that the server takes for the future is found out anew", async () => {
    const made = await world();
    made.sender.begin();
    await settle();
    await made.queue.append([fix(made.time, 0)]);
    made.sender.hurry();
    await settle();
    // The clock is set ahead while the page does not notice: the fix claims to know its time.
    await made.queue.append([{
        ...fix(made.time, 1), ...made.time.moment(), wallMs: made.time.clock.now() + 3_600_000, isClockKnown: true,
    }]);
    made.time.errorMs = 3_600_000;
    made.sender.hurry();
    await settle();
    await made.time.pass(30_000);
    assert.deepEqual([made.server.stored.size, made.queue.waiting, made.queue.refused], [2, 0, 0]);
    assert.ok(Math.abs(made.server.times[1] - noon) < 1000);
    await made.sender.end();
});

test("a full queue becomes coarser at its old end, and says so", async () => {
    const made = await world({ limit: 100 });
    const fixes = await walk(made, 180);
    assert.ok(made.queue.waiting <= 100);
    const { thinned } = made.queue.notes;
    assert.equal(thinned.count + made.queue.waiting, 180);
    assert.equal(thinned.fromMs, fixes[1].wallMs);
    await made.open();
    assert.deepEqual(made.queue.notes.thinned, thinned, "it is told after a restart, too");
    made.sender.begin();
    await when(() => made.queue.waiting === 0);
    const { times } = made.server;
    assert.deepEqual(times, [...times].sort((left, right) => left - right));
    assert.equal(times[0], fixes[0].wallMs);
    assert.deepEqual(times.slice(-50), fixes.slice(-50).map(({ wallMs }) => wallMs));
    await made.sender.end();
});

test("refused fixes are bounded, and what went is counted", async () => {
    const made = await world();
    await walk(made, refusedLimit + 20);
    const entries = await made.queue.first(refusedLimit + 20, { ...made.time.moment(), offsetMs: 0 });
    await made.queue.setAside(entries.map((entry) => ({ ...entry, reason: "no" })));
    assert.deepEqual([made.queue.waiting, made.queue.refused, made.queue.notes.forgotten], [0, refusedLimit, 20]);
});

test("a full disk keeps nothing from the server, and a fix that it does not take is not recorded", async () => {
    const made = await world();
    await walk(made, 10, { offsetMs: undefined, isClockKnown: false });
    let isFull = true;
    made.database.beforeWrite = () => { if (isFull) { throw new DatabaseError("full"); } };
    await assert.rejects(made.queue.append([fix(made.time, 11)]), { kind: "full" });
    assert.equal(made.queue.waiting, 10);
    made.sender.begin();
    await settle();
    assert.equal(made.server.stored.size, 10);
    assert.equal(made.sender.progress.problem.kind, "diskFailed");
    isFull = false;
    await made.time.pass(5_000);
    inOrderOnce(made.server, 10);
    assert.equal(made.queue.waiting, 0);
    await made.sender.end();
});

test("what the browser erased is noticed and counted", async () => {
    const made = await world();
    await walk(made, 7);
    await made.database.erase();
    made.sender.begin();
    await settle();
    assert.deepEqual([made.queue.waiting, made.queue.erased], [0, 7]);
    await made.queue.append([fix(made.time, 8)]);
    await made.database.erase();
    await made.queue.append([fix(made.time, 9)]);
    assert.deepEqual([made.queue.waiting, made.queue.erased], [1, 8]);
    await made.sender.end();
});

test("a receiver's nonsense does not reach the server", () => {
    const nonsense = { speed: -1, heading: NaN, altitude: 1e9 };
    const sent = position({ latitude: 1, longitude: 2, timeMs: noon, battery: 81, ...nonsense }, "web-x");
    assert.deepEqual(sent, {
        device: "web-x", latitude: 1, longitude: 2, sampleTime: "2026-11-21T12:00:00.000Z", battery: 81 });
});

for (let seed = 1; seed <= 20; seed += 1) {
    test(`a walk with faults at every step is whole, once and in order, seed ${seed}`, async () => {
        const chance = dice(seed);
        const made = await world();
        const { time, server } = made;
        const isFaulty = () => chance() < 0.25;
        server.before = () => {
            if (isFaulty()) { throw chance() < 0.5 ? noAnswer() : new Problem(503, {}, 1 + Math.floor(chance() * 5)); }
        };
        server.after = () => { if (isFaulty()) { throw noAnswer(); } };
        made.sender.begin();
        const recorded = [];
        for (let number = 0; number < 200; number += 1) {
            if (chance() < 0.04) {
                // Other threads compress what the tab is about to send, in real time, so the test waits for them.
                await made.sender.end();
                time.restart();
                await made.open();
                made.sender.begin();
            }
            if (chance() < 0.02) { time.errorMs = Math.round((chance() - 0.5) * 1000); }
            const one = { ...fix(time, number), ...time.moment(), latitude: 52 + number * 1e-4 };
            await made.queue.append([one]);
            recorded.push(one.latitude);
            await time.pass(5000, 2500);
        }
        server.before = () => {};
        server.after = () => {};
        await time.pass(120_000, 5000);
        await when(() => made.queue.waiting === 0);
        const stored = [...server.stored.values()];
        assert.deepEqual(stored.map(({ latitude }) => latitude), recorded);
        inOrderOnce(server, 200);
        await made.sender.end();
    });
}
