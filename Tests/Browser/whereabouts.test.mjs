/** "Where are you now?": whom the page tells of the question, until when, and that its answer reaches the server. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { eventWords } from "../../Web/console/timeline/eventwords.js";
import { Problem } from "../../Web/console/shared/http.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { openQuestion, questionWords, Whereabouts } from "../../Web/console/incident/questions.js";

const at = "2026-11-21T12:03:00.400Z";
const askedMs = Date.parse(at);
const question = { sequence: 11, at, type: "action", kind: "locationAsked", author: "lea", user: "ana" };
const begun = reduce(emptyState, {
    type: "snapshot",
    snapshot: {
        sequence: 10, positions: [], regions: [], incidents: [],
        members: [{ user: "ana", state: "unknown", team: "crew", safetySequence: 10 }],
    },
});
const after = (...changes) => reduce(begun, { type: "changes", changes });

function position(sampleTime) {
    const fix = { latitude: 59.9, longitude: 10.7, sampleTime };
    return { sequence: 12, at: sampleTime, type: "position", device: "ana/phone", user: "ana", position: fix };
}

test("a question is open to the person it asks, for ten minutes", () => {
    const asked = after(question);
    assert.deepEqual(openQuestion(asked, "ana", askedMs + 1000), { by: "lea", at });
    assert.deepEqual(openQuestion(asked, "ana", askedMs + 599_000), { by: "lea", at });
    assert.equal(openQuestion(asked, "ana", askedMs + 600_000), undefined);
    assert.equal(openQuestion(asked, "lea", askedMs + 1000), undefined);
    assert.equal(openQuestion(asked, undefined, askedMs + 1000), undefined);
    assert.equal(eventWords(asked.events[0]), "is asked by lea where they are now");
    // A page that is opened by the notification reads the question from the history.
    const opened = reduce(begun, { type: "history", changes: [question] });
    assert.deepEqual(openQuestion(opened, "ana", askedMs + 1000), { by: "lea", at });
    assert.equal(openQuestion(after({ ...question, kind: "passwordSet" }), "ana", askedMs), undefined);
});

test("a position of the same second or later answers, an older one does not", () => {
    const isOpen = (sampleTime) =>
        openQuestion(after(question, position(sampleTime)), "ana", askedMs + 1000) !== undefined;
    assert.equal(isOpen("2026-11-21T12:02:59.999Z"), true);
    assert.equal(isOpen("2026-11-21T12:03:00.000Z"), false);
    assert.equal(isOpen("2026-11-21T12:04:00.000Z"), false);
});

test("a page that cannot read its location shows what to do instead", () => {
    const words = (canLocate) => questionWords({ by: "lea", at }, canLocate, askedMs).replace(/\d\d:\d\d/, "hh:mm");
    assert.equal(words(true), "lea asks where you are now, since hh:mm");
    assert.match(words(false), /^lea asks where you are now, since hh:mm\. This page cannot read where it is: use /);
});

/** A page whose device is where `geolocation` says and whose server answers as told; what it sent and said. */
function pageOf(getCurrentPosition, answer = () => ({ ok: true })) {
    const [sent, told, notices] = [[], [], []];
    const whereabouts = new Whereabouts({
        request: async (path, { body }) => {
            sent.push([path, body]);
            return answer(path);
        },
        user: () => "ana smith",
        now: () => askedMs + 5000,
        tell: (words) => told.push(words),
        notice: (words) => notices.push(words),
        geolocation: { getCurrentPosition },
    });
    return { whereabouts, sent, told, notices };
}

const found = (resolve) => resolve({
    coords: { latitude: 59.9, longitude: 10.7, accuracy: 12.4 }, timestamp: Date.now() + 60_000,
});

test("the answer is the position of this device, at the time of the server's clock", async () => {
    const { whereabouts, sent, told, notices } = pageOf(found);
    await whereabouts.answer();
    assert.deepEqual(sent, [
        ["users/ana%20smith/devices", { name: "browser" }],
        ["positions", {
            device: "browser", latitude: 59.9, longitude: 10.7, accuracy: 12.4,
            sampleTime: new Date(askedMs + 5000).toISOString(),
        }],
    ]);
    assert.match(told.at(-1), /^The server has where you were at .*:03:05, within 12 m\.$/);
    assert.deepEqual(notices, [""]);
});

test("a device of an earlier answer is used again; every other failure is shown", async () => {
    const again = pageOf(found, (path) => {
        if (path !== "positions") { throw new Problem(409); }
        return { ok: true };
    });
    await again.whereabouts.answer();
    assert.match(again.told.at(-1), /^The server has where you were at/);

    const failing = [
        [pageOf((_, reject) => reject({ code: 1 })), "this browser does not let the page read where it is"],
        [pageOf((_, reject) => reject({ code: 3 })), "this device does not find where it is"],
        [pageOf(found, () => { throw new TypeError("failed to fetch"); }), "the server does not answer"],
        [pageOf(found, () => { throw new Problem(403, { detail: "No more devices" }); }), "No more devices"],
    ];
    for (const [{ whereabouts, told, notices }, why] of failing) {
        await whereabouts.answer();
        assert.deepEqual([told.at(-1), notices.at(-1)], ["", `Where you are was not sent: ${why}.`]);
    }
});
