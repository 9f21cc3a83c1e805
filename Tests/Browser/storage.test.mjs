/** What the page says of a disk that is full, or nearly so, and to whom. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { Problem } from "../../Web/console/shared/http.js";
import { StorageWatch, storageWords } from "../../Web/console/shared/storage.js";

const full = { writable: false, low: true, since: "2026-11-21T06:00:00.000Z" };
const low = { writable: true, low: true, freeBytes: 300 * 1_048_576 };
const person = (role) => ({ name: "someone", role });

test("everyone sees that nothing can be stored, and that “I am safe” does not count", () => {
    for (const role of ["member", "leader", "admin", "analyst"]) {
        const words = storageWords(full, person(role));
        assert.match(words, /can store nothing since/);
        assert.match(words, /“I am safe” do not count/);
    }
});

test("leaders and admins see that the disk is nearly full, members do not", () => {
    assert.match(storageWords(low, person("admin")), /nearly full \(300 MiB left\)/);
    assert.match(storageWords({ ...low, freeBytes: undefined }, person("leader")), /nearly full\. /);
    assert.equal(storageWords(low, person("member")), "");
});

test("there is no banner where all is well, or nobody is signed in", () => {
    assert.equal(storageWords(undefined, person("admin")), "");
    assert.equal(storageWords(full, undefined), "");
});

test("an answer that something was not stored tells of the disk at once", async () => {
    const told = [];
    const watch = new StorageWatch({
        json: async () => ({ status: "degraded", storage: full }), user: () => person("member"),
        report: (storage) => told.push(storage),
    });
    const send = watch.watching(async () => { throw new Problem(507); });
    await assert.rejects(send("users/ann/declarations"), Problem);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(told, [full]);
});

test("what was said of the disk stays while the server is silent, and goes when it takes writes again", async () => {
    const told = [];
    let answer = async () => ({ storage: full });
    const watch = new StorageWatch({
        json: () => answer(), user: () => person("admin"), report: (storage) => told.push(storage),
    });
    await watch.ask();
    answer = async () => { throw new TypeError("no network"); };
    await watch.ask();
    answer = async () => ({});
    await watch.ask();
    assert.deepEqual(told, [full, undefined]);
});
