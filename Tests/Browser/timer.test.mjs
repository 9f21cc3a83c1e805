/** Check-in timers: what the page knows of them, and that a check-in reaches the server as of when it was given. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { eventWords } from "../../Web/console/timeline/eventwords.js";
import { Problem } from "../../Web/console/shared/http.js";
import { newDeclaration, Outbox } from "../../Web/console/shared/outbox.js";
import { knownBy } from "../../Web/console/shared/rowwords.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { dueWords, overdueWords, timerWords } from "../../Web/console/shared/timerwords.js";

const at = "2026-11-21T12:03:00.000Z";
const nowMs = Date.parse("2026-11-21T12:40:00.000Z");
const timer = { happened: "started", happenedAt: at, lastWord: at, dueAt: "2026-11-21T12:33:00.000Z", note: "roof" };
const snapshot = {
    sequence: 10, positions: [], regions: [], incidents: [],
    members: [{ user: "ana", state: "unknown", team: "crew", safetySequence: 10, checkInTimer: timer }],
};
const begun = reduce(emptyState, { type: "snapshot", snapshot });
const after = (...changes) => reduce(begun, {
    type: "changes",
    changes: changes.map((change, index) =>
        ({ sequence: 11 + index, at, type: "checkInTimer", user: "ana", ...change })),
});

test("a timer is known from the snapshot, follows the feed, and ends", () => {
    assert.equal(begun.members.get("ana").timer.note, "roof");
    const overdue = after({ ...timer, happened: "overdue" }).members.get("ana").timer;
    assert.equal(overdue.happened, "overdue");
    assert.equal(after({ ...timer, happened: "ended", by: "ana" }).members.get("ana").timer, undefined);
    // A change that the snapshot holds already says nothing new.
    const older = reduce(emptyState, { type: "snapshot", snapshot: { ...snapshot, sequence: 8 } });
    const change = { ...timer, sequence: 9, at, type: "checkInTimer", user: "ana", happened: "overdue" };
    const same = reduce(older, { type: "changes", changes: [change] });
    assert.equal(same.members.get("ana").timer.happened, "started");
});

test("the text of a timer never says that a person is well", () => {
    const minute = (text) => text.replace(/\d\d:\d\d/g, "hh:mm");
    assert.equal(timerWords(undefined, nowMs), "");
    assert.equal(minute(timerWords(timer, nowMs)), "next check-in due hh:mm");
    assert.equal(minute(timerWords({ ...timer, happened: "reminded" }, nowMs)), "check-in due since hh:mm");
    assert.equal(
        minute(timerWords({ ...timer, happened: "overdue" }, nowMs)), "no check-in since hh:mm, leaders notified");
    assert.equal(minute(dueWords({ ...timer, happened: "reminded" }, nowMs)),
        "Your check-in is due since hh:mm. Check in, or your leaders are notified");
    assert.equal(minute(overdueWords("ana", timer, "nobody knows where", nowMs)),
        "No word from ana since hh:mm: “roof”, nobody knows where");
    assert.equal(knownBy({ state: "sos", source: "checkInTimer" }), " · check-in timer ran out");
});

test("the events show overdue check-ins, and not each check-in", () => {
    assert.equal(eventWords(after({ ...timer, happened: "overdue" }).events[0]), "did not check in: leaders notified");
    assert.equal(after({ ...timer, happened: "checkedIn", by: "ana" }).events.length, 0);
});

/** An outbox over a network that answers as told. */
function outboxThat(answer) {
    const [sent, told, stored] = [[], [], new Map()];
    const outbox = new Outbox({
        storage: {
            getItem: (key) => stored.get(key) ?? null,
            setItem: (key, value) => stored.set(key, value),
            removeItem: (key) => stored.delete(key),
        },
        now: () => nowMs,
        schedule: () => () => {},
        send: async (path, { body }) => {
            sent.push({ path, body });
            return answer();
        },
        report: ({ state }) => told.push(state),
    });
    return { outbox, sent, told, stored };
}

const settled = async () => { for (let turn = 0; turn < 20; turn += 1) { await Promise.resolve(); } };

test("a check-in is sent with the time when it was given", async () => {
    const { outbox, sent, told } = outboxThat(() => ({ json: async () => ({}) }));
    outbox.begin("ana");
    outbox.add(newDeclaration("checkIn", nowMs));
    await settled();
    assert.deepEqual(sent, [{ path: "users/ana/check-ins", body: { sampleTime: "2026-11-21T12:40:00.000Z" } }]);
    assert.equal(told.at(-1), "received");
});

test("an old check-in that the server refuses is never sent as one of now", async () => {
    const { outbox, sent, told, stored } = outboxThat(() => { throw new Problem(422, "a day ago"); });
    outbox.begin("ana");
    outbox.add(newDeclaration("checkIn", nowMs));
    await settled();
    assert.equal(sent.length, 1);
    assert.equal(told.at(-1), "refused");
    assert.equal(stored.size, 0);
});
