/** What people are called: the display name where there is one, told apart where two have the same. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import "../../Web/console/frame/texts.js";
import { calledIn } from "../../Web/console/incident/calledin.js";
import { crewsOfRoll, peopleOfRoll, rowsOfRoll, stateThen } from "../../Web/console/incident/crewroll.js";
import { orderedMembers, placesOf } from "../../Web/console/roster/order.js";
import { memberFeatures } from "../../Web/console/map/mapdata.js";
import {
    called, fullName, learnNames, learnNamesOf, nameOfUser, namesOfUsers,
} from "../../Web/console/shared/names.js";
import { fullNameOf, nameOf } from "../../Web/console/shared/roll.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { memberOf, namedPeople } from "../../Web/console/share/sharedstate.js";
import { addWords } from "../../Web/console/shared/words.js";
import { subjectWords } from "../../Web/console/timeline/eventwords.js";
import { chosenUsers, userWords } from "../../Web/console/administration/users.js";
import { usersTable } from "../../Web/console/administration/exports.js";
import { viewerLines } from "../../Web/me/visible/viewers.js";

await Promise.all(["administration", "../me/visible"].map((folder) => addWords(folder)));

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
    const alike = ["Ana Ruiz", "ANA RUIZ", "Ana  Ruiz", "Ana\u200cRuiz", "Ａｎａ Ruiz", "Ana\u00a0Ruiz"];
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
