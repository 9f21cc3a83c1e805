/** The store that the console's views read: one notice for many changes, and none for what stayed the same. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { areSame, Store } from "../../Web/console/shared/store.js";

/** A store whose frames are drawn by hand. */
function storeOf(value) {
    const frames = [];
    const store = new Store(value, (act) => frames.push(act));
    const told = [];
    const end = store.subscribe((now) => told.push(now));
    return { store, told, end, frames, drawFrame: () => frames.shift()?.() };
}

test("many changes within a frame are told once, and the value is new at once", () => {
    const { store, told, frames, drawFrame } = storeOf({ count: 0, name: "ann" });
    for (let count = 1; count <= 5; count += 1) { store.set({ count }); }
    assert.equal(store.value.count, 5);
    assert.deepEqual(told, []);
    assert.equal(frames.length, 1);
    drawFrame();
    assert.deepEqual(told, [{ count: 5, name: "ann" }]);
    store.set(({ count }) => ({ count: count + 1 }));
    drawFrame();
    assert.deepEqual(told.map(({ count }) => count), [5, 6]);
});

test("setting what is there already tells nobody and makes no new value", () => {
    const { store, frames } = storeOf({ count: 0 });
    const before = store.value;
    store.set({ count: 0 });
    store.set(() => ({}));
    assert.equal(store.value, before);
    assert.equal(frames.length, 0);
});

test("a flush tells at once, and the frame that was due then tells nothing", () => {
    const { store, told, drawFrame } = storeOf({ count: 0 });
    store.set({ count: 1 });
    store.flush();
    assert.equal(told.length, 1);
    drawFrame();
    store.flush();
    assert.equal(told.length, 1);
});

test("a change by a listener is told in the next frame, and who has unsubscribed hears nothing", () => {
    const { store, told, end, drawFrame } = storeOf({ count: 0, seen: 0 });
    const endOther = store.subscribe(({ count }) => store.set({ seen: count }));
    store.set({ count: 3 });
    drawFrame();
    assert.equal(told.length, 1);
    drawFrame();
    assert.equal(told.at(-1).seen, 3);
    end();
    endOther();
    store.set({ count: 4 });
    drawFrame();
    assert.equal(told.length, 2);
});

test("the value cannot be changed but by the store", () => {
    const { store } = storeOf({ count: 0 });
    store.set({ count: 1 });
    assert.throws(() => { store.value.count = 2; }, TypeError);
});

test("two slices are the same when each member is, and not when one is new, gone or renamed", () => {
    const member = {};
    assert.ok(areSame({ live: member, count: NaN }, { live: member, count: NaN }));
    assert.ok(areSame("a", "a"));
    for (const [left, right] of [
        [{ live: member }, { live: {} }], [{ a: 1 }, { a: 1, b: 2 }], [{ a: undefined }, { b: undefined }],
        [undefined, {}], [null, {}], [1, "1"], [new Map([["a", 1]]), new Map([["b", 2]])], [new Map(), new Map()],
    ]) {
        assert.ok(!areSame(left, right), JSON.stringify([left, right]));
        assert.ok(!areSame(right, left), JSON.stringify([right, left]));
    }
});
