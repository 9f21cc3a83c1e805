/** The ground of a map that comes late: the map is drawn without it, and gets it, however long it took. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { GroundTiles, loadGround } from "../../Web/console/map/ground.js";

const settled = async () => { for (let turn = 0; turn < 20; turn += 1) { await new Promise(setImmediate); } };
const index = { tiles: [{ name: "world" }] };

/** A page whose map's library is there, and a server that answers when the test says so. */
function page(context) {
    const answers = [];
    context.mock.method(globalThis, "fetch", () => new Promise((resolve, reject) => {
        answers.push({
            give: (value) => resolve(Response.json(value)), fail: () => reject(new TypeError("no answer")),
        });
    }));
    globalThis.maplibregl = {};
    globalThis.document = {
        createElement: () => ({}), head: { append: (_, script) => setImmediate(() => script.onload()) },
    };
    context.after(() => { delete globalThis.document; delete globalThis.maplibregl; });
    return answers;
}

/** A map that knows its sources and layers, with a layer of its own on top. */
class DrawnMap {
    listeners = {};
    sources = {};
    layers = [];

    constructor({ sources, layers }) {
        this.sources = { ...sources };
        this.layers = [...layers, { id: "people" }];
    }

    on(name, act) { this.listeners[name] = act; }

    once(name, act) { this.on(name, act); }

    getStyle() { return { layers: this.layers }; }

    getSource(name) { return this.sources[name]; }

    addSource(name, source) {
        assert.ok(!(name in this.sources));
        this.sources[name] = source;
    }

    removeSource(name) { delete this.sources[name]; }

    removeLayer(id) { this.layers = this.layers.filter((layer) => layer.id !== id); }

    addLayer(layer, beforeID) {
        this.layers.splice(this.layers.findIndex(({ id }) => id === beforeID), 0, layer);
    }

    get shown() { return [Object.keys(this.sources), this.layers.map(({ id }) => id)]; }
}

/** The style of a ground: a layer for each tile file, above a plain background. */
const styleOf = ({ index: { tiles } }) => ({
    sources: Object.fromEntries(tiles.map(({ name }) => [name, {}])),
    layers: [{ id: "background" }, ...tiles.map(({ name }) => ({ id: `${name} land` }))],
});

async function open(patience) {
    const ground = await loadGround(patience);
    const map = new DrawnMap(styleOf(ground));
    const tiles = new GroundTiles(map, ground, () => styleOf(ground));
    return { ground, map, tiles };
}

const bare = [[], ["background", "people"]];
const whole = [["world"], ["background", "world land", "people"]];

test("a map waits for its ground, and is drawn with it", async (context) => {
    const answers = page(context);
    const opened = open(() => new Promise(() => {}));
    answers[0].give(index);
    const { map } = await opened;
    assert.deepEqual(map.shown, whole);
});

test("a ground that comes after the map's patience is laid beneath what is drawn, once the style is there", async (
    context) => {
    const answers = page(context);
    const { map } = await open(async () => {});
    assert.deepEqual(map.shown, bare);
    answers[0].give(index);
    await settled();
    assert.deepEqual(map.shown, bare, "MapLibre adds nothing before its style has loaded");
    map.listeners["style.load"]();
    await settled();
    assert.deepEqual(map.shown, whole);
});

test("a ground that never came is asked for again when the server answers once more", async (context) => {
    const answers = page(context);
    const { map, tiles } = await open(async () => {});
    map.listeners["style.load"]();
    tiles.complete();
    assert.equal(answers.length, 1, "the first question is still open");
    answers[0].fail();
    await settled();
    assert.deepEqual(map.shown, bare);
    tiles.complete();
    answers[1].give(index);
    await settled();
    assert.deepEqual(map.shown, whole);
    tiles.complete();
    assert.equal(answers.length, 2);
});

test("a server without tile files is not asked again, and a map that was closed gets nothing", async (context) => {
    const answers = page(context);
    const { map, tiles } = await open(async () => {});
    map.listeners["style.load"]();
    answers[0].give({ tiles: [] });
    await settled();
    assert.deepEqual(map.shown, bare);
    tiles.complete();
    assert.equal(answers.length, 1);
    const closed = await open(async () => {});
    closed.map.listeners["style.load"]();
    closed.map.listeners.remove();
    answers[1].give(index);
    await settled();
    assert.deepEqual(closed.map.shown, bare);
});

test("a style from elsewhere that is late holds up no tile files, and lies beneath once it came", async (context) => {
    const answers = page(context);
    const opened = open(() => settled());
    answers[0].give({ ...index, style: "https://maps.example/style.json" });
    const { map, ground } = await opened;
    assert.deepEqual(map.shown, whole);
    map.listeners["style.load"]();
    assert.equal(ground.foreign, undefined);
    answers[1].give({ version: 8, sources: {}, layers: [] });
    await settled();
    assert.equal(ground.foreign.version, 8);
});

test("a ground that is on the phone stays where the server has none", async (context) => {
    const answers = page(context);
    const ground = await loadGround(async () => {});
    ground.index = { ...ground.index, ...index };
    const map = new DrawnMap(styleOf(ground));
    const tiles = new GroundTiles(map, ground, () => styleOf(ground));
    map.listeners["style.load"]();
    answers[0].give({ tiles: [] });
    await settled();
    assert.deepEqual(map.shown, whole);
    tiles.complete();
    assert.equal(answers.length, 1);
});
