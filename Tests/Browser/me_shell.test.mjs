/** The app's shell: its list, its version, its worker, and how the page goes over to a newer version. */
import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

import { ShellUpdate } from "../../Web/me/shell/update.js";
import { serverVersion } from "../../Web/me/shell/version.js";

const web = new URL("../../Web/", import.meta.url);
const { musterShell } = globalThis;
const digest = (text) => createHash("sha256").update(text).digest().subarray(0, 15).toString("base64url");
const settled = async () => { for (let turn = 0; turn < 20; turn += 1) { await new Promise(setImmediate); } };

test("a file's digest is the server's tag of it, and a version is the same in any order", async () => {
    const bytes = new TextEncoder().encode("some text").buffer;
    assert.equal(await musterShell.digestOf(bytes), digest("some text"));
    const files = [["a.js", "1"], ["b.js", "2"]];
    assert.equal(await musterShell.versionOf(files), await musterShell.versionOf(files.toReversed()));
    assert.notEqual(await musterShell.versionOf(files), await musterShell.versionOf([["a.js", "2"], ["b.js", "1"]]));
});

/** A server of files, which counts what it is asked. */
class Server {
    asked = [];
    tag = (text) => `"${digest(text)}"`;

    constructor(files) { this.files = { ...files }; this.list({ files: Object.keys(files) }); }

    list(value) { this.files["me/shell.json"] = JSON.stringify(value); }

    get = async (address, { method = "GET" } = {}) => {
        const path = String(address).replace("http://localhost/", "");
        this.asked.push(`${method} ${path}`);
        const text = this.files[path];
        if (text === undefined) { return new Response("", { status: 404 }); }
        const tag = this.tag(text);
        return new Response(method === "HEAD" ? undefined : text, { headers: tag ? { ETag: tag } : {} });
    };
}

const files = { "me/index.html": "<p>", "me/app.js": "1", "me/words/en.js": "en", "me/words/ja.js": "ja" };

test("the server's version is made of tags, also weak ones, and of the files where a proxy took the tags", async () => {
    const server = new Server(files);
    const version = await serverVersion(server.get);
    const digests = Object.entries(files).map(([path, text]) => [path, digest(text)]);
    assert.equal(version, await musterShell.versionOf(digests));
    server.tag = (text) => `W/"${digest(text)}"`;
    assert.equal(await serverVersion(server.get), version);
    server.tag = () => undefined;
    assert.equal(await serverVersion(server.get), version);
    server.tag = () => "\"made-by-a-proxy\"";
    assert.equal(await serverVersion(server.get), version);
});

test("a server that lists the digests is asked once", async () => {
    const server = new Server(files);
    const version = await serverVersion(server.get);
    const digests = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, digest(text)]));
    const [first, ...rest] = Object.keys(files);
    server.list({ version, files: rest, map: [first], digests });
    server.asked = [];
    assert.equal(await serverVersion(server.get), version);
    assert.deepEqual(server.asked, ["GET me/shell.json"]);
});

test("a file that is missing leaves the version unknown", async () => {
    const server = new Server(files);
    delete server.files["me/app.js"];
    await assert.rejects(serverVersion(server.get), TypeError);
});

/** The worker's tiles are tested elsewhere. */
class NoTiles {
    isTile() { return false; }
}

/** A browser's service worker with its caches, in which `worker.js` runs. */
class WorkerWorld {
    caches = new Map();
    listeners = {};
    skipped = false;

    constructor(server, version, { languages = ["en-GB"], caches = new Map() } = {}) {
        this.server = server;
        this.caches = caches;
        const world = this;
        const cache = (name) => ({
            put: async (address, answer) => {
                if (!world.caches.has(name)) { world.caches.set(name, new Map()); }
                world.caches.get(name).set(String(address), await answer.clone().text());
            },
            match: async (address) => {
                const text = world.caches.get(name)?.get(String(address));
                return text === undefined ? undefined : new Response(text);
            },
        });
        const self = {
            location: { href: `http://localhost/me/worker.js?v=${version}` },
            registration: { scope: "http://localhost/me/" },
            addEventListener: (name, act) => { (this.listeners[name] ??= []).push(act); },
            skipWaiting: () => { this.skipped = true; },
            clients: { claim: async () => { this.hasClaimed = true; } },
        };
        const context = vm.createContext({
            self, URL, Response, TypeError, Set, JSON, Object, Promise, Array, TextEncoder, Uint8Array, String, btoa,
            crypto: webcrypto, navigator: { languages },
            fetch: (request, options) => server.get(String(request.url ?? request), options),
            caches: {
                open: async (name) => cache(name), keys: async () => [...this.caches.keys()],
                delete: async (name) => this.caches.delete(name),
            },
            importScripts: (...names) => names.forEach((name) => {
                if (name.startsWith("shell/")) { run(name); }
                if (name.startsWith("area/")) { context.musterTiles = { TileCache: NoTiles }; }
            }),
        });
        const run = (name) => vm.runInContext(readFileSync(new URL(`me/${name}`, web), "utf8"), context);
        run("worker.js");
    }

    async fire(name, details = {}) {
        let waited;
        let answer;
        const event = {
            ...details, waitUntil: (promise) => { waited = promise; }, respondWith: (promise) => { answer = promise; },
        };
        for (const act of this.listeners[name]) { act(event); }
        await waited;
        return answer && await answer;
    }

    async text(path, mode = "cors") {
        const answer = await this.fire("fetch", { request: { url: `http://localhost/${path}`, method: "GET", mode } });
        return answer?.type === "error" ? "error" : answer && await answer.text();
    }
}

test("the worker answers with the files of its version alone, also without a server", async () => {
    const server = new Server(files);
    const world = new WorkerWorld(server, await serverVersion(server.get));
    await world.fire("install");
    server.files["me/app.js"] = "2";
    assert.equal(await world.text("me/app.js"), "1");
    server.get = undefined;
    assert.equal(await world.text("me/", "navigate"), "<p>");
    assert.equal(await world.text("me/?utm=1", "navigate"), "<p>");
    assert.equal(await world.text("api/v1/session"), undefined, "the API is not the worker's");
});

test("an installation fails whole where a file is missing or of another version, and the last one stays", async () => {
    const server = new Server(files);
    const first = new WorkerWorld(server, await serverVersion(server.get));
    await first.fire("install");
    const version = await serverVersion(new Server({ ...files, "me/app.js": "2" }).get);
    // The server was started anew with other files meanwhile.
    server.files["me/app.js"] = "3";
    const second = new WorkerWorld(server, version, { caches: first.caches });
    await assert.rejects(second.fire("install"), /of version/);
    delete server.files["me/app.js"];
    await assert.rejects(new WorkerWorld(server, version, { caches: first.caches }).fire("install"), /404/);
    assert.equal(first.caches.size, 1);
    assert.equal(await first.text("me/app.js"), "1");
});

test("a worker that takes over leaves no older version, and waits until it is asked to", async () => {
    const server = new Server(files);
    const first = new WorkerWorld(server, await serverVersion(server.get));
    await first.fire("install");
    server.files["me/app.js"] = "2";
    const second = new WorkerWorld(server, await serverVersion(server.get), { caches: first.caches });
    await second.fire("install");
    assert.equal(second.skipped, false);
    assert.equal(first.caches.size, 2);
    await second.fire("message", { data: { type: "takeOver" } });
    assert.equal(second.skipped, true);
    second.caches.set("muster-person-tiles", new Map());
    await second.fire("activate");
    assert.equal(second.caches.size, 2, "caches of others stay");
    assert.equal(second.hasClaimed, true, "each page notices the change, also one from the network");
    assert.equal(await second.text("me/app.js"), "2");
});

test("a language is fetched when somebody reads it, and never of another version", async () => {
    const server = new Server(files);
    const world = new WorkerWorld(server, await serverVersion(server.get));
    server.asked = [];
    await world.fire("install");
    assert.ok(!server.asked.includes("GET me/words/ja.js"));
    server.files["me/words/ja.js"] = "newer";
    assert.equal(await world.text("me/words/ja.js"), "error");
    server.files["me/words/ja.js"] = "ja";
    await world.fire("message", { data: { type: "language", language: "ja" } });
    server.get = undefined;
    assert.equal(await world.text("me/words/ja.js"), "ja");
    const inJapanese = new Server(files);
    await new WorkerWorld(inJapanese, await serverVersion(inJapanese.get), { languages: ["ja-JP"] }).fire("install");
    assert.ok(inJapanese.asked.includes("GET me/words/ja.js"));
});

test("the texts of forms in other languages and the large icons are fetched when they are wanted", async () => {
    const later = { "shared/words/forms/ja.js": "ja", "me/icons/512.png": "icon" };
    const server = new Server({ ...files, ...later, "shared/words/forms/en.js": "en" });
    const world = new WorkerWorld(server, await serverVersion(server.get));
    server.asked = [];
    await world.fire("install");
    assert.ok(server.asked.includes("GET shared/words/forms/en.js"));
    for (const [path, text] of Object.entries(later)) {
        assert.ok(!server.asked.includes(`GET ${path}`));
        assert.equal(await world.text(path), text);
    }
    server.get = undefined;
    assert.equal(await world.text("me/icons/512.png"), "icon");
});

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

function update(container, options = {}) {
    const told = [];
    let now = 0;
    const made = new ShellUpdate({
        container, report: ({ state }) => told.push(state), find: async () => "abc", reload: () => told.push("reload"),
        now: () => now, isTyping: () => false, reloadLater: () => told.push("later"), ...options,
    });
    return { made, told, pass: (ms) => { now += ms; } };
}

test("the page registers a worker for the server's version, and says when a newer one is ready", async () => {
    const container = new Container();
    const { made, told } = update(container);
    await made.begin();
    await made.look();
    assert.deepEqual(container.registered, ["worker.js?v=abc"]);
    const worker = Object.assign(new EventTarget(), { state: "installing", posted: [] });
    worker.postMessage = (message) => worker.posted.push(message);
    const { registration } = container;
    registration.installing = worker;
    registration.dispatchEvent(new Event("updatefound"));
    registration.active = worker;
    worker.dispatchEvent(new Event("statechange"));
    assert.equal(told.at(-1), "kept");
    const newer = Object.assign(new EventTarget(), { postMessage: (message) => worker.posted.push(message) });
    registration.installing = newer;
    registration.dispatchEvent(new Event("updatefound"));
    registration.waiting = newer;
    newer.dispatchEvent(new Event("statechange"));
    assert.equal(told.at(-1), "ready");
    await made.takeOver();
    assert.deepEqual(worker.posted, [{ type: "takeOver" }]);
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

test("the server is asked once an hour, and after a failure again in a minute", async () => {
    const container = new Container();
    let asked = 0;
    let fails = true;
    const { made, told, pass } = update(container, {
        find: async () => { asked += 1; if (fails) { throw new TypeError("no answer"); } return "abc"; },
    });
    await made.begin();
    await made.look();
    await made.look();
    assert.equal(asked, 1);
    assert.equal(told.at(-1), "failed");
    pass(61_000);
    fails = false;
    await made.look();
    pass(61_000);
    await made.look();
    assert.equal(asked, 2);
    pass(3_600_000);
    await made.look();
    assert.equal(asked, 3);
    await settled();
});

test("a browser without service workers is told of", async () => {
    const { made, told } = update(undefined, { container: null });
    await made.begin();
    await made.look();
    assert.deepEqual(told, ["unsupported"]);
});
