/** Whom a call does not count as usual: visitors, in PAR and on the roll, and those who are off site from before. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { withStartLines } from "../../Web/console/frame/startlines.js";
import { askStart } from "../../Web/console/incident/askings.js";
import { crewsOfRoll, peopleOf } from "../../Web/console/incident/crewroll.js";
import { reportPAR } from "../../Web/console/incident/parasking.js";
import {
    courseWords, crewWords, overdueWords, reportsAt, reportWords, withReport,
} from "../../Web/console/incident/par.js";
import { placesOf } from "../../Web/console/roster/order.js";
import { noteWords, knownBy } from "../../Web/console/shared/rowwords.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { clockTime } from "../../Web/console/shared/time.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("incident");

const startedAt = "2026-11-21T12:00:00.000Z";
const start = Date.parse(startedAt);
const at = (seconds) => new Date(start + seconds * 1000).toISOString();
const open = { number: 7, team: "crew", kind: "drill", open: true, startedAt, startedBy: "lea" };
const people = [{ user: "ann", state: "safe", crew: "Engine 10" }, { user: "eli", state: "unknown" }];
const par = {
    number: 2, requestedTime: startedAt, requestedBy: "lea", dueTime: at(300), everySeconds: null, nextTime: null,
    crews: [{ people: 2, present: 2, isShort: false, isOverdue: false, reportedTime: at(50), reportedBy: "lea" }],
};

function stateOf(members, incidents = [open]) {
    return reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 10, positions: [], regions: [], incidents,
        members: members.map((member) => ({ team: "crew", safetySequence: 10, state: "unknown", ...member })),
    } });
}

test("visitors are a row of their own, in PAR and on the roll, after those in no crew", () => {
    const asked = { ...par, crews: [...par.crews, { visitors: true, people: 3, isOverdue: false, isShort: false }] };
    const [, visitors] = reportsAt(asked, start);
    assert.equal(crewWords(visitors), "Visitors");
    assert.equal(reportWords(visitors, start), "PAR of 3, no report yet");
    assert.match(overdueWords(asked, start + 301_000), /: Visitors$/);
    assert.deepEqual(reportPAR({ number: 7, par: asked }, visitors, { present: 3, id: "x" }).body,
        { visitors: true, present: 3, number: 2, id: "x" });
    const told = withReport(asked, { happened: "parReported", parNumber: 2, visitors: true, people: 3, present: 2 },
        start);
    assert.deepEqual(told.crews.map(({ present }) => present), [2, 2]);
    // They came after the page read the round.
    const later = withReport(par, { happened: "parReported", parNumber: 2, visitors: true, people: 1, present: 1 },
        start);
    assert.deepEqual([later.crews.at(-1).visitors, later.crews.at(-1).present], [true, 1]);
    const visitor = { ...people[0], user: "/roll/7/-1", name: "Zoë", crew: undefined, roll: { kind: "visitor" } };
    const live = stateOf(people);
    const members = [...peopleOf(live, open), visitor];
    const crews = crewsOfRoll(members, asked.crews, ({ state }) => state,
        placesOf(new Map(members.map((member) => [member.user, member]))));
    assert.deepEqual(crews.find((crew) => crew.visitors).people.map(({ name }) => name), ["Zoë"]);
    const plain = crewsOfRoll(peopleOf(live, open), [], ({ state }) => state, placesOf(live.members));
    assert.ok(plain.every((crew) => !crew.visitors), "without visitors there is no row of theirs");
});

test("visitors who come after the request are due at a time of their own", () => {
    const reported = par.crews.map((report) => ({ ...report, present: report.people }));
    const late = { visitors: true, people: 1, dueTime: at(1800), isOverdue: false, isShort: false };
    const asked = { ...par, isComplete: false, crews: [...reported, late] };
    assert.equal(overdueWords(asked, start + 1_799_000), "", "the crews' time is over, and theirs is not");
    assert.match(courseWords(asked, start + 1_500_000), /, due by .+, in 5 min$/);
    assert.deepEqual(reportsAt(asked, start + 1_801_000).at(-1).isOverdue, true);
    assert.equal(overdueWords(asked, start + 1_801_000), `PAR OVERDUE since ${clockTime(at(1800), start)}: Visitors`);
});

test("a visitor who entered by a link is said to have entered by it, and was marked by nobody", () => {
    const change = { type: "roll", sequence: 11, at: startedAt, incident: 7, team: "crew", event: "visitor", person: -1,
        user: "Zoë", by: "lea", state: "safe", source: "ownDeclaration", since: startedAt,
        note: "entered by a link: came by bus" };
    const live = reduce(stateOf(people), { type: "changes", changes: [change] });
    const zoe = [...live.members.values()].find(({ name }) => name === "Zoë");
    assert.doesNotMatch(knownBy(zoe), /lea/);
    assert.equal(noteWords(zoe), "entered by a link, “came by bus”");
    const marked = reduce(live, { type: "changes", changes: [
        { ...change, sequence: 12, event: "changed", source: "marked", state: "needsHelp", note: undefined }] });
    assert.match(knownBy([...marked.members.values()].find(({ name }) => name === "Zoë")), /marked by lea/);
});

test("before an evacuation it is said who is off site from before, and one press brings them back", async () => {
    const since = at(-7200);
    const live = stateOf([
        { user: "ann", state: "offSite", source: "marked", markedBy: "lea", since }, { user: "ben", state: "safe" },
        { user: "cem", state: "offSite", source: "ownDeclaration", since },
        { user: "dee", team: "other", state: "offSite", since },
    ], []);
    const back = [];
    const ask = withStartLines(
        askStart("crew", "real"), "crew", () => undefined, async (users) => { back.push(users); });
    const { aside } = ask({ live, now: start });
    assert.match(aside.words, /accounted for at once: ann \(since .+\), cem \(since .+\)\.$/);
    assert.equal(aside.button, "All 2 are back: call them too");
    await aside.press();
    assert.deepEqual(back, [["ann", "cem"]]);
    const nobody = stateOf([{ user: "ben", state: "safe" }], []);
    assert.equal(ask({ live: nobody, now: start }).aside, undefined);
});
