/** A page that is left open while its server is upgraded says so, and never because the server does not answer. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { VersionWatch } from "../../Web/console/frame/newversion.js";

/** A server with files by their tags, a page that loaded some of them, and timers that the test ends. */
function world({ digests = {}, tags = { "console/app.js": "\"a1\"", "console/person/person.js": "\"p1\"" } } = {}) {
    const made = { digests, tags, isGone: false, asked: [], told: 0, timers: [], files: Object.keys(tags) };
    const get = async (path, { method = "GET" }) => {
        made.asked.push(`${method} ${path}`);
        if (made.isGone) { throw new TypeError("no answer"); }
        if (path === "me/shell.json") { return Response.json({ digests: made.digests }); }
        const tag = made.tags[path];
        return new Response(null, { status: tag ? 200 : 404, headers: tag ? { ETag: tag } : {} });
    };
    made.watch = new VersionWatch({
        report: () => { made.told += 1; }, files: () => made.files, get,
        schedule: (act, ms) => made.timers.push({ act, ms }),
    });
    return made;
}

test("a page of the server’s own version says nothing, however often it looks", async () => {
    const made = world({ digests: { "console/app.js": "a1" } });
    const { watch, asked } = made;
    for (let look = 0; look < 3; look += 1) { await watch.look(); }
    assert.equal(made.told, 0);
    assert.ok(!asked.includes("HEAD console/app.js"), "what the list has is not asked for");
    assert.equal(asked.filter((each) => each === "HEAD console/person/person.js").length, 3);
});

test("a file that changed, in the list or beside it, or that is gone, is another version, told once", async () => {
    for (const change of [
        (made) => { made.digests = { "console/app.js": "a2" }; },
        (made) => { made.tags["console/person/person.js"] = "\"p2\""; },
        (made) => { delete made.tags["console/person/person.js"]; },
    ]) {
        const made = world({ digests: { "console/app.js": "a1" } });
        await made.watch.look();
        change(made);
        await made.watch.look();
        await made.watch.look();
        assert.equal(made.told, 1);
    }
});

test("a proxy that compresses, and a screen that was loaded later, are no other version", async () => {
    const made = world();
    await made.watch.look();
    made.tags["console/app.js"] = "W/\"a1\"";
    made.tags["console/regions/screen.js"] = "\"r1\"";
    made.files = Object.keys(made.tags);
    await made.watch.look();
    assert.equal(made.told, 0);
    made.tags["console/regions/screen.js"] = "\"r2\"";
    await made.watch.look();
    assert.equal(made.told, 1);
});

test("a server that does not answer, or has no list, is no other version", async () => {
    const made = world();
    made.isGone = true;
    await made.watch.look();
    made.isGone = false;
    await made.watch.look();
    made.isGone = true;
    await made.watch.look();
    assert.equal(made.told, 0);
});

test("it looks when the page has been live for a while, and each time that the server is back", async () => {
    const { watch, timers, asked } = world();
    for (const state of ["connecting", "live", "live", "live"]) { watch.follow({ state }); }
    assert.deepEqual(timers.map(({ ms }) => ms), [20_000]);
    await timers[0].act();
    await new Promise((resolve) => { setImmediate(resolve); });
    const once = asked.length;
    assert.ok(once > 0);
    for (const state of ["waiting", "connecting", "live", "waiting", "live"]) { watch.follow({ state }); }
    assert.equal(timers.length, 2);
    assert.ok(timers[1].ms >= 2000 && timers[1].ms <= 22_000, "the pages of a server do not ask all at once");
});
