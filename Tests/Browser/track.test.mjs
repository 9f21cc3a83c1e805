/** A device's whole track: how points join it, how it is read, and what it is told and drawn as. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { trackFeatures } from "../../Web/console/map/mapdata.js";
import { loadTrack } from "../../Web/console/person/trackhistory.js";
import {
    emptyTrack, pointLimit, pointsInView, trackWords, withChanges, withHistory,
} from "../../Web/console/person/track.js";

const startMs = Date.UTC(2026, 10, 21, 6);
const device = "ann/phone";

/** A position so many seconds after the start that came `delay` seconds later. */
function position(second, delay = 1, accuracy = 5) {
    const time = (at) => new Date(startMs + at * 1000).toISOString();
    return { device, latitude: 52 + second / 1e5, longitude: 13, accuracy, sampleTime: time(second),
        receivedTime: time(second + delay) };
}

const positions = (count, every = 20) => Array.from({ length: count }, (_, index) => position(index * every));
const change = (fix, of = device) => ({ type: "position", device: of, position: fix, sequence: 1 });
const loaded = (some, span = "day") => withHistory(emptyTrack(device, span), { positions: some, isWhole: true });
const seconds = (track) => track.points.map(({ ms }) => (ms - startMs) / 1000);

test("a track keeps every point of its span, and not only the latest thirty", () => {
    const track = loaded(positions(180));
    assert.equal(track.points.length, 180);
    const { track: line, trackPoints } = trackFeatures(track);
    assert.equal(line.features[0].geometry.coordinates.length, 180);
    assert.equal(trackPoints.features.length, 180);
});

test("the view of a track leaves out wild fixes, and nothing of the way", () => {
    // A degree of latitude is 111 km: a walker goes some 22 m from fix to fix, a driver 150.
    const wild = (index) => ({ ...position(index * 20), latitude: 52.2 });
    const walk = positions(60);
    const withLies = walk.map((fix, index) => ([10, 11, 59].includes(index) ? wild(index) : fix));
    assert.deepEqual(pointsInView(loaded(withLies).points).map(({ ms }) => (ms - startMs) / 20_000),
        walk.map((_, index) => index).filter((index) => ![10, 11, 59].includes(index)));
    assert.equal(pointsInView(loaded(walk).points).length, 60);
    const drive = positions(60).map((fix, index) => ({ ...fix, latitude: 52 + Math.max(0, index - 50) * 0.00135 }));
    assert.equal(pointsInView(loaded(drive).points).length, 60, "who drives off is in view to the last fix");
    const few = [position(0), wild(1), position(40)];
    assert.equal(pointsInView(loaded(few).points).length, 3);
    const rough = positions(3).map((fix) => ({ ...fix, accuracy: 5000 }));
    assert.equal(pointsInView(loaded(rough).points).length, 3, "rough fixes are all there is");
});

test("positions of the feed join a track in any order, and a known one changes nothing", () => {
    const track = withChanges(loaded([position(0), position(60)]), [
        change(position(90)), change(position(30, 3600)), change(position(60)), change(position(45), "bob/phone")]);
    assert.deepEqual(seconds(track), [0, 30, 60, 90]);
    assert.deepEqual(track.points.map(({ isLate }) => isLate), [false, true, false, false]);
    assert.equal(withChanges(track, [change(position(45), "bob/phone")]), track);
});

test("two fixes of one moment at two places are two points", () => {
    const there = { ...position(0), latitude: 53 };
    assert.equal(loaded([position(0), there, position(0)]).points.length, 2);
});

test("positions received while the history was read are not lost", () => {
    const told = withChanges(emptyTrack(device), [change(position(80))]);
    assert.match(trackWords(told), /^Reading/);
    assert.deepEqual(seconds(withHistory(told, { positions: positions(3), isWhole: true })), [0, 20, 40, 80]);
});

test("a span ends with the latest point and moves with it", () => {
    const track = loaded([position(0), position(1800)], "hour");
    assert.deepEqual(seconds(withChanges(track, [change(position(4000))])), [1800, 4000]);
    assert.deepEqual(seconds(loaded([position(0), position(90_000)], "all")), [0, 90_000]);
});

test("a point by a clock that is ahead is drawn, and ends no span", () => {
    const track = loaded([position(0), position(60), position(90_000, -89_900)], "hour");
    assert.equal(track.points.length, 3);
    assert.match(trackWords(track), /; 1 by a clock that was ahead/);
    assert.deepEqual(trackFeatures(track).trackPoints.features.map(({ properties }) => properties.isHollow),
        [false, false, true]);
});

test("a track says how many points it has, their span, and how many came late", () => {
    const now = startMs + 4000_000;
    const words = trackWords(loaded([...positions(146), ...Array.from({ length: 34 },
        (_, index) => position(2920 + index * 20, 900))]), now);
    assert.match(words, /^180 points, \d\d:00 to \d\d:59; 34 of them came late \(hollow\)$/);
    assert.match(trackWords(loaded([position(0)]), now), /^1 point, \d\d:00$/);
    assert.equal(trackWords(loaded([]), now), "No points in this span");
    assert.match(trackWords({ ...emptyTrack(device), hasFailed: true }), /cannot be read/);
});

test("a rough fix is a point, but the line does not go through it", () => {
    const { track: line, trackPoints } = trackFeatures(loaded([position(0), position(20, 1, 17_000), position(40)]));
    assert.equal(line.features[0].geometry.coordinates.length, 2);
    assert.deepEqual(trackPoints.features.map(({ properties }) => properties.isRough), [false, true, false]);
});

test("more points than are drawn: the latest are kept, and it says so", () => {
    const track = loaded(positions(pointLimit + 5, 1));
    assert.equal(track.points.length, pointLimit);
    assert.equal(seconds(track)[0], 5);
    assert.match(trackWords(track), /^The latest 20,000 points, .*; there are older ones$/);
});

/** A history as the server pages it; counts what it was asked. */
function history(all) {
    const asked = [];
    const get = async (path) => {
        asked.push(path);
        const { pathname, searchParams } = new URL(path, "http://localhost/");
        assert.equal(pathname, "/users/ann/devices/phone/positions");
        const from = Date.parse(searchParams.get("from"));
        const to = searchParams.has("to") ? Date.parse(searchParams.get("to")) : Infinity;
        const range = all.filter(({ sampleTime }) => Date.parse(sampleTime) >= from && Date.parse(sampleTime) < to);
        const begin = Number(searchParams.get("cursor") ?? 0);
        const end = begin + Number(searchParams.get("limit"));
        return { items: range.slice(begin, end), ...(end < range.length ? { nextCursor: String(end) } : {}) };
    };
    return { get, asked };
}

const newestOf = (all) => Date.parse(all.at(-1).sampleTime);

test("a history of many pages is read whole, and once", async () => {
    const all = positions(4000, 20);
    const { get } = history(all);
    const read = await loadTrack(get, { device, span: "day" }, newestOf(all));
    assert.equal(read.isWhole, true);
    assert.deepEqual(read.positions, all);
});

test("only the span is read, and the rest of the history takes few requests more", async () => {
    const all = [position(-400 * 86_400), ...positions(500, 20)];
    const { get, asked } = history(all);
    const hour = await loadTrack(get, { device, span: "hour" }, newestOf(all));
    assert.equal(hour.positions.length, 181);
    assert.equal(asked.length, 1);
    const whole = await loadTrack(get, { device, span: "all" }, newestOf(all));
    assert.deepEqual(whole.positions, all);
    assert.ok(asked.length < 20, `${asked.length} requests`);
});

test("of an endless history the latest positions are read", async () => {
    for (const every of [10, 0.1]) {
        const all = positions(9000, every);
        const { get } = history(all);
        const read = await loadTrack(get, { device, span: "all" }, newestOf(all), 2000);
        assert.equal(read.isWhole, false);
        assert.deepEqual(read.positions, all.slice(-2000));
    }
});

test("positions after the newest known one are read too", async () => {
    const all = positions(10, 20);
    const { get } = history(all);
    const read = await loadTrack(get, { device, span: "day" }, newestOf(all) - 60_000);
    assert.deepEqual(read.positions, all);
});
