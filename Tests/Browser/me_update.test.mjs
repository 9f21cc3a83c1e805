/** How the page keeps the app in the server's version, and goes over to a newer one. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ShellUpdate } from "../../Web/me/shell/update.js";

const settled = async () => { for (let turn = 0; turn < 20; turn += 1) { await new Promise(setImmediate); } };

/** What the server answers of its version. */
const found = (version = "abc") => ({ version, digests: new Map() });

/** A page's side of service workers. */
class Container extends EventTarget {
    controller;
    registered = [];

    getRegistration = async () => this.registration;

    register = async (address) => {
        this.registered.push(address);
        this.registration ??= Object.assign(new EventTarget(), { active: undefined, waiting: undefined });
        return this.registration;
    };
}

/** The storage of a tab. */
class Memory {
    #values = new Map();

    getItem(key) { return this.#values.get(key) ?? null; }

    setItem(key, value) { this.#values.set(key, value); }
}

function update(container, options = {}) {
    const told = [];
    let now = 0;
    let timer;
    const made = new ShellUpdate({
        container, report: ({ state }) => told.push(state), find: async () => found(),
        reload: () => told.push("reload"),
        now: () => now, isTyping: () => false, reloadLater: () => told.push("later"),
        schedule: (act, ms) => {
            const mine = { act, at: now + ms };
            timer = mine;
            return () => { if (timer === mine) { timer = undefined; } };
        },
        isLoaded: () => true, memory: new Memory(),
        ...options,
    });
    /** Lets time pass, and what is due happen. */
    const pass = async (ms) => {
        now += ms;
        const due = timer?.at <= now ? timer : undefined;
        if (due) { timer = undefined; due.act(); }
        await settled();
    };
    return { made, told, pass, waitMs: () => (timer ? timer.at - now : undefined) };
}

test("the page registers a worker for the server's version, and says when a newer one is ready", async () => {
    const container = new Container();
    let version = "abc";
    const { made, told, pass } = update(container, { find: async () => found(version) });
    await made.begin();
    await made.look();
    assert.deepEqual(container.registered, ["worker.js?v=abc"]);
    const worker = Object.assign(new EventTarget(), {
        state: "installing", posted: [], scriptURL: "http://localhost/me/worker.js?v=abc",
    });
    worker.postMessage = (message) => worker.posted.push(message);
    const { registration } = container;
    registration.installing = worker;
    registration.dispatchEvent(new Event("updatefound"));
    registration.active = worker;
    worker.dispatchEvent(new Event("statechange"));
    assert.equal(told.at(-1), "kept");
    const newer = Object.assign(new EventTarget(), {
        scriptURL: "http://localhost/me/worker.js?v=def", postMessage: (message) => worker.posted.push(message),
    });
    registration.installing = newer;
    registration.dispatchEvent(new Event("updatefound"));
    [registration.installing, registration.waiting] = [undefined, newer];
    newer.dispatchEvent(new Event("statechange"));
    assert.equal(told.at(-1), "ready");
    await made.takeOver();
    assert.deepEqual(worker.posted, [{ type: "takeOver" }]);
    // Chromium may keep the former worker alive, and replaces it only when the page registers the new one again.
    await pass(5000);
    registration.installing = { scriptURL: "http://localhost/me/worker.js?v=def&again=1" };
    await pass(5000);
    registration.installing = undefined;
    await pass(5000);
    assert.deepEqual(container.registered.slice(1), ["worker.js?v=def&again=1", "worker.js?v=def&again=3"]);
    registration.waiting = undefined;
    registration.active = newer;
    await pass(5000);
    assert.equal(container.registered.length, 3);
    // A second worker of the version in use, registered too late, is not shown as a newer version.
    registration.waiting = { scriptURL: "http://localhost/me/worker.js?v=def&again=2" };
    newer.dispatchEvent(new Event("statechange"));
    assert.equal(told.at(-1), "kept");
    version = "def";
    await pass(3_600_000);
    await made.look();
    assert.equal(container.registered.length, 3);
});

test("the page is loaded anew when its worker changes, but not when it gets its first one", async () => {
    const first = new Container();
    const { made, told } = update(first);
    await made.begin();
    first.dispatchEvent(new Event("controllerchange"));
    assert.ok(!told.includes("reload"));
    const later = new Container();
    later.controller = {};
    const second = update(later);
    await second.made.begin();
    later.dispatchEvent(new Event("controllerchange"));
    assert.ok(second.told.includes("reload"));
});

test("a page from the network is loaded anew when a newer version takes over, here or in another tab", async () => {
    const inAnotherTab = new Container();
    const other = update(inAnotherTab);
    await other.made.begin();
    inAnotherTab.dispatchEvent(new Event("controllerchange"));
    assert.ok(!other.told.includes("reload"), "its first worker has taken control");
    inAnotherTab.dispatchEvent(new Event("controllerchange"));
    assert.ok(other.told.includes("reload"));
    const here = new Container();
    here.registration = Object.assign(new EventTarget(), { active: {}, waiting: { postMessage() {} } });
    const own = update(here);
    await own.made.begin();
    await own.made.takeOver();
    here.dispatchEvent(new Event("controllerchange"));
    assert.ok(own.told.includes("reload"), "its first control is by the newer version that it asked for");
});

test("what is typed is not lost when another tab changes the version, and a wish is for what waits", async () => {
    const container = new Container();
    container.controller = {};
    const { made, told } = update(container, { isTyping: () => true });
    await made.begin();
    await made.takeOver();
    container.dispatchEvent(new Event("controllerchange"));
    assert.deepEqual(told.filter((each) => each !== "none"), ["later"]);
});

test("the server is asked once an hour, and after a failure again by itself, from seconds to a minute", async () => {
    const container = new Container();
    let asked = 0;
    let fails = true;
    const { made, told, pass, waitMs } = update(container, {
        find: async () => { asked += 1; if (fails) { throw new TypeError("no answer"); } return found(); },
    });
    await made.begin();
    await made.look();
    await made.look();
    assert.equal(asked, 1);
    assert.equal(told.at(-1), "failed");
    for (const wanted of [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
        assert.equal(waitMs(), wanted);
        await pass(wanted);
    }
    assert.equal(asked, 8);
    fails = false;
    await pass(60_000);
    assert.equal(asked, 9);
    assert.equal(waitMs(), undefined);
    await pass(61_000);
    await made.look();
    assert.equal(asked, 9);
    await pass(3_600_000);
    await made.look();
    assert.equal(asked, 10);
});

/** A worker that begins to be installed, as the browser tells the page. */
function install(container) {
    const worker = Object.assign(new EventTarget(), { state: "installing", postMessage() {} });
    const { registration } = container;
    registration.installing = worker;
    registration.dispatchEvent(new Event("updatefound"));
    return (state, slot) => {
        worker.state = state;
        registration.installing = undefined;
        if (slot) { registration[slot] = worker; }
        worker.dispatchEvent(new Event("statechange"));
    };
}

test("an installation that fails is tried again within seconds, and ever more seldom while it fails", async () => {
    const container = new Container();
    const { made, told, pass, waitMs } = update(container);
    await made.begin();
    await made.look();
    const waits = [];
    for (let count = 1; count <= 13; count += 1) {
        install(container)("redundant");
        assert.equal(told.at(-1), "failed");
        waits.push(waitMs());
        assert.equal(container.registered.length, count);
        await pass(waitMs());
    }
    assert.deepEqual(waits.slice(0, 4), [2000, 4000, 8000, 16_000]);
    assert.equal(waits.at(-1), 3_600_000, "the files are large, and no longer wait is longer than the usual one");
    install(container)("installed", "active");
    assert.equal(told.at(-1), "kept");
    assert.equal(waitMs(), undefined);
    // A worker that was in use, and is replaced, has not failed; the next failure is a first one again.
    const newer = install(container);
    newer("installed", "waiting");
    newer("redundant");
    assert.equal(waitMs(), undefined);
    container.registration.waiting = undefined;
    install(container)("redundant");
    assert.equal(told.at(-1), "kept", "the version before stays");
    assert.equal(waitMs(), 2000);
});

test("a further attempt waits for the server to be heard, and is made then", async () => {
    const container = new Container();
    let isLive = true;
    const { made, pass, waitMs } = update(container, { mayAsk: () => isLive });
    await made.begin();
    await made.look();
    install(container)("redundant");
    isLive = false;
    await pass(waitMs());
    assert.equal(container.registered.length, 1);
    isLive = true;
    await made.look();
    assert.equal(container.registered.length, 2);
});

test("a browser without service workers is told of", async () => {
    const { made, told } = update(undefined, { container: null });
    await made.begin();
    await made.look();
    assert.deepEqual(told, ["unsupported"]);
});

test("a page from the network whose server was replaced meanwhile is loaded anew, once for each version", async () => {
    const memory = new Memory();
    const opened = async (version, container = new Container(), options = {}) => {
        const { made, told } = update(container, {
            memory, find: async () => found(version), isLoaded: () => false, ...options,
        });
        await made.begin();
        await made.look();
        assert.equal(container.registered.length, 1, "the version is kept all the same");
        return told.filter((each) => ["reload", "later"].includes(each));
    };
    assert.deepEqual(await opened("two"), ["reload"]);
    assert.deepEqual(await opened("two"), [], "a proxy may answer with old files for ever");
    assert.deepEqual(await opened("three", undefined, { isTyping: () => true }), ["later"]);
    assert.deepEqual(await opened("four", undefined, { isLoaded: () => true }), []);
    const controlled = new Container();
    controlled.controller = {};
    assert.deepEqual(await opened("five", controlled), [], "its files came from one version in the cache");
});
