/** What the way says: never more than is known, and never that somebody is safe. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { addWords } from "../../Web/console/shared/words.js";
import { Areas } from "../../Web/me/area/areas.js";
import { extentWords, sizeWords } from "../../Web/me/area/areawords.js";
import { measureTiles } from "../../Web/me/area/estimate.js";
import { firstView, ownFeatures, regionsOf, trailFeatures, wayFeatures } from "../../Web/me/way/mapfeatures.js";
import { Compass } from "../../Web/me/way/compass.js";
import { Here } from "../../Web/me/way/here.js";
import { deepestKept } from "../../Web/me/way/reach.js";
import {
    accuracyWords, bearingOf, headingWords, isOld, nothingWords, standingOf, standingWords, turnWords, windWords,
} from "../../Web/me/way/waywords.js";

await Promise.all(["../me/way", "../me/area"].map(addWords));

const square = { type: "Polygon", coordinates: [[[10, 59], [10.002, 59], [10.002, 59.001], [10, 59.001], [10, 59]]] };
const point = { key: "site/a", id: "a", name: "Quay", shape: square, geometry: square,
    box: { west: 10, south: 59, east: 10.002, north: 59.001 } };
const inside = (depthMetres, more = {}) => ({ point: { ...point, ...more }, isInside: true, metres: 0, depthMetres });
const outside = (metres) => ({ point, isInside: false, metres, depthMetres: 0, bearingDegrees: 90, foot: [10, 59] });
const fix = { longitude: 10.001, latitude: 59.0002, accuracy: 10, sampleTime: 1_000_000 };

test("one is inside only where one surely is, and where the engine does not say otherwise", () => {
    assert.equal(standingOf(inside(20), fix), "inside");
    assert.equal(standingOf(inside(16), fix), "edge", "10 m is the radius of 68 of 100");
    assert.equal(standingOf(inside(500), {}), "edge", "of an unknown accuracy nothing is sure");
    const guess = (isInside) => ({ regions: [{ key: "site/a", isInside }] });
    assert.equal(standingOf(inside(20), fix, { regions: [] }), "edge", "the engine lists no region far away");
    assert.equal(standingOf(inside(20), fix, guess(false)), "edge");
    assert.equal(standingOf(inside(20), fix, guess(true)), "inside");
    const old = { ...guess(false), at: fix.sampleTime - 120_000 };
    assert.equal(standingOf(inside(20), fix, old), "inside", "a guess from before a reload says nothing of this fix");
    assert.equal(standingOf(inside(5), fix, guess(true)), "edge", "a guess makes nothing surer");
    assert.equal(standingOf(inside(20, { isByBeacon: true }), fix), "byBeacon");
    assert.equal(standingOf(outside(20), fix), "away");
    assert.equal(standingOf(outside(12), fix), "near");
});

test("no sentence says that somebody is safe", () => {
    for (const standing of ["inside", "edge", "near", "byBeacon", "away"]) {
        for (const isStale of [true, false]) {
            assert.doesNotMatch(standingWords(standing, inside(20), isStale), /\b(are|be|were) safe\b/i);
        }
    }
    assert.match(standingWords("inside", inside(20), false), /server/);
    assert.match(standingWords("inside", inside(20), true), /then/);
});

test("from inside the way goes to the middle, from outside to the boundary", () => {
    assert.ok(Math.abs(bearingOf(inside(20), fix)) < 0.1);
    assert.equal(bearingOf(outside(20), fix), 90);
});

test("directions are told by the wind, and seen by a heading", () => {
    assert.deepEqual([0, 44, 359, 180, 292].map(windWords), ["north", "north-east", "north", "south", "west"]);
    assert.equal(turnWords(90, 0), "to your right");
    assert.equal(turnWords(10, 350), "ahead of you");
    assert.equal(turnWords(0, 135), "behind you to the left");
});

test("how exact and how old a place is, is said; one that was not measured for a minute is old", () => {
    assert.match(accuracyWords({ accuracy: 24.7 }), /40\u00A0?m|40 m/);
    assert.match(accuracyWords({}), /not known/);
    assert.deepEqual([isOld(fix, 1_050_000), isOld(fix, 1_070_000), isOld({ ...fix, isStale: true }, 1_000_000)],
        [false, true, true]);
    assert.match(headingWords({ by: "compass", degrees: 1, accuracyDegrees: 45 }), /±45°/);
    assert.match(headingWords({ by: "north", degrees: 0 }, { state: "denied" }), /refused/);
});

test("where there is no way, it is said why", () => {
    const say = (known) => nothingWords({ own: {}, points: [point], ...known });
    assert.match(say({ own: undefined }), /server did not say/);
    assert.match(say({ points: [] }), /no assembly point/);
    assert.match(say({ tracking: { state: "denied" } }), /may not read/);
    assert.match(say({ here: { isDenied: true } }), /may not read/);
    assert.match(say({ tracking: { state: "off" } }), /does not report/);
    assert.match(say({ here: { isAsked: true } }), /being found out/);
    assert.equal(say({ fix }), "");
});

test("the map shows the muster regions of others as regions alone", () => {
    const features = [{ id: "a", collection: "site", geometry: square, properties: { muster: true, name: "Quay" } },
        { id: "b", collection: "other", geometry: square, properties: { muster: true } },
        { id: "c", collection: "site", geometry: null, properties: {} }];
    assert.deepEqual([...regionsOf(features, [point])].map(([key, { muster }]) => [key, muster]),
        [["site/a", true], ["other/b", false]]);
});

test("the own place has the circle in which it surely is, and an old one no heading", () => {
    const heading = { by: "compass", degrees: 12.4 };
    const { properties } = ownFeatures(fix, heading, false).features[0];
    assert.equal(properties.heading, 12);
    assert.ok(Math.abs(properties.reach * Math.cos(59.0002 * Math.PI / 180) - 16.2) < 0.01);
    assert.equal("heading" in ownFeatures(fix, heading, true).features[0].properties, false);
    assert.equal("reach" in ownFeatures({ ...fix, accuracy: 50_000 }, heading, false).features[0].properties, false);
    assert.deepEqual(ownFeatures(undefined, heading, false).features, []);
    assert.deepEqual(wayFeatures(inside(20), fix).features, []);
    assert.equal(wayFeatures(outside(20), fix).features.length, 1);
});

test("the trail is broken where nobody knows the way, and one that crosses the antimeridian goes on", () => {
    const at = (seconds, longitude) => ({ longitude, latitude: 0, sampleTime: seconds * 1000 });
    const lines = trailFeatures([at(0, 179.9), at(60, -179.9), at(600, -179), at(660, -178.9), at(2000, 0)]).features;
    assert.deepEqual(lines.map(({ geometry }) => geometry.coordinates.map(([longitude]) => Math.round(longitude))),
        [[180, 180], [-179, -179]]);
    assert.deepEqual(trailFeatures(undefined).features, []);
});

test("the map opens on the way, else on the assembly points, else on what there is", () => {
    const all = { points: [point], regions: new Map() };
    assert.deepEqual(firstView({ ...all, fix: { longitude: 9.9, latitude: 59 }, way: outside(20) }),
        [[9.9, 59], [10.002, 59.001]]);
    assert.deepEqual(firstView(all), [[10, 59], [10.002, 59.001]]);
    const region = { geometry: square };
    assert.deepEqual(firstView({ points: [], regions: new Map([["r", region]]) }), [[10, 59], [10.002, 59.001]]);
    assert.equal(firstView({ points: [], regions: new Map() }), undefined);
});

/** The parts of a window that a compass uses. */
function compassWindow({ answer } = {}) {
    const window = new EventTarget();
    if (answer) { window.DeviceOrientationEvent = { requestPermission: async () => answer }; }
    return Object.assign(window, { turn(alpha) {
        window.dispatchEvent(Object.assign(new Event("deviceorientationabsolute"),
            { absolute: true, alpha, beta: 0, gamma: 0 }));
    } });
}

test("the compass is heard, small tremblings are not drawn, and what was refused is told", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const told = [];
    const window = compassWindow();
    const compass = new Compass((said) => told.push(said), window);
    compass.begin();
    window.turn(270);
    window.turn(269);
    window.turn(180);
    assert.deepEqual(told.map(({ state, degrees }) => [state, degrees && Math.round(degrees)]),
        [["waiting", undefined], ["on", 90], ["on", 180]]);
    context.mock.timers.tick(3000);
    assert.equal(told.at(-1).state, "waiting");
    compass.end();
    window.turn(90);
    assert.equal(told.length, 4);
    const refused = [];
    const other = new Compass(({ state }) => refused.push(state), compassWindow({ answer: "denied" }));
    other.begin();
    await other.ask();
    assert.deepEqual(refused, ["asks", "denied"]);
    other.end();
});

test("a place that is read for the way alone is a fix, and a refusal is told", () => {
    let value = {};
    const store = { set: (parts) => { value = { ...value, ...parts }; } };
    let succeed;
    let fail;
    const geolocation = { watchPosition: (...acts) => { [succeed, fail] = acts; return 7; }, clearWatch: () => {} };
    const here = new Here(store, () => 5, geolocation);
    here.begin();
    assert.deepEqual(value.here, { isAsked: true });
    succeed({ coords: { latitude: 1, longitude: 2, accuracy: 16.2, speed: null, heading: NaN } });
    const { accuracy, ...rest } = value.here;
    assert.deepEqual([Math.round(accuracy), rest], [10, { latitude: 1, longitude: 2, sampleTime: 5, isStale: false }]);
    fail({ code: 2, PERMISSION_DENIED: 1 });
    assert.equal(value.here.latitude, 1, "a receiver that finds nothing now is no refusal");
    fail({ code: 1, PERMISSION_DENIED: 1 });
    assert.deepEqual(value.here, { isDenied: true });
    new Here(store, () => 5, undefined).begin();
    assert.deepEqual(value.here, { isDenied: true });
});

test("without a network the ground ends where it is kept", async () => {
    const cache = (zooms) => ({ has: async (path) => zooms.includes(Number(path.split("/")[1])) });
    const shelf = (zoom) => ({ deepest: async () => zoom });
    assert.equal(await deepestKept("a", [10, 59], 16, shelf(undefined), cache([3, 12])), 12);
    assert.equal(await deepestKept("a", [10, 59], 16, shelf(14), cache([12])), 14);
    assert.equal(await deepestKept("a", [10, 59], 16, shelf(undefined), cache([])), undefined);
});

test("sizes and extents are round, and what a tile takes is measured at the deepest levels", async () => {
    assert.match(sizeWords(123_456_789), /^123/);
    assert.match(sizeWords(1_260_000), /^1\.3/);
    assert.match(extentWords([10, 59, 10.02, 59.01]), /1\.1.*km × 1\.1.*km/);
    const file = { name: "a", kind: "raster", minZoom: 0, maxZoom: 12, bounds: [9, 58, 11, 60] };
    const fetch = async (address) => new Response(new Uint8Array(address.includes("/12/") ? 900 : 500));
    const options = { box: [10, 59, 10.02, 59.01], files: [file], mostTiles: 100, root: "https://x/", fetch };
    const bytes = await measureTiles(options);
    assert.deepEqual([12, 11, 10, 3].map((zoom) => bytes(file, zoom)), [900, 500, 500, 500]);
    const silent = await measureTiles({ ...options, fetch: async () => { throw new TypeError(); } });
    assert.ok(silent(file, 12) > 0);
});

test("a download that a worker's fault ends is told of, and one that is going on is stopped at the end", async () => {
    let value = { area: undefined };
    const store = { get value() { return value; }, set: (parts) => {
        value = { ...value, ...(typeof parts === "function" ? parts(value) : parts) };
    } };
    const posted = [];
    const workers = [];
    const newWorker = () => {
        const worker = { postMessage: (message) => posted.push(message.type), terminate: () => posted.push("gone") };
        workers.push(worker);
        return worker;
    };
    const shelf = { list: async () => [] };
    const areas = new Areas({ store, shelf, root: "https://x/", now: () => 1e12, newWorker });
    await areas.look();
    areas.resume({ id: "a" });
    areas.resume({ id: "b" });
    assert.deepEqual(posted, ["run"], "one at a time");
    workers[0].onerror({});
    await new Promise((resolve) => { setImmediate(resolve); });
    assert.deepEqual([value.area.job, value.area.ended.outcome], [undefined, "failed"]);
    areas.resume({ id: "a" });
    const ended = areas.end();
    workers[1].onmessage({ data: { type: "ended", outcome: "paused" } });
    await ended;
    await new Promise((resolve) => { setImmediate(resolve); });
    assert.deepEqual(posted, ["run", "gone", "run", "pause", "gone"]);
    assert.equal(value.area, undefined);
});
