/** What becomes of what a person says, of calls and of their acknowledgements, and of who sees them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { countingOf, waitingOf, withDelivery } from "../../Web/console/shared/deliveries.js";
import { Problem } from "../../Web/console/shared/http.js";
import { newDeclaration, Outbox } from "../../Web/console/shared/outbox.js";
import { addWords } from "../../Web/console/shared/words.js";
import { announcedWords, callKey, callsOf, seenWords } from "../../Web/me/call/calls.js";
import { readSeen, writeSeen } from "../../Web/me/call/seen.js";
import { callKind, deliveryLines, isCallUnsent, waitingWords } from "../../Web/me/declarations/deliverylines.js";
import { readAllowsPause, readViewers, runningPause, viewerLines } from "../../Web/me/visible/viewers.js";

await Promise.all(["call", "declarations", "visible"].map((part) => addWords(`../me/${part}`)));

const now = Date.parse("2026-11-28T12:03:07Z");
const said = (kind, fields = {}) => ({ id: `${kind}-1`, kind, sampleTime: new Date(now).toISOString(), ...fields });
const delivery = (kind, state, fields = {}) => ({ declaration: said(kind), state, at: now, ...fields });
const words = (deliveries, own, isLive = true) => deliveryLines(deliveries, { own, isLive }, now)
    .map(({ place, words: line }) => [place, line]);

test("what was said is on this phone, then at the server, then seen", () => {
    const call = (member) => ({ heardAt: now, member });
    const [[place, line]] = words([delivery("sos", "failed")]);
    assert.equal(place, "phone");
    assert.match(line, /^SOS, said .+: on this phone, not sent yet \(no connection\)\. It is sent as soon as/);
    const received = [delivery("sos", "received")];
    assert.match(words(received)[0][1], /^SOS: at the server .+\.$/);
    assert.match(words(received, call({ state: "sos", since: new Date(now).toISOString() }))[0][1],
        /^SOS: at the server since .+\. Nobody has answered yet\.$/);
    assert.deepEqual(words(received, call({ state: "sos", acknowledgedBy: "Lena" })),
        [["seen", "SOS: Lena has seen it."]]);
});

test("without a connection nothing is said to be on its way, and a call for help names the emergency number", () => {
    assert.deepEqual(words([delivery("safe", "sending")]), [["phone", "“I am safe”: on this phone, being sent…"]]);
    const [[place, safe]] = words([delivery("safe", "sending")], undefined, false);
    assert.equal(place, "phone");
    assert.match(safe, /^“I am safe”, said .+: on this phone\. It is sent as soon as the server answers\.$/);
    for (const kind of ["sos", "needsHelp"]) {
        assert.match(words([delivery(kind, "sending")], undefined, false)[0][1], / call the emergency number\.$/);
        assert.match(words([delivery(kind, "failed")])[0][1], / call the emergency number\.$/);
        assert.doesNotMatch(words([delivery(kind, "sending")])[0][1], /emergency/);
    }
    const [[, unkept]] = words([delivery("sos", "sending", { isUnkept: true })], undefined, false);
    assert.match(unkept, /leave this page open until it is sent\. If you can, call the emergency number\.$/);
});

test("what this phone cannot keep, what was refused and what came late is said", () => {
    const [[, unkept]] = words([delivery("safe", "failed", { isUnkept: true })]);
    assert.match(unkept, /leave this page open until it is sent\.$/);
    assert.deepEqual(words([delivery("safe", "refused", { reason: "no" })]),
        [["refused", "“I am safe”: not taken. The server says: no"]]);
    assert.match(words([delivery("safe", "received", { isLate: true })])[0][1], /It changed nothing there/);
    assert.deepEqual(words([delivery("callSeen", "failed")]), [], "a call that was seen is told where the call is");
});

test("the call that stands is the newest that this phone knows of", () => {
    const own = (state, heardAt = now) => ({ heardAt, member: { state } });
    assert.equal(callKind([], own("sos")), "sos");
    assert.equal(callKind([], own("safe")), undefined);
    assert.equal(callKind([delivery("needsHelp", "failed")], own("safe")), "needsHelp");
    assert.equal(callKind([delivery("needsHelp", "received")], own("safe", now - 5)), "needsHelp");
    assert.equal(callKind([delivery("needsHelp", "received")], own("safe", now + 5)), undefined);
    assert.equal(callKind([delivery("safe", "failed")], own("sos")), "sos", "an SOS is not ended by “I am safe”");
    assert.equal(callKind([delivery("safe", "failed")], own("needsHelp")), undefined);
    assert.equal(callKind([delivery("clear", "failed")], own("sos")), undefined);
    assert.equal(callKind([delivery("sos", "counting")], undefined), undefined);
    for (const later of ["safe", "needsHelp"]) {
        const both = [delivery("sos", "failed"), delivery(later, "failed")];
        assert.equal(callKind(both, own("safe")), "sos", `an SOS on this phone is not ended by “${later}”`);
        assert.ok(isCallUnsent(both, own("safe")));
    }
    const late = delivery("safe", "received", { isLate: true });
    assert.equal(callKind([late], own("needsHelp", now - 5)), "needsHelp", "what came too late ended nothing");
});

test("a countdown stays in sight while something else fails to be sent", () => {
    let all = withDelivery([], delivery("needsHelp", "failed"));
    all = withDelivery(all, { declaration: said("sos", { dueAt: now + 5000 }), state: "counting", at: now });
    all = withDelivery(all, delivery("needsHelp", "failed"));
    assert.equal(countingOf(all).kind, "sos");
    assert.equal(waitingOf(all).length, 2);
    assert.equal(waitingWords(all, 240), "2 messages, 240 positions");
    assert.equal(waitingWords([], 0), "");
});

test("of what is over the newest are kept, and of what waits everything", () => {
    let all = [];
    for (let number = 0; number < 9; number += 1) {
        const state = number % 2 === 0 ? "received" : "failed";
        all = withDelivery(all, { declaration: said("safe", { id: String(number) }), state, at: now });
    }
    assert.deepEqual(all.map(({ declaration }) => declaration.id), ["1", "3", "4", "5", "6", "7", "8"]);
});

/** An outbox whose storage and network a test moves. */
function outboxWith({ storage, send }) {
    const told = [];
    const outbox = new Outbox({
        storage, send, now: () => now, schedule: () => () => {}, report: (each) => told.push(each),
    });
    outbox.begin("ana");
    return { outbox, told };
}

const storageOf = (values = new Map()) => ({
    getItem: (key) => values.get(key) ?? null, setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
});
const settled = () => new Promise((resolve) => { setImmediate(resolve); });

test("a call for help that the browser cannot keep is sent all the same, and that it is not kept is said", async () => {
    const storage = { ...storageOf(), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
    let isOffline = true;
    const sent = [];
    const { outbox, told } = outboxWith({ storage, send: async (path, { body }) => {
        if (isOffline) { throw new TypeError("Failed to fetch"); }
        sent.push(body);
        return { json: async () => ({}) };
    } });
    outbox.add(newDeclaration("sos", now));
    await settled();
    assert.deepEqual(told.map(({ state, isUnkept }) => [state, isUnkept]),
        [["sending", true], ["sending", true], ["failed", true]]);
    isOffline = false;
    outbox.hurry();
    await settled();
    assert.deepEqual(sent.map(({ kind }) => kind), ["sos"]);
    assert.deepEqual([told.at(-1).state, told.at(-1).isUnkept], ["received", undefined]);
    assert.deepEqual(outbox.unsent, []);
});

test("an SOS waits behind nothing that fails, and its countdown ends while that is tried again", async () => {
    const asked = [];
    let time = now;
    const timers = [];
    const told = [];
    const outbox = new Outbox({
        storage: storageOf(), now: () => time, report: (each) => told.push([each.declaration.kind, each.state]),
        schedule: (act, ms) => { timers.push(ms); return () => {}; },
        send: async (path, { body }) => {
            asked.push(body.kind);
            if (body.kind === "needsHelp") { throw new Problem(500, { title: "a fault of the server" }); }
            return { json: async () => ({}) };
        },
    });
    outbox.begin("ana");
    outbox.add(newDeclaration("needsHelp", now));
    await settled();
    outbox.add(newDeclaration("sos", now, { dueAt: now + 5000 }));
    for (let turn = 0; turn < 4; turn += 1) { outbox.hurry(); await settled(); }
    assert.ok(timers.at(-1) <= 5000, "it is tried again when the countdown ends, at the latest");
    time += 5000;
    outbox.hurry();
    await settled();
    assert.deepEqual(asked.slice(-2), ["sos", "needsHelp"]);
    assert.ok(told.some(([kind, state]) => kind === "sos" && state === "received"));
});

test("that a call was seen goes to its incident, and an older server's refusal ends it", async () => {
    const asked = [];
    const { outbox, told } = outboxWith({ storage: storageOf(), send: async (path, { body }) => {
        asked.push([path, Object.keys(body)]);
        throw new Problem(404, { title: "Not found" });
    } });
    outbox.add(newDeclaration("callSeen", now, { incident: 7 }));
    await settled();
    assert.deepEqual(asked, [["incidents/7/acknowledgement", ["id", "sampleTime"]]]);
    assert.equal(told.at(-1).state, "refused");
    assert.deepEqual(outbox.unsent, []);
});

test("signing out leaves nothing unsent", () => {
    const values = new Map();
    const send = async () => { throw new TypeError("offline"); };
    const { outbox } = outboxWith({ storage: storageOf(values), send });
    outbox.add(newDeclaration("safe", now));
    assert.equal(values.size, 1);
    outbox.forget();
    assert.equal(values.size, 0);
});

const incident = { number: 7, team: "north", kind: "real", startedAt: "2026-11-28T12:00:00Z" };
const called = (fields = {}, member = {}) => ({ heardAt: now, member: { state: "unknown", ...member },
    incidents: [{ ...incident, ...fields }] });

test("an open incident calls until it was seen, here or at the server, and again where it is opened again", () => {
    const [call] = callsOf(called(), {});
    assert.equal(call.seenAt, undefined);
    assert.equal(callsOf(called(), { [call.key]: "2026-11-28T12:01:00Z" })[0].seenAt, "2026-11-28T12:01:00Z");
    const reopened = { reopenedAt: "2026-11-28T12:02:00Z" };
    assert.equal(callsOf(called(reopened), { [call.key]: "2026-11-28T12:01:00Z" })[0].seenAt, undefined);
    const member = { roll: { incident: 7, person: 1 }, callSeenAt: "2026-11-28T12:01:30Z" };
    assert.equal(callsOf(called({}, member), {})[0].seenAt, "2026-11-28T12:01:30Z");
    assert.deepEqual(callsOf(called({}, { takenOff: { at: "" } }), {}), []);
    assert.deepEqual(callsOf(undefined, {}), []);
});

test("that a call was seen is kept by user, and the oldest go", () => {
    const values = new Map();
    const storage = storageOf(values);
    let seen = readSeen("ana", storage);
    for (let number = 1; number <= 25; number += 1) { seen = writeSeen("ana", seen, `${number}/`, "then", storage); }
    assert.equal(Object.keys(readSeen("ana", storage)).length, 20);
    assert.equal(readSeen("ana", storage)["25/"], "then");
    assert.deepEqual(readSeen("ben", storage), {});
    values.set("muster.me.seen.ana", "[1");
    assert.deepEqual(readSeen("ana", storage), {});
});

test("where the acknowledgement is, is said", () => {
    const call = { incident, key: callKey(incident), seenAt: "2026-11-28T12:01:00Z" };
    const waits = [{ declaration: said("callSeen", { incident: 7 }), state: "failed", at: now }];
    assert.match(seenWords(call, waits, now), /that is on this phone, and not sent yet\.$/);
    assert.match(seenWords(call, [], now), /^You saw the call at .+\d\.$/);
});

test("a notification leads to what it told of, before the server says it and after it is over", () => {
    const route = { screen: "call", rest: ["7"] };
    assert.match(announcedWords({ route, own: undefined, isLive: false }), /^Your team was called to evacuate\./);
    assert.equal(announcedWords({ route, own: called(), isLive: true }), "");
    assert.equal(announcedWords({ route, own: { incidents: [] }, isLive: true }),
        "The call that you were notified of is over.");
    const anyCall = { screen: "call", rest: [] };
    assert.equal(announcedWords({ route: anyCall, own: called(), isLive: true }), "");
    assert.match(announcedWords({ route: anyCall, own: undefined, isLive: false }),
        /^Your team was called to evacuate\./);
    assert.equal(announcedWords({ route: { screen: "people", rest: [] }, own: undefined, isLive: false }), "");
});

test("who sees me is listed, the leaders first and links last", () => {
    const lines = viewerLines([
        { link: "l1", kind: "person", note: "night shift", expires: "2026-11-28T13:00:00Z" },
        { token: "t1", device: "phone", madeBy: "root", since: "2026-11-20T08:00:00Z" },
        { name: "root", role: "admin" }, { name: "lena", role: "leader", since: "2026-11-20T08:00:00Z" },
    ], now);
    assert.deepEqual(lines.map(({ who }) => who),
        ["lena, leader of your team", "root, runs the server", "Whoever has a token of your device phone",
            "Whoever has a link to you"]);
    assert.match(lines[2].details, /^made by root, since /);
    assert.match(lines[3].details, /^“night shift”, until /);
});

test("an older server does not say who sees me, and allows no pause; other faults are said", async () => {
    const answer = (status) => async () => { throw new Problem(status); };
    assert.equal(await readViewers(answer(404), "ana"), undefined);
    await assert.rejects(readViewers(answer(503), "ana"), Problem);
    assert.equal(await readAllowsPause(answer(404), "north"), false);
    assert.equal(await readAllowsPause(async () => ({ json: async () => ({ allowsPause: true }) }), "north"), true);
    assert.equal(await readAllowsPause(answer(404), undefined), false);
    assert.equal(runningPause({ until: "2026-11-28T12:00:00Z" }, now), undefined);
    assert.ok(runningPause({ until: "2026-11-28T13:00:00Z" }, now));
});
