/** The live page's parts that need no browser. Run: node --test Tests/Browser/ */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { lateWords } from "../../Web/console/timeline/eventwords.js";
import { bounds, circleRing, destination, drawable, labelPoint, unwrap } from "../../Web/console/shared/drawing.js";
import { degreesName, graticule } from "../../Web/console/map/graticule.js";
import { extent } from "../../Web/console/map/mapdata.js";
import { counts } from "../../Web/console/shared/safety.js";
import { emptyState, eventLimit, latestPosition, reduce } from "../../Web/console/shared/state.js";
import { EventStreamParser } from "../../Web/console/shared/sse.js";
import { age } from "../../Web/console/shared/time.js";

const area = { collection: "site", id: "a", name: "Assembly point A", muster: true };
const time = (second) => new Date(Date.UTC(2026, 10, 21, 6, 0, second)).toISOString();

function snapshot(sequence = 10) {
    return {
        sequence,
        members: [
            { user: "alice", team: "north", state: "unsafe", since: time(0), safetySequence: sequence + 2 },
            { user: "bob", team: "north", state: "unknown", safetySequence: sequence + 2 },
        ],
        positions: [{ device: "alice/phone", latitude: 59.9, longitude: 10.7, sampleTime: time(5) }],
        regions: [{ ...area, geometry: { type: "Point", coordinates: [10.7, 59.9] }, radius: 50 }],
    };
}

function position(sequence, second, { device = "alice/phone", longitude = 10.7 + second / 1000, late = false } = {}) {
    const [user] = device.split("/");
    const fix = { latitude: 59.9, longitude, sampleTime: time(second) };
    return { sequence, at: time(second), type: "position", device, user, position: fix, late };
}

const crossing = (sequence, kind, second = 20) => (
    { sequence, at: time(59), type: "crossing", kind, device: "alice/phone", user: "alice", region: area,
        sampleTime: time(second) }
);

const safety = (sequence, state, second = 20) => (
    { sequence, at: time(59), type: "safety", user: "alice", state, since: time(second),
        ...(state === "safe" ? { region: area } : {}) }
);

const loaded = () => reduce(emptyState, { type: "snapshot", snapshot: snapshot() });
const after = (state, ...changes) => reduce(state, { type: "changes", changes });

test("a snapshot becomes members, positions and regions", () => {
    const state = loaded();
    assert.deepEqual([...state.members.keys()], ["alice", "bob"]);
    assert.equal(latestPosition(state.members.get("alice")).longitude, 10.7);
    assert.equal(latestPosition(state.members.get("bob")), undefined);
    assert.equal(state.regions.get("site/a").name, "Assembly point A");
    assert.deepEqual(counts(state), {
        safe: 0, checking: 0, located: 1, unsafe: 0, seemsToHaveLeft: 0, unknown: 1, needsHelp: 0, sos: 0, offSite: 0,
    });
});

test("someone outside every team with a position is shown as unknown", () => {
    const lone = { device: "zoe/phone", latitude: 1, longitude: 2, sampleTime: time(1) };
    const state = reduce(emptyState, { type: "snapshot", snapshot: { ...snapshot(), positions: [lone] } });
    assert.equal(state.members.get("zoe").state, "unknown");
});

test("an enter into a muster region makes an event, and the safety change turns the member safe", () => {
    const state = after(loaded(), position(13, 20), crossing(14, "enter"), safety(15, "safe"));
    const alice = state.members.get("alice");
    assert.equal(alice.state, "safe");
    assert.equal(alice.region.name, "Assembly point A");
    assert.equal(alice.since, time(20));
    assert.deepEqual(state.events.map((event) => event.kind), ["safe", "enter"]);
    assert.equal(state.events[1].at, time(20), "a crossing is told by its sample time");
});

test("a doubt and its end are listed at the time they came, and not at that of the state they are about", () => {
    const at = (second, change) => ({ ...change, at: time(second) });
    const state = after(loaded(), safety(15, "safe"), { ...at(40, safety(16, "safe")), doubt: "checking" },
        at(50, safety(17, "safe")), at(58, safety(18, "unsafe", 57)));
    assert.deepEqual(state.events.map((event) => event.at), [time(57), time(50), time(40), time(20)]);
});

test("an acknowledgement of a call is listed at its own time", () => {
    const call = { ...safety(15, "sos"), at: time(21) };
    const state = after(loaded(), call, { ...call, sequence: 16, at: time(45), acknowledgedBy: "lea" });
    assert.deepEqual(state.events.map((event) => event.at), [time(45), time(20)]);
});

test("a crossing received an hour late is shown as past, one received in time is not", () => {
    const late = { ...crossing(14, "enter"), at: new Date(Date.parse(time(20)) + 3_480_000).toISOString() };
    const [event] = after(loaded(), late).events;
    assert.equal(event.delayMs, 3_480_000);
    assert.equal(lateWords(event), "heard of 58 min later");
    assert.equal(lateWords({ ...event, delayMs: 9_000_000 }), "heard of 2 h later");
    assert.equal(after(loaded(), crossing(14, "enter")).events[0].delayMs, undefined);
});

test("a position dated in the future moves nobody, and shows the clock until it is right", () => {
    const at = (second) => new Date(Date.UTC(2026, 10, 21, 6, 0, second)).toISOString();
    const told = (sequence, sampled, received, late) => {
        const change = position(sequence, sampled, { late });
        return { ...change, position: { ...change.position, receivedTime: at(received) } };
    };
    const wrong = after(loaded(), told(13, 400, 40, true));
    const alice = wrong.members.get("alice");
    assert.deepEqual([...alice.clocks], [["alice/phone", { aheadSeconds: 360, receivedTime: at(40) }]]);
    assert.equal(latestPosition(alice).sampleTime, time(5));
    // What came in the same breath does not mend it, what is sampled and heard later does.
    assert.equal(after(wrong, told(14, 40, 40, false)).members.get("alice").clocks.size, 1);
    assert.equal(after(wrong, told(14, 45, 46, false)).members.get("alice").clocks.size, 0);
    assert.equal(after(loaded(), told(13, 3, 40, true)).members.get("alice").clocks.size, 0);
    // Of who stays put, no position says so that is stored.
    const note = (kind) => ({ sequence: 14, at: at(46), type: "note", device: "alice/phone", user: "alice", kind });
    assert.equal(after(wrong, note("status")).members.get("alice").clocks.size, 1);
    assert.equal(after(wrong, note("clock")).members.get("alice").clocks.size, 0);
    assert.equal(wrong.members.get("alice").clocks.size, 1);
    const clocks = [{ device: "bob/phone", aheadSeconds: 300, receivedTime: at(1) }];
    const shown = reduce(emptyState, { type: "snapshot", snapshot: { ...snapshot(), clocks } });
    assert.equal(shown.members.get("bob").clocks.get("bob/phone").aheadSeconds, 300);
});

test("leaving makes the member unsafe and forgets the region", () => {
    const state = after(loaded(), safety(15, "safe"), safety(16, "unsafe", 30));
    assert.equal(state.members.get("alice").state, "unsafe");
    assert.equal(state.members.get("alice").region, undefined);
});

test("a change that was already taken changes nothing", () => {
    const state = after(loaded(), position(13, 20), crossing(14, "enter"));
    assert.equal(after(state, position(13, 20), crossing(14, "enter")), state);
    const resumed = after(state, crossing(14, "enter"), crossing(15, "exit"));
    assert.deepEqual(resumed.events.map((event) => event.sequence), [15, 14]);
});

test("a reducer leaves the state it was given as it was", () => {
    const state = loaded();
    const before = structuredClone(state);
    after(state, position(13, 20), crossing(14, "enter"), safety(15, "safe"));
    assert.deepEqual(state, before);
});

test("a late position moves nobody", () => {
    const state = after(loaded(), position(13, 20), position(14, 10, { late: true }));
    assert.equal(latestPosition(state.members.get("alice")).sampleTime, time(20));
});

test("a fix from a cell tower is shown, but widens no view", () => {
    const rough = position(13, 20, { longitude: 11.5 });
    rough.position.accuracy = 9000;
    const state = after(loaded(), position(12, 10), rough);
    assert.equal(latestPosition(state.members.get("alice")).longitude, 11.5);
    assert.ok(extent(state).every(([longitude]) => longitude < 11));
    const alone = extent({ ...state, regions: new Map() });
    assert.deepEqual(alone, [[11.5, 59.9]], "there is nothing else to show");
});

test("the device that was sampled last says where someone is", () => {
    const state = after(loaded(), position(13, 30, { device: "alice/watch" }), position(14, 20));
    assert.equal(latestPosition(state.members.get("alice")).device, "alice/watch");
    assert.equal(state.members.get("alice").positions.size, 2);
});

test("a safety change older than the team's snapshot does not set a member back", () => {
    const state = after(loaded(), safety(12, "safe"));
    assert.equal(state.members.get("alice").state, "unsafe");
    assert.equal(state.sequence, 12);
});

test("history fills events and moves nobody", () => {
    const changes = [position(8, 3), crossing(9, "exit", 4), safety(10, "unsafe", 4)];
    const state = reduce(loaded(), { type: "history", changes });
    assert.deepEqual(state.events.map((event) => event.sequence), [10, 9]);
    assert.equal(latestPosition(state.members.get("alice")).sampleTime, time(5));
});

test("events are bounded, and keep the latest", () => {
    const changes = [];
    for (let step = 0; step < 3 * eventLimit; step += 1) {
        changes.push(position(100 + 2 * step, step), crossing(101 + 2 * step, step % 2 ? "exit" : "enter"));
    }
    const state = after(loaded(), ...changes);
    assert.equal(state.events.length, eventLimit);
    assert.equal(state.events[0].sequence, changes.at(-1).sequence);
});

test("a part of the state that did not change stays the same value, so that no view of it is drawn again", () => {
    const before = loaded();
    const next = after(before, position(13, 20));
    assert.notEqual(next.members, before.members);
    for (const part of ["regions", "incidents", "closed", "questions", "events", "alwaysShown"]) {
        assert.equal(next[part], before[part], part);
    }
    assert.equal(next.members.get("bob"), before.members.get("bob"));
});

test("a change of a region or the directory marks what to request again, until the next snapshot", () => {
    const region = after(loaded(), { sequence: 13, type: "region", collection: "site", id: "a", removed: true });
    assert.deepEqual(region.outdated, { people: false, regions: true });
    const user = after(loaded(), { sequence: 13, type: "directory", kind: "user", name: "zoe", removed: false });
    assert.deepEqual(user.outdated, { people: true, regions: false });
    const again = reduce(region, { type: "snapshot", snapshot: snapshot(13) });
    assert.deepEqual(again.outdated, { people: false, regions: false });
});

test("a change of an unknown kind is ignored", () => {
    const state = after(loaded(), { sequence: 13, type: "weather", text: "rain" }, safety(15, "safe"));
    assert.equal(state.sequence, 15);
    assert.equal(state.members.get("alice").state, "safe");
});

// The event stream

const stream = "\uFEFF: ready\n\nid: 7\nevent: crossing\ndata: {\"user\":\"ålice 🧭\"}\n\n"
    + "id: 8\r\nevent: safety\r\ndata: one\r\ndata: two\r\n\r\n"
    + "data:no space\rid: 9\r\r: heartbeat\n\nretry: 100\nid\n\nevent: nothing\n\ndata\n\nid: 10\ndata: cut off";
const events = [
    { type: "crossing", data: "{\"user\":\"ålice 🧭\"}", id: "7" },
    { type: "safety", data: "one\ntwo", id: "8" },
    { type: "message", data: "no space", id: "9" },
    { type: "message", data: "", id: "" },
];

test("an event stream is read the same wherever it is cut in two", () => {
    const bytes = new TextEncoder().encode(stream);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
        const parser = new EventStreamParser();
        const read = [...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut))];
        assert.deepEqual(read, events, `cut at byte ${cut}`);
    }
});

test("an event stream is read the same byte by byte", () => {
    const parser = new EventStreamParser();
    const read = [];
    for (const byte of new TextEncoder().encode(stream)) { read.push(...parser.push(Uint8Array.of(byte))); }
    assert.deepEqual(read, events);
});

test("an event without an end is refused before it fills the memory", () => {
    const parser = new EventStreamParser();
    const megabyte = new TextEncoder().encode("data: " + "x".repeat(1024 * 1024));
    assert.throws(() => { for (let count = 0; count < 6; count += 1) { parser.push(megabyte); } }, RangeError);
});

// Shapes

test("the end of Vincenty's own line is found", () => {
    // Flinders Peak to Buninyong: Geocentric Datum of Australia, technical manual (GRS 80; WGS 84 to 0.1 mm here).
    const start = [144 + 25 / 60 + 29.5244 / 3600, -(37 + 57 / 60 + 3.7203 / 3600)];
    const [longitude, latitude] = destination(start, 306 + 52 / 60 + 5.37 / 3600, 54_972.271);
    assert.ok(Math.abs(longitude - (143 + 55 / 60 + 35.3839 / 3600)) < 1e-7);
    assert.ok(Math.abs(latitude + (37 + 39 / 60 + 10.1561 / 3600)) < 1e-7);
});

test("a circle's ring is closed, and goes on beyond 180 rather than around the world", () => {
    const ring = circleRing([179.999, 0], 1000);
    assert.deepEqual(ring[0], ring.at(-1));
    const longitudes = ring.map(([longitude]) => longitude);
    assert.ok(Math.max(...longitudes) > 180 && Math.min(...longitudes) > 179);
});

test("a circle that holds a pole covers every longitude up to the map's edge", () => {
    const ring = circleRing([10, 89], 500_000);
    const longitudes = ring.map(([longitude]) => longitude);
    assert.ok(Math.abs(Math.max(...longitudes) - Math.min(...longitudes) - 360) < 1e-6);
    assert.deepEqual(ring[0], ring.at(-1));
});

test("a polygon across the antimeridian stays in one piece, its holes inside it", () => {
    const outer = [[170, -10], [-170, -10], [-170, 10], [170, 10], [170, -10]];
    const hole = [[-179, -1], [-178, -1], [-178, 1], [-179, -1]];
    const drawn = drawable({ type: "Polygon", coordinates: [outer, hole] });
    assert.deepEqual(drawn.coordinates[0].map(([longitude]) => longitude), [170, 190, 190, 170, 170]);
    assert.deepEqual(drawn.coordinates[1].map(([longitude]) => longitude), [181, 182, 182, 181]);
    assert.deepEqual(labelPoint(drawn), [180, 10]);
    assert.deepEqual(unwrap([[179, 0], [-179, 0], [179, 0]]).map(([longitude]) => longitude), [179, 181, 179]);
});

test("a point without a radius and an unknown geometry are not drawn", () => {
    assert.equal(drawable({ type: "Point", coordinates: [1, 2] }), undefined);
    assert.equal(drawable({ type: "LineString", coordinates: [[1, 2], [3, 4]] }), undefined);
    assert.equal(drawable(undefined), undefined);
});

test("the box around points takes the short way over the antimeridian", () => {
    assert.deepEqual(bounds([[10, 1], [12, 3]]), [[10, 1], [12, 3]]);
    assert.deepEqual(bounds([[179, 1], [-179, 3]]), [[179, 1], [181, 3]]);
    assert.deepEqual(bounds([[5, 5]]), [[5, 5], [5, 5]]);
    assert.equal(bounds([]), undefined);
});

// Words

test("a graticule's lines have room for their names at every zoom", () => {
    for (let span = 360; span > 0.001; span /= 1.7) {
        const view = { west: 10, east: 10 + span, south: 50, north: 50 + span / 2, width: 900 };
        const { meridians, step } = graticule(view);
        assert.ok(meridians.length >= 1 && meridians.length <= 10, `${meridians.length} lines for ${span}°`);
        assert.equal(new Set(meridians.map((line) => degreesName(line, step, false))).size, meridians.length);
    }
});

test("a degree is named with as many parts as its step needs", () => {
    assert.equal(degreesName(59.5, 10, true), "59°N");
    assert.equal(degreesName(-10.75, 1 / 60, false), "10°45′W");
    assert.equal(degreesName(59 + 54 / 60 + 30 / 3600, 1 / 3600, true), "59°54′30″N");
    assert.equal(degreesName(59 + 54 / 60 + 30.5 / 3600, 0.5 / 3600, true), "59°54′30.5″N");
    assert.equal(degreesName(190, 10, false), "170°W");
    assert.equal(degreesName(0, 10, true), "0°");
});

test("an age is shown in one word", () => {
    const now = Date.parse(time(0));
    const ages = [0, 30, 60, 3599, 7200, 3 * 86_400]
        .map((seconds) => age(new Date(now - seconds * 1000).toISOString(), now));
    assert.deepEqual(ages, ["now", "30 s ago", "1 min ago", "59 min ago", "2 h ago", "3 days ago"]);
    assert.equal(age(new Date(now + 60_000).toISOString(), now), "now");
    assert.equal(age(undefined, now), "never");
});
