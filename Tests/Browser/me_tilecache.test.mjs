/** The map's tiles of the last days, which the app's worker keeps, and those around the regions. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { TileCache, tileCacheName } from "../../Web/me/area/kepttiles.js";
import { tileAt } from "../../Web/me/area/tiles.js";
import { warmTiles, widened } from "../../Web/me/area/warm.js";
import { box, files, root, tileServer } from "./me_tiles.mjs";

/** The browser's caches, in memory. */
function memoryCaches() {
    const stores = new Map();
    return {
        stores, isFull: false,
        async keys() { return [...stores.keys()]; },
        async has(name) { return stores.has(name); },
        async delete(name) { return stores.delete(name); },
        async open(name) {
            if (!stores.has(name)) { stores.set(name, new Map()); }
            const entries = stores.get(name);
            return {
                match: async (url) => entries.get(url)?.clone(),
                put: async (url, response) => {
                    if (this.isFull && !url.endsWith("/uses")) { throw new DOMException("full", "QuotaExceededError"); }
                    entries.set(url, response);
                },
                delete: async (url) => entries.delete(url),
                keys: async () => [...entries.keys()].map((url) => ({ url })),
            };
        },
    };
}

function cacheOf({ limits, caches = memoryCaches(), clock = { now: 1e12 } } = {}) {
    const server = { isAway: false, isFrozen: false, asked: 0 };
    const work = [];
    const later = [];
    const make = () => new TileCache({
        root, caches, limits, now: () => clock.now, later: (act) => { later.push(act); },
        fetch: async ({ url }) => {
            server.asked += 1;
            if (server.isAway) { throw new TypeError("away"); }
            if (server.isFrozen) { return new Promise(() => {}); }
            return new Response(`tile ${url.split("/tiles/")[1]}`, { status: url.endsWith("/9") ? 500 : 200 });
        },
    });
    let tiles = make();
    const flush = async () => {
        for (let round = 0; round < 20; round += 1) {
            for (const act of later.splice(0)) { act(); }
            await new Promise((resolve) => { setImmediate(resolve); });
        }
    };
    return {
        caches, clock, server, flush,
        get tiles() { return tiles; },
        restart() { tiles = make(); },
        ask: (path) => tiles.respond({ url: `${root}tiles/${path}`, method: "GET" },
            { waitUntil: (done) => work.push(done) }),
        async get(path) {
            const asked = this.ask(path);
            await flush();
            return (await asked).text();
        },
        count: () => [...caches.stores.get(tileCacheName)?.keys() ?? []].filter((url) => !url.endsWith("uses")).length,
    };
}

test("what the worker answers for is a tile or their list, and no download", () => {
    const { tiles } = cacheOf();
    const is = (url, more = {}) => tiles.isTile({ url, method: "GET", ...more });
    assert.ok(is(`${root}tiles/index.json`) && is(`${root}tiles/a%20b/1/2/3`));
    assert.ok(!is(`${root}tiles/a/1/2/3`, { method: "POST" }) && !is(`${root}tiles/a/1/2/3`, { cache: "no-store" }));
    assert.ok(!is(`${root}api/v1/positions`) && !is("https://other.example/team/tiles/a/1/2/3"));
    assert.ok(!is("https://muster.example/tiles/a/1/2/3"), "below another prefix");
});

test("a tile is kept for days, asked for after an hour, and shown where the server is away or frozen", async () => {
    const cache = cacheOf();
    assert.equal(await cache.get("a/1/0/0"), "tile a/1/0/0");
    await cache.get("a/1/0/0");
    assert.equal(cache.server.asked, 1);
    cache.clock.now += 2 * 3_600_000;
    await cache.get("a/1/0/0");
    assert.equal(cache.server.asked, 2);
    cache.clock.now += 2 * 86_400_000;
    cache.server.isAway = true;
    cache.restart();
    assert.equal(await cache.get("a/1/0/0"), "tile a/1/0/0");
    cache.server.isAway = false;
    cache.server.isFrozen = true;
    assert.equal(await cache.get("a/1/0/0"), "tile a/1/0/0");
    assert.equal(await cache.tiles.has("a/1/0/0"), true);
    assert.equal(await cache.tiles.has("a/1/0/1"), false);
    cache.server.isAway = true;
    await assert.rejects(cache.ask("a/1/0/1"), TypeError);
});

test("the list of files is always asked for, and kept for when nobody answers", async () => {
    const cache = cacheOf();
    await cache.get("index.json");
    await cache.get("index.json");
    assert.equal(cache.server.asked, 2);
    cache.server.isAway = true;
    assert.equal(await cache.get("index.json"), "tile index.json");
});

test("an error of the server is not kept, and gives way to what is", async () => {
    const cache = cacheOf();
    const answer = await cache.ask("a/1/0/9");
    assert.equal(answer.status, 500);
    assert.equal(await cache.tiles.has("a/1/0/9"), false);
});

test("the bound holds, and what was used longest ago goes first; also of a worker that was ended", async () => {
    const cache = cacheOf({ limits: { mostTiles: 10 } });
    await cache.get("index.json");
    for (let column = 0; column < 10; column += 1) {
        cache.clock.now += 1000;
        await cache.get(`a/5/${column}/0`);
    }
    cache.clock.now += 1000;
    await cache.get("a/5/0/0");
    cache.restart();
    for (let column = 10; column < 14; column += 1) {
        cache.clock.now += 1000;
        await cache.get(`a/5/${column}/0`);
    }
    assert.ok(cache.count() <= 11, `${cache.count()} entries`);
    assert.equal(await cache.tiles.has("a/5/0/0"), true, "it was used last");
    assert.equal(await cache.tiles.has("a/5/1/0"), false);
    assert.equal(await cache.tiles.has("index.json"), true);
});

test("what is erased stays erased, also what the worker knew of it", async () => {
    const cache = cacheOf();
    const asked = cache.ask("a/5/1/0");
    await asked;
    await new Promise((resolve) => { setImmediate(resolve); });
    await cache.caches.delete(tileCacheName);
    await cache.flush();
    assert.equal(cache.count(), 0);
    await cache.get("b/5/2/0");
    const uses = await cache.caches.stores.get(tileCacheName).get(`${root}tiles/uses`).json();
    assert.deepEqual(uses.map(([key]) => key), ["b/5/2/0"]);
});

test("a full disk makes room and breaks nothing", async () => {
    const cache = cacheOf();
    for (let column = 0; column < 6; column += 1) { await cache.get(`a/5/${column}/0`); }
    cache.caches.isFull = true;
    assert.equal(await cache.get("a/5/7/0"), "tile a/5/7/0");
    assert.ok(cache.count() <= 3);
});

test("the map around the regions is brought within a bound, and not beyond the first that does not come", async () => {
    const server = tileServer();
    const count = await warmTiles({ box: [13.4, 52.5, 13.41, 52.51], index: { tiles: files }, root,
        fetch: server.fetch });
    assert.equal(count, server.asked.length);
    assert.ok(count > 12 && count <= 160, `${count}`);
    const { zoom, column, row } = tileAt([13.405, 52.505], 12);
    assert.ok(server.asked.includes(`Straßen 1/${zoom}/${column}/${row}`));
    const away = async () => { throw new TypeError(); };
    assert.equal(await warmTiles({ box, index: { tiles: files }, root, fetch: away }), 0);
    assert.equal(await warmTiles({ box, index: { tiles: [] }, root, fetch: away }), 0);
    const [west, south, east, north] = widened([10, 60, 10, 60], 1000);
    assert.ok(Math.abs((north - south) * 111.195 - 2) < 0.01 && Math.abs((east - west) / (north - south) - 2) < 0.02);
});
