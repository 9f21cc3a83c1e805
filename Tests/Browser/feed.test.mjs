/** The live feed against a server made of answers, and the session against one that rotates its tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { backOffMs, Feed } from "../../Web/console/shared/feed.js";
import { Problem } from "../../Web/console/shared/http.js";
import { Session } from "../../Web/console/shared/session.js";
import { loadHistory, loadSnapshot } from "../../Web/console/shared/snapshot.js";

/** A stream of these texts that then ends, or stays open, or breaks. */
function answer(texts, end = "close") {
    const body = new ReadableStream({
        start(controller) {
            for (const text of texts) { controller.enqueue(new TextEncoder().encode(text)); }
            if (end === "close") { controller.close(); }
            if (end === "break") { controller.error(new TypeError("network error")); }
        },
    });
    return { body };
}

const event = (sequence) => `id: ${sequence}\nevent: safety\ndata: {"sequence":${sequence}}\n\n`;

/** Runs a feed over these answers, one per connection; an error is a failed connection. Each wait takes `waitMs`. */
async function follow(answers, waitMs = 500) {
    const seen = { received: [], resumed: [], reports: [], delays: [], resyncs: 0 };
    let nowMs = 1_000_000;
    const feed = new Feed({
        since: 5, now: () => nowMs,
        open: async (path, { headers }) => {
            seen.resumed.push([path, headers["Last-Event-ID"]]);
            const next = answers.shift();
            if (!next) { feed.stop(); }
            if (!next || next instanceof Error) { throw next ?? new TypeError("no answers left"); }
            return next;
        },
        receive: (changes) => seen.received.push(...changes.map((change) => change.sequence)),
        report: ({ state }) => seen.reports.push(state),
        resync: () => { seen.resyncs += 1; },
        wait: async (delayMs) => { seen.delays.push(delayMs); nowMs += waitMs; },
    });
    await feed.run();
    return { ...seen, heardMs: feed.heardMs };
}

test("a feed resumes after the last change it received", async () => {
    const seen = await follow([answer([event(6), event(9)]), answer([event(10)])]);
    assert.deepEqual(seen.received, [6, 9, 10]);
    assert.deepEqual(seen.resumed, [["live?since=5", "5"], ["live?since=9", "9"], ["live?since=10", "10"]]);
});

test("half an event at a cut is dropped, and received again", async () => {
    const seen = await follow([answer([event(6), event(7).slice(0, -1)], "close"), answer([event(7)])]);
    assert.deepEqual(seen.received, [6, 7]);
    assert.equal(seen.resumed[1][1], "6");
});

test("failures in a row wait longer and longer; a connection resets the count", async () => {
    const failure = () => new TypeError("network error");
    const seen = await follow([failure(), failure(), failure(), failure(), answer([": open\n\n"]), failure()]);
    assert.ok(seen.delays[3] > seen.delays[0], `${seen.delays}`);
    assert.ok(seen.delays[4] <= 1000, `${seen.delays}`);
    assert.ok(seen.reports.includes("live"));
});

test("the wait is bounded, and differs between clients", () => {
    assert.deepEqual([0, 1, 2, 3].map((failures) => backOffMs(failures, 0)), [500, 1000, 2000, 4000]);
    assert.equal(backOffMs(1000, 0), 30_000);
    assert.equal(backOffMs(1000, 1), 15_000);
});

test("a resync ends the feed and asks for the state, once", async () => {
    const seen = await follow([answer([event(6), "event: resync\ndata: {}\n\n", event(7)], "open")]);
    assert.equal(seen.resyncs, 1);
    assert.deepEqual(seen.received, [6]);
    assert.equal(seen.resumed.length, 1);
});

test("a feed that was cut off for more than a minute asks for the state instead of what it missed", async () => {
    const failure = () => new TypeError("network error");
    const cut = (failures) => [answer([event(6)]), ...Array.from({ length: failures }, failure), answer([event(7)])];
    const long = await follow(cut(3), 15_001);
    assert.equal(long.resyncs, 1);
    assert.deepEqual(long.received, [6]);
    assert.equal(long.reports.at(-1), "connecting", "the page stays not live until it has the state");
    const short = await follow(cut(3), 15_000);
    assert.equal(short.resyncs, 0);
    assert.deepEqual(short.received, [6, 7]);
});

test("a feed that never heard the server has missed nothing, however long it waited", async () => {
    const failure = () => new TypeError("network error");
    const seen = await follow([failure(), failure(), answer([event(6)])], 90_000);
    assert.deepEqual([seen.resyncs, seen.received], [0, [6]]);
});

test("a comment of the server is a sign of life", async () => {
    const seen = await follow([answer([event(6)]), answer([": open\n\n"]), answer([event(7)])], 40_000);
    assert.deepEqual([seen.resyncs, seen.received], [0, [6, 7]]);
    assert.equal(seen.heardMs, 1_080_000);
});

/** A feed over connections that are written to by hand. */
function byHand() {
    const lines = [];
    const reports = [];
    const feed = new Feed({
        since: 5, receive: () => {}, resync: () => {}, report: ({ state }) => reports.push(state), wait: async () => {},
        open: async (_, { signal }) => {
            const body = new ReadableStream({
                start(controller) {
                    lines.push((text) => controller.enqueue(new TextEncoder().encode(text)));
                    signal.addEventListener("abort", () => controller.error(signal.reason), { once: true });
                },
            });
            return { body };
        },
    });
    const settle = () => new Promise((resolve) => { setImmediate(resolve); });
    return { feed, lines, reports, settle };
}

test("a connection that is in doubt is not live until the server is heard over it", async () => {
    const { feed, lines, reports, settle } = byHand();
    feed.doubt();
    assert.deepEqual(reports, [], "there is no connection to doubt");
    const run = feed.run();
    await settle();
    feed.doubt();
    await settle();
    assert.deepEqual(reports, ["connecting", "live", "waiting"]);
    lines[0](": here\n\n");
    await settle();
    assert.deepEqual([reports.at(-1), lines.length], ["live", 1]);
    feed.stop();
    await run;
});

test("when the network is back, a doubted connection is made anew, and another goes on", async () => {
    const { feed, lines, reports, settle } = byHand();
    const run = feed.run();
    await settle();
    feed.hurry();
    await settle();
    assert.equal(lines.length, 1);
    feed.doubt();
    feed.hurry();
    await settle();
    assert.equal(lines.length, 2);
    assert.deepEqual(reports, ["connecting", "live", "waiting", "waiting", "connecting", "live"]);
    feed.stop();
    await run;
});

test("a refusal ends the feed with a message", async () => {
    const seen = await follow([new Problem(403, { title: "Not for this role" })]);
    assert.equal(seen.reports.at(-1), "refused");
    assert.equal(seen.resumed.length, 1);
});

test("an event that is not a change is ignored", async () => {
    const seen = await follow([answer(["data: hello\n\n", "data: {\"sequence\":\"six\"}\n\n", event(8)])]);
    assert.deepEqual(seen.received, [8]);
});

// The session

/** A server that rotates refresh tokens and revokes the family when one is used twice. */
class TokenServer {
    count = 0;
    valid;
    calls = [];
    accepted = new Set();
    /** The header `Date` of an answer that brings tokens. */
    date;

    async request(path, { method = "GET", body, token } = {}) {
        this.calls.push(`${method} ${path}`);
        if (path === "session" && method === "POST") {
            if (body.password !== "right" && body.code !== "once") { throw new Problem(401); }
            return this.#tokens();
        }
        if (path === "session/refresh") {
            if (body.refreshToken !== this.valid) { this.valid = undefined; throw new Problem(401); }
            return this.#tokens();
        }
        if (!this.accepted.has(token)) { throw new Problem(401); }
        return { json: async () => ({ path }) };
    }

    #tokens() {
        this.count += 1;
        this.valid = `refresh-${this.count}`;
        this.accepted.add(`access-${this.count}`);
        const user = { name: "alice", role: "leader" };
        const headers = new Headers(this.date ? { Date: this.date } : {});
        return { headers, json: async () => ({
            accessToken: `access-${this.count}`, refreshToken: this.valid, expiresIn: 600, user,
        }) };
    }
}

class Storage {
    items = new Map();
    getItem(key) { return this.items.get(key) ?? null; }
    setItem(key, value) { this.items.set(key, value); }
    removeItem(key) { this.items.delete(key); }
}

function world() {
    const server = new TokenServer();
    const storage = new Storage();
    const clock = { ms: 0 };
    const make = () => new Session({
        storage, request: (...all) => server.request(...all), now: () => clock.ms, locks: null,
    });
    return { server, storage, clock, make };
}

test("the access token never enters the storage", async () => {
    const { storage, make } = world();
    await make().signIn("alice", "right");
    const stored = [...storage.items.values()].join();
    assert.match(stored, /refresh-1/);
    assert.doesNotMatch(stored, /access-1|right/);
});

test("a reload resumes the session with a new refresh token", async () => {
    const { server, storage, make } = world();
    await make().signIn("alice", "right");
    const again = make();
    assert.equal(await again.restore(), true);
    assert.equal(again.user.name, "alice");
    assert.match([...storage.items.values()].join(), /refresh-2/);
    assert.equal(server.valid, "refresh-2");
});

test("requests at the same time share one renewal", async () => {
    const { server, clock, make } = world();
    const session = make();
    await session.signIn("alice", "right");
    clock.ms = 590_000;
    await Promise.all([session.json("teams"), session.json("positions"), session.json("changes")]);
    assert.equal(server.calls.filter((call) => call === "POST session/refresh").length, 1);
});

test("a token that the server no longer takes is renewed once and the request sent again", async () => {
    const { server, make } = world();
    const session = make();
    await session.signIn("alice", "right");
    server.accepted.clear();
    assert.deepEqual(await session.json("teams"), { path: "teams" });
    assert.equal(server.calls.filter((call) => call === "POST session/refresh").length, 1);
});

test("the session knows from the answer that brings its tokens by how much the server’s clock is ahead", async () => {
    const { server, clock, make } = world();
    const session = make();
    await session.signIn("alice", "right");
    assert.equal(session.clockAheadMs, undefined, "no answer told it");
    clock.ms = Date.parse("2026-11-20T12:00:00Z");
    server.date = "Sat, 21 Nov 2026 12:00:07 GMT";
    await session.token();
    assert.equal(session.clockAheadMs, 86_407_500);
});

test("a revoked session ends, once, and leaves nothing behind", async () => {
    const { server, storage, make } = world();
    const session = make();
    let ends = 0;
    session.onEnd = () => { ends += 1; };
    await session.signIn("alice", "right");
    server.accepted.clear();
    server.valid = undefined;
    const outcomes = await Promise.allSettled([session.json("teams"), session.json("positions")]);
    assert.deepEqual(outcomes.map((outcome) => outcome.reason?.status), [401, 401]);
    assert.equal(ends, 1);
    assert.equal(storage.items.size, 0);
    assert.equal(session.user, undefined);
});

test("a lost network does not end the session", async () => {
    const { storage, make } = world();
    await make().signIn("alice", "right");
    const cut = new Session({ storage, request: async () => { throw new TypeError("network"); }, locks: null });
    await assert.rejects(cut.restore(), TypeError);
    assert.equal(storage.items.size, 1);
});

test("signing out tells the server and forgets the tokens even when it does not answer", async () => {
    const { server, storage, make } = world();
    const session = make();
    await session.signIn("alice", "right");
    await session.signOut();
    assert.ok(server.calls.includes("DELETE session"));
    assert.equal(storage.items.size, 0);
    await assert.rejects(session.json("teams"), Problem);
});

test("a one-time code signs in as a password does", async () => {
    const { make } = world();
    const session = make();
    await session.signInWithCode("once");
    assert.equal(session.user.name, "alice");
});

// The snapshot

test("a snapshot is paged to its end, and begins the feed where its first page stood", async () => {
    const answers = {
        "positions?limit=1000": { sequence: 40, items: [{ device: "a/phone" }], nextCursor: "x=1" },
        "positions?limit=1000&cursor=x%3D1": { sequence: 44, items: [{ device: "b/phone" }] },
        "presences?limit=1000": { sequence: 41, items: [{ device: "a/phone" }], nextCursor: "x=2" },
        "presences?limit=1000&cursor=x%3D2": { sequence: 45, items: [{ device: "b/phone" }] },
        "teams?limit=1000": { items: [{ name: "north" }] },
        "teams/north/safety": { team: "north", sequence: 42, at: "2026-11-21T06:00:00.000Z",
            members: [{ user: "a", state: "safe" }] },
        "collections?limit=1000": { items: [{ name: "site" }] },
        "collections/site/regions?limit=1000": { features: [{ id: 7, properties: { muster: true }, geometry: null }] },
    };
    const asked = [];
    const snapshot = await loadSnapshot(async (path) => { asked.push(path); return answers[path]; });
    assert.equal(snapshot.sequence, 40);
    assert.deepEqual(snapshot.positions.map(({ device }) => device), ["a/phone", "b/phone"]);
    assert.deepEqual(snapshot.presences.map(({ device }) => device), ["a/phone", "b/phone"]);
    assert.equal(snapshot.presenceSequence, 41);
    assert.equal(snapshot.members[0].safetySequence, 42);
    assert.deepEqual(snapshot.regions.map(({ id, name, muster }) => [id, name, muster]), [["7", "7", true]]);
    assert.ok(asked.indexOf("positions?limit=1000") === 0, "the positions come before all else");
});

test("a resource that the role may not see is left out, and a failure is reported", async () => {
    const member = async (path) => {
        if (path.startsWith("positions")) { return { sequence: 3, items: [] }; }
        throw new Problem(403);
    };
    const seen = await loadSnapshot(member);
    assert.deepEqual([seen.regions, seen.presences, seen.presenceSequence], [[], [], 3]);
    assert.deepEqual(await loadHistory(member, 3), []);
    const broken = async (path) => {
        if (path.startsWith("positions")) { return member(path); }
        throw new Problem(500);
    };
    await assert.rejects(loadSnapshot(broken), Problem);
});
