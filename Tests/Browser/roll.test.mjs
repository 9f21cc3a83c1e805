/** What the page makes of rolls, of words about them, and of names that others wrote. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { callSeenWords } from "../../Web/console/incident/callseen.js";
import { incidentWords } from "../../Web/console/incident/alarmwords.js";
import { actionsFor } from "../../Web/console/roster/rowactions.js";
import {
    batteryWords, heardOf, knownBy, locatedOf, pauseWords, rollWords, stateWords,
} from "../../Web/console/shared/rowwords.js";
import { counts, tally } from "../../Web/console/shared/safety.js";
import { loadSnapshot } from "../../Web/console/shared/snapshot.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { legible, shortened } from "../../Web/console/shared/text.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("incident");

const at = "2026-11-21T06:00:00.000Z";
const later = "2026-11-21T06:10:00.000Z";
const nowMs = Date.parse("2026-11-21T08:00:00.000Z");
const incident = { number: 4, team: "north", kind: "real", open: true, startedAt: at };
const leader = { name: "lea", role: "leader", team: "north" };
const alice = { user: "alice", team: "north", state: "unknown", safetySequence: 1 };

function loaded(roll, members = [alice]) {
    const rolls = [{ ...incident, roll }];
    return reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 10, members, positions: [], regions: [], incidents: [incident], rolls,
    } });
}

const zoe = { person: -1, user: "Zoë", visitor: true, left: false, state: "unknown" };
const onRoll = (change) => ({ type: "roll", incident: 4, team: "north", sequence: 11, at, ...change });
const visitors = (state) => [...state.members.values()].filter(({ roll }) => roll?.kind === "visitor");

test("a visitor is counted in the numbers of the roll, marked at once, and gone when taken off", () => {
    let state = loaded([{ person: 2, user: "alice", state: "unknown" }, zoe]);
    assert.deepEqual(tally(state, incident), { people: 2, accounted: 0, checking: 0, unaccounted: 2 });
    assert.equal(counts(state).unknown, 2);
    state = reduce(state, { type: "changes", changes: [
        onRoll({ event: "changed", person: -1, user: "Zoë", state: "safe", by: "lea" }),
    ] });
    assert.deepEqual(tally(state, incident), { people: 2, accounted: 1, checking: 0, unaccounted: 1 });
    assert.equal(visitors(state)[0].markedBy, "lea");
    assert.ok(state.outdated.people, "the roll is asked for again");
    state = reduce(state, { type: "changes", changes: [
        onRoll({ event: "takenOff", person: -1, user: "Zoë", state: "safe", sequence: 12 }),
    ] });
    assert.deepEqual(visitors(state), []);
});

test("a visitor of a closed incident stands on no list any more, also where a real one took a drill's place", () => {
    let state = loaded([{ person: 2, user: "alice", state: "unknown" }, zoe]);
    const real = { ...incident, number: 5 };
    state = reduce(state, { type: "changes", changes: [
        { type: "incident", sequence: 11, at, ...incident, open: false },
        { type: "incident", sequence: 12, at, ...real },
        onRoll({ incident: 5, event: "visitor", person: -1, user: "Zoë", state: "unknown", sequence: 13 }),
    ] });
    assert.deepEqual(visitors(state).map(({ roll }) => roll.incident), [5]);
});

test("a closed incident takes what its roll said of people with it, and a reopened one is read anew", () => {
    const takenOff = { at, by: "lea", reason: "on leave" };
    const mark = { state: "safe", at, by: "lea" };
    let state = loaded([
        { person: 2, user: "alice", left: true, state: "unknown", takenOff, mark, firstAccountedTime: at }, zoe]);
    assert.ok(state.members.get("alice").takenOff);
    state = reduce(state, { type: "changes", changes: [
        { type: "incident", sequence: 11, at, ...incident, open: false }] });
    const { takenOff: left, mark: marked, firstAccountedTime, roll } = state.members.get("alice");
    assert.deepEqual([left, marked, firstAccountedTime, roll], [undefined, undefined, undefined, undefined]);
    assert.ok(!state.outdated.people);
    state = reduce(state, { type: "changes", changes: [{ type: "incident", sequence: 12, at, ...incident }] });
    assert.ok(state.outdated.people, "its visitors are told by the roll alone");
});

test("a mark by hand and its clearing show at once, and a text beside those before", () => {
    const said = (change) => ({ type: "declaration", sequence: 12, at, user: "alice", sampleTime: at, ...change });
    const after = (...changes) => reduce(loaded([{ person: 2, user: "alice", state: "unknown" }]), {
        type: "changes", changes: changes.map((change, index) => ({ ...said(change), sequence: 11 + index })),
    }).members.get("alice");
    assert.deepEqual(after({ kind: "safe", author: "lea", note: "at the gate" }).mark,
        { state: "safe", at, by: "lea", note: "at the gate" });
    assert.equal(after({ kind: "safe", author: "lea" }, { kind: "clear", author: "lea" }).mark, undefined);
    assert.equal(after({ kind: "safe", author: "alice" }).mark, undefined, "one's own word is no mark");
    assert.equal(after({ kind: "safe", author: "lea", late: true }).mark, undefined);
    const texts = Array.from({ length: 10 }, (_, index) => ({ kind: "sos", author: "alice", note: `${index}` }));
    assert.deepEqual(after(...texts).said.map(({ note }) => note), ["2", "3", "4", "5", "6", "7", "8", "9"]);
});

test("a visitor who has a user's name is another person", () => {
    const state = loaded([{ person: 2, user: "alice", state: "unknown" }, { ...zoe, user: "alice", state: "safe" }]);
    assert.equal(state.members.get("alice").state, "unknown");
    assert.deepEqual(tally(state, incident), { people: 2, accounted: 1, checking: 0, unaccounted: 1 });
});

test("a person taken off the roll is not counted, and has no buttons in the row", () => {
    const takenOff = { at, by: "lea", reason: "on leave" };
    const state = loaded([{ person: 2, user: "alice", left: true, state: "unknown", takenOff }]);
    const member = state.members.get("alice");
    assert.deepEqual(tally(state, incident), { people: 0, accounted: 0, checking: 0, unaccounted: 0 });
    assert.equal(counts(state).unknown, 0);
    assert.match(rollWords(member, nowMs), /^taken off the roll by lea, .*: on leave$/);
    assert.deepEqual(actionsFor(member, leader), []);
});

test("a removed or moved user stays on the roll, and can be taken off", () => {
    const gone = { person: 7, user: "ben", state: "unknown", removed: { at, by: "admin" }, heard: at, battery: 8 };
    const moved = { person: 8, user: "cleo", state: "unsafe", moved: { at, by: "admin", team: "south" } };
    const state = loaded([gone, moved]);
    const [ben, cleo] = [...state.members.values()].filter(({ roll }) => roll);
    assert.equal(rollWords(ben, nowMs), "removed from the server by admin, still on the roll");
    assert.deepEqual(actionsFor(ben, leader), ["safe", "offSite", "needsHelp", "takeOff"]);
    assert.deepEqual(actionsFor(cleo, leader), ["takeOff"]);
    assert.deepEqual(actionsFor(cleo, { name: "max", role: "member", team: "north" }), []);
});

test("an expired declaration is shown as not confirmed until the person is accounted for", () => {
    const unconfirmed = { kind: "offSite", at, by: "lea" };
    const member = loaded([{ person: 2, user: "alice", state: "unknown", unconfirmed }]).members.get("alice");
    assert.equal(rollWords(member, nowMs), "said off site by lea 2 h ago, not confirmed");
    assert.equal(rollWords({ ...member, state: "safe" }, nowMs), "");
});

test("a device heard without a stored position is shown as heard, with the newest battery level", () => {
    const position = {
        device: "alice/phone", latitude: 1, longitude: 2, sampleTime: at, receivedTime: at, battery: 50,
    };
    let state = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 10, members: [alice], positions: [position], regions: [],
    } });
    assert.equal(heardOf(state.members.get("alice")), at);
    const located = { latitude: 1, longitude: 2, sampleTime: later, battery: 14 };
    state = reduce(state, { type: "heard", people: [{ user: "alice", heard: later, located }, { user: "nobody" }] });
    const member = state.members.get("alice");
    assert.equal(heardOf(member), later);
    assert.equal(locatedOf(member), later);
    assert.equal(batteryWords(member), "battery 14\u00A0%, low");
});

test("a page that is not live does not show who is accounted for", () => {
    const all = { ...incident, allAccounted: true, allAccountedAt: at };
    const words = incidentWords(loaded([]), all, leader, false);
    assert.doesNotMatch(words, /accounted for since|\d of \d/);
    assert.match(words, /not live$/);
});

test("the note of the current call for help is shown, not that of a cleared one", async () => {
    const said = [
        { kind: "sos", note: "old", late: false }, { kind: "clear", late: false },
        { kind: "needsHelp", note: "my leg", late: false }, { kind: "acknowledge", late: false },
        { kind: "needsHelp", note: "late", late: true }, { kind: "needsHelp", late: false },
    ];
    const answers = {
        teams: { items: [{ name: "north" }] },
        "teams/north/safety": { team: "north", sequence: 5, members: [{ user: "al", state: "needsHelp" }] },
        "users/al/declarations": { items: said },
    };
    const get = async (path) => answers[path.split("?")[0]] ?? { items: [], sequence: 5 };
    const { members } = await loadSnapshot(get);
    assert.equal(members[0].call.note, "my leg");
});

test("a name cannot turn or break the words around it", () => {
    assert.equal(legible("\u202Egnp\u2069.exe\nx"), " gnp .exe x");
    assert.equal(legible("נועה"), "\u2068נועה\u2069");
    assert.equal(legible("👩🏽‍🚒"), "👩🏽‍🚒");
    assert.equal(shortened("👍".repeat(5), 3), "👍👍…");
});

test("a person under review after an edit is shown as such", () => {
    assert.equal(
        knownBy({ state: "unknown", source: "underReview" }), " · being worked out after an edit of regions");
    assert.equal(knownBy({ state: "unknown", source: "unlocated" }), "");
});

test("a person who seems to have left is shown as such, with the region", () => {
    const region = { collection: "town", id: "a", name: "Harbour square" };
    assert.equal(
        knownBy({ state: "unknown", source: "seemsToHaveLeft", region }), " · seems to have left Harbour square");
    assert.equal(knownBy({ state: "unknown", source: "seemsToHaveLeft" }), " · seems to have left");
    const left = { state: "unknown", source: "seemsToHaveLeft", doubt: "checking", region };
    assert.deepEqual(stateWords(left, "seemsToHaveLeft"), ["Seems to have left", " Harbour square"]);
    assert.deepEqual(stateWords(left, "located"), ["Located, being checked", " · seems to have left Harbour square"]);
    assert.deepEqual(stateWords({ state: "safe", source: "region", doubt: "stale", region }, "checking"),
        ["Checking, not heard lately", " · Harbour square"]);
    assert.deepEqual(stateWords({ state: "safe", source: "region", doubt: "checking", region }, "checking"),
        ["Checking", " · Harbour square"]);
});

test("who has seen the call is shown at once, for that call alone, and is no safer", () => {
    let state = loaded([{ person: 2, user: "alice", state: "unknown" }]);
    const seenAt = "2026-11-21T06:03:00.000Z";
    state = reduce(state, { type: "changes", changes: [
        onRoll({ event: "callSeen", person: 2, user: "alice", state: "unknown", by: "alice", at: seenAt }),
    ] });
    const member = state.members.get("alice");
    assert.match(callSeenWords(member, incident, nowMs), /^has seen the call /);
    assert.equal(state.outdated.people, false, "a thousand who see a call ask for no roll");
    assert.deepEqual(tally(state, incident), { people: 1, accounted: 0, checking: 0, unaccounted: 1 });
    assert.equal(callSeenWords(member, { ...incident, reopenedAt: later }, nowMs), "");
    assert.equal(callSeenWords({}, incident, nowMs), "");
    const told = loaded([{ person: 2, user: "alice", state: "unknown", callSeenAt: seenAt }]);
    assert.equal(told.members.get("alice").callSeenAt, seenAt);
});

test("a pause explains a row until its time, and never hides a call for help", () => {
    const pause = { since: at, until: "2026-11-21T09:00:00.000Z", note: "lunch" };
    let state = loaded([], [{ ...alice, pause }]);
    assert.match(pauseWords(state.members.get("alice"), nowMs), /^paused by themselves until .*“lunch”/);
    assert.equal(pauseWords(state.members.get("alice"), Date.parse(pause.until)), "");
    assert.equal(pauseWords({ state: "sos", pause }, nowMs), "");
    const told = (change) => reduce(state, { type: "changes", changes: [
        { type: "pause", user: "alice", sequence: 11, at, since: at, until: pause.until, ...change }] });
    state = told({ happened: "ranOut" });
    assert.equal(pauseWords(state.members.get("alice"), nowMs), "");
    state = told({ happened: "began", sequence: 12 });
    assert.notEqual(pauseWords(state.members.get("alice"), nowMs), "");
    assert.equal(state.members.get("alice").state, "unknown");
});
