/** What the page makes of calls for help and incidents. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { callWords, closedLately, incidentWords } from "../../Web/console/incident/alarmwords.js";
import { askClose } from "../../Web/console/incident/askings.js";
import { eventWords } from "../../Web/console/timeline/eventwords.js";
import { memberFeatures } from "../../Web/console/map/mapdata.js";
import { markOrder, marks } from "../../Web/console/shared/marks.js";
import { presenceLines } from "../../Web/console/shared/presence.js";
import { actionsFor } from "../../Web/console/roster/rowactions.js";
import { calls, counts, leavingLines, shownState, tally, titleWords } from "../../Web/console/shared/safety.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { t } from "../../Web/console/shared/words.js";

const at = "2026-11-21T12:03:00.000Z";
const snapshot = {
    sequence: 10, positions: [], regions: [], incidents: [],
    members: ["alice", "bob", "zoe"].map((user) => ({ user, state: "unknown", team: "crew", safetySequence: 10 })),
};
const begun = reduce(emptyState, { type: "snapshot", snapshot });
const after = (...changes) => reduce(begun, {
    type: "changes", changes: changes.map((change, index) => ({ sequence: 11 + index, at, ...change })),
});

test("every state has a mark, a label and a place in the list", () => {
    assert.deepEqual(new Set(Object.keys(counts(emptyState))), new Set(markOrder));
    assert.deepEqual(new Set(Object.keys(marks)), new Set(markOrder));
    assert.equal(new Set(markOrder.map((state) => t(`state.${state}`))).size, markOrder.length);
});

test("calls for help stand with who has heard them, those in danger first", () => {
    const state = after(
        { type: "safety", user: "bob", state: "needsHelp", since: at, source: "ownDeclaration" },
        { type: "safety", user: "alice", state: "sos", since: at, source: "marked", markedBy: "lea" },
        { type: "safety", user: "bob", state: "needsHelp", since: at, acknowledgedBy: "lea" });
    assert.deepEqual(calls(state).map(({ user, acknowledgedBy }) => [user, acknowledgedBy]),
        [["alice", undefined], ["bob", "lea"]]);
    assert.deepEqual(calls(reduce(state, {
        type: "changes", changes: [{ sequence: 20, type: "safety", user: "alice", state: "safe", since: at }],
    })).map(({ user }) => user), ["bob"]);
});

test("an incident is open until it is closed, and counts who of its team is accounted for", () => {
    const incident = { type: "incident", number: 3, team: "crew", kind: "drill", startedAt: at, startedBy: "lea" };
    const open = after(
        { ...incident, open: true }, { type: "safety", user: "alice", state: "safe", since: at },
        { type: "safety", user: "bob", state: "offSite", since: at });
    assert.equal(open.incidents.get(3).kind, "drill");
    assert.deepEqual(
        tally(open, open.incidents.get(3)), { people: 3, accounted: 2, checking: 0, unaccounted: 1 });
    const closed = reduce(open, { type: "changes", changes: [{ ...incident, sequence: 30, at, open: false }] });
    assert.equal(closed.incidents.size, 0);
    assert.equal(open.incidents.size, 1);
});

test("events say what happened in words, a drill as a drill", () => {
    const words = (change) => eventWords(after(change).events[0]);
    assert.equal(words({ type: "safety", user: "alice", state: "sos", since: at }), "calls SOS");
    const said = { type: "declaration", user: "alice", author: "alice", kind: "sos", note: "behind the shed" };
    assert.equal(words(said), "says: “behind the shed”");
    assert.equal(words({ ...said, author: "lea", kind: "needsHelp" }), "lea says: “behind the shed”");
    assert.equal(after({ ...said, note: undefined }).events.length, 0, "the call itself is an event of its safety");
    assert.equal(words({ type: "reminder", user: "alice", state: "needsHelp" }),
        "still needs help: nobody has heard it");
    assert.equal(words({ type: "safety", user: "alice", state: "safe", markedBy: "lea" }), "is marked safe by lea");
    const incident = { type: "incident", number: 1, team: "crew", startedAt: at };
    assert.equal(words({ ...incident, kind: "drill", open: true }), "DRILL – evacuation started");
    assert.equal(words({ ...incident, kind: "real", open: false, closedHow: "allAccounted" }),
        "evacuation ended: all are accounted for");
});

test("nobody is shown as not safe without an incident, unless the team wants safety shown always", () => {
    const change = { type: "safety", user: "bob", state: "unsafe", since: at };
    assert.equal(counts(after(change)).located, 1);
    assert.equal(counts(after(change)).unsafe, 0);
    const open = after(change, { type: "incident", open: true, number: 1, team: "crew", kind: "real", startedAt: at });
    assert.equal(counts(open).unsafe, 1);
    const always = reduce(begun, { type: "snapshot", snapshot: { ...snapshot, alwaysShown: ["crew"] } });
    assert.equal(counts(reduce(always, { type: "changes", changes: [{ ...change, at, sequence: 11 }] })).unsafe, 1);
});

test("all accounted for is a state of an open incident, with its time, and is left again", () => {
    const incident = { type: "incident", open: true, number: 1, team: "crew", kind: "real", startedAt: at };
    const all = { ...incident, allAccounted: true, allAccountedAt: at, happened: "allAccounted" };
    const leader = { name: "lea", role: "leader", team: "crew" };
    const words = (state) => incidentWords(state, state.incidents.get(1), leader);
    assert.match(words(after(incident, all)), /All accounted for since .+ — not closed$/);
    const again = after(incident, all, { ...incident, allAccounted: false, happened: "notAllAccounted" });
    assert.doesNotMatch(words(again), /All accounted/);
    assert.equal(eventWords(again.events[0]), "evacuation: no longer all accounted for");
});

test("an incident closed by a person is shown with who closed it, until it is reopened", () => {
    const incident = { type: "incident", number: 1, team: "crew", kind: "real", startedAt: at };
    const closing = { ...incident, open: false, closedAt: at, closedHow: "byHand", closedBy: "lea", reason: "over",
        allAccountedAt: at };
    const now = Date.parse(at) + 60_000;
    assert.deepEqual(closedLately(after(closing), now).map(({ closedBy }) => closedBy), ["lea"]);
    assert.deepEqual(closedLately(after(closing), now + 3_600_000), []);
    // Somebody still looks for those who were missing at the end of a real one.
    const [hour, day] = [now + 3_600_000, now + 25 * 3_600_000];
    const missing = { ...closing, kind: "real", allAccountedAt: undefined };
    assert.deepEqual([hour, day].map((ms) => closedLately(after(missing), ms).length), [1, 0]);
    assert.deepEqual(closedLately(after({ ...missing, allAccountedAt: at }), hour), []);
    assert.deepEqual(closedLately(after({ ...missing, kind: "drill" }), hour), []);
    assert.deepEqual(closedLately(after(closing, { ...incident, open: true, happened: "reopened" }), now), []);
});

test("a call for help shows its note, the last position, and whether it is acknowledged", () => {
    const position = { latitude: 59.9, longitude: 10.7, sampleTime: at, accuracy: 5 };
    const state = after(
        { type: "position", device: "bob/phone", user: "bob", position },
        { type: "declaration", user: "bob", kind: "sos", note: "fell off the ladder", sampleTime: at },
        { type: "safety", user: "bob", state: "sos", since: at, source: "ownDeclaration" });
    const words = callWords(state.members.get("bob"), state, Date.parse(at));
    assert.match(words, /^SOS from bob, /);
    assert.match(words, /: “fell off the ladder”, last seen at 59\.90000, 10\.70000 at \S+, nobody has heard it$/);
    const regions = new Map([["town/sq", { collection: "town", id: "sq", name: "Harbour square", radius: 40,
        geometry: { type: "Point", coordinates: [10.7, 59.9] } }]]);
    assert.match(callWords(state.members.get("bob"), { ...state, regions }, Date.parse(at)),
        /, last seen near Harbour square \(59\.90000, 10\.70000\) at \S+, nobody has heard it$/);
});

test("who calls again after an acknowledgement is not said to have been heard by nobody", () => {
    const call = { type: "safety", user: "bob", state: "sos", since: at, source: "ownDeclaration" };
    const heard = { ...call, acknowledgedBy: "lea" };
    assert.match(callWords(after(call, heard).members.get("bob"), after(call, heard), Date.parse(at)), /heard by lea$/);
    const again = after(call, heard, call);
    assert.match(callWords(again.members.get("bob"), again, Date.parse(at)),
        /has called again since lea acknowledged it: acknowledge it anew$/);
    // Another call of the same person is not the one that was heard.
    const other = after(call, heard, { ...call, since: "2026-11-20T13:00:00Z" });
    assert.match(callWords(other.members.get("bob"), other, Date.parse(at)), /nobody has heard it$/);
});

test("the question before an all clear names who calls for help, wherever they are", () => {
    const position = { latitude: 59.9, longitude: 10.7, sampleTime: at, accuracy: 5 };
    const live = after(
        { type: "incident", open: true, number: 1, team: "crew", kind: "real", startedAt: at },
        { type: "position", device: "bob/phone", user: "bob", position },
        { type: "safety", user: "bob", state: "sos", since: at, source: "ownDeclaration" });
    live.members.set("bob", { ...live.members.get("bob"), team: "crew" });
    const { lines } = askClose({ number: 1, team: "crew" })({ live, isLive: true, now: Date.parse(at) });
    assert.ok(lines.some((line) => /^SOS from bob, .+ last seen at 59\.90000, 10\.70000/.test(line)), String(lines));
});

const evacuation = { type: "incident", open: true, number: 1, team: "crew", kind: "real", startedAt: at };
const square = { collection: "town", id: "sq", name: "Harbour square" };
const leaving = (user, region = square) => ({
    type: "safety", user, state: "unknown", source: "seemsToHaveLeft", doubt: "checking", since: at, region,
});
const leader = { name: "lea", role: "leader", team: "crew" };

test("a safe state in doubt is checking: a column of its own, not accounted for", () => {
    const open = after(evacuation, { type: "safety", user: "bob", state: "safe", since: at, doubt: "checking" },
        { type: "safety", user: "alice", state: "safe", since: at });
    const incident = open.incidents.get(1);
    assert.deepEqual(tally(open, incident), { people: 3, accounted: 1, checking: 1, unaccounted: 1 });
    assert.equal(shownState(open, open.members.get("bob")), "checking");
    assert.deepEqual([counts(open).safe, counts(open).checking], [1, 1]);
    assert.match(incidentWords(open, incident, leader), /, 1 of 3 accounted for, 1 checking, 1 unaccounted, since /);
    assert.equal(eventWords({ ...open.events.at(-2), region: square }), "is in doubt in Harbour square: being checked");
    assert.equal(titleWords(counts(open)), "0 not safe, 1 unknown, 1 checking · Muster");
    assert.equal(titleWords(counts(emptyState)), "Muster");
});

test("who seems to have left is counted for each region, and one person is named", () => {
    const words = (state, user, team) => leavingLines(state, user, team).map((line) => line.words);
    const one = after(evacuation, leaving("bob"));
    assert.deepEqual(words(one), ["bob seems to have left Harbour square"]);
    assert.deepEqual(words(one, "bob"), ["You seem to have left Harbour square"]);
    const all = after(evacuation, leaving("alice"), leaving("bob"),
        leaving("zoe", { collection: "town", id: "gate" }));
    assert.deepEqual(words(all), ["2 seem to have left Harbour square", "zoe seems to have left gate"]);
    assert.deepEqual(words(all, "lea", "other"), []);
    assert.equal(shownState(all, all.members.get("bob")), "seemsToHaveLeft");
    assert.equal(counts(all).seemsToHaveLeft, 3);
    assert.equal(eventWords(all.events[0]), "seems to have left gate");
    assert.equal(titleWords(counts(all)), "3 may have left, 0 not safe, 0 unknown · Muster");
    const back = reduce(all, { type: "changes", changes: [
        { sequence: 30, at, type: "safety", user: "zoe", state: "safe", since: at, source: "region" }] });
    assert.deepEqual(words(back), ["2 seem to have left Harbour square"]);
});

test("without an incident nobody is reported as leaving, unless the team wants safety shown always", () => {
    const calm = after(leaving("bob"));
    assert.deepEqual(leavingLines(calm), []);
    assert.equal(shownState(calm, calm.members.get("bob")), "located");
    assert.equal(eventWords(calm.events[0]), "seems to have left Harbour square");
    const always = reduce(begun, { type: "snapshot", snapshot: { ...snapshot, alwaysShown: ["crew"] } });
    const shown = reduce(always, { type: "changes", changes: [{ ...leaving("bob"), at, sequence: 11 }] });
    assert.equal(leavingLines(shown).length, 1);
});

test("the question before all clear counts who is accounted for, and names who seems to have left", () => {
    const open = after(evacuation, leaving("bob"),
        { type: "safety", user: "zoe", state: "safe", since: at, doubt: "stale" });
    const question = askClose(open.incidents.get(1))({ live: open, isLive: true });
    assert.deepEqual([question.title, ...question.lines, question.warning], [
        "All clear for crew?", "0 of 3 accounted for, 1 checking, 2 unaccounted.",
        "Not accounted for: alice, bob, zoe.",
        "bob seems to have left Harbour square.", "This closes the incident, in your name.",
        "Not everyone is accounted for.",
    ]);
});

test("a leader may mark others of its team, and no member may mark anyone", () => {
    const bob = { user: "bob", team: "crew", state: "needsHelp" };
    const kinds = (member, user) => actionsFor(member, user);
    const leader = { name: "lea", role: "leader", team: "crew" };
    assert.deepEqual(kinds(bob, leader), ["acknowledge", "safe", "clear"]);
    assert.deepEqual(kinds({ ...bob, state: "sos" }, leader), ["acknowledge", "clear"]);
    assert.deepEqual(kinds({ ...bob, state: "unknown", source: "silence" }, leader), ["safe", "offSite"]);
    assert.deepEqual(kinds(bob, { ...leader, team: "other" }), []);
    assert.deepEqual(kinds(bob, { name: "zoe", role: "member", team: "crew" }), []);
});

test("unbelieved fixes are shown as a possible place, and drawn apart from the position", () => {
    const belief = {
        type: "belief", device: "bob/phone", user: "bob", estimate: { latitude: 59.9, longitude: 10.7, deviation: 4 },
    };
    const regions = [{ collection: "c", id: "s", name: "Square" }];
    const checking = { since: at, latitude: 59.91, longitude: 10.72, regions };
    const position = { latitude: 59.91, longitude: 10.72, sampleTime: at, accuracy: 5 };
    const doubted = after({ type: "position", device: "bob/phone", user: "bob", position }, { ...belief, checking });
    assert.equal(presenceLines(doubted.members.get("bob"))[0].words.join(""), "checking… seems to be in Square");
    const drawnBob = (state) => memberFeatures(state, state.members.get("bob"));
    const drawn = drawnBob(doubted);
    assert.deepEqual(drawn.people[0].geometry.coordinates, [10.7, 59.9]);
    assert.deepEqual(drawn.seeming[0].geometry.coordinates, [10.72, 59.91]);
    const gone = reduce(doubted, { type: "changes", changes: [{ ...leaving("bob"), sequence: 25, at }] });
    assert.deepEqual(drawnBob(gone).people[0].geometry.coordinates, [10.72, 59.91]);
    assert.deepEqual(drawnBob(gone).seeming, []);
    assert.equal(drawnBob(gone).doubts.length, 1);
    const believed = reduce(doubted, { type: "changes", changes: [{ sequence: 30, at, ...belief }] });
    assert.deepEqual(presenceLines(believed.members.get("bob")), []);
    assert.equal(drawnBob(believed).seeming.length, 0);
});
