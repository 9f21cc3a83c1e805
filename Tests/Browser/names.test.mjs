/** What people are called: the display name where there is one, told apart where two have the same. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import "../../Web/console/frame/texts.js";
import { callWords } from "../../Web/console/incident/alarmwords.js";
import { calledIn, calledInReport } from "../../Web/console/incident/calledin.js";
import { distressTitle } from "../../Web/console/incident/distress.js";
import { recordWords, remarkWords } from "../../Web/console/incident/onrecord.js";
import { askedWords, reportWords } from "../../Web/console/incident/par.js";
import { wordAge } from "../../Web/console/incident/wordage.js";
import { crewsOfRoll, peopleOfRoll, rowsOfRoll, stateThen } from "../../Web/console/incident/crewroll.js";
import { orderedMembers, placesOf } from "../../Web/console/roster/order.js";
import { DrawnPeople } from "../../Web/console/map/drawn.js";
import { memberFeatures } from "../../Web/console/map/mapdata.js";
import {
    called, fullName, learnNames, learnNamesOf, nameOfUser, namesOfUsers,
} from "../../Web/console/shared/names.js";
import { fullNameOf, nameOf } from "../../Web/console/shared/roll.js";
import { knownBy, rollWords } from "../../Web/console/shared/rowwords.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { memberOf, namedPeople } from "../../Web/console/share/sharedstate.js";
import { addWords } from "../../Web/console/shared/words.js";
import { subjectWords } from "../../Web/console/timeline/eventwords.js";
import { chosenUsers, userWords } from "../../Web/console/administration/users.js";
import { usersTable } from "../../Web/console/administration/exports.js";
import { viewerLines } from "../../Web/me/visible/viewers.js";

await Promise.all(["administration", "incident", "../me/visible"].map((folder) => addWords(folder)));

afterEach(() => learnNames([], true));

/** The state of a page that loaded these people, whose names it learned. */
function loaded(people, more = {}) {
    const { names = {}, ...rest } = more;
    const members = people.map(([user, displayName]) => (
        { user, displayName, state: "unknown", team: "north", safetySequence: 1 }));
    const snapshot = { sequence: 1, members, positions: [], regions: [], ...rest };
    learnNames([...Object.entries(names), ...people], true);
    return reduce(emptyState, { type: "snapshot", snapshot });
}

test("a person is called by the display name, and by the sign-in name without one", () => {
    learnNames([["aruiz", "Ana Ruiz"], ["bcox", undefined]], true);
    assert.equal(called("aruiz"), "Ana Ruiz");
    assert.equal(called("bcox"), "bcox");
    assert.equal(called("stranger"), "stranger");
    assert.equal(called(undefined), "");
    assert.equal(fullName("aruiz"), "Ana Ruiz (aruiz)");
    assert.equal(fullName("bcox"), "bcox");
});

test("people of one name are told apart by the sign-in name, however the name is written", () => {
    const alike = [
        "Ana Ruiz", "ANA RUIZ", "Ana  Ruiz", "Ana\u200cRuiz", "Ａｎａ Ruiz", "Ana\u00a0Ruiz",
        // Characters that change nothing of what is seen: a joiner, and selectors of a form that these letters lack.
        "Ana Ru\u200diz", "Ana Ruiz\ufe0f", "A\u{e0100}na Ruiz", "\u180bAna \u200dRuiz",
    ];
    for (const other of alike) {
        learnNames([["aruiz", "Ana Ruiz"], ["aruiz2", other]], true);
        assert.equal(called("aruiz"), "Ana Ruiz (aruiz)", other);
        assert.match(called("aruiz2"), /\(aruiz2\)$/u);
    }
    // Three, and a third who leaves.
    learnNames([["a", "Li"], ["b", "Li"], ["c", "Li"]], true);
    assert.deepEqual(["a", "b", "c"].map(called), ["Li (a)", "Li (b)", "Li (c)"]);
    learnNames([["a", "Li"]], true);
    assert.equal(called("a"), "Li");
});

test("nobody passes for another by a display name that is the other's sign-in name", () => {
    learnNames([["mallory", "bcox"], ["bcox", undefined]], true);
    assert.equal(called("mallory"), "bcox (mallory)");
    assert.equal(called("bcox"), "bcox");
});

test("of a long name that two have, what tells them apart stays in sight", () => {
    const long = "x".repeat(100);
    learnNames([["one", long], ["two", long]], true);
    assert.equal(called("one"), `${"x".repeat(23)}… (one)`);
    learnNames([["one", long]], true);
    assert.equal(called("one"), long);
    learnNames([["a".repeat(30), long], ["two", long]], true);
    assert.equal(nameOfUser("a".repeat(30), 40), `${"x".repeat(6)}… (${"a".repeat(30)})`);
    assert.equal(nameOfUser("a".repeat(30), 33), "a".repeat(30));
});

test("where a name is cut, on the map and in an alarm, the sign-in name that tells people apart is whole", () => {
    const [user, other] = ["fernandez.de.la.torre", "fernandez.de.la.mora"];
    const long = "María del Carmen Fernández García";
    const removed = { person: 9, user: "fernandez.de.la.casa", displayName: long, removed: {}, state: "sos" };
    const state = loaded([[user, long], [other, long]], {
        positions: [{ device: `${user}/phone`, latitude: 1, longitude: 2, sampleTime: new Date().toISOString() }],
        rolls: [{ number: 7, team: "north", roll: [removed] }] });
    const [caller, gone] = [state.members.get(user), state.members.get("/roll/7/9")];
    const whole = new RegExp(`^María .*… \\(${user}\\)`, "u");
    const [point] = memberFeatures(state, caller).people;
    assert.match(point.properties.label, whole);
    assert.ok(Array.from(point.properties.label.split("\n")[0]).length <= 40);
    assert.ok(distressTitle([caller], "").includes(`… (${user}) `), distressTitle([caller], ""));
    assert.ok(distressTitle([gone], "").includes("… (fernandez.de.la.casa) "), distressTitle([gone], ""));
    for (const member of [{ ...caller, state: "sos" }, gone]) {
        assert.match(callWords(member, state, 0), /María .*… \(fernandez\.de\.la\.(torre|casa)\)/u);
    }
    assert.equal(nameOf(gone), "María del Carmen Fernán… (fernandez.de.la.casa)");
    assert.equal(fullNameOf(gone), `${long} (fernandez.de.la.casa)`);
});

test("the map names somebody anew where another person's name changes", () => {
    const drawn = new DrawnPeople();
    const state = loaded([["aruiz", "Ana Ruiz"]], { positions: [
        { device: "aruiz/phone", latitude: 1, longitude: 2, sampleTime: new Date().toISOString() }] });
    assert.match(drawn.update(state).people.add[0].properties.label, /^Ana Ruiz(?! \(aruiz\))/u);
    assert.deepEqual(drawn.update(state).people.add, []);
    learnNamesOf([{ displayNames: { zoe: "Ana Ruiz" } }]);
    assert.match(drawn.update(state).people.add[0].properties.label, /^Ana Ruiz \(aruiz\)/u);
});

test("a name written from right to left turns no text around it", () => {
    learnNames([["dana", "דנה כהן"]], true);
    assert.equal(called("dana"), "\u2068דנה כהן\u2069");
});

test("a feed's changes teach names, and a new snapshot forgets who has none any more", () => {
    const state = loaded([["aruiz", "Ana Ruiz"]], { names: { lena: "Lena Prado" } });
    assert.equal(nameOf(state.members.get("aruiz")), "Ana Ruiz");
    assert.equal(called("lena"), "Lena Prado");
    learnNamesOf([{ type: "position" }, { displayNames: { omar: "Omar Haddad" } }]);
    assert.equal(called("omar"), "Omar Haddad");
    assert.deepEqual(namesOfUsers(["omar", "nobody", undefined]), { omar: "Omar Haddad" });
    loaded([["aruiz", undefined]]);
    assert.deepEqual(["aruiz", "lena", "omar"].map(called), ["aruiz", "lena", "omar"]);
});

test("a visitor who writes a user's name is called what they wrote, and nothing is looked up", () => {
    const rolls = [{ number: 7, team: "north", roll: [
        { person: 1, user: "aruiz", state: "unknown" },
        { person: -1, user: "aruiz", visitor: true, state: "unknown" },
        { person: 9, user: "bcox", displayName: "Ben Cox", removed: { at: "2026-01-01T00:00:00Z" }, state: "unknown" },
    ] }];
    const { members } = loaded([["aruiz", "Ana Ruiz"]], { rolls });
    assert.equal(nameOf(members.get("aruiz")), "Ana Ruiz");
    assert.equal(nameOf(members.get("/roll/7/-1")), "aruiz");
    assert.equal(nameOf(members.get("/roll/7/9")), "Ben Cox (bcox)");
});

test("the search finds both names, and the list is sorted by what is shown", () => {
    const state = loaded([["zed", "Ana Ruiz"], ["ada", "Zoë Lund"], ["mia", undefined]]);
    const found = (text) => orderedMembers(state, { text, sorting: "name" }).map(({ user }) => user);
    assert.deepEqual(found(""), ["zed", "mia", "ada"]);
    assert.deepEqual(found("ana"), ["zed"]);
    assert.deepEqual(found("zoe"), ["ada"]);
    assert.deepEqual(found("ZED"), ["zed"]);
    // Another name is another place, though the people are the same.
    const after = loaded([["zed", "Zzz"], ["ada", "Zoë Lund"], ["mia", undefined]]);
    assert.deepEqual(orderedMembers(after, { sorting: "name" }).map(({ user }) => user), ["mia", "ada", "zed"]);
});

test("the roll of a closed incident names people as it stored them, also where names changed since", () => {
    loaded([["aruiz", "Somebody Else"]]);
    const roll = [
        { person: 1, user: "aruiz", displayName: "Ana Ruiz", state: "safe", source: "marked" },
        { person: 2, user: "bcox", state: "safe", source: "marked" },
        { person: -1, user: "Vic", visitor: true, state: "safe", source: "marked" },
    ];
    const people = peopleOfRoll({ number: 7, team: "north", open: false }, roll);
    assert.deepEqual(people.map(nameOf), ["Ana Ruiz (aruiz)", "bcox", "Vic"]);
    const crews = crewsOfRoll(people, [], stateThen, placesOf(new Map(people.map((one) => [one.user, one]))));
    const shown = (text) => rowsOfRoll(crews, { folded: new Set(), isOnlyWaiting: false, text })
        .filter(({ member }) => member).map(({ member }) => nameOf(member));
    assert.deepEqual(shown("aruiz"), ["Ana Ruiz (aruiz)"]);
    assert.deepEqual(shown("ana r"), ["Ana Ruiz (aruiz)"]);
    assert.deepEqual(shown("somebody"), []);
    const then = calledIn({ open: false, displayNames: { lena: "Lena Prado" } });
    assert.deepEqual([then("lena"), then("constructor"), then(undefined)], ["Lena Prado (lena)", "constructor", ""]);
    assert.equal(calledIn({ open: true })("aruiz"), "Somebody Else");
});

test("all that a closed incident says of people names who acted as they were called then", () => {
    loaded([["lena", "New Name"], ["mia", "New Mia"]]);
    const at = "2026-01-01T10:00:00Z";
    const nowMs = Date.parse("2026-01-01T12:00:00Z");
    const roll = [
        { person: 1, user: "aruiz", state: "safe", source: "marked", markedBy: "lena", acknowledgedBy: "lena",
            since: at, mark: { state: "safe", at, by: "lena" }, said: [{ kind: "sos", at, by: "mia", note: "hurt" }] },
        { person: 2, user: "bcox", state: "unknown", removed: { at, by: "lena" } },
        { person: 3, user: "cara", state: "unknown", moved: { at, by: "lena" } },
        { person: 4, user: "dan", state: "unknown", takenOff: { at, by: "lena", reason: "home" } },
        { person: 5, user: "eve", state: "unknown", unconfirmed: { kind: "safe", at, by: "lena" } },
        { person: 6, user: "mia", displayName: "Mia Then", state: "unknown" },
    ];
    const incident = { number: 7, team: "north", startedAt: at, displayNames: { lena: "Lena Then", mia: "Mia Then" } };
    const par = { number: 1, requestedTime: at, requestedBy: "lena", dueTime: at, crews: [] };
    const report = { people: 1, present: 1, reportedTime: at, reportedBy: "lena" };
    const textOf = (whose) => {
        const [marked, ...others] = peopleOfRoll(whose, roll);
        const name = calledIn(whose);
        return [
            knownBy(marked), remarkWords(marked, nowMs), recordWords({ ...marked, source: undefined }, whose, nowMs),
            wordAge(marked, nowMs).words, ...others.slice(0, 4).map((one) => rollWords(one, nowMs)),
            askedWords(par, nowMs, name), reportWords(report, nowMs, name),
        ];
    };
    for (const words of textOf({ ...incident, open: false })) {
        assert.match(words, /Lena Then \(lena\)/u);
        assert.doesNotMatch(words, /New/u);
    }
    assert.match(textOf({ ...incident, open: false })[1], /Mia Then \(mia\)/u);
    for (const words of textOf({ ...incident, open: true })) { assert.match(words, /New Name/u); }
    // Of the earlier rounds of PAR the roll has who reported, but for whom another may have followed by that name.
    const inReport = calledInReport({ open: false, displayNames: { lena: "Lena Then" }, roll: [
        { user: "mia", displayName: "Mia Then" }, { user: "bcox", displayName: "Ben Cox", removed: { at } }] });
    assert.deepEqual(["mia", "lena", "bcox"].map(inReport), ["Mia Then (mia)", "Lena Then (lena)", "bcox"]);
});

test("the map, and the list of events, have the display name, and a team of the same name keeps its own", () => {
    const state = loaded([["aruiz", "Ana Ruiz"]], { positions: [
        { device: "aruiz/phone", latitude: 1, longitude: 2, sampleTime: new Date().toISOString() }] });
    const [point] = memberFeatures(state, state.members.get("aruiz")).people;
    assert.match(point.properties.label, /^Ana Ruiz/u);
    assert.equal(point.properties.user, "aruiz");
    assert.equal(fullNameOf(state.members.get("aruiz")), "Ana Ruiz (aruiz)");
    assert.equal(subjectWords({ kind: "sos", user: "aruiz" }), "Ana Ruiz");
    assert.equal(subjectWords({ kind: "incident", user: "aruiz" }), "aruiz");
});

test("a link's page names people by the display name, and those of one name apart", () => {
    const people = namedPeople([
        { name: "aruiz", displayName: "Ana Ruiz" }, { name: "ar2", displayName: "Ana Ruiz" },
        { name: "bcox", displayName: "Ben Cox" }, { name: "cara" },
    ]);
    assert.deepEqual(people.map((one) => one.called), ["Ana Ruiz (aruiz)", "Ana Ruiz (ar2)", "Ben Cox", "cara"]);
    const alike = namedPeople([
        { name: "aruiz", displayName: "Ana Ruiz" }, { name: "ar2", displayName: "ANA\u00a0Ru\u200diz" },
        { name: "mallory", displayName: "Bcox" }, { name: "bcox" }, { name: "li", displayName: "Li" },
    ]);
    assert.deepEqual(alike.map((one) => one.called), [
        "Ana Ruiz (aruiz)", "ANA\u00a0Ru\u200diz (ar2)", "Bcox (mallory)", "bcox", "Li"]);
    assert.equal(nameOf(memberOf({ name: "bcox", displayName: "Ben Cox" })), "Ben Cox");
});

test("the users of the administration are found by the display name, and exported with it", () => {
    const users = [
        { name: "aruiz", role: "member", displayName: "Ana Ruiz" }, { name: "bcox", role: "member" },
        { name: "eve", role: "member", displayName: "=1+1" },
    ];
    assert.deepEqual(chosenUsers(users, { text: "ruiz" }).map(({ name }) => name), ["aruiz"]);
    assert.deepEqual(chosenUsers(users, { text: "ana r" }).map(({ name }) => name), ["aruiz"]);
    assert.match(userWords(users[0]), /^Ana Ruiz/u);
    const [header, first, , last] = usersTable(users).trim().split("\r\n");
    assert.match(header, /,phone,displayName$/u);
    assert.match(first, /,Ana Ruiz$/u);
    assert.match(last, /,'=1\+1$/u);
});

test("who sees a person is named by both names", () => {
    const [line] = viewerLines([{ name: "lena", displayName: "Lena Prado", role: "leader" }], 0);
    assert.match(line.who, /Lena Prado \(lena\)/u);
    assert.equal(nameOfUser("lena"), "lena");
});
