/** How sure the page says it is. Run: node --test Tests/Browser/ */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { eventWords } from "../../Web/console/timeline/eventwords.js";
import { memberFeatures } from "../../Web/console/map/mapdata.js";
import { presenceLines, sureness } from "../../Web/console/shared/presence.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";

const muster = { collection: "site", id: "a", name: "Assembly point A", muster: true };
const kiosk = { collection: "site", id: "k", name: "Kiosk", muster: false };
const time = (minute) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const clock = (text) => text.slice(11, 16);

/** A presence as the wire tells it; `region` and what differs may be given. */
function presence({ device = "alice/phone", minute = 3, ...differing } = {}) {
    return {
        device, user: device.split("/")[0], region: muster, standing: "inside", probability: 0.87, since: time(3),
        sampleTime: time(minute), ...differing,
    };
}

const checking = { probability: undefined, doubt: "checking" };
const stale = { probability: undefined, doubt: "stale" };
const change = (sequence, differing) => ({ sequence, at: time(59), type: "presence", ...presence(differing) });
const crossing = (sequence, kind, differing = {}) => (
    { sequence, at: time(59), type: "crossing", kind, device: "alice/phone", user: "alice", region: muster,
        sampleTime: time(3), ...differing });

function loaded(...presences) {
    const members = [{ user: "alice", team: "north", state: "unknown", safetySequence: 10 }];
    const positions = [{ device: "alice/phone", latitude: 59.9, longitude: 10.7, sampleTime: time(3) }];
    const snapshot = { sequence: 10, presenceSequence: 12, members, positions, presences, regions: [] };
    return reduce(emptyState, { type: "snapshot", snapshot });
}

const after = (state, ...changes) => reduce(state, { type: "changes", changes });
/** A number and its sign are kept together by spaces that do not break. */
const plain = (text) => text.replaceAll("\u00A0", " ");
const alice = (state) => state.members.get("alice");
const lines = (state) => presenceLines(alice(state), clock).map((line) => plain(line.words.join("")));

function check(presences, expected) {
    assert.deepEqual(lines(loaded(...presences)), expected);
}

test("a person inside is shown with the probability and since when", () => {
    check([presence()], ["87 % sure inside Assembly point A since 12:03"]);
    check([presence({ standing: "outside", probability: 0.6 })], ["60 % sure inside Assembly point A since 12:03"]);
    check([presence({ probability: 1 })], ["> 99 % sure inside Assembly point A since 12:03"]);
    check([presence({ region: { ...muster, name: undefined } })], ["87 % sure inside a since 12:03"]);
});

test("a presence below one half does not show since when", () => {
    check([presence({ probability: 0.3 })], ["30 % sure still inside Assembly point A"]);
    check([presence({ probability: 0.3, standing: "unknown" })], ["30 % sure inside Assembly point A"]);
});

test("under the raw policy no probability is shown", () => {
    check([presence({ probability: undefined })], ["inside Assembly point A since 12:03"]);
});

test("while a fix is checked no probability is shown", () => {
    check([presence(checking)], ["checking… was inside Assembly point A"]);
    check([presence({ ...checking, standing: "outside" })], ["checking…"]);
    check([presence(checking), presence({ ...checking, region: kiosk })], ["checking… was inside 2 regions"]);
});

test("poor accuracy is shown for the region, and nobody as outside of it", () => {
    const poor = { region: kiosk, standing: "unknown", probability: 0.2, doubt: "poorAccuracy" };
    check([presence(poor)], ["accuracy too poor for Kiosk"]);
});

test("after silence only the last known state is shown", () => {
    check([presence({ ...stale, minute: 9 })], ["last known inside Assembly point A 12:09"]);
    check([presence({ ...stale, standing: "unknown" })], []);
});

test("of several regions the most relevant comes first", () => {
    const poor = { region: { ...kiosk, id: "p", name: "Pier" }, standing: "unknown", doubt: "poorAccuracy" };
    check([presence(poor), presence({ region: kiosk, probability: 0.99 }), presence()], [
        "87 % sure inside Assembly point A since 12:03", "99 % sure inside Kiosk since 12:03",
        "accuracy too poor for Pier",
    ]);
    check([presence({ region: kiosk, probability: undefined }), presence(checking)], [
        "checking… was inside Assembly point A", "inside Kiosk since 12:03",
    ]);
});

test("of two devices in one region the one sampled last is shown", () => {
    const watch = presence({ device: "alice/watch", minute: 9, probability: 0.99 });
    check([watch, presence()], ["99 % sure inside Assembly point A since 12:03"]);
});

test("a later change replaces a presence, and one that the snapshot holds does not", () => {
    const state = loaded(presence());
    assert.deepEqual(lines(after(state, change(12, { probability: 0.2 }))), lines(state));
    assert.deepEqual(lines(after(state, change(13, { probability: 0.99 }))),
        ["99 % sure inside Assembly point A since 12:03"]);
    assert.deepEqual(lines(state), ["87 % sure inside Assembly point A since 12:03"], "the old state is as it was");
});

test("a presence outside is forgotten, unless entering or being checked", () => {
    for (const gone of [{ probability: 0.02 }, { probability: 0.3, doubt: "poorAccuracy" }, stale]) {
        const state = after(loaded(presence()), change(13, { standing: "outside", ...gone }));
        assert.equal(alice(state).presences.size, 0);
    }
    for (const near of [{ probability: 0.7 }, checking]) {
        const state = after(loaded(), change(13, { standing: "outside", ...near }));
        assert.equal(alice(state).presences.get("alice/phone").size, 1);
    }
});

test("a change makes a new member, as the list compares them", () => {
    const state = loaded(presence());
    assert.notEqual(alice(after(state, change(13, checking))), alice(state));
});

test("the next snapshot forgets what it does not hold", () => {
    const again = { sequence: 20, presenceSequence: 20, members: [], positions: [], presences: [], regions: [] };
    const state = reduce(loaded(presence()), { type: "snapshot", snapshot: again });
    assert.equal(state.members.size, 0);
});

test("under the raw policy crossings alone make and end a presence", () => {
    const inside = after(loaded(), crossing(13, "enter"));
    assert.deepEqual(lines(inside), ["inside Assembly point A since 12:03"]);
    assert.deepEqual(lines(after(inside, crossing(14, "dwell"), crossing(15, "passed"))), lines(inside));
    assert.deepEqual(lines(after(inside, crossing(14, "exit"))), []);
    assert.deepEqual(lines(after(loaded(), crossing(12, "enter"))), [], "the snapshot knew of it");
});

test("a crossing with a probability leaves the presence to its own change", () => {
    const state = after(loaded(), change(13, { probability: 0.96 }), crossing(14, "enter", { probability: 0.96 }));
    assert.deepEqual(lines(state), ["96 % sure inside Assembly point A since 12:03"]);
});

test("an event shows the probability of the crossing", () => {
    const told = (kind, differing) => plain(eventWords(after(loaded(), crossing(13, kind, differing)).events[0]));
    assert.equal(told("enter", { probability: 0.96 }), "entered Assembly point A, 96 % sure");
    assert.equal(told("exit", { probability: 0.04 }), "left Assembly point A, 96 % sure");
    assert.equal(told("enter"), "entered Assembly point A");
    assert.equal(told("passed", { probability: 0.4, inferred: true }), "passed Assembly point A (inferred)");
});

test("sightings and notes are not events and move nobody", () => {
    const state = loaded(presence());
    const sighting = { sequence: 13, type: "sighting", device: "alice/phone", user: "alice", sighting: {} };
    const note = { sequence: 14, type: "note", device: "alice/phone", user: "alice", kind: "steps" };
    const next = after(state, sighting, note);
    assert.equal(next.sequence, 14);
    assert.deepEqual(next.events, []);
    assert.equal(alice(next), alice(state));
});

test("the map marks a device that is being checked, and no other", () => {
    const marked = (state) => memberFeatures(state, alice(state)).people.map(({ properties }) => properties.isChecking);
    assert.deepEqual(marked(loaded(presence(checking))), [true]);
    assert.deepEqual(marked(loaded(presence())), [false]);
    assert.deepEqual(marked(loaded(presence({ ...checking, device: "alice/watch" }))), [false]);
});

test("a probability is shown in whole per cent that never claim certainty", () => {
    assert.deepEqual([0, 0.004, 0.005, 0.5, 0.994, 0.995, 1].map((share) => plain(sureness(share))), [
        "< 1 % sure", "< 1 % sure", "1 % sure", "50 % sure", "99 % sure", "> 99 % sure", "> 99 % sure",
    ]);
});
