/** Links: the secret leaves the address at once, the page is honest about its age, and shows nothing past its end. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { bodyOf, firstSeconds, lengthKeys } from "../../Web/console/links/subject.js";
import { groupsOf, stateOf } from "../../Web/console/share/sharedstate.js";
import { Problem } from "../../Web/console/shared/http.js";
import { forgetToken, takeToken } from "../../Web/console/shared/linktoken.js";
import { everyMs, LinkWatch } from "../../Web/console/shared/linkwatch.js";
import { shownState } from "../../Web/console/shared/safety.js";
import { newVisit, whyNot } from "../../Web/console/visit/entry.js";

function tabOf(hash, stored = new Map()) {
    const tab = {
        location: { hash, pathname: "/console/share/", search: "" }, replaced: [],
        history: { replaceState: (_, __, address) => { tab.replaced.push(address); tab.location.hash = ""; } },
        storage: {
            getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value),
            removeItem: (key) => stored.delete(key),
        },
    };
    return tab;
}

test("the secret is taken off the address, and stays in this tab for a reload until the link is over", () => {
    const stored = new Map();
    const tab = tabOf("#ms_abcDEF-123_x", stored);
    assert.equal(takeToken("share", tab), "ms_abcDEF-123_x");
    assert.deepEqual(tab.replaced, ["/console/share/"]);
    assert.equal(takeToken("share", tabOf("", stored)), "ms_abcDEF-123_x");
    // Another page of this tab has it not.
    assert.equal(takeToken("visit", tabOf("", stored)), undefined);
    // A new one replaces it, and what is no secret leaves the address, too.
    assert.equal(takeToken("share", tabOf("#ms_another-one", stored)), "ms_another-one");
    for (const hash of ["#<script>", "#a b\r\nX: y"]) {
        const odd = tabOf(hash, stored);
        assert.equal(takeToken("share", odd), "ms_another-one");
        assert.equal(odd.replaced.length, 1);
    }
    forgetToken("share", tab);
    assert.equal(takeToken("share", tabOf("", stored)), undefined);
});

test("where nothing may be stored, the page works all the same", () => {
    const refuse = () => { throw new Error("refused"); };
    const tab = { ...tabOf("#ms_abcdefgh"), storage: { getItem: refuse, setItem: refuse, removeItem: refuse } };
    assert.equal(takeToken("share", tab), "ms_abcdefgh");
    tab.location.hash = "";
    assert.equal(takeToken("share", tab), undefined);
    forgetToken("share", tab);
});

const begin = Date.parse("2026-11-21T12:00:00Z");

/** A watch whose time, server and timers the test makes. The device's clock is an hour behind the server's. */
function watched({ lastsMs = 60_000 } = {}) {
    const world = { now: begin, setMs: 0, seen: [], asked: [], over: 0, timers: [], answer: undefined };
    const serverTime = () => new Date(world.now - world.setMs + 3_600_000).toISOString();
    world.setClock = (ms) => { world.now += ms; world.setMs += ms; };
    const expiresTime = new Date(begin + 3_600_000 + lastsMs).toISOString();
    world.watch = new LinkWatch({
        token: "ms_secret", now: () => world.now, monotonicNow: () => world.now - world.setMs,
        over: () => { world.over += 1; },
        report: (state) => world.seen.push(state),
        request: async (path, { headers, token }) => {
            world.asked.push({ path, tag: headers?.["If-None-Match"], token });
            if (world.answer instanceof Error) { throw world.answer; }
            const body = { kind: "person", serverTime: serverTime(), expiresTime, ...world.answer };
            return new Response(JSON.stringify(body), { headers: { ETag: "W/\"1\"" } });
        },
        schedule: (act, ms) => {
            const timer = { act, ms };
            world.timers.push(timer);
            return () => { world.timers = world.timers.filter((each) => each !== timer); };
        },
    });
    world.next = async () => {
        const [timer] = world.timers.splice(0, 1);
        world.now += timer.ms;
        await timer.act();
        return timer.ms;
    };
    return world;
}

test("it asks again with the tag of what it has, and an unchanged answer is as of then", async () => {
    const world = watched();
    await world.watch.begin();
    assert.deepEqual(world.asked, [{ path: "shared", tag: undefined, token: "ms_secret" }]);
    assert.equal(world.watch.serverNow, begin + 3_600_000);
    world.answer = new Problem(304);
    assert.equal(await world.next(), everyMs);
    assert.equal(world.asked[1].tag, "W/\"1\"");
    const last = world.seen.at(-1);
    assert.deepEqual([last.checkedMs, last.answer.kind, last.fault], [begin + everyMs, "person", undefined]);
});

test("without an answer what was known stays, with the time of when; a busy server is left in peace", async () => {
    const world = watched({ lastsMs: 1e9 });
    await world.watch.begin();
    world.answer = new TypeError("no answer");
    await world.next();
    assert.deepEqual([world.seen.at(-1).checkedMs, world.seen.at(-1).fault.message], [begin, "no answer"]);
    world.answer = new Problem(503, {}, 30);
    await world.next();
    assert.equal(await world.next(), 30_000);
    world.answer = {};
    await world.next();
    assert.deepEqual([world.seen.at(-1).fault, world.seen.at(-1).checkedMs], [undefined, world.now]);
});

test("the moment the server refuses, nothing is shown or asked any more", async () => {
    const world = watched();
    await world.watch.begin();
    world.answer = new Problem(401);
    await world.next();
    assert.deepEqual(world.seen.at(-1), { isOver: true, aheadMs: 3_600_000 });
    assert.deepEqual([world.over, world.timers.length], [1, 0]);
    world.watch.hurry();
    assert.equal(world.asked.length, 2);
});

test("past its time a link is over by the server's clock, also where the server does not answer", async () => {
    const world = watched({ lastsMs: 7000 });
    await world.watch.begin();
    world.answer = new TypeError("no answer");
    assert.equal(await world.next(), 5000);
    assert.equal(world.seen.at(-1).isOver, false);
    assert.equal(await world.next(), 2000);
    assert.equal(world.seen.at(-1).isOver, true);
    assert.equal(world.seen.at(-1).answer, undefined);
    assert.equal(world.asked.length, 2);
});

test("a clock that somebody sets ends no link, and the server is asked for its time", async () => {
    const world = watched({ lastsMs: 60_000 });
    await world.watch.begin();
    for (const ms of [7_200_000, -86_400_000]) {
        world.setClock(ms);
        await world.next();
        assert.equal(world.asked.at(-1).tag, undefined, "an answer without a body tells no time");
        assert.equal(world.seen.at(-1).isOver, false);
        assert.equal(world.watch.serverNow, world.now - world.setMs + 3_600_000);
    }
    await world.next();
    assert.equal(world.asked.at(-1).tag, "W/\"1\"");
});

test("where the server does not answer after a clock was set, nothing is shown past the link’s time", async () => {
    const world = watched({ lastsMs: 60_000 });
    await world.watch.begin();
    world.answer = new TypeError("no answer");
    world.setClock(7_200_000);
    await world.next();
    assert.equal(world.asked.length, 2, "it asks first");
    assert.equal(world.seen.at(-1).isOver, true);
});

test("a refused entry ends the page as well", async () => {
    const world = watched();
    await world.watch.begin();
    world.answer = new Problem(401);
    await assert.rejects(world.watch.send("shared/visitors", { method: "POST" }), Problem);
    assert.equal(world.seen.at(-1).isOver, true);
});

test("a person is shown as the link tells; at work nobody is called not safe", () => {
    const person = { name: "ann/lee", state: "unsafe", source: "position", position: { latitude: 1, longitude: 2 } };
    const shown = (given) => {
        const state = stateOf({ person: given });
        return shownState(state, state.members.get("ann/lee"));
    };
    assert.equal(shown({ ...person, showsSafety: false }), "located");
    assert.equal(shown({ ...person, showsSafety: true }), "unsafe");
    // Where the server does not say, nobody is called better than they are.
    assert.equal(shown(person), "unsafe");
    assert.equal(shown({ ...person, state: "safe", doubt: "stale" }), "checking");
    assert.equal(shown({ ...person, state: "unknown", source: "seemsToHaveLeft" }), "seemsToHaveLeft");
});

test("a roll shows first whom to look for, and never counts a doubt as safe", () => {
    const roll = [
        { name: "a", accounted: true, checking: false, state: "safe" },
        { name: "b", accounted: false, checking: true, state: "safe", doubt: "stale" },
        { name: "c", accounted: false, checking: false, state: "unsafe" },
    ];
    assert.deepEqual(groupsOf(roll).map(({ kind, people }) => [kind, people.map(({ name }) => name)]),
        [["unaccounted", ["c"]], ["checking", ["b"]], ["accounted", ["a"]]]);
    assert.deepEqual(groupsOf([]), []);
});

test("a link is asked for with what its kind needs, and for a time that the server takes", () => {
    const draft = { seconds: 3600, note: " her husband ", state: "unaccounted" };
    assert.deepEqual(bodyOf({ kind: "person", user: "ann" }, draft),
        { kind: "person", user: "ann", expiresSeconds: 3600, note: "her husband" });
    assert.deepEqual(bodyOf({ kind: "incident", incident: 3, team: "north" }, { ...draft, note: "" }),
        { kind: "incident", incident: 3, expiresSeconds: 3600 });
    assert.deepEqual(bodyOf({ kind: "visitors", team: "north" }, draft),
        { kind: "visitors", team: "north", state: "unaccounted", expiresSeconds: 3600, note: "her husband" });
    // Only what has a place or a roll is a map.
    assert.deepEqual(bodyOf({ kind: "incident", incident: 3 }, { ...draft, note: "", kml: true }),
        { kind: "incident", incident: 3, expiresSeconds: 3600, kml: true });
    assert.ok(!("kml" in bodyOf({ kind: "visitors", team: "north" }, { ...draft, kml: true })));
    for (const seconds of [...Object.keys(lengthKeys), ...Object.values(firstSeconds)].map(Number)) {
        assert.ok(seconds >= 60 && seconds <= 2_592_000 && seconds in lengthKeys);
    }
});

test("a visitor's entry is checked before it is sent, and its id makes one of it", () => {
    assert.equal(whyNot("  ", ""), "visit.noName");
    assert.equal(whyNot("葵".repeat(66), ""), undefined);
    assert.equal(whyNot("葵".repeat(67), ""), "visit.longName");
    assert.equal(whyNot("Zoë", "x".repeat(501)), "visit.longNote");
    assert.deepEqual(newVisit({ name: " Zoë \t Åström ", note: " " }, "1"), { id: "1", name: "Zoë Åström" });
    assert.notEqual(newVisit({ name: "a", note: "b" }).id, newVisit({ name: "a", note: "b" }).id);
});
