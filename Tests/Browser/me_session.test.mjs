/** A session that all tabs of a browser share: it opens without a server, is renewed once, and ends everywhere. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { browserStorage } from "../../Web/console/shared/browserstorage.js";
import { Problem } from "../../Web/console/shared/http.js";
import { Session } from "../../Web/console/shared/session.js";
import { eraseEverything } from "../../Web/me/erase.js";

const settled = () => new Promise((resolve) => { setImmediate(resolve); });

/** A browser of several tabs: one storage, locks, and a server that renews a refresh token once. */
class World {
    time = 1_000_000;
    stored = new Map();
    sent = [];
    isOffline = false;
    isEnded = false;
    number = 0;
    #queue = Promise.resolve();

    storage = {
        getItem: (key) => this.stored.get(key) ?? null, setItem: (key, value) => this.stored.set(key, value),
        removeItem: (key) => this.stored.delete(key),
    };

    locks = {
        request: (name, act) => {
            const turn = this.#queue.then(act);
            this.#queue = turn.catch(() => {});
            return turn;
        },
    };

    tab() {
        const session = new Session({
            key: "me", isShared: true, storage: this.storage, locks: this.locks, now: () => this.time,
            request: (path, options) => this.answer(path, options),
        });
        session.ended = 0;
        session.onEnd = () => { session.ended += 1; };
        return session;
    }

    answer = async (path, { method = "GET", body, token } = {}) => {
        await settled();
        if (this.isOffline) { throw new TypeError("Failed to fetch"); }
        this.sent.push(`${method} ${path}`);
        if (path === "session/refresh") {
            if (this.isEnded || body.refreshToken !== `refresh ${this.number}`) {
                this.isEnded = true;
                throw new Problem(401, { title: "refused" });
            }
        }
        if (path === "session" && method === "POST" || path === "session/refresh") {
            this.number += 1;
            const user = { name: body.name ?? "ana", role: "member" };
            return { json: async () => ({
                accessToken: `access ${this.number}`, refreshToken: `refresh ${this.number}`, expiresIn: 900, user }) };
        }
        if (token !== `access ${this.number}` || this.isEnded) { throw new Problem(401, { title: "refused" }); }
        return { json: async () => ({ path }) };
    };
}

test("a shared session opens without a server, with who it is", async () => {
    const world = new World();
    await world.tab().signIn("ana", "password");
    world.isOffline = true;
    const later = world.tab();
    assert.equal(await later.restore(), true);
    assert.equal(later.user.name, "ana");
    world.time += 3_600_000;
    await assert.rejects(later.request("incidents"), TypeError);
    assert.equal(later.user.name, "ana", "no answer ends no session");
    assert.equal(later.ended, 0);
});

test("nobody is signed in where nothing was stored", async () => {
    assert.equal(await new World().tab().restore(), false);
});

test("two tabs that renew at the same time exchange the token once", async () => {
    const world = new World();
    const first = world.tab();
    await first.signIn("ana", "password");
    const second = world.tab();
    await second.restore();
    world.time += 3_600_000;
    const answers = await Promise.all([first.json("incidents"), second.json("teams")]);
    assert.deepEqual(answers, [{ path: "incidents" }, { path: "teams" }]);
    assert.equal(world.sent.filter((each) => each.endsWith("refresh")).length, 1);
});

test("a session that the server ended is over, and what it had is gone", async () => {
    const world = new World();
    const tab = world.tab();
    await tab.signIn("ana", "password");
    world.isEnded = true;
    await assert.rejects(tab.request("incidents"), Problem);
    assert.equal(tab.user, undefined);
    assert.equal(tab.ended, 1);
    assert.equal(world.stored.size, 0);
});

test("signing out in one tab signs out the others, and somebody else is not taken for the one before", async () => {
    const world = new World();
    const first = world.tab();
    await first.signIn("ana", "password");
    const second = world.tab();
    await second.restore();
    await first.signOut();
    assert.ok(world.sent.includes("DELETE session"));
    second.look();
    assert.equal(second.user, undefined);
    assert.equal(second.ended, 1);
    await first.signIn("ana", "password");
    await second.restore();
    await first.signIn("ben", "password");
    second.look();
    assert.equal(second.user, undefined, "the page is the first user's");
    assert.equal(await second.restore(), true);
    assert.equal(second.user.name, "ben");
});

test("signing out without a server leaves nothing here", async () => {
    const world = new World();
    const tab = world.tab();
    await tab.signIn("ana", "password");
    world.isOffline = true;
    await tab.signOut();
    assert.equal(world.stored.size, 0);
    assert.equal(tab.ended, 1);
});

test("a request that is given up does not wait for a token that does not come", async () => {
    const world = new World();
    const tab = world.tab();
    await tab.signIn("ana", "password");
    world.time += 3_600_000;
    world.answer = () => new Promise(() => {});
    const ending = new AbortController();
    const asking = tab.request("incidents", { signal: ending.signal });
    ending.abort();
    await assert.rejects(asking, { name: "AbortError" });
});

/** A storage of the browser. */
function storageOf(values) {
    const names = () => Object.keys(values);
    return {
        get length() { return names().length; }, key: (index) => names()[index],
        removeItem: (name) => { delete values[name]; },
    };
}

test("signing out erases what was stored, but the app and the language", async () => {
    const local = {
        "muster.me.session": "1", "muster.unsent.ana": "2", "muster-device": "web-1", "muster.language": "ja",
        other: "3",
    };
    const shell = ["muster-me-shell-abc"];
    const names = [...shell, "muster-tiles"];
    const removed = [];
    const faults = await eraseEverything({
        storages: [storageOf(local)], database: async () => removed.push("database"), notifications: async () => {},
        caches: { keys: async () => names, delete: async (name) => names.splice(names.indexOf(name), 1) },
        files: async () => ({
            keys: async function* keys() { yield "area-1"; }, removeEntry: async (name) => removed.push(name),
        }),
    });
    assert.deepEqual(faults, []);
    assert.deepEqual(local, { "muster.language": "ja", other: "3" });
    assert.deepEqual(names, shell);
    assert.deepEqual(removed, ["database", "area-1"]);
});

test("what could not be erased is said, and the rest is erased all the same", async (context) => {
    context.mock.method(console, "error", () => {});
    const local = { "muster.me.session": "1" };
    const faults = await eraseEverything({
        storages: [storageOf(local)], caches: undefined, notifications: async () => {}, files: async () => undefined,
        database: async () => { throw new Error("blocked"); },
    });
    assert.deepEqual(faults, ["database"]);
    assert.deepEqual(local, {});
});

test("where the browser lets the page keep nothing, what is stored lasts as long as the page", () => {
    const denied = { get localStorage() { throw new DOMException("denied", "SecurityError"); } };
    const storage = browserStorage("localStorage", denied);
    storage.setItem("muster.a", "1");
    assert.equal(browserStorage("localStorage", denied).getItem("muster.a"), "1");
    assert.equal(storage.length, 1);
    assert.equal(storage.key(0), "muster.a");
    storage.removeItem("muster.a");
    assert.equal(storage.getItem("muster.a"), null);
    const there = { localStorage: { getItem: () => null } };
    assert.equal(browserStorage("localStorage", there), there.localStorage);
});
