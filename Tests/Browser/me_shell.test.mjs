/** The app's shell: its list, its version, and its worker. */
import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

import { isLoadedFrom, serverShell } from "../../Web/me/shell/version.js";

const web = new URL("../../Web/", import.meta.url);
const { musterShell } = globalThis;
const serverVersion = async (get) => (await serverShell(get)).version;
const digest = (text) => createHash("sha256").update(text).digest().subarray(0, 15).toString("base64url");

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

test("a page knows by the digests in what it has loaded that its server was replaced meanwhile", async () => {
    const { digests } = await serverShell(new Server(files).get);
    const loaded = (path, text) => ({
        name: `http://localhost/${path}`, serverTiming: [{ name: "file", description: digest(text) }],
    });
    const all = [loaded("me/", "<p>"), loaded("me/app.js?v=1", "1"), loaded("me/words/en.js", "en")];
    assert.ok(isLoadedFrom(digests, all));
    assert.ok(!isLoadedFrom(digests, [...all, loaded("me/words/ja.js", "an older text")]));
    assert.ok(!isLoadedFrom(digests, [loaded("me/#/way", "another page"), ...all]));
    assert.ok(isLoadedFrom(digests, [
        ...all, loaded("tiles/world/0/0/0", "a tile"), { name: "http://localhost/me/app.js" },
        { ...loaded("me/app.js", "2"), name: "https://elsewhere.example/me/app.js" },
    ]), "what is no file of the app, or says nothing, does not count");
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
    toldActive = [];

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
        this.active = {
            scriptURL: "http://localhost/me/worker.js?v=former",
            postMessage: ({ type }) => { this.toldActive.push(type); },
        };
        const self = {
            location: { href: `http://localhost/me/worker.js?v=${version}` },
            registration: { scope: "http://localhost/me/", active: this.active },
            addEventListener: (name, act) => { (this.listeners[name] ??= []).push(act); },
            skipWaiting: () => { this.toldActive.push("skipWaiting"); this.skipped = true; },
            clients: { claim: async () => { this.hasClaimed = true; } },
        };
        const context = vm.createContext({
            self, URL, Response, TypeError, Set, JSON, Object, Promise, Array, TextEncoder, Uint8Array, String, btoa,
            AbortController, setTimeout: (act) => setTimeout(act),
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
    const [before, then, ...rest] = second.toldActive;
    assert.deepEqual([before, then], ["giveWay", "skipWaiting"], "a message to a worker that ends starts it again");
    assert.ok(rest.length > 1 && rest.every((each) => each === "giveWay"), "as long as it has to wait");
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

test("a worker that gives way ends what it waits for, and answers again if the next one never comes", async () => {
    const server = new Server(files);
    const world = new WorkerWorld(server, await serverVersion(server.get));
    await world.fire("install");
    const { get } = server;
    server.get = (path, { signal }) => new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
    });
    const waiting = world.text("no-file-of-the-app");
    const ended = assert.rejects(waiting, { name: "AbortError" });
    await new Promise((resolve) => { setTimeout(resolve); });
    await world.fire("message", { data: { type: "giveWay" } });
    await ended;
    server.get = get;
    server.files["no-file-of-the-app"] = "there";
    assert.equal(await world.text("no-file-of-the-app"), "there");
});

test("a worker that is in use already, and was ended since, asks nobody to give way", async () => {
    const server = new Server(files);
    const world = new WorkerWorld(server, "one");
    world.active.scriptURL = "http://localhost/me/worker.js?v=one";
    await world.fire("message", { data: { type: "takeOver" } });
    assert.deepEqual(world.toldActive, ["skipWaiting"]);
});

test("what is registered once more keeps what is there, and the API is asked without the worker", async () => {
    const server = new Server(files);
    const world = new WorkerWorld(server, await serverVersion(server.get));
    await world.fire("install");
    const version = await serverVersion(server.get);
    const again = () => new WorkerWorld(server, `${version}&again=1`, { caches: world.caches });
    server.asked = [];
    const routes = [];
    await again().fire("install", { addRoutes: async (added) => { routes.push(...added); } });
    const fetched = server.asked.filter((each) => each.startsWith("GET"));
    assert.deepEqual(fetched, ["GET me/shell.json"]);
    assert.equal(await again().text("me/app.js"), "1");
    const paths = routes.map(({ condition, source }) => `${source} ${condition.urlPattern.pathname}`);
    assert.deepEqual(paths, ["api/", "health", "me/shell.json", "me/worker.js"].map((path) => `network /${path}*`));
    // Of another version the server's script is not that of these files. They stay: a worker may be using them.
    server.files["me/app.js"] = "2";
    await assert.rejects(again().fire("install"), /no longer/);
    assert.equal(await world.text("me/app.js"), "1");
});
