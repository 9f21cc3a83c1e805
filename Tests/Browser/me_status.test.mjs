/** What the app says of the own state: what is old is said to be, and a guess of the phone is never the truth. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { addWords } from "../../Web/console/shared/words.js";
import { connectionWords } from "../../Web/me/frame/connection.js";
import { tabOf, tabsFor } from "../../Web/me/frame/tabs.js";
import { guessWords, statusOf } from "../../Web/me/status/statuswords.js";

await Promise.all(["../me", "../me/declarations", "../me/status"].map((folder) => addWords(folder)));

const now = Date.parse("2026-11-28T12:00:00Z");
const at = (secondsAgo) => new Date(now - secondsAgo * 1000).toISOString();
const field = { collection: "site", id: "field", name: "School field" };
const fieldFeature = { id: "field", properties: { name: "School field", muster: true } };

function ownWith(member = {}, rest = {}) {
    return {
        team: "north", incidents: [], regions: [fieldFeature], showsSafety: true, heardAt: now,
        member: {
            user: "ana", team: "north", state: "safe", source: "region", region: field, since: at(60), heard: at(8),
            positions: new Map(), clocks: new Map(), presences: new Map(), beliefs: new Map(), ...member,
        }, ...rest,
    };
}

const guessOf = (isInMuster, names = [], secondsAgo = 1) => ({
    isInMuster, at: now - secondsAgo * 1000, safety: { state: isInMuster ? "safe" : "unsafe", source: "position" },
    regions: [
        { id: "field", name: "School field", isInside: isInMuster, isMuster: true },
        ...names.map((name) => ({ id: name, name, isInside: true, isMuster: false })),
    ],
});

test("the state is the server's, with how it is known and when it heard", () => {
    const { state, word, isOld, asOf, lines } = statusOf({ own: ownWith(), isLive: true }, now);
    assert.deepEqual([state, word, isOld, asOf], ["safe", "Safe", false, "The server says:"]);
    assert.deepEqual(lines, ["Your phone is inside School field", "heard 8 s ago"]);
});

test("what the server said a while ago is said as of then", () => {
    const own = ownWith({}, { heardAt: now - 480_000 });
    const { isOld, asOf, lines } = statusOf({ own, isLive: false }, now);
    assert.equal(isOld, true);
    assert.match(asOf, /^The server said 8 min ago, at /);
    assert.equal(lines.at(-1), "It may be different now: this phone does not hear the server.");
});

test("a doubt is said, and safe with a doubt is not safe", () => {
    const { state, lines } = statusOf({ own: ownWith({ doubt: "stale" }), isLive: true }, now);
    assert.equal(state, "checking");
    assert.ok(lines.includes("In doubt: not heard lately"));
});

test("outside every assembly point nobody is called unsafe without an incident", () => {
    const outside = { state: "unsafe", source: "position", region: undefined };
    assert.equal(statusOf({ own: ownWith(outside, { showsSafety: false }), isLive: true }, now).word, "Located");
    const { word, lines } = statusOf({ own: ownWith(outside), isLive: true }, now);
    assert.equal(word, "Not safe");
    assert.equal(lines[0], "Your phone is outside every assembly point");
});

test("nothing is claimed where the server said nothing", () => {
    const { state, word, asOf } = statusOf({ own: undefined, isLive: false, guess: undefined }, now);
    assert.deepEqual([state, word], ["unknown", ""]);
    assert.equal(asOf, "The server has not said yet how it sees you.");
});

test("a pause is said as long as it lasts", () => {
    const paused = (until) => statusOf({ own: ownWith({ pause: { until, since: at(60) } }), isLive: true }, now).lines;
    assert.ok(paused(at(-600)).some((line) => line.startsWith("You are paused until ")));
    assert.ok(!paused(at(1)).some((line) => line.startsWith("You are paused")));
});

test("the phone's guess is a guess, which the server has not confirmed", () => {
    const unknown = ownWith({ state: "unknown", source: "silence", region: undefined });
    assert.equal(guessWords({ own: unknown, isLive: true, guess: guessOf(true) }, now),
        "This phone thinks you are inside School field. The server has not confirmed it.");
    assert.equal(guessWords({ own: ownWith(), isLive: false, guess: guessOf(false, ["Tank farm"]) }, now),
        "This phone thinks you are inside Tank farm, and outside every assembly point. "
            + "The server has not confirmed it.");
    assert.equal(guessWords({ own: ownWith(), isLive: true, guess: guessOf(false) }, now),
        "This phone thinks you are outside every assembly point. The server has not confirmed it.");
});

test("a phone that does not know where it is says neither inside nor outside of an assembly point", () => {
    const guess = { ...guessOf(false), safety: { state: "unknown", source: "silence" } };
    assert.equal(guessWords({ own: ownWith(), isLive: false, guess }, now), undefined);
    const doubted = { ...guess, safety: { state: "safe", source: "region", doubt: "checking" } };
    doubted.regions = [{ ...guess.regions[0], isInside: true }];
    assert.equal(guessWords({ own: ownWith(), isLive: false, guess: doubted }, now), undefined);
});

test("the phone says that it is outside the assembly point, also inside a larger region", () => {
    const site = { key: "site/all", id: "all", name: "Site", isInside: true, isMuster: false };
    const field = { ...guessOf(false).regions[0], isInside: false, isMuster: true };
    const presences = new Map([["a", new Map([["site/all", { standing: "inside" }]])]]);
    const own = ownWith();
    const guess = { ...guessOf(false), regions: [site, field] };
    assert.match(guessWords({ own: { ...own, member: { ...own.member, presences } }, isLive: true, guess }, now),
        /Site/);
});

test("the guess adds nothing where the server says the same, where it is old, or where there is none", () => {
    assert.equal(guessWords({ own: ownWith(), isLive: true, guess: guessOf(true) }, now), undefined);
    assert.equal(guessWords({ own: ownWith(), isLive: false, guess: guessOf(true, [], 120) }, now), undefined);
    assert.equal(guessWords({ own: ownWith(), isLive: false, guess: undefined }, now), undefined);
    const outside = ownWith({ state: "unsafe", source: "position" });
    assert.equal(guessWords({ own: outside, isLive: true, guess: guessOf(false) }, now), undefined);
});

test("no guess of the phone says that somebody is safe, nor changes the state that is shown", () => {
    for (const state of ["unknown", "unsafe", "needsHelp", "sos"]) {
        for (const isLive of [true, false]) {
            const own = ownWith({ state, source: state === "unknown" ? "silence" : "position" });
            const shown = statusOf({ own, isLive, guess: guessOf(true) }, now);
            assert.equal(shown.state, state);
            assert.doesNotMatch(shown.guess, /safe/i);
        }
    }
});

const said = (kind, state, secondsAgo = 1) => (
    { declaration: { id: kind, kind }, state, at: now - secondsAgo * 1000 });

test("beside a call for help the phone's guess says that the call stands", () => {
    const guess = guessOf(true);
    const stands = /inside School field\. .+ Your call for help stands, wherever you are\.$/;
    for (const state of ["sos", "needsHelp"]) {
        const own = ownWith({ state, source: "ownDeclaration" });
        assert.match(statusOf({ own, isLive: true, guess }, now).guess, stands);
        assert.match(statusOf({ own, isLive: false, guess }, now).guess, stands);
        const unsent = statusOf({ own: ownWith(), isLive: false, guess, deliveries: [said(state, "failed")] }, now);
        assert.match(unsent.guess, stands);
    }
    const over = ownWith({ state: "sos", source: "ownDeclaration" });
    const { guess: words } = statusOf({ own: over, isLive: false, guess, deliveries: [said("clear", "sending")] }, now);
    assert.match(words, /confirmed it\.$/);
});

test("while the server does not have a call for help, its state is from before, and has no colour", () => {
    const deliveries = [said("sos", "failed")];
    for (const isLive of [true, false]) {
        const { isOld, asOf, lines } = statusOf({ own: ownWith(), isLive, deliveries }, now);
        assert.deepEqual([isOld, asOf], [true, "The server says:"]);
        assert.equal(lines[0],
            "Your call for help is still on this phone: what the server says is from before it");
    }
    for (const other of [said("sos", "received", 60), said("safe", "failed"), said("sos", "cancelled")]) {
        const { isOld, lines } = statusOf({ own: ownWith(), isLive: true, deliveries: [other] }, now);
        assert.equal(isOld, false);
        assert.equal(lines[0], "Your phone is inside School field");
    }
});

test("a place that the server has the person inside is no guess of the phone, also in a call for help", () => {
    const presence = { standing: "inside", probability: 0.99, sampleTime: at(5), region: field };
    const presences = (fields) => new Map([["phone", new Map([["site/field", { ...presence, ...fields }]])]]);
    const guess = { ...guessOf(true), regions: [{ ...guessOf(true).regions[0], key: "site/field" }] };
    const words = (fields, isLive = true) => {
        const own = ownWith({ state: "sos", source: "ownDeclaration", presences: presences(fields) });
        return statusOf({ own, isLive, guess }, now).guess;
    };
    assert.equal(words({}), undefined);
    assert.match(words({}, false), /confirmed it/);
    assert.match(words({ standing: "outside" }), /confirmed it/);
    assert.match(words({ doubt: "stale" }), /confirmed it/);
});

test("the head says since when the server was not heard", () => {
    const own = ownWith({}, { heardAt: now - 120_000 });
    assert.deepEqual(connectionWords({ state: "live" }, own, now), { state: "live", words: "Live", banner: "" });
    assert.match(connectionWords({ state: "waiting", wasLiveMs: 1 }, own, now).banner,
        /^No connection to the server since .+, 2 min ago\./);
    assert.match(connectionWords({ state: "waiting", wasLiveMs: 1 }, ownWith({}, { heardAt: now - 2000 }), now).banner,
        /^No connection to the server since [^,]+\. What it said/);
    assert.equal(connectionWords({ state: "waiting", wasLiveMs: 1 }, undefined, now).banner,
        "No connection to the server yet.");
});

test("the tab of who sees me is left out where the server cannot say", () => {
    assert.deepEqual(tabsFor({}), ["now", "way", "seen", "phone"]);
    assert.deepEqual(tabsFor({ isUnknown: true }), ["now", "way", "phone"]);
    assert.equal(tabOf({ screen: "people", rest: [] }), "now");
    assert.equal(tabOf({ screen: "call", rest: ["7"] }), "now");
});
