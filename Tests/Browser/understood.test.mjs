/** What only a newer server knows: a page that is older than its server takes it as in doubt, and never as safe. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { callsOf, callTitle } from "../../Web/me/call/calls.js";
import { ownOf } from "../../Web/me/own.js";
import { statusOf } from "../../Web/me/status/statuswords.js";
import { peopleOfRoll } from "../../Web/console/incident/crewroll.js";
import { presenceLines } from "../../Web/console/shared/presence.js";
import { whereWords } from "../../Web/console/roster/where.js";
import { rollWords, stateWords } from "../../Web/console/shared/rowwords.js";
import { counts, isAccounted, shownState, tally } from "../../Web/console/shared/safety.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import { timerWords } from "../../Web/console/shared/timerwords.js";
import { understood, understoodPresence } from "../../Web/console/shared/understood.js";
import { addWords } from "../../Web/console/shared/words.js";
import { groupsOf, stateOf } from "../../Web/console/share/sharedstate.js";
import { eventWords } from "../../Web/console/timeline/eventwords.js";

await addWords("../me/status");
await addWords("../me/call");

const at = "2026-03-26T12:00:00Z";
const region = { collection: "site", id: "a", name: "Assembly point A", muster: true };
const says = "the server says more than this version of the page knows";
const mia = (safety) => ({ user: "mia", team: "north", safetySequence: 1, since: at, ...safety });

function loaded({ members = [], incidents = [], rolls = [], presences = [], positions = [] }) {
    const snapshot = { sequence: 1, presenceSequence: 1, members, positions, presences, incidents, rolls,
        regions: [] };
    return reduce(emptyState, { type: "snapshot", snapshot });
}
const after = (state, ...changes) => reduce(state, { type: "changes", changes });
const shown = (state, user = "mia") => {
    const member = state.members.get(user);
    const mark = shownState(state, member);
    return [mark, stateWords(member, mark).join("")];
};

test("what this version knows is taken as it was said", () => {
    const safe = mia({ state: "safe", source: "region", region });
    assert.equal(understood(safe), safe);
    const inside = { region, standing: "inside", probability: 0.9, since: at, sampleTime: at };
    assert.equal(understoodPresence(inside), inside);
    assert.equal(understood(mia({ state: "safe", doubt: null })).doubt, undefined, "null is as good as absent");
});

test("a state that this version does not know is unknown, and the words say why", () => {
    for (const state of ["evacuated", "toString", "", undefined, null, 7]) {
        const told = mia({ state, source: "region", region });
        const incidents = [{ number: 7, team: "north", open: true, startedAt: at, kind: "real" }];
        const states = [
            loaded({ members: [told], incidents }),
            after(loaded({ members: [mia({ state: "safe" })], incidents }),
                { sequence: 2, at, type: "safety", ...told }),
        ];
        for (const live of states) {
            assert.deepEqual(shown(live).map((each) => each.split(" · ")[0]), ["unknown", `Unknown, ${says}`]);
            assert.equal(isAccounted(live.members.get("mia")), false);
            assert.equal(counts(live).unknown, 1);
            assert.deepEqual(tally(live, incidents[0]), { people: 1, accounted: 0, checking: 0, unaccounted: 1 });
        }
    }
});

test("safe with a doubt that this version does not know is checking, and never safe", () => {
    const live = loaded({ members: [mia({ state: "safe", doubt: "phoneSwapped", source: "region", region })] });
    assert.deepEqual(shown(live), ["checking", `Checking, ${says} · Assembly point A`]);
    assert.equal(isAccounted(live.members.get("mia")), false);
});

test("a standing that this version does not know puts nobody inside", () => {
    const live = loaded({
        members: [mia({ state: "unknown" })],
        presences: [{
            device: "mia/phone", region, standing: "upstairs", probability: 0.99, since: at, sampleTime: at,
        }],
    });
    const [{ words }] = presenceLines(live.members.get("mia"));
    assert.equal(words.join(""), `Assembly point A: ${says}`);
});

test("the roll of an incident and a shared link take it in the same way", () => {
    const [person] = peopleOfRoll({ number: 7, team: "north" }, [{ person: 1, user: "mia", state: "evacuated" }]);
    assert.deepEqual([person.state, person.doubt], ["unknown", "notUnderstood"]);
    const roll = [{ person: -1, user: "Zoë", visitor: true, state: "evacuated" }];
    assert.equal(shown(loaded({ rolls: [{ number: 7, team: "north", roll }] }), "/roll/7/-1")[0], "unknown");
    const state = stateOf({ person: { name: "mia", state: "evacuated" } });
    assert.equal(shownState(state, state.members.get("mia")), "unknown");
    const told = [
        { name: "a", accounted: true, checking: false, state: "evacuated" },
        { name: "b", accounted: true, checking: false, state: "safe", doubt: "phoneSwapped" },
        { name: "c", accounted: true, checking: false, state: "safe" },
    ];
    assert.deepEqual(groupsOf(told).map(({ kind, people }) => [kind, people.map(({ name }) => name)]),
        [["unaccounted", ["a"]], ["checking", ["b"]], ["accounted", ["c"]]]);
});

test("what somebody said and is not confirmed is told as safe only where it is that", () => {
    const said = (kind) => rollWords(mia({ state: "unknown", unconfirmed: { kind, at, by: "lea" } }), Date.parse(at));
    assert.match(said("safe"), /^said safe by lea /);
    assert.equal(said("sheltered"), "");
});

test("a newer fix is not told as inside a region of which the doubt is not known", () => {
    const located = { latitude: 1, longitude: 2, sampleTime: "2026-03-26T12:01:00Z" };
    const words = (doubt) => {
        const live = loaded({
            members: [mia({ state: "unknown", located })],
            positions: [{ device: "mia/phone", latitude: 1, longitude: 2, sampleTime: at }],
            presences: [{ device: "mia/phone", region, standing: "inside", doubt, since: at, sampleTime: at }],
        });
        return whereWords(live.members.get("mia"), live.regions);
    };
    assert.equal(words(undefined), "in Assembly point A");
    assert.equal(words("phoneSwapped"), "1.00000, 2.00000");
});

test("the member’s app shows it as unknown or as in doubt", () => {
    const status = (safety) => {
        const live = loaded({ members: [mia(safety)] });
        const own = ownOf(live, { name: "mia", role: "member", team: "north" }, Date.parse(at));
        return statusOf({ own, isLive: true }, Date.parse(at));
    };
    const evacuated = status({ state: "evacuated", source: "region", region });
    assert.deepEqual([evacuated.state, evacuated.word], ["unknown", "Unknown"]);
    assert.ok(evacuated.lines.includes(`In doubt: ${says}`), evacuated.lines.join("\n"));
    const doubted = status({ state: "safe", doubt: "phoneSwapped", source: "region", region });
    assert.deepEqual([doubted.state, doubted.word], ["checking", "Checking"]);
});

test("an incident of a kind that this version does not know calls like a real one", () => {
    const incident = { number: 7, team: "north", open: true, startedAt: at, kind: "shelter" };
    const own = { member: {}, incidents: [incident], regions: [] };
    assert.equal(callTitle(callsOf(own, {})[0].incident), "Evacuate");
});

test("changes and events that this version does not know say no more than that they happened", () => {
    const live = loaded({ members: [mia({ state: "unsafe" })] });
    const next = after(live, { sequence: 2, at, type: "drone", user: "mia", state: "safe" });
    assert.deepEqual([next.sequence, next.members.get("mia").state, next.events], [2, "unsafe", []]);
    const told = (change) => {
        const [event] = after(live, { sequence: 2, at, user: "mia", ...change }).events;
        return eventWords(event);
    };
    assert.equal(told({ type: "safety", state: "evacuated", since: at }),
        "is in a state that this version of the page does not know");
    assert.equal(told({ type: "safety", state: "unknown", source: "underReview", since: at }),
        "is being worked out after an edit of regions: unknown", "known, and not silent");
    assert.equal(told({ type: "crossing", device: "mia/phone", kind: "hover", region, sampleTime: at }),
        "Assembly point A: something that this version of the page does not know");
    assert.equal(told({ type: "incident", team: "north", number: 7, open: true, kind: "real", startedAt: at,
        happened: "phaseTwo" }), "evacuation: something that this version of the page does not know");
    assert.equal(told({ type: "checkInTimer", happened: "postponed", lastWord: at, dueAt: at }),
        "something about the check-in timer that this version of the page does not know");
    assert.equal(timerWords({ happened: "postponed", lastWord: at, dueAt: at }, Date.parse(at)),
        "check-in timer: in a state that this version of the page does not know");
});
