/** What the page tells of the record of an incident: first times, marks, remarks, and each all clear. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import {
    afterWords, allAfterWords, earlierWords, isReopenable, keptWords, markWords, recordWords, remarkWords, sinceWords,
} from "../../Web/console/incident/onrecord.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("incident");

const startedAt = "2026-11-21T12:00:00.000Z";
const start = Date.parse(startedAt);
const at = (seconds) => new Date(start + seconds * 1000).toISOString();
const open = { number: 3, team: "crew", kind: "drill", open: true, startedAt, startedBy: "lea" };

test("a person has the time after which they were first accounted for, and a crew that of its last one", () => {
    const accounted = (seconds) => ({ state: "safe", firstAccountedTime: at(seconds) });
    assert.equal(afterWords(accounted(62), open), "accounted for after 1:02");
    assert.equal(afterWords({}, open), "");
    assert.equal(afterWords(accounted(62), { ...open, reopenedAt: at(60) }), "accounted for after 0:02");
    assert.equal(allAfterWords([accounted(62), accounted(125)], open), "all after 2:05");
    assert.equal(allAfterWords([accounted(62), {}], open), "");
    assert.equal(allAfterWords([accounted(62), { ...accounted(70), state: "unsafe" }], open), "");
    assert.equal(allAfterWords([], open), "");
});

test("a state from before the call is said to be from before it", () => {
    assert.match(sinceWords({ since: at(-7200) }, open, start), /^before the call, \S+$/);
    assert.doesNotMatch(sinceWords({ since: at(30) }, open, start), /before/);
    assert.equal(sinceWords({}, open, start), "");
});

test("a closed incident says until when its positions are kept, and warns in the last thirty days", () => {
    const day = 86_400;
    const closed = { ...open, open: false, positionsKeptUntil: at(365 * day) };
    const kept = (days) => keptWords(closed, start + days * day * 1000);
    assert.match(kept(10).words, /^The positions and changes of this incident are kept until .+2027/);
    assert.deepEqual([10, 334, 336, 366].map((days) => kept(days).isWarning), [false, false, true, false]);
    assert.match(kept(336).words, /^In 29 days the server begins to delete/);
    assert.match(kept(366).words, /^The server no longer keeps all positions/);
    assert.equal(keptWords(open, start), undefined);
    // By default a server keeps positions for 30 days: a warning from the first day on would say nothing.
    const short = { ...closed, positionsKeptUntil: at(30 * day) };
    assert.deepEqual([0, 22, 23, 31].map((days) => keptWords(short, start + days * day * 1000).isWarning),
        [false, false, true, false]);
    assert.equal(keptWords({ ...open, open: false }, start), undefined, "an older server does not say");
});

test("a mark and the words of a call stand under the remarks, each once", () => {
    const mark = { state: "safe", at: at(20), by: "lea", note: "at the gate" };
    const said = [
        { kind: "safe", at: at(20), by: "lea", note: "at the gate" },
        { kind: "sos", at: at(30), by: "ann", note: "behind the fuel shed, ankle" },
    ];
    assert.match(remarkWords({ mark, said }, start),
        /^marked safe by lea at .+: “at the gate”, .+, ann: “behind the fuel shed, ankle”$/);
    assert.equal(remarkWords({ note: "welds" }, start), "welds");
    assert.equal(remarkWords({}, start), "");
    assert.equal(markWords({ mark: { ...mark, state: "asleep" } }, start), "");
    assert.match(recordWords({ source: "region", mark }, open, start), /^marked safe by lea/);
    assert.equal(recordWords({ source: "marked", mark }, open, start), "");
    assert.equal(recordWords({ said: said.slice(1), call: { note: said[1].note } }, open, start), "",
        "the note of a call is shown with the state");
});

test("an incident tells each earlier all clear with its counts, and each reopening with its reason", () => {
    const closings = [
        { closedAt: at(60), closedBy: "lea", reason: "gone", counts: { people: 3, accounted: 2 },
            reopenedAt: at(90), reopenedBy: "omar", reopenReason: "smoke" },
        { closedAt: at(120), closedBy: "lea", reason: "out", counts: { people: 3, accounted: 3 } },
    ];
    const [closed, reopened, ...rest] = earlierWords({ open: false, closings });
    assert.match(closed, /2026.+, by lea, 2 of 3: “gone”$/);
    assert.match(reopened, /^Reopened at .+2026.+ by omar: smoke$/);
    assert.deepEqual(rest, [], "the last all clear is told by itself");
    assert.equal(earlierWords({ open: true, closings: closings.slice(0, 1) }).length, 2);
    assert.deepEqual(earlierWords({ open: true }), []);
});

test("an incident is reopened within a day of its closing, and not later", () => {
    const closed = { open: false, closedAt: at(0) };
    assert.ok(isReopenable(closed, start + 86_400_000));
    assert.ok(!isReopenable(closed, start + 86_400_001));
    assert.ok(!isReopenable(open, start));
});
