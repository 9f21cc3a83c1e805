/** The course of an incident: its time, its people by crew, PAR, what is asked before an order, and what calls. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { faultOf } from "../../Web/console/frame/ask.js";
import { startLines, withStartLines } from "../../Web/console/frame/startlines.js";
import { askClose, askOf, askReopen, askStart, askVisitor } from "../../Web/console/incident/askings.js";
import { askComplete, askFewer } from "../../Web/console/incident/parasking.js";
import { crewsOfRoll, peopleOf, rowsOfRoll } from "../../Web/console/incident/crewroll.js";
import { musterTime } from "../../Web/console/incident/mustertime.js";
import { lastSeenOnRoll } from "../../Web/console/incident/lastseen.js";
import { wordAge } from "../../Web/console/incident/wordage.js";
import { distressTitle, unheardCalls } from "../../Web/console/incident/distress.js";
import {
    courseWords, overdueWords, parSum, reportWords, reportsAt, withReport,
} from "../../Web/console/incident/par.js";
import { Siren } from "../../Web/console/incident/siren.js";
import { addWords, t } from "../../Web/console/shared/words.js";
import { placesOf } from "../../Web/console/roster/order.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";

await addWords("incident");

const startedAt = "2026-11-21T12:00:00.000Z";
const start = Date.parse(startedAt);
const at = (seconds) => new Date(start + seconds * 1000).toISOString();
const open = { number: 3, team: "crew", kind: "drill", open: true, startedAt, startedBy: "lea" };
const leader = { name: "lea", role: "leader", team: "crew" };

function stateOf(members, incidents = [open]) {
    return reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 10, positions: [], regions: [], incidents,
        members: members.map((member) => ({ team: "crew", safetySequence: 10, state: "unknown", ...member })),
    } });
}

// Those to look for

test("the roll says where somebody was last seen, by a region's name, and when", () => {
    const hill = { collection: "site", id: "h", name: "Chapel hill", radius: 40,
        geometry: { type: "Point", coordinates: [10.75, 59.91] } };
    const state = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 10, incidents: [open], regions: [hill],
        members: ["ann", "ben", "cem"].map((user) => ({
            user, team: "crew", state: "unknown", safetySequence: 10, phone: user === "ann" ? "+47 22" : undefined })),
        positions: [{ device: "ann/phone", latitude: 59.92, longitude: 10.75, sampleTime: at(-60) }],
    } });
    const seen = (member) => lastSeenOnRoll(member, state.regions, start);
    assert.match(seen(state.members.get("ann")), /^last seen 1\.1 km north of Chapel hill, \S+, \+47 22$/);
    assert.match(seen({ ...state.members.get("ben"), heard: at(-30) }), /^nobody knows where, last heard \S+$/);
    assert.equal(seen(state.members.get("cem")), "nobody knows where", "nobody has heard of this person");
    const located = { latitude: 59.91, longitude: 10.75, sampleTime: at(-3) };
    assert.match(seen({ ...state.members.get("ann"), located }), /^last seen near Chapel hill, \S+, \+47 22$/,
        "a newer fix that is not stored has its own place");
    const older = { ...located, sampleTime: at(-3600) };
    assert.match(seen({ ...state.members.get("ann"), located: older }), /^last seen 1\.1 km north of Chapel hill/);
    const closed = { ...open, open: false };
    const [dan] = peopleOf(state, closed, [{
        person: 1, user: "dan", state: "unknown",
        lastSeen: { latitude: 59.91, longitude: 10.75, sampleTime: at(-9) },
    }]);
    assert.match(seen(dan), /^last seen in Chapel hill, \S+$/);
});

// The muster time

test("the muster time runs from the call, stands once all are accounted for, and runs again when one is not", () => {
    assert.deepEqual(musterTime(open, start + 61_500), { seconds: 61, isRunning: true, isWhole: false });
    const whole = { ...open, allAccounted: true, allAccountedAt: at(247) };
    assert.deepEqual(musterTime(whole, start + 9e6), { seconds: 247, isRunning: false, isWhole: true });
    assert.deepEqual(musterTime({ ...whole, allAccounted: false }, start + 300_000),
        { seconds: 300, isRunning: true, isWhole: false });
});

test("an incident that ended before all were accounted for says so, and one that was reopened counts anew", () => {
    const closed = { ...open, open: false, closedAt: at(600) };
    assert.deepEqual(musterTime(closed, start + 9e6), { seconds: 600, isRunning: false, isWhole: false });
    const reopened = { ...open, reopenedAt: at(900), allAccounted: false, allAccountedAt: at(247) };
    assert.deepEqual(musterTime(reopened, start + 930_000), { seconds: 30, isRunning: true, isWhole: false });
    // What was whole before it was reopened is not whole now.
    assert.equal(musterTime({ ...reopened, allAccounted: true }, start + 930_000).isWhole, false);
});

test("a device whose clock is behind shows no time below nothing", () => {
    assert.equal(musterTime(open, start - 3_600_000).seconds, 0);
});

// The roll

const people = [
    { user: "ann", state: "safe", crew: "Engine 10" }, { user: "ben", state: "unknown", crew: "Engine 10" },
    { user: "cem", state: "sos", crew: "Engine 10" }, { user: "dee", state: "safe", crew: "Engine 9" },
    { user: "eli", state: "safe", doubt: "stale" }, { user: "fay", state: "safe", crew: "Alpha" },
];

function rollOf(members, reports) {
    const live = stateOf(members);
    return crewsOfRoll(peopleOf(live, open), reports, (member) => member.state, placesOf(live.members));
}

test("crews with people to look for come first, in each those to look for, and people of no crew after crews", () => {
    const crews = rollOf(people);
    assert.deepEqual(crews.map(({ crew }) => crew), ["Engine 10", undefined, "Alpha", "Engine 9"]);
    assert.deepEqual(crews[0].people.map(({ user }) => user), ["cem", "ben", "ann"]);
    assert.deepEqual(crews.map(({ waiting, checking }) => [waiting, checking]), [[2, 0], [0, 1], [0, 0], [0, 0]]);
});

test("a crew that owes its report comes before all others, also where the roll has nobody of it", () => {
    const reports = [{ crew: "Engine 9", people: 1, isOverdue: true }, { crew: "Gone", people: 2, isOverdue: false }];
    const crews = rollOf(people, reports);
    assert.equal(crews[0].crew, "Engine 9");
    assert.deepEqual(crews.find(({ crew }) => crew === "Gone").people, []);
});

test("who was taken off comes last and counts nowhere", () => {
    const live = stateOf(people);
    const members = peopleOf(live, open).map((member) => (
        member.user === "cem" ? { ...member, takenOff: { at: startedAt } } : member));
    const crews = crewsOfRoll(members, undefined, ({ state }) => state, placesOf(live.members));
    assert.equal(crews.at(-1).isOff, true);
    assert.deepEqual(crews.at(-1).people.map(({ user }) => user), ["cem"]);
    assert.equal(crews[0].waiting, 1);
});

test("a closed incident has the people of its roll, as they were", () => {
    const roll = [
        { person: 2, user: "ann", state: "safe", crew: "Engine 9", accounted: true },
        { person: -1, user: "Zoë", visitor: true, state: "unknown", left: true,
            takenOff: { at: startedAt, by: "lea" } },
    ];
    const found = peopleOf(stateOf([]), { ...open, open: false }, roll);
    assert.deepEqual(found.map(({ name, crew, takenOff, roll: { kind } }) => [name, crew, takenOff?.by, kind]),
        [["ann", "Engine 9", undefined, "user"], ["Zoë", undefined, "lea", "visitor"]]);
});

test("a folded crew hides its people, and a filter leaves those who are looked for and crews that owe a report", () => {
    const crews = rollOf(people, [{ crew: "Alpha", people: 1, isOverdue: false }]);
    const rows = (filter) => rowsOfRoll(crews, { folded: new Set(), isOnlyWaiting: false, text: "", ...filter })
        .map(({ crew, member }) => (crew ? `[${crew.crew}]` : member.user));
    assert.equal(rows({}).length, 4 + people.length);
    assert.deepEqual(rows({ isOnlyWaiting: true }), ["[Engine 10]", "cem", "ben", "[undefined]", "eli", "[Alpha]"]);
    assert.deepEqual(rows({ folded: new Set(["crew Engine 10"]), isOnlyWaiting: true })[1], "[undefined]");
    assert.deepEqual(rows({ text: "DEE" }), ["[Alpha]", "[Engine 9]", "dee"]);
});

test("ten thousand people are in order, each once, below their crew", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
        user: `user-${index}`, state: index % 3 ? "safe" : "unknown", crew: `Crew ${index % 500}` }));
    const live = stateOf(many);
    const places = placesOf(live.members);
    const crews = crewsOfRoll(peopleOf(live, open), undefined, ({ state }) => state, places);
    const rows = rowsOfRoll(crews, { folded: new Set(), isOnlyWaiting: false, text: "" });
    assert.equal(rows.length, 10_500);
});

// A word ages

test("a word tells how old it is and who said it, and near its end how long it counts", () => {
    const said = { state: "safe", source: "ownDeclaration", since: startedAt };
    const marked = { ...said, state: "offSite", source: "marked", markedBy: "lea" };
    assert.deepEqual(wordAge(said, start + 840_000, 43_200), { words: "said safe 14 min ago", isEnding: false });
    assert.equal(wordAge(marked, start + 840_000).words, "marked off site by lea 14 min ago");
    assert.deepEqual(wordAge(said, start + 840_000, 960),
        { words: "said safe 14 min ago, counts for 2 min more", isEnding: true });
    assert.deepEqual(wordAge(said, start + 960_000, 960),
        { words: "said safe 16 min ago: no longer confirmed", isEnding: true });
});

test("what a device shows, and what is in doubt, is no word", () => {
    assert.equal(wordAge({ state: "safe", source: "region", since: startedAt }, start).words, "");
    assert.equal(wordAge({ state: "safe", source: "marked", doubt: "stale", since: startedAt }, start).words, "");
    assert.equal(wordAge({ state: "unknown", source: "silence", since: startedAt }, start).words, "");
});

// PAR

const par = {
    number: 2, requestedTime: startedAt, requestedBy: "lea", dueTime: at(300), isComplete: false, crews: [
        { crew: "Engine 3", people: 4, isOverdue: false, isShort: false },
        { crew: "Ladder 1", people: 3, present: 2, isShort: true, isOverdue: false, reportedTime: at(60),
            reportedBy: "omar", note: "ben in the pump room" },
        { people: 2, present: 2, isShort: false, isOverdue: false, reportedTime: at(50), reportedBy: "lea" },
    ],
};

test("a crew is overdue once the time is over, also before the server says so", () => {
    assert.equal(overdueWords(par, start + 299_000), "");
    assert.match(overdueWords(par, start + 301_000), /^PAR OVERDUE since .+: Engine 3$/);
    assert.deepEqual(reportsAt(par, start + 301_000).map(({ isOverdue }) => isOverdue), [true, false, false]);
    assert.deepEqual(parSum(par, start + 301_000),
        { crews: 3, reported: 2, overdue: 1, short: 1, people: 9, present: 4 });
});

test("a crew's report says how many, who said so, and what is missing", () => {
    const [engine, ladder] = reportsAt(par, start);
    assert.equal(reportWords(engine, start), "PAR of 4, no report yet");
    assert.match(reportWords(ladder, start), /^PAR of 3, only 2 present, .+, omar: “ben in the pump room”$/);
    const [late] = reportsAt(par, start + 301_000);
    assert.equal(reportWords(late, start), "PAR of 4, OVERDUE");
});

test("nobody waits for a crew of which nobody is on the roll any more, nor for a round that ended", () => {
    const gone = { ...par, crews: [{ crew: "Gone", people: 0, isOverdue: false, isShort: false }] };
    assert.equal(overdueWords(gone, start + 301_000), "");
    assert.equal(parSum(gone, start).crews, 0);
    assert.equal(reportWords(gone.crews[0], start), t("incident.parCrewGone"));
    assert.equal(overdueWords({ ...par, endedTime: at(200) }, start + 301_000), "");
    assert.match(courseWords(par, start), /, due by .+, in 5 min$/);
    assert.equal(courseWords(par, start, false),
        "2 of 3 crews reported, 4 of 9 people present, 1 crew short of people");
});

test("in a round that ended no crew is overdue: what it asked for and what was reported stays", () => {
    const over = { ...par, endedTime: at(400), crews: [{ ...par.crews[0], isOverdue: true }] };
    const [engine] = reportsAt(over, start + 9e6);
    assert.equal(engine.isOverdue, false);
    assert.equal(reportWords(engine, start), "PAR of 4, no report");
});

test("a report that the feed tells of is shown, and the last one makes the round complete", () => {
    const change = { happened: "parReported", parNumber: 2, crew: "Engine 3", present: 4, by: "omar", note: "a drill" };
    const told = withReport(par, change, start + 90_000);
    assert.deepEqual(told.crews[0], { crew: "Engine 3", people: 4, present: 4, reportedBy: "omar",
        reportedTime: at(90), note: undefined, isOverdue: false, isShort: false });
    assert.equal(told.isComplete, true);
    assert.equal(par.crews[0].present, undefined, "the old value is left as it was");
    assert.equal(withReport(par, { happened: "parRequested" }, start), par);
    assert.equal(withReport(undefined, change, start), undefined);
    assert.equal(withReport(par, { ...change, parNumber: 1 }, start), par);
    // The answer to one's own report has its note, which the feed does not tell.
    const own = withReport(par, { ...change, crew: "Ladder 1", present: 2 }, start);
    assert.equal(own.crews[1].note, "ben in the pump room");
});

// What is asked before an order

test("an evacuation and a drill are told apart, say for how many, and carry the sender's id", () => {
    const live = stateOf(people, []);
    const [real, drill] = ["real", "drill"].map((kind) => askStart("crew", kind)({ live }));
    assert.deepEqual([real.tone, real.title, real.lines[0], real.button],
        ["real", "Evacuate crew", "This is real. It is not a drill.", "Evacuate 6 people now"]);
    assert.deepEqual([drill.tone, drill.title, drill.button],
        ["drill", "DRILL for crew", "Start the drill for 6 people"]);
    assert.deepEqual(real.order({ note: "" }, "one").body, { kind: "real", id: "one" });
    assert.deepEqual(drill.order({ note: "fire in B" }, "two").body, { kind: "drill", id: "two", note: "fire in B" });
});

test("a real evacuation takes the place of a drill, and nothing takes that of a real one", () => {
    const live = stateOf(people);
    assert.ok(askStart("crew", "real")({ live }).lines.includes(t("ask.endsDrill")));
    assert.equal(askStart("crew", "drill")({ live }), undefined);
    assert.equal(askStart("crew", "real")({ live: stateOf(people, [{ ...open, kind: "real" }]) }), undefined);
});

test("nobody says all clear by numbers that may be old, nor reopens what is open", () => {
    const live = stateOf(people);
    const old = askClose(open)({ live, isLive: false });
    assert.deepEqual([old.isBlocked, old.warning], [true, t("ask.notLive")]);
    const now = askClose(open)({ live, isLive: true });
    assert.deepEqual([now.isBlocked, now.warning], [false, t("ask.closeMissing")]);
    assert.deepEqual(now.order({ reason: "over" }, "x").body, { reason: "over", id: "x" });
    const whole = stateOf([{ user: "ann", state: "safe" }]);
    assert.equal(askClose(open)({ live: whole, isLive: true }).warning, undefined);
    assert.equal(askClose({ ...open, number: 9 })({ live, isLive: true }), undefined);
    assert.equal(askReopen(open)({ live }), undefined);
});

test("what is said of a user is a declaration, and of a visitor a mark on the roll", () => {
    const live = stateOf([{ user: "ann", state: "unknown" }]);
    const order = askOf("ann", "safe")({ live, now: start }).order({}, "x");
    assert.equal(order.path, "users/ann/declarations");
    assert.deepEqual(order.body, { id: "x", kind: "safe", sampleTime: startedAt });
    // Said of what the page shows, it is no older than that, though the page's time is behind.
    const called = stateOf([{ user: "ann", state: "sos", since: at(2) }]);
    assert.equal(askOf("ann", "clear")({ live: called, now: start }).order({}, "x").body.sampleTime, at(2));
    assert.equal(askOf("gone", "safe")({ live, now: start }), undefined);
    const visitor = { ...live, members: new Map([["/roll/3/-1", {
        user: "/roll/3/-1", name: "Zoë", state: "unknown", roll: { incident: 3, person: -1, kind: "visitor" } }]]) };
    assert.deepEqual(askOf("/roll/3/-1", "clear")({ live: visitor, now: start }).order({}, "y"), {
        path: "incidents/3/roll/-1/mark", body: { state: "unaccounted", id: "y" },
        words: t("order.clear", { name: "Zoë" }),
    });
    assert.deepEqual(askOf("/roll/3/-1", "takeOff")({ live: visitor, now: start }).order({ reason: "left" }, "z").body,
        { reason: "left", id: "z" });
    assert.deepEqual(askVisitor(open)({ live }).order({ name: "Zoë", state: "safe", note: "" }, "v").body,
        { name: "Zoë", state: "safe", id: "v" });
});

test("a word that somebody is safe is given knowing what the phone says", () => {
    const hill = { collection: "site", id: "leak", name: "Harbour", radius: 400,
        geometry: { type: "Point", coordinates: [10.75, 59.91] } };
    const located = { longitude: 10.75, latitude: 59.92, sampleTime: at(-60), device: "ann/phone" };
    const live = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 10, incidents: [open], regions: [hill], positions: [located],
        members: ["ann", "ben"].map((user) => ({ user, team: "crew", state: "unsafe", safetySequence: 10 })),
    } });
    for (const kind of ["safe", "offSite"]) {
        assert.match(askOf("ann", kind)({ live, now: start }).lines.at(-1),
            /^The phone says otherwise: last seen 1\.1 km north of Harbour, \S+\.$/);
        assert.equal(askOf("ben", kind)({ live, now: start }).lines.length, 1, "nobody has located this one");
    }
    assert.equal(askOf("ann", "takeOff")({ live, now: start }).lines.length, 1);
});

test("a crew of which the roll misses somebody is complete only after a question that names them", () => {
    const live = stateOf(people);
    const report = { crew: "red", people: 14, present: undefined };
    const missing = Array.from({ length: 14 }, (_, index) => ({ user: `p${index + 1}` }));
    const incident = { ...open, par: { number: 2 } };
    const ask = askComplete(incident, report, missing)({ live });
    assert.equal(ask.title, "red: all 14 present?");
    assert.deepEqual(ask.lines, [
        "The roll does not account for p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, and 2 more."]);
    assert.deepEqual(ask.order({ note: "seen by Sue" }, "x").body,
        { crew: "red", present: 14, number: 2, id: "x", note: "seen by Sue" });
    const [present] = askFewer(incident, report)({ live }).fields;
    assert.equal(faultOf(present, "14"), "");
    assert.notEqual(faultOf(present, "15"), "", "no more than there are");
    assert.match(reportWords({ ...report, present: 15, reportedTime: at(3), reportedBy: "lea" }, start),
        /^PAR of 14, 15 present, more than asked for, /, "another client may send it");
});

test("a field that lacks what it needs says so, and a number outside its range too", () => {
    const [reason] = askClose(open)({ live: stateOf(people), isLive: true }).fields;
    assert.equal(faultOf(reason, "  "), t("ask.needsReason"));
    assert.equal(faultOf(reason, "over"), "");
    const number = { missing: "how many?", range: { min: 0, max: 40 } };
    assert.deepEqual(["", "4", "0", "-1", "41", "2.5", "four"].map((text) => faultOf(number, text) !== ""),
        [true, false, false, true, true, true, true]);
});

// SOS

const callers = [
    { user: "ann", state: "sos", since: at(10) }, { user: "ben", state: "sos", since: at(30) },
    { user: "cem", state: "sos", since: at(20), acknowledgedBy: "omar" }, { user: "lea", state: "sos", since: at(40) },
    { user: "dee", state: "sos", since: at(50), team: "other" }, { user: "eli", state: "needsHelp", since: at(60) },
];

test("a leader is called by those of their team whom nobody heard, the newest first, and not by themselves", () => {
    const live = stateOf(callers);
    assert.deepEqual(unheardCalls(live, leader).map(({ user }) => user), ["ben", "ann"]);
    assert.deepEqual(unheardCalls(live, { name: "root", role: "admin" }).map(({ user }) => user),
        ["dee", "lea", "ben", "ann"]);
    assert.deepEqual(unheardCalls(live, { name: "max", role: "member", team: "crew" }), []);
    assert.deepEqual(unheardCalls(live, undefined), []);
    assert.equal(distressTitle(unheardCalls(live, leader), "Muster"), "SOS from ben · Muster");
    assert.equal(distressTitle([], "Muster"), "Muster");
});

test("the siren sounds until everybody was heard or it is silenced, and again for the next call", () => {
    const heard = { plays: 0, reports: [], shown: [], ended: 0 };
    let isHidden = false;
    const siren = new Siren({
        report: (isSilent) => heard.reports.push(isSilent), play: () => { heard.plays += 1; },
        notify: (title) => heard.shown.push(title), isHidden: () => isHidden,
        schedule: () => () => { heard.ended += 1; },
    });
    const look = (members, isNotified = false) => siren.look({
        live: stateOf(members), user: leader, isNotified, now: start });
    look([callers[0]]);
    look([callers[0]]);
    assert.deepEqual([heard.plays, heard.shown, heard.reports], [1, [], [false]]);
    siren.silence();
    assert.equal(heard.ended, 1);
    isHidden = true;
    look(callers.slice(0, 2));
    assert.deepEqual([heard.plays, heard.shown], [2, ["SOS from ben"]]);
    look([]);
    assert.equal(heard.ended, 2);
    // Whom this device notifies by push is not notified twice.
    look(callers.slice(0, 2), true);
    assert.deepEqual([heard.plays, heard.shown.length, heard.reports.at(-1)], [3, 1, false]);
});

test("before a team is called out it is said whom that does not call, and whom no place makes safe", () => {
    const members = new Map([["ann", "crew"], ["bo", "Pupils"], ["cy", "Pupils"], ["di", undefined]]
        .map(([user, team]) => [user, { user, team }]));
    const regions = new Map([["site/yard", { collection: "site", id: "yard", muster: true }]]);
    const lines = (parts, collections) => startLines({ members, regions, ...parts }, "crew", collections).join(" ");
    assert.match(lines({}, new Set(["site"])), /^Not called: Pupils \(2 people\)\.$/);
    assert.match(lines({}, new Set(["mill"])), /crew has no assembly point: nobody can become safe/);
    // Nobody knows yet which regions concern the team: it is said only where there is no assembly point at all.
    assert.doesNotMatch(lines({}), /no assembly point/);
    assert.match(lines({ regions: new Map() }), /no assembly point/);
    const many = new Map(Array.from({ length: 13 }, (_, index) => [`u${index}`, { team: `team ${index}` }]));
    assert.match(lines({ members: many }), /team 9 \(1 person\), 3 more teams\.$/);
    const ask = withStartLines(() => undefined, "crew", () => undefined);
    assert.equal(ask({ live: { members, regions } }), undefined, "what is over stays over");
});
