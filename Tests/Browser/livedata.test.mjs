/** The page's side and the worker's side of the live data, which speak to each other here in one thread. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Problem } from "../../Web/console/shared/http.js";
import { LiveData } from "../../Web/console/shared/livedata.js";

/** What the worker's script sees of the world: its messages, and a server made of answers. */
const world = { toWorker: () => {}, fromWorker: () => {}, answer: async () => { throw new TypeError("no server"); } };
globalThis.addEventListener = (type, act) => { if (type === "message") { world.toWorker = (data) => act({ data }); } };
globalThis.postMessage = (data) => world.fromWorker(structuredClone(data));
globalThis.fetch = (address, options) => world.answer(address, options);

let copies = 0;

/**
 * A page with a worker of its own.
 * @param {(path: string, options: object) => Promise<Response>} answer the server's, by what follows `/api/v1/`
 */
async function open(answer, token = async () => "token") {
    // A module is run once; another address is another copy.
    copies += 1;
    await import(`../../Web/console/shared/live-worker.js?copy=${copies}`);
    const { toWorker } = world;
    const listeners = {};
    const sent = [];
    const seen = { batches: [], statuses: [], resyncs: 0, workers: 0, sent };
    world.fromWorker = (data) => listeners.message({ data });
    world.answer = async (address, options) => answer(address.split("/api/v1/")[1], options);
    const worker = {
        addEventListener: (type, act) => { listeners[type] = act; },
        postMessage: (data) => { sent.push(data); toWorker(structuredClone(data)); },
    };
    const data = new LiveData({
        token, newWorker: () => { seen.workers += 1; return worker; },
        receive: (changes) => { seen.batches.push(changes.map(({ sequence }) => sequence)); seen.received?.(); },
        report: (status) => seen.statuses.push(status),
        resync: () => { seen.resyncs += 1; },
    });
    const hear = (message) => listeners.message({ data: message });
    return { data, seen, worker, hear, fail: () => listeners.error() };
}

const json = (body, status = 200) => new Response(JSON.stringify(body), { status });

/** A feed to which events are written, until the request for it is cut. */
function feed(signal) {
    let controller;
    const body = new ReadableStream({ start: (its) => { controller = its; } });
    signal?.addEventListener("abort", () => controller.error(signal.reason));
    return {
        response: new Response(body),
        write(...sequences) {
            const text = sequences.map((sequence) => `event: safety\ndata: {"sequence":${sequence}}\n\n`).join("");
            controller.enqueue(new TextEncoder().encode(text));
        },
    };
}

/** Lets everything that is due now happen. */
async function settle() {
    for (let turn = 0; turn < 30; turn += 1) { await new Promise((resolve) => { setImmediate(resolve); }); }
}

const lists = {
    positions: { items: [], sequence: 7 }, presences: { items: [], sequence: 7 }, incidents: { items: [] },
};

function answerLists(path) {
    const name = path.split("?")[0];
    if (name === "changes") { return json({ items: [{ sequence: 6 }, { sequence: 8 }] }); }
    return json(lists[name] ?? { items: [] });
}

test("the state and the changes before it are loaded by the worker, with the page's token", async () => {
    const tokens = [];
    const { data } = await open(async (path, { headers }) => {
        tokens.push(headers.Authorization);
        return answerLists(path);
    });
    const { snapshot, history } = await data.load({ wantsHistory: true });
    assert.equal(snapshot.sequence, 7);
    assert.deepEqual(history, [{ sequence: 6 }]);
    assert.deepEqual(new Set(tokens), new Set(["Bearer token"]));
    assert.deepEqual((await data.load({ wantsHistory: false, knownRegions: [] })).history, []);
});

test("a token that the server refuses is renewed once, and the request sent again", async () => {
    const refused = [];
    const { data } = await open(
        async (path, { headers }) => (headers.Authorization === "Bearer new" ? answerLists(path) : json({}, 401)),
        async (old) => { refused.push(old); return old ? "new" : "old"; });
    assert.equal((await data.load({ wantsHistory: false })).snapshot.sequence, 7);
    assert.deepEqual(new Set(refused), new Set([undefined, "old"]));
});

test("a refusal reaches the page as a problem with its status, and a lost network as none", async () => {
    const refusing = await open(async () => json({ detail: "Not for this role" }, 403));
    await assert.rejects(refusing.data.load({ wantsHistory: false }), (error) => (
        error instanceof Problem && error.status === 403 && error.message === "Not for this role"));
    const lost = await open(async () => { throw new TypeError("network error"); });
    await assert.rejects(lost.data.load({ wantsHistory: false }), (error) => (
        error instanceof TypeError && !(error instanceof Problem) && error.message === "network error"));
});

test("when nobody is signed in any more the worker's request ends as refused", async () => {
    const { data } = await open(answerLists, async () => { throw new Problem(401, { detail: "Signed out" }); });
    await assert.rejects(data.load({ wantsHistory: false }), ({ status }) => status === 401);
});

test("the people of teams are asked for by name, and a team that is gone is left out", async () => {
    const { data } = await open(async (path) => (
        path.startsWith("teams/a%2Fb/") ? json({ members: [{ user: "ann" }], at: "2026-11-21T06:05:00Z" })
            : path === "health" ? json({ at: "2026-11-21T06:06:00Z" }) : json({}, 404)));
    assert.deepEqual(await data.heard(["a/b", "gone"]), { people: [{ user: "ann" }], at: "2026-11-21T06:05:00Z" });
    assert.deepEqual(await data.heard([]), { people: [], at: "2026-11-21T06:06:00Z" },
        "the server’s time is asked for where no team tells it");
});

test("a state that the page gave up waiting for waits no longer in the browser either", async () => {
    const signals = [];
    const { data } = await open((path, { signal }) => new Promise((resolve, reject) => {
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
    }));
    const first = data.load({ wantsHistory: true });
    await settle();
    assert.deepEqual(signals.map(({ aborted }) => aborted), [false]);
    data.stop();
    const second = data.load({ wantsHistory: true });
    await assert.rejects(first, TypeError);
    await settle();
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false]);
    data.stop();
    await assert.rejects(second, TypeError);
});

test("changes go to the page in batches, one at a time, and none is lost or told twice", async (context) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    context.after(() => mock.timers.reset());
    const server = feed();
    const { data, seen, worker } = await open(async () => server.response);
    const taken = [];
    const post = worker.postMessage;
    // A page that is busy says later that it has taken a batch.
    worker.postMessage = (message) => (message.type === "taken" ? taken.push(message) : post(message));
    data.follow(5);
    await settle();
    assert.deepEqual(seen.statuses.map(({ state }) => state), ["connecting", "live"]);
    server.write(6, 7);
    server.write(8);
    await settle();
    assert.deepEqual(seen.batches, [], "they wait for others");
    mock.timers.tick(100);
    assert.deepEqual(seen.batches, [[6, 7, 8]]);
    server.write(9);
    await settle();
    server.write(10);
    await settle();
    mock.timers.tick(5000);
    assert.deepEqual(seen.batches.length, 1, "the page has not taken the first one");
    post(taken.shift());
    mock.timers.tick(250);
    assert.deepEqual(seen.batches, [[6, 7, 8], [9, 10]]);
    data.stop();
});

test("a page that takes nothing while 20,000 changes come is told to load the state anew", async (context) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    context.after(() => mock.timers.reset());
    const server = feed();
    const { data, seen, worker } = await open(async () => server.response);
    const post = worker.postMessage;
    worker.postMessage = (message) => { if (message.type !== "taken") { post(message); } };
    data.follow(0);
    await settle();
    server.write(1);
    await settle();
    mock.timers.tick(100);
    const sequences = Array.from({ length: 20_000 }, (_, index) => index + 2);
    server.write(...sequences);
    await settle();
    assert.equal(seen.resyncs, 0);
    server.write(20_002);
    await settle();
    assert.equal(seen.resyncs, 1);
    mock.timers.tick(10_000);
    assert.deepEqual(seen.batches, [[1]]);
});

test("a page whose own work on a batch fails gets the next one", async (context) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    context.after(() => mock.timers.reset());
    const { data, seen, hear } = await open(async () => feed().response);
    data.follow(0);
    seen.received = () => { throw new RangeError("a fault of a view"); };
    assert.throws(() => hear({ type: "changes", changes: [{ sequence: 1 }] }), RangeError);
    assert.equal(seen.sent.at(-1).type, "taken");
    data.stop();
});

test("what is followed anew ends what was followed before, and stop ends all", async () => {
    const signals = [];
    const paths = [];
    const { data, seen } = await open(async (path, { signal }) => {
        signals.push(signal);
        paths.push(path);
        return feed(signal).response;
    });
    data.follow(3);
    await settle();
    data.follow(9);
    await settle();
    assert.deepEqual(paths, ["live?since=3", "live?since=9"]);
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false]);
    const { length } = seen.statuses;
    data.stop();
    await settle();
    assert.ok(signals[1].aborted);
    assert.equal(seen.statuses.length, length, "an ended feed reports nothing");
});

test("a worker that fails is no silence: what was asked fails, and the page is not live", async () => {
    const { data, seen, fail } = await open(() => new Promise(() => {}));
    const asked = data.load({ wantsHistory: false });
    fail();
    await assert.rejects(asked, TypeError);
    assert.deepEqual(seen.statuses.at(-1).state, "waiting");
});

test("after a worker failed the next question starts another, and a feed that it followed is loaded anew", async () => {
    const { data, seen, fail } = await open(() => new Promise(() => {}));
    fail();
    assert.deepEqual([seen.workers, seen.resyncs], [1, 0]);
    data.follow(7);
    assert.equal(seen.workers, 2);
    fail();
    assert.deepEqual([seen.workers, seen.resyncs], [2, 1]);
    data.hurry();
    assert.equal(seen.workers, 3);
});
