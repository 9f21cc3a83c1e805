/** When the parts of the app are loaded: those of the first tab at once, the others as they are wanted. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Store } from "../../Web/console/shared/store.js";
import { PartLoader } from "../../Web/me/partloader.js";
import { firstParts, loadPart, otherParts } from "../../Web/me/parts.js";

const settled = async () => { for (let turn = 0; turn < 20; turn += 1) { await new Promise(setImmediate); } };

/** An app whose parts note what is loaded of them. */
async function world(state = {}) {
    const loaded = [];
    let isGone = false;
    const module = (name, content) => async () => {
        loaded.push(name);
        if (isGone) { throw new TypeError("no answer"); }
        return content;
    };
    const list = [
        {
            name: "way", folder: "", tab: "way", begin: module("way start", { start: () => {} }),
            load: module("way", { Panel: () => {} }),
        },
        { name: "phone", folder: "", tab: "phone", load: module("phone", { Panel: () => {}, start: () => {} }) },
        { name: "guess", folder: "", isWanted: ({ fix }) => fix !== undefined, load: module("guess", {}) },
    ];
    const store = new Store({ parts: [], route: { screen: "people" }, version: {}, ...state }, (act) => act());
    let count = 0;
    const waiting = [];
    const later = (act, ms) => waiting.push({ act, ms });
    await new PartLoader({ store, list, loaded: () => { count += 1; }, later }).begin();
    await settled();
    return {
        loaded, store, part: (name) => store.value.parts.find((each) => each.name === name),
        set: async (parts) => { store.set(parts); await settled(); },
        lose: (gone) => { isGone = gone; }, calls: () => count, waiting,
    };
}

test("of a tab that was not opened only that is loaded which works all the same", async () => {
    const { loaded, part, set, calls } = await world();
    assert.deepEqual(loaded, ["way start"]);
    assert.ok(part("way").start && !part("way").Panel && !part("phone").start);
    assert.equal(calls(), 1);
    await set({ route: { screen: "phone" } });
    assert.deepEqual(loaded, ["way start", "phone"]);
    assert.ok(part("phone").Panel && part("phone").start);
    assert.equal(calls(), 2);
    await set({ fix: {} });
    await set({ route: { screen: "way" } });
    await set({ route: { screen: "phone" } });
    assert.deepEqual(loaded, ["way start", "phone", "guess", "way"], "each is loaded once");
    assert.ok(part("way").start && part("way").Panel);
});

test("a version that is long in being kept counts as none, once somebody is signed in", async () => {
    const { loaded, set, waiting } = await world({ version: { state: "none" } });
    assert.deepEqual([loaded, waiting], [["way start"], []]);
    await set({ user: { name: "ann" } });
    await set({ user: { name: "ann" }, route: { screen: "people" } });
    assert.deepEqual([loaded, waiting.map(({ ms }) => ms)], [["way start"], [20_000]]);
    waiting[0].act();
    await settled();
    assert.deepEqual(loaded, ["way start", "way", "phone", "guess"]);
});

test("all parts are loaded where no version of the app is kept, or a newer one is about to replace it", async () => {
    for (const state of ["failed", "unsupported", "ready"]) {
        const { loaded, set } = await world({ version: { state: "none" } });
        assert.equal(loaded.length, 1);
        await set({ version: { state } });
        assert.deepEqual(loaded, ["way start", "way", "phone", "guess"], state);
    }
    assert.equal((await world({ version: { state: "kept" } })).loaded.length, 1);
});

test("a part that could not be loaded is missing, and is tried again when its tab is next opened", async (context) => {
    context.mock.method(console, "error", () => {});
    const { loaded, part, set, lose } = await world();
    lose(true);
    await set({ route: { screen: "phone" } });
    await set({ fix: undefined, tracking: {} });
    assert.equal(part("phone").isMissing, true);
    assert.deepEqual(loaded, ["way start", "phone"]);
    lose(false);
    await set({ route: { screen: "now" } });
    await set({ route: { screen: "phone" } });
    assert.equal(part("phone").isMissing, false);
    assert.ok(part("phone").start);
});

test("a part that could not begin begins once its tab is opened", async (context) => {
    context.mock.method(console, "error", () => {});
    let isGone = true;
    const begin = async () => {
        if (isGone) { throw new TypeError("no answer"); }
        return { start: () => {} };
    };
    const part = { name: "way", folder: "", tab: "way", begin, load: async () => ({ Panel: () => {} }) };
    assert.equal((await loadPart(part)).isMissing, true);
    isGone = false;
    assert.ok((await loadPart({ ...part, isMissing: true })).start);
});

test("the first tab waits for no other part, and every other part has a time to be loaded", () => {
    assert.ok(firstParts.every(({ tab, begin }) => tab === "now" && !begin));
    assert.ok(otherParts.every(({ tab, isWanted }) => tab !== undefined || isWanted !== undefined));
});
