/** What the page says of a disk that is full, or nearly so, and to whom. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../Web/live/http.js";
import { StorageBanner, storageWords } from "../../Web/live/storage.js";

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

test("an answer that something was not stored shows the banner at once", async () => {
    const element = { textContent: "", dataset: {}, hidden: true };
    const answer = { status: "degraded", storage: full };
    const banner = new StorageBanner(element, async () => answer, () => person("member"));
    const send = banner.watching(async () => { throw new Problem(507); });
    await assert.rejects(send("users/ann/declarations"), Problem);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(element.hidden, false);
    assert.equal(element.dataset.state, "unwritable");
});

test("the banner goes when the disk takes writes again", async () => {
    const element = { textContent: "", dataset: {}, hidden: true };
    let storage = full;
    const banner = new StorageBanner(element, async () => ({ storage }), () => person("admin"));
    await banner.ask();
    assert.equal(element.hidden, false);
    storage = undefined;
    await banner.ask();
    assert.equal(element.hidden, true);
});
