/** A replay: who was where, and how, at a moment, from what the server has; nothing is made up between. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { chunkOf, countUpTo } from "../../Web/console/timeline/columns.js";
import { earlierWords, knownPeople } from "../../Web/console/timeline/beside.js";
import { rollRecord, usersAt, visitorsAt } from "../../Web/console/timeline/replayroll.js";
import { fadeOf, happenedUpTo, Moment, openAt } from "../../Web/console/timeline/moment.js";
import { rangeOf, rangeOfIncident, restOf, wantedOf } from "../../Web/console/timeline/range.js";
import { ReplayData } from "../../Web/console/timeline/replaydata.js";
import { Replayer } from "../../Web/console/timeline/replayer.js";
import { Problem } from "../../Web/console/shared/http.js";
import { emptyState } from "../../Web/console/shared/state.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("timeline");

const begin = Date.parse("2026-11-21T12:00:00Z");
const minute = 60_000;
const at = (ms) => new Date(begin + ms).toISOString();

/** An answer of the server of five minutes: fixes as [ms, device, latitude, longitude, accuracy?]. */
function answerOf({ from = 0, fixes = [], start = [], states = [], changes = [], gaps } = {}) {
    return {
        from: at(from), to: at(from + 5 * minute), people: ["ann", "ben"],
        devices: [{ user: "ann", device: "phone" }, { user: "ann", device: "watch" }, { user: "ben", device: "phone" }],
        start,
        fixes: {
            t: fixes.map(([ms]) => ms), device: fixes.map(([, device]) => device),
            latitude: fixes.map(([, , latitude]) => latitude), longitude: fixes.map(([, , , longitude]) => longitude),
            accuracy: fixes.map(([, , , , accuracy]) => accuracy ?? null),
        },
        states: { start: states, changes }, isComplete: !gaps, ...(gaps ? { gaps } : {}),
    };
}

const chunk = chunkOf(answerOf({
    start: [[0, -30_000, 59.9, 10.7, 5]],
    fixes: [[10_000, 0, 59.91, 10.71, 8], [20_000, 2, 59.8, 10.6], [60_000, 0, 59.92, 10.72, 8]],
    states: [[0, "unsafe"]], changes: [[30_000, 0, "safe", "checking"], [40_000, 0, "safe"], [40_000, 1, "sos"]],
}));

/** Where and how everybody is, as `ann: unsafe 59.9,10.7`. */
function told(members) {
    return [...members.values()].map(({ user, state, doubt, positions }) => {
        const places = [...positions.values()].map(({ latitude, longitude }) => `${latitude},${longitude}`);
        return `${user}: ${[state, doubt, ...places].filter(Boolean).join(" ")}`;
    });
}

test("at each moment everybody stands at the last fix before it, in the state of then", () => {
    const moment = new Moment("north");
    const tell = (ms) => told(moment.at(chunk, begin + ms));
    assert.deepEqual(tell(0), ["ann: unsafe 59.9,10.7", "ben: unknown"]);
    assert.deepEqual(tell(9_999), ["ann: unsafe 59.9,10.7", "ben: unknown"]);
    assert.deepEqual(tell(10_000), ["ann: unsafe 59.91,10.71", "ben: unknown"]);
    assert.deepEqual(tell(30_000), ["ann: safe checking 59.91,10.71", "ben: unknown 59.8,10.6"]);
    assert.deepEqual(tell(59_999), ["ann: safe 59.91,10.71", "ben: sos 59.8,10.6"]);
    assert.deepEqual(tell(60_000), ["ann: safe 59.92,10.72", "ben: sos 59.8,10.6"]);
});

test("who was put into the team later is not counted, and visitors on the roll are", () => {
    const moment = new Moment("north");
    const live = { ...emptyState, members: moment.at(chunk, begin) };
    // Of ben nothing is known before his first fix.
    const early = knownPeople(live);
    assert.deepEqual([[...early.live.members.keys()], early.left], [["ann"], 1]);
    assert.equal(knownPeople({ ...live, members: moment.at(chunk, begin + 20_000) }).left, 0);
    const record = rollRecord({ changes: [
        { at: at(0), event: "present", person: 3, user: "ann", state: "safe" },
        { at: at(5000), event: "visitor", person: -1, user: "Zoë", state: "unknown" },
        { at: at(9000), event: "changed", person: -1, user: "Zoë", state: "safe" },
        { at: at(12_000), event: "takenOff", person: -1, user: "Zoë", state: "safe" },
    ] });
    const found = (ms) => visitorsAt(record.visitors, begin + ms, "north").map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual([0, 5000, 9000, 12_000].map(found), [[], ["Zoë unknown"], ["Zoë safe"], []]);
});

test("who was on the roll counts as unknown, also without a phone that anybody ever heard", () => {
    const live = { ...emptyState, members: new Moment("north").at(chunk, begin) };
    const { people } = rollRecord({ changes: [
        { at: at(0), event: "started" }, { at: at(0), event: "present", person: 3, user: "ann", state: "safe" },
        { at: at(0), event: "present", person: 4, user: "ben", state: "unknown" },
        { at: at(9000), event: "takenOff", person: 4, user: "ben", state: "unknown" },
        { at: at(12_000), event: "returned", person: 4, user: "ben", state: "unknown" },
        { at: at(15_000), event: "moved", person: 4, user: "ben", state: "unknown" },
    ] });
    const left = (ms) => knownPeople(live, usersAt(people, begin + ms)).left;
    // Before the call the roll says nothing of anybody; who is moved away stays on it.
    assert.deepEqual([-1, 0, 8999, 9000, 12_000, 15_000].map(left), [1, 0, 0, 1, 0, 0]);
});

test("where the server does not have all of a moment, nobody is left out of its numbers", () => {
    const live = { ...emptyState, members: new Moment("north").at(chunk, begin) };
    assert.equal(knownPeople(live, new Set(), true).left, 1);
    assert.equal(knownPeople(live, new Set(), false).left, 0);
});

test("a list that does not have all up to the moment says so", () => {
    const range = { fromMs: begin, toMs: begin + 60 * minute };
    const shown = { happened: [], isCut: false, happenedFromMs: begin };
    assert.equal(earlierWords(shown, range), "");
    assert.equal(earlierWords({ ...shown, isCut: true, happened: Array(50).fill({}) }, range),
        "Only the newest 50. Go back in time for what was before.");
    assert.match(earlierWords({ ...shown, happenedFromMs: begin + minute }, range), /^Only since .+ Go back in time/);
});

test("a moment is the same whichever way one came to it", () => {
    const forward = new Moment("north");
    const times = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 60, 120, 299].map((second) => begin + second * 1000);
    const expected = times.map((ms) => told(forward.at(chunk, ms)));
    const jumping = new Moment("north");
    for (const index of [12, 3, 7, 0, 11, 5, 5, 9, 1, 10, 2, 8, 4, 6]) {
        assert.deepEqual(told(jumping.at(chunk, times[index])), expected[index]);
    }
});

test("who did not change stays the same value, and so do all where nobody did", () => {
    const moment = new Moment("north");
    const first = moment.at(chunk, begin + 20_000);
    assert.equal(moment.at(chunk, begin + 25_000), first);
    const second = moment.at(chunk, begin + 30_000);
    assert.notEqual(second.get("ann"), first.get("ann"));
    assert.equal(second.get("ben"), first.get("ben"));
    // The next chunk tells the same of its start: nothing is to be drawn.
    const last = moment.at(chunk, begin + 100_000);
    const next = chunkOf(answerOf({
        from: 5 * minute,
        start: [[0, 60_000 - 5 * minute, 59.92, 10.72, 8], [2, 20_000 - 5 * minute, 59.8, 10.6, null]],
        states: [[0, "safe"], [1, "sos"]],
    }));
    const after = moment.at(next, begin + 5 * minute);
    for (const user of ["ann", "ben"]) {
        assert.deepEqual([...after.get(user).positions.values()].map(({ ms }) => ms),
            [...last.get(user).positions.values()].map(({ ms }) => ms));
    }
});

test("a mark fades by the clock of the replay, and says since when, without another state", () => {
    const moment = new Moment("north");
    const ann = (ms) => moment.at(chunk, begin + ms).get("ann");
    assert.deepEqual([ann(61_000).fade, ann(61_000).source], [undefined, undefined]);
    assert.deepEqual([ann(180_000).fade, ann(180_000).source, ann(180_000).state], [0.75, "silence", "safe"]);
    // Back in time it is fresh again.
    assert.equal(ann(61_000).fade, undefined);
    assert.deepEqual([0, 119_999, 120_000, 300_000, 600_000, 1e9].map(fadeOf),
        [undefined, undefined, 0.75, 0.55, 0.4, 0.4]);
    assert.equal(fadeOf(NaN), undefined);
});

test("who seems to have left is shown so, however old the last fix", () => {
    const leaving = chunkOf(answerOf({
        fixes: [[1000, 0, 1, 2]], states: [[0, "safe", null, "region"]],
        changes: [[2000, 0, "unknown", "checking", "seemsToHaveLeft"], [250_000, 0, "unsafe", null, "position"]],
    }));
    const moment = new Moment("north");
    const ann = (ms) => moment.at(leaving, begin + ms).get("ann");
    assert.deepEqual([ann(1500).state, ann(1500).source], ["safe", "region"]);
    assert.deepEqual([ann(3000).state, ann(3000).source], ["unknown", "seemsToHaveLeft"]);
    assert.deepEqual([ann(200_000).fade, ann(200_000).source], [0.75, "seemsToHaveLeft"]);
    assert.deepEqual([ann(250_000).source, ann(250_000).doubt], ["silence", undefined]);
});

test("who has several devices is where each of them was, and a group hides the others", () => {
    const both = chunkOf(answerOf({ fixes: [[1000, 0, 1, 2], [2000, 1, 3, 4]] }));
    assert.deepEqual([...new Moment("north").at(both, begin + 3000).get("ann").positions.keys()],
        ["ann/phone", "ann/watch"]);
    assert.deepEqual([...new Moment("north", (user) => user === "ben").at(both, begin + 3000).keys()], ["ben"]);
});

test("an answer that is none is refused, and gaps are those that the server names", () => {
    assert.throws(() => chunkOf({}), TypeError);
    const broken = answerOf({ fixes: [[1000, 0, 1, 2]] });
    assert.throws(() => chunkOf({ ...broken, fixes: { ...broken.fixes, device: [7] } }), TypeError);
    assert.throws(() => chunkOf({ ...broken, fixes: { ...broken.fixes, latitude: [] } }), TypeError);
    assert.throws(() => chunkOf({ ...broken, to: broken.from }), TypeError);
    assert.deepEqual(chunkOf(answerOf({ gaps: ["What is older is deleted."] })).gaps, ["What is older is deleted."]);
    assert.deepEqual(chunk.gaps, []);
});

test("what happened up to a moment comes latest first, over chunks, and of a group alone", () => {
    const next = chunkOf(answerOf({ from: 5 * minute, changes: [[1000, 1, "safe"], [2000, 0, "offSite"]] }));
    const tell = (ms, ...more) => happenedUpTo([chunk, next], begin + ms, ...more)
        .map(({ user, state }) => `${user} ${state}`);
    assert.deepEqual(tell(40_000, 10), ["ben sos", "ann safe", "ann safe"]);
    assert.deepEqual(tell(5 * minute + 1500, 2), ["ben safe", "ben sos"]);
    assert.deepEqual(tell(5 * minute + 2000, 9, (user) => user === "ann"), ["ann offSite", "ann safe", "ann safe"]);
    assert.equal(countUpTo(0, () => assert.fail(), 5), 0);
});

test("an incident is open from its start to its end, and the same set is the same value", () => {
    const incidents = [{ number: 1, startedAt: at(0), closedAt: at(10) }, { number: 2, startedAt: at(5) }];
    const open = (ms) => [...openAt(incidents, begin + ms).keys()];
    assert.deepEqual([open(-1), open(0), open(5), open(9), open(10)], [[], [1], [1, 2], [1, 2], [2]]);
    assert.equal(openAt(incidents, begin + 6), openAt(incidents, begin + 7));
});

test("an address says what is replayed, and comes back from what is", () => {
    const time = "2026-11-21T12:03:00.000Z";
    const wanted = { kind: "at", ms: Date.parse(time), span: "day", team: "north" };
    assert.deepEqual(wantedOf(["at", time, "day", "north"]), wanted);
    assert.deepEqual(restOf(wanted), ["at", time, "day", "north"]);
    assert.deepEqual(wantedOf(["at", time]), { kind: "at", ms: Date.parse(time), span: "hour", team: undefined });
    assert.equal(wantedOf(["at", time, "century"]).span, "hour");
    assert.deepEqual(wantedOf(["incident", "3"]), { kind: "incident", number: 3 });
    for (const rest of [[], ["at"], ["at", "noon"], ["incident"], ["incident", "-1"], ["incident", "x"], ["x", "1"]]) {
        assert.deepEqual(wantedOf(rest), { kind: "none" });
    }
});

test("an hour and a day are those of the calendar, and end with now at the latest", () => {
    const noon = new Date(2026, 10, 21, 12, 34, 56).getTime();
    const hour = rangeOf(noon, "hour", Infinity);
    assert.deepEqual([hour.fromMs, hour.toMs],
        [new Date(2026, 10, 21, 12).getTime(), new Date(2026, 10, 21, 13).getTime()]);
    assert.equal(rangeOf(noon, "hour", noon).toMs, noon);
    const day = rangeOf(noon, "day", Infinity);
    assert.deepEqual([day.fromMs, day.toMs], [new Date(2026, 10, 21).getTime(), new Date(2026, 10, 22).getTime()]);
    const { fromMs, toMs } = rangeOfIncident({ startedAt: at(0), closedAt: at(10 * minute) }, begin + 3600_000);
    assert.deepEqual([fromMs, toMs], [begin - minute, begin + 11 * minute]);
    assert.equal(rangeOfIncident({ startedAt: at(0) }, begin + 5000).toMs, begin + 5000);
    // By a clock that is behind, its end is a part of it all the same.
    assert.equal(rangeOfIncident({ startedAt: at(0), closedAt: at(9000) }, begin + 5000).toMs, begin + 9000);
});

/** Data whose answers come when the test says so. */
function dataOf(toMs = 60 * minute, refuses = () => false) {
    const asked = [];
    let reports = 0;
    const data = new ReplayData({
        range: { fromMs: begin, toMs: begin + toMs }, report: () => { reports += 1; },
        load: (fromMs, end) => new Promise((resolve, reject) => {
            const entry = { from: fromMs - begin, to: end - begin };
            asked.push({ ...entry, come: () => resolve(chunkOf(answerOf({ from: entry.from }))), fail: reject });
            if (refuses(entry)) { reject(new Problem(422, { detail: "too many" })); }
        }),
    });
    return { data, asked, reports: () => reports };
}

const settle = () => new Promise((done) => { setTimeout(done); });

test("a chunk is read when it is wanted, and one ahead; a few are kept, and none is asked for twice", async () => {
    const { data, asked } = dataOf();
    assert.equal(data.at(begin), undefined);
    data.at(begin + 1000);
    assert.deepEqual(asked.map(({ from }) => from / minute), [0]);
    asked[0].come();
    await settle();
    assert.equal(data.at(begin).fromMs, begin);
    assert.deepEqual(asked.map(({ from }) => from / minute), [0, 5]);
    for (let index = 1; index < 12; index += 1) {
        asked.at(-1).come();
        await settle();
        assert.ok(data.at(begin + index * 5 * minute));
    }
    // The last one has none after it.
    assert.equal(asked.length, 12);
    assert.equal(data.upTo(begin + 60 * minute).length, 6);
    assert.equal(data.at(begin), undefined);
    assert.equal(asked.at(-1).from, 0);
});

test("what could not be read is said, and is tried again when somebody wants that", async () => {
    const { data, asked, reports } = dataOf();
    data.at(begin);
    asked[0].fail(new TypeError("no answer"));
    await settle();
    assert.equal(data.fault.message, "no answer");
    assert.equal(reports(), 1);
    assert.equal(data.at(begin), undefined);
    assert.equal(asked.length, 1);
    data.retry();
    asked[1].come();
    await settle();
    assert.equal(data.fault, undefined);
    assert.ok(data.at(begin));
});

test("where an answer would have too many fixes, shorter ones are asked for", async () => {
    const { data, asked } = dataOf(60 * minute, ({ from, to }) => to - from > 2 * minute);
    data.at(begin + 4 * minute);
    await settle();
    data.at(begin + 4 * minute);
    assert.deepEqual(asked.map(({ from, to }) => [from, to]), [[0, 5 * minute], [3.75 * minute, 5 * minute]]);
});

/** A player whose frames and time the test makes. */
function playerOf(data, toMs = 60 * minute) {
    const world = { now: 0, frames: [], shown: undefined, told: undefined };
    world.player = new Replayer({
        range: { fromMs: begin, toMs: begin + toMs }, ms: begin, team: "north", data,
        surroundings: () => ({ incidents: [], alwaysShown: none, regions: none }),
        report: (shown) => { world.shown = shown; }, tell: (ms) => { world.told = ms - begin; },
        now: () => world.now, frame: (act) => world.frames.push(act),
    });
    world.draw = (ms = 0) => { world.now += ms; for (const act of world.frames.splice(0)) { act(); } };
    return world;
}
const none = new Map();

test("it plays at its speed, stands still while its data are on their way, and stops at the end", async () => {
    const { data, asked } = dataOf(6 * minute);
    const world = playerOf(data, 6 * minute);
    world.player.speed = 60;
    world.player.play();
    world.draw();
    world.draw(1000);
    assert.deepEqual([world.told, world.shown.isWaiting, world.shown.isPlaying], [0, true, true]);
    asked[0].come();
    await settle();
    world.draw(1000);
    world.draw(1000);
    const before = world.told;
    world.draw(1000);
    assert.equal(world.told - before, minute);
    // A page that was hidden passes nothing over.
    world.draw(3_600_000);
    assert.equal(world.told - before, 2 * minute);
    // The next part has not come: it waits at its beginning, and passes nothing over.
    for (let count = 0; count < 10; count += 1) { world.draw(1000); }
    assert.equal(world.told, 5 * minute);
    asked[1].come();
    await settle();
    for (let count = 0; count < 10; count += 1) { world.draw(1000); }
    assert.deepEqual([world.told, world.shown.isPlaying], [6 * minute, false]);
    // Played again, it begins anew.
    world.player.play();
    world.draw();
    assert.equal(world.told, 0);
});

test("a step and a jump stay within what is replayed, and are shown at once though it does not play", async () => {
    const { data, asked } = dataOf();
    const world = playerOf(data);
    world.player.refresh();
    world.draw();
    asked[0].come();
    await settle();
    world.player.step(-10_000);
    world.draw();
    assert.equal(world.told, 0);
    world.player.step(10_000);
    world.draw();
    assert.deepEqual([world.told, world.shown.ms - begin, world.shown.isPlaying], [10_000, 10_000, false]);
    world.player.seek(begin + 99 * 60 * minute);
    world.draw();
    assert.equal(world.told, 60 * minute);
    assert.equal(world.frames.length, 0);
});
