/** The way to the nearest assembly point: which one it is, how far, and how the arrow turns. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { destination } from "../../Web/console/shared/drawing.js";
import { assemblyPoints, nearestFirst, wayOf, wayToShow } from "../../Web/me/way/assembly.js";
import {
    compassHeading, continued, headingNow, smoothed, turn, wrapped,
} from "../../Web/me/way/heading.js";
import { planeMeasure } from "../../Web/me/way/planemeasure.js";
import { withFix } from "../../Web/me/way/trail.js";

const near = (found, expected, margin) =>
    assert.ok(Math.abs(found - expected) <= margin, `${found} is not ${expected} ± ${margin}`);

function box(id, west, south, { width = 0.002, height = 0.001, muster = true, collection = "site" } = {}) {
    const [east, north] = [west + width, south + height];
    return {
        type: "Feature", id, collection, properties: { name: `Point ${id}`, muster },
        geometry: { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north],
            [west, south]]] },
    };
}

function circle(id, longitude, latitude, radius, collection = "site") {
    return { type: "Feature", id, collection, properties: { muster: true, radius },
        geometry: { type: "Point", coordinates: [longitude, latitude] } };
}

const way = (feature, longitude, latitude) =>
    wayOf(assemblyPoints({ regions: [feature] })[0], { longitude, latitude }, planeMeasure);
const keys = (ways) => ways.map(({ point }) => point.id);

test("only muster regions of the collections that the team's tracker is linked to are assembly points", () => {
    const regions = [box("a", 10, 59), box("tank", 10.1, 59, { muster: false }),
        box("theirs", 10, 59.1, { collection: "other" }), { ...box("said", 10, 59), properties: { muster: "true" } }];
    assert.deepEqual(assemblyPoints({ regions, collections: ["site"] }).map(({ id }) => id), ["a"]);
    assert.deepEqual(assemblyPoints({ regions }).map(({ id }) => id), ["a", "theirs"]);
    assert.deepEqual(assemblyPoints({ regions, collections: [] }), []);
    assert.deepEqual(assemblyPoints(undefined), []);
});

test("what has no place is no assembly point, and of what a radio decides it is known", () => {
    const hall = { type: "Feature", id: "hall", collection: "site", geometry: null, properties: { muster: true } };
    const gate = circle("gate", 10, 59, 30);
    gate.properties.beacon = {};
    const points = assemblyPoints({ regions: [hall, gate, box("a", 10, 59)] });
    assert.deepEqual(points.map(({ id, isByBeacon }) => [id, isByBeacon]), [["gate", true], ["a", false]]);
});

test("the distance is to the boundary, and 0 inside", () => {
    const square = box("a", 10, 59);
    const outside = way(square, ...destination([10.001, 59], 180, 340));
    near(outside.metres, 340, 0.5);
    near(turn(outside.bearingDegrees, 0), 0, 0.1);
    assert.equal(outside.isInside, false);
    const inside = way(square, 10.001, 59.0002);
    assert.deepEqual([inside.isInside, inside.metres], [true, 0]);
    near(inside.depthMetres, 0.0002 * 111_400, 0.3);
    const round = way(circle("b", 10, 59, 60), ...destination([10, 59], 90, 1000));
    near(round.metres, 940, 0.5);
    near(round.bearingDegrees, 270, 0.1);
    assert.equal(way(circle("b", 10, 59, 60), 10, 59).depthMetres, 60);
});

test("a hole in a region is outside, and its edge is the boundary", () => {
    const ring = box("a", 10, 59, { width: 0.01, height: 0.01 });
    const [[west, south]] = box("h", 10.004, 59.004).geometry.coordinates[0];
    ring.geometry.coordinates.push([[west, south], [west, south + 0.002], [west + 0.002, south + 0.002],
        [west + 0.002, south], [west, south]]);
    const hole = way(ring, 10.005, 59.0041);
    assert.equal(hole.isInside, false);
    near(hole.metres, 11.1, 0.2);
    near(hole.bearingDegrees, 180, 0.1);
});

test("regions on the antimeridian are as near from either side", () => {
    const across = box("x", 179.999, 0, { width: 0.002 });
    for (const feature of [across, box("x", -180.001, 0, { width: 0.002 })]) {
        assert.equal(way(feature, 180, 0.0005).isInside, true);
        assert.equal(way(feature, -180, 0.0005).isInside, true);
        near(way(feature, -179.998, 0.0005).metres, 111.3, 0.5);
        near(way(feature, -179.998, 0.0005).bearingDegrees, 270, 0.1);
        near(way(feature, 179.998, 0.0005).bearingDegrees, 90, 0.1);
    }
});

test("the nearest comes first, and no exact distance is worked out that cannot matter", () => {
    const regions = Array.from({ length: 500 }, (_, index) => box(`r${index}`, 10 + index * 0.01, 59));
    const points = assemblyPoints({ regions });
    let asked = 0;
    const counting = { contains: planeMeasure.contains, distanceToBoundary: (...place) => {
        asked += 1;
        return planeMeasure.distanceToBoundary(...place);
    } };
    const ways = nearestFirst(points, { longitude: 12.004, latitude: 59.01 }, counting, 3);
    assert.deepEqual(keys(ways), ["r200", "r201", "r199"]);
    assert.ok(asked < 10, `${asked} distances`);
    const all = points.map((point) => wayOf(point, { longitude: 12.004, latitude: 59.01 }, planeMeasure));
    assert.deepEqual(keys(all.sort((left, right) => left.metres - right.metres).slice(0, 3)), keys(ways));
});

test("random points: what is left out is never nearer", () => {
    let seed = 7;
    const random = () => { seed = (seed * 16_807) % 2_147_483_647; return seed / 2_147_483_647; };
    for (let round = 0; round < 60; round += 1) {
        const latitude = random() * 160 - 80;
        const regions = Array.from({ length: 30 }, (_, index) => (random() < 0.5
            ? box(index, random() * 2 + 179, latitude + random(), { width: random(), height: random() / 2 })
            : circle(index, random() * 2 - 181, latitude + random(), 1 + random() * 20_000)));
        const points = assemblyPoints({ regions });
        const place = { longitude: random() < 0.5 ? 179 + random() : random() - 180, latitude: latitude + random() };
        const all = points.map((point) => wayOf(point, place, planeMeasure));
        const least = Math.min(...all.map(({ metres }) => metres));
        assert.equal(nearestFirst(points, place, planeMeasure, 3)[0].metres, least, `seed 7, round ${round}`);
    }
});

test("the point that is shown stays until another is nearer by more than the fix may be wrong", () => {
    const made = (id, metres, isInside = false) => ({ point: { key: id }, metres, isInside });
    const shown = (...parts) => wayToShow(...parts)?.point.key;
    assert.equal(shown([]), undefined);
    assert.equal(shown([made("a", 100), made("b", 110)]), "a");
    assert.equal(shown([made("a", 100), made("b", 110)], { shown: "b" }), "b");
    assert.equal(shown([made("a", 100), made("b", 120)], { shown: "b" }), "a");
    assert.equal(shown([made("a", 100), made("b", 120)], { shown: "b", accuracyMetres: 60 }), "b");
    assert.equal(shown([made("a", 100), made("b", 200)], { shown: "b", accuracyMetres: 5000 }), "a");
    assert.equal(shown([made("a", 0, true), made("b", 5)], { shown: "b" }), "a");
    assert.equal(shown([made("a", 100), made("b", 900)], { chosen: "b", shown: "a" }), "b");
    assert.equal(shown([made("a", 100)], { chosen: "gone" }), "a");
});

test("turns go the short way round", () => {
    assert.equal(turn(350, 10), 20);
    assert.equal(turn(10, 350), -20);
    assert.equal(turn(0, 180), 180);
    assert.equal(wrapped(-1), 359);
    assert.equal(continued(359, 1), 361);
    assert.equal(continued(-10, 340), -20);
    assert.equal(continued(725, 350), 710);
    assert.equal(continued(undefined, 90), 90);
});

test("the compass of iOS says the heading itself, of the phone's own top", () => {
    assert.deepEqual(compassHeading({ webkitCompassHeading: 80, webkitCompassAccuracy: 10 }),
        { degrees: 80, accuracyDegrees: 10 });
    assert.equal(compassHeading({ webkitCompassHeading: 350, webkitCompassAccuracy: 10 }, 90).degrees, 80);
    assert.equal(compassHeading({ webkitCompassHeading: 80, webkitCompassAccuracy: -1 }), undefined);
});

test("an absolute orientation gives the heading of a phone that lies, stands, leans or is turned", () => {
    const check = (alpha, beta, gamma, angle, expected) => {
        const { degrees } = compassHeading({ absolute: true, alpha, beta, gamma }, angle);
        near(turn(expected, degrees), 0, 0.01);
    };
    check(0, 0, 0, 0, 0);
    check(270, 0, 0, 0, 90);
    check(90, 45, 0, 0, 270);
    check(90, 89, 0, 0, 270);
    check(200, 90, 0, 0, 160);
    // The phone stands on its side, its right edge up: the heading is 90 degrees further.
    check(0, 0, 0, 90, 90);
    check(0, 0, 0, 270, 270);
    assert.equal(compassHeading({ absolute: false, alpha: 10, beta: 0, gamma: 0 }), undefined);
    assert.equal(compassHeading({ absolute: true, alpha: null, beta: null, gamma: null }), undefined);
    // With the screen facing down at a slant, the phone has no direction.
    assert.equal(compassHeading({ absolute: true, alpha: 0, beta: 180, gamma: 0 })?.degrees, 180);
    assert.equal(compassHeading({ absolute: true, alpha: 0, beta: 135, gamma: 0 }), undefined);
});

test("the arrow turns by the compass, else by the walk, else north is up", () => {
    const fix = { heading: 45, speed: 1.4 };
    assert.equal(headingNow({ compass: { state: "on", degrees: 200 }, fix }).by, "compass");
    assert.deepEqual(headingNow({ compass: { state: "on" }, fix }), { by: "walk", degrees: 45 });
    for (const other of [{ ...fix, speed: 0.2 }, { ...fix, isStale: true }, { speed: 1.4 }, { ...fix, heading: null },
        undefined]) {
        assert.deepEqual(headingNow({ fix: other }), { by: "north", degrees: 0 });
    }
});

test("a compass that trembles turns the arrow little, a turn of the phone at once", () => {
    assert.equal(smoothed(undefined, 20), 20);
    near(smoothed(350, 10), 356, 0.01);
    assert.equal(smoothed(10, 90), 90);
});

test("the trail holds the last hour, without the trembling of a phone that lies still", () => {
    const fix = (minutes, north, more = {}) => ({ longitude: 10, latitude: 59 + north / 111_195,
        sampleTime: minutes * 60_000, accuracy: 5, ...more });
    let trail = withFix([], fix(0, 0));
    assert.equal(withFix(trail, fix(1, 2)), trail);
    assert.equal(withFix(trail, fix(1, 100, { isStale: true })), trail);
    assert.equal(withFix(trail, fix(1, 100, { accuracy: 3000 })), trail);
    assert.equal(withFix(trail, fix(-1, 100)), trail);
    assert.equal(withFix(trail, undefined), trail);
    trail = withFix(trail, fix(30, 100));
    trail = withFix(trail, fix(61, 300));
    assert.deepEqual(trail.map(({ sampleTime }) => sampleTime / 60_000), [30, 61]);
    for (let index = 0; index < 1000; index += 1) { trail = withFix(trail, fix(62 + index / 30, 500 + 10 * index)); }
    assert.equal(trail.length, 720);
});
