/** Whom the roster shows, in which order, and which of its rows are in sight. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { isServerEmpty } from "../../Web/console/frame/firststeps.js";
import { crewKey, crewsOf, orderedMembers, placesOf, sheltered, sortings } from "../../Web/console/roster/order.js";
import { insideWords, peopleInside, regionChoices } from "../../Web/console/roster/inside.js";
import { rowAfterKey, rowsInSight } from "../../Web/console/roster/window.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { markOrder } from "../../Web/console/shared/marks.js";

const square = { collection: "site", id: "sq", name: "Harbour square" };

/** A state of people, in an incident of team north. */
function stateOf(...members) {
    return reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 1, positions: [], regions: [], incidents: [{ number: 1, team: "north", kind: "real" }],
        members: members.map((member) => ({ team: "north", state: "unknown", safetySequence: 1, ...member })),
    } });
}

function shown(state, filter = {}) {
    return orderedMembers(state, { sorting: "state", ...filter }).map(({ user }) => user);
}

test("the first steps are for an admin, while nobody is there, and not before that is known", () => {
    const admin = { name: "root", role: "admin" };
    const empty = { live: emptyState, user: admin, connection: { state: "live" } };
    assert.ok(isServerEmpty(empty));
    assert.ok(!isServerEmpty({ ...empty, user: { name: "lea", role: "leader" } }));
    assert.ok(!isServerEmpty({ ...empty, connection: { state: "connecting" } }));
    assert.ok(!isServerEmpty({ ...empty, live: stateOf({ user: "ann" }) }));
});

test("of those alike in urgency the one comes first who has waited longest, of the safe the one by name", () => {
    const at = (minute) => `2026-11-21T06:0${minute}:00Z`;
    const people = (state) => [["ada", at(3)], ["bo", at(1)], ["cem", at(2)], ["dee", undefined]]
        .map(([user, since]) => ({ user, since, state }));
    assert.deepEqual(shown(stateOf(...people("unsafe"))), ["dee", "bo", "cem", "ada"]);
    assert.deepEqual(shown(stateOf(...people("sos"))), ["dee", "bo", "cem", "ada"]);
    assert.deepEqual(shown(stateOf(...people("safe"))), ["ada", "bo", "cem", "dee"]);
});

test("the urgent come first, and those alike by name, numbers as numbers", () => {
    const states = ["safe", "offSite", "unknown", "unsafe", "needsHelp", "sos"];
    const people = states.flatMap((state) => [10, 9].map((number) => ({ user: `${state} ${number}`, state })));
    const urgent = markOrder.filter((state) => states.includes(state));
    assert.deepEqual(shown(stateOf(...people)), urgent.flatMap((state) => [`${state} 9`, `${state} 10`]));
});

test("each sorting has its order, and those of whom it knows nothing come last", () => {
    const at = (second) => `2026-11-21T06:00:0${second}Z`;
    const state = stateOf(
        { user: "cem", crew: "Blue", since: at(1), heard: at(3) },
        { user: "ada", since: at(3) },
        { user: "bo", crew: "Amber", since: at(2), heard: at(1) },
        { user: "dee", crew: "Blue", heard: at(2) });
    const orders = {
        state: ["dee", "cem", "bo", "ada"], name: ["ada", "bo", "cem", "dee"], crew: ["bo", "cem", "dee", "ada"],
        since: ["ada", "bo", "cem", "dee"], heard: ["cem", "dee", "bo", "ada"],
    };
    assert.deepEqual(Object.keys(orders), [...sortings]);
    for (const [sorting, order] of Object.entries(orders)) {
        assert.deepEqual(shown(state, { sorting }), order, sorting);
    }
});

test("a region's people are those whom the server has inside it, with since when and how surely", () => {
    const quay = { collection: "site", id: "quay", name: "Quay", muster: false, geometry: { type: "Point",
        coordinates: [10, 59] }, radius: 30 };
    const presence = (device, more) => ({ device, region: quay, standing: "inside", since: "2026-11-21T06:00:00Z",
        sampleTime: "2026-11-21T06:05:00Z", probability: 0.87, ...more });
    const state = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 1, positions: [], regions: [quay], incidents: [],
        members: ["ada", "bo", "cem", "dee"].map((user) => ({ user, team: "north", state: "unknown",
            safetySequence: 1 })),
        presences: [presence("ada/phone"), presence("ada/watch"), presence("cem/phone", { doubt: "stale",
            probability: undefined }), presence("bo/phone", { standing: "outside", probability: 0.6 })],
    } });
    assert.deepEqual(shown(state, { inside: "site/quay" }), ["ada", "cem"]);
    const found = peopleInside(state, "site/quay", placesOf(state.members));
    assert.deepEqual(found.map(({ member }) => member.user), ["ada", "cem"]);
    assert.deepEqual(found.map(({ presence: each }) => insideWords(each, () => "07:00")),
        ["since 07:00, 87\u00A0% sure", "since 07:00, not heard lately"]);
    assert.deepEqual(regionChoices(state), { choices: [["site/quay", "Quay (2)"]], more: 0 });
});

test("a region that is chosen stays a choice though nobody is in it, by its id once it is gone", () => {
    const state = stateOf({ user: "ada" });
    assert.deepEqual(regionChoices(state).choices, []);
    assert.deepEqual(regionChoices(state, "site/quay").choices, [["site/quay", "quay (0)"]]);
});

test("of many regions those with the most people are offered, and the chosen one, and the others are counted", () => {
    const regions = Array.from({ length: 300 }, (_, index) => (
        { collection: "site", id: `r${index}`, name: `R${index}` }));
    const at = "2026-11-21T06:00:00Z";
    const presences = regions.flatMap((region, index) => (index < 250 ? ["ada", "bo"] : ["ada"]).map((user) => ({
        device: `${user}/phone`, region, standing: "inside", since: at, sampleTime: at })));
    const state = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 1, positions: [], regions, incidents: [], presences,
        members: ["ada", "bo"].map((user) => ({ user, team: "north", state: "unknown", safetySequence: 1 })),
    } });
    const { choices, more } = regionChoices(state, "site/r299", 250);
    assert.equal(choices.length, 251);
    assert.ok(choices.some(([key]) => key === "site/r249") && choices.some(([key]) => key === "site/r299"));
    assert.equal(more, 49);
});

test("a search finds names without accents and capitals, and by crew, team, phone and region", () => {
    const state = stateOf(
        { user: "Zoë Åström" }, { user: "bo", crew: "Écluse" }, { user: "cem", phone: "+47 22 33 44" },
        { user: "dee", team: "south" }, { user: "eli", state: "safe", region: square }, { user: "玲子" });
    for (const [text, found] of Object.entries({
        "zoe": "Zoë Åström", "ASTROM": "Zoë Åström", " écluse ": "bo", "ecluse": "bo", "22 33": "cem", "south": "dee",
        "harbour": "eli", "玲": "玲子",
    })) {
        assert.deepEqual(shown(state, { text }), [found], text);
    }
    assert.deepEqual(shown(state, { text: "nobody" }), []);
    assert.equal(shown(state, { text: "" }).length, 6);
});

test("filters of state, team, crew and region join, and hide those taken off the roll from a state's list", () => {
    const safe = { state: "safe", region: square };
    const state = stateOf(
        { user: "ada", crew: "Amber", ...safe }, { user: "bo", crew: "Amber" }, { user: "cem", ...safe },
        { user: "dee", team: "south", crew: "Amber", ...safe }, { user: "eli", takenOff: {} });
    assert.deepEqual(shown(state, { only: "safe" }), ["ada", "cem", "dee"]);
    assert.deepEqual(shown(state, { only: "unknown" }), ["bo"]);
    assert.deepEqual(shown(state, { crew: "north/Amber" }), ["bo", "ada"]);
    assert.deepEqual(shown(state, { region: "site/sq", only: "safe", crew: "north/Amber" }), ["ada"]);
    assert.equal(shown(state).length, 5);
});

test("a name that came, changed or left has its new place", () => {
    assert.deepEqual(shown(stateOf({ user: "b" }, { user: "c" })), ["b", "c"]);
    assert.deepEqual(shown(stateOf({ user: "b" }, { user: "a" })), ["a", "b"]);
    assert.deepEqual(shown(stateOf({ user: "b" }, { user: "a" }, { user: "aa" })), ["a", "aa", "b"]);
});

test("a crew counts who of it is accounted for, apart from the crew of that name of another team", () => {
    const state = stateOf(
        { user: "ada", crew: "Amber", state: "safe" }, { user: "bo", crew: "Amber" },
        { user: "cem", crew: "Amber", state: "safe", doubt: "stale" }, { user: "dee", crew: "Amber", team: "a" },
        { user: "eli", crew: "Amber", takenOff: {} }, { user: "flo", state: "safe" }, { user: "gus", crew: "Blue 9" },
        { user: "hal", crew: "Blue 10", state: "offSite" });
    const counted = crewsOf(state).map(({ key, people, accounted, checking }) => [key, people, accounted, checking]);
    assert.deepEqual(counted, [
        ["a/Amber", 1, 0, 0], ["north/Amber", 3, 1, 1], ["north/Blue 9", 1, 0, 0], ["north/Blue 10", 1, 1, 0]]);
    assert.equal(crewKey({ team: "north" }), "");
});

test("a muster region counts those who are safe in it for certain, and nobody else", () => {
    const safe = { state: "safe", region: square };
    const state = stateOf(
        { user: "ada", ...safe }, { user: "bo", ...safe }, { user: "cem", ...safe, doubt: "checking" },
        { user: "dee", state: "unknown", region: square }, { user: "eli", ...safe, takenOff: {} },
        { user: "flo", state: "safe" }, { user: "gus", state: "offSite", region: square });
    assert.deepEqual([...sheltered(state)], [["site/sq", 2]]);
});

test("the rows in sight are drawn with a few around them, and never more than there are", () => {
    const rows = (scrollTop, count = 1000, height = 500) => rowsInSight({ scrollTop, height, rowHeight: 100, count });
    assert.deepEqual(rows(0), { first: 0, last: 9 });
    assert.deepEqual(rows(50_000), { first: 496, last: 509 });
    assert.deepEqual(rows(99_500), { first: 991, last: 1000 });
    assert.deepEqual(rows(0, 0), { first: 0, last: 0 });
    assert.deepEqual(rows(0, 2), { first: 0, last: 2 });
    for (let scrollTop = -200; scrollTop < 3000; scrollTop += 37) {
        const { first, last } = rows(scrollTop, 12);
        assert.ok(first >= 0 && first <= 11 && last >= 1 && last <= 12, `${scrollTop}: ${first} to ${last}`);
        for (let row = 0; row < 12; row += 1) {
            const isInSight = (row + 1) * 100 > scrollTop && row * 100 < scrollTop + 500;
            assert.ok(!isInSight || (row >= first && row < last), `row ${row} at ${scrollTop}`);
        }
    }
});

test("keys lead from row to row, and not beyond the ends", () => {
    const size = { count: 10, page: 4 };
    for (const [key, from, to] of [
        ["ArrowDown", 3, 4], ["ArrowDown", 9, 9], ["ArrowUp", 3, 2], ["ArrowUp", 0, 0], ["PageDown", 3, 7],
        ["PageDown", 8, 9], ["PageUp", 3, 0], ["Home", 7, 0], ["End", 2, 9], ["Enter", 3, undefined],
    ]) {
        assert.equal(rowAfterKey(key, from, size), to, `${key} from ${from}`);
    }
});
