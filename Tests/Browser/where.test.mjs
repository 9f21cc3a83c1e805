/** Where someone is in words, and the lengths and directions that the words tell. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { coordinateWords, lastPlace, placeAtWords, whereWords } from "../../Web/console/roster/where.js";
import { destination, wayTo } from "../../Web/console/shared/drawing.js";
import { callerPlaceWords, lastSeenWords } from "../../Web/console/incident/alarmwords.js";
import { peopleOfRoll } from "../../Web/console/incident/crewroll.js";
import { lastSeenOnRoll, seenOnPaper, withDevices } from "../../Web/console/incident/lastseen.js";
import { coveredBelow } from "../../Web/console/person/sheet.js";
import { isImperial, lengthWords } from "../../Web/console/shared/length.js";
import { emptyState } from "../../Web/console/shared/state.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("incident");

const hill = {
    collection: "site", id: "h", name: "Chapel hill", radius: 40,
    geometry: { type: "Point", coordinates: [10.75, 59.91] },
};
const regionsOf = (...regions) => new Map(regions.map((region) => [`${region.collection}/${region.id}`, region]));

/** A member whose phone was at [longitude, latitude]. */
function memberAt([longitude, latitude], { accuracy = 5, presences = [] } = {}) {
    const position = { device: "ann/phone", longitude, latitude, accuracy, sampleTime: "2026-11-21T06:00:00Z" };
    return {
        user: "ann", positions: new Map([["ann/phone", position]]),
        presences: new Map([["ann/phone", new Map(presences.map((presence, index) => [String(index), presence]))]]),
    };
}

test("a person outside every region is shown by the length and wind from the nearest region's middle", () => {
    const winds = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
    for (const [index, wind] of winds.entries()) {
        for (const off of [-22, 0, 22]) {
            const place = destination([10.75, 59.91], 45 * index + off, 343);
            assert.equal(whereWords(memberAt(place), regionsOf(hill)), `340 m ${wind} of Chapel hill`);
        }
    }
});

test("of several regions the nearest is named, also across the date line", () => {
    const east = { ...hill, id: "e", name: "East quay", geometry: { type: "Point", coordinates: [-179.99, -18] } };
    const west = { ...hill, id: "w", name: "West quay", geometry: { type: "Point", coordinates: [179.9, -18] } };
    const regions = regionsOf(hill, west, east);
    assert.match(whereWords(memberAt([179.999, -18]), regions), /^1\.2 km west of East quay$/);
    assert.match(whereWords(memberAt([-179.95, -18]), regions), /^4\.2 km east of East quay$/);
    assert.match(whereWords(memberAt([179.91, -18]), regions), /^1\.1 km east of West quay$/);
});

test("nearer than 20 m, or than the fix is exact, no direction is shown", () => {
    const north = destination([10.75, 59.91], 0, 90);
    assert.equal(whereWords(memberAt(destination([10.75, 59.91], 0, 19)), regionsOf(hill)), "near Chapel hill");
    assert.equal(whereWords(memberAt(north, { accuracy: 100 }), regionsOf(hill)), "near Chapel hill");
    assert.equal(whereWords(memberAt(north, { accuracy: 80 }), regionsOf(hill)), "90 m north of Chapel hill");
});

test("a person inside is shown with every region they are inside, and with none they may be in", () => {
    const inside = (name, standing = "inside") => ({ region: { id: name, name }, standing });
    const member = memberAt([10.75, 59.91], { presences: [inside("Yard"), inside("Hall"), inside("Dock", "unknown")] });
    assert.equal(whereWords(member, regionsOf(hill)), "in Yard, Hall");
});

test("far from every region, and without any, the coordinates are shown", () => {
    assert.equal(whereWords(memberAt([10.75, 61]), regionsOf(hill)), "61.00000, 10.75000");
    assert.equal(whereWords(memberAt([-10.123456, -61.5]), new Map()), "-61.50000, -10.12346");
    assert.equal(coordinateWords({ latitude: 0, longitude: 180 }), "0.00000, 180.00000");
});

test("of a person whom no device has located nothing is shown", () => {
    assert.equal(whereWords({ user: "ann", positions: new Map(), presences: new Map() }, regionsOf(hill)), "");
});

test("the roll, the person's sheet and a call for help name one place, with the time of that place", () => {
    const regions = regionsOf(hill);
    const member = { ...memberAt(destination([10.75, 59.91], 0, 343)), clocks: new Map() };
    const now = Date.parse("2026-11-21T06:31:00Z");
    const place = lastPlace(member, regions);
    assert.deepEqual([place.words, place.coordinates, place.at],
        ["340 m north of Chapel hill", "59.91308, 10.75000", "2026-11-21T06:00:00Z"]);
    assert.match(lastSeenOnRoll(member, regions, now), /^last seen 340 m north of Chapel hill, .+:00$/);
    assert.match(placeAtWords(place, now), /^340 m north of Chapel hill, .+:00$/);
    assert.match(lastSeenWords(member, regions, now),
        /^last seen 340 m north of Chapel hill \(59\.91308, 10\.75000\) at .+$/);
    assert.match(callerPlaceWords(member, regions, now), / at .+, 31 min ago$/);
});

test("the sheet to sign names the place of the roll with its coordinates, also of a roll that the server told", () => {
    const regions = regionsOf(hill);
    const now = Date.parse("2026-11-21T06:31:00Z");
    const [longitude, latitude] = destination([10.75, 59.91], 0, 343);
    const lastSeen = { latitude, longitude, sampleTime: "2026-11-21T06:00:00Z" };
    const incident = { number: 3, team: "north", open: true };
    const [told, never, heard] = peopleOfRoll(incident, [
        { person: 1, user: "ann", state: "unknown", lastSeen, phone: "+47 22" },
        { person: 2, user: "ben", state: "unknown" },
        { person: 3, user: "cid", state: "unknown", heard: "2026-11-21T06:20:00Z" },
    ]);
    assert.match(seenOnPaper(told, regions, now),
        /^340 m north of Chapel hill \(59\.91308, 10\.75000\), \d\d:\d\d:00, \+47 22$/);
    assert.match(seenOnPaper(told, new Map(), now), /^59\.91308, 10\.75000, \d\d:\d\d:00, \+47 22$/);
    assert.equal(seenOnPaper(never, regions, now), "never");
    assert.match(seenOnPaper(heard, regions, now), /^last heard \d\d:\d\d:00$/);
    // While the incident is open the page knows which regions the device is in.
    const inside = { region: { id: "h", name: "Chapel hill" }, standing: "inside" };
    const known = { ...memberAt([10.75, 59.91], { presences: [inside] }), team: "north", clocks: new Map() };
    const live = { ...emptyState, members: new Map([["ann", known]]), regions };
    const without = { ...told, lastSeen: undefined };
    assert.match(seenOnPaper(withDevices(without, incident, live), regions, now), /^in Chapel hill \(59\.91000, /);
    assert.equal(withDevices(told, { ...incident, open: false }, live), told);
    assert.equal(withDevices(told, { ...incident, team: "south" }, live), told);
});

test("the sheet of a closed incident says in which regions somebody was last seen, as the open one did", () => {
    const ring = (metres) => [225, 135, 45, 315, 225].map((bearing) => destination([10.75, 59.91], bearing, metres));
    const harbour = {
        collection: "site", id: "leak", name: "Harbour",
        geometry: { type: "Polygon", coordinates: [ring(600), ring(90)] },
    };
    const seen = (bearing, metres) => {
        const [longitude, latitude] = destination([10.75, 59.91], bearing, metres);
        const lastSeen = { latitude, longitude, sampleTime: "2026-11-21T06:00:00Z" };
        const [member] = peopleOfRoll({ number: 3, team: "north", open: false }, [
            { person: 1, user: "ann", state: "unsafe", lastSeen },
        ]);
        return lastPlace(member, regionsOf(hill, harbour)).words;
    };
    assert.equal(seen(135, 143), "in Harbour", "though its middle lies 143 m to the north-west");
    assert.equal(seen(0, 30), "in Chapel hill", "a hole is not inside");
    assert.equal(seen(0, 700), "700 m north of Chapel hill");
});

test("the place of now has no time, and where the place has no words its coordinates are shown once", () => {
    const regions = regionsOf(hill);
    const now = Date.parse("2026-11-21T06:00:59Z");
    const inside = { region: { id: "h", name: "Chapel hill" }, standing: "inside" };
    const member = memberAt([10.75, 59.91], { presences: [inside] });
    assert.equal(placeAtWords(lastPlace(member, regions), now), "in Chapel hill");
    assert.match(callerPlaceWords(member, regions, now),
        /^last seen in Chapel hill \(59\.91000, 10\.75000\) at .+$/);
    assert.match(lastSeenWords(memberAt([10.75, 61]), regions, now), /^last seen at 61\.00000, 10\.75000 at .+$/);
});

test("a newer fix that is not stored keeps the regions of the only device, and of several nobody knows whose they are",
    () => {
        const regions = regionsOf(hill);
        const inside = { region: { id: "h", name: "Chapel hill" }, standing: "inside" };
        const located = { latitude: 59.9101, longitude: 10.75, sampleTime: "2026-11-21T06:20:00Z" };
        const member = { ...memberAt([10.75, 59.91], { presences: [inside] }), located };
        assert.deepEqual([lastPlace(member, regions).words, lastPlace(member, regions).at],
            ["in Chapel hill", located.sampleTime]);
        const watch = { device: "ann/watch", longitude: 10.7, latitude: 59.9, sampleTime: "2026-11-21T05:00:00Z" };
        const two = { ...member, positions: new Map(member.positions).set("ann/watch", watch) };
        assert.equal(lastPlace(two, regions).words, "near Chapel hill");
        // The second device may have only sent what is not stored.
        const heard = { ...member, presences: new Map(member.presences).set("ann/watch", new Map()) };
        assert.equal(lastPlace(heard, regions).words, "near Chapel hill");
    });

test("a newer fix that contradicts the region is not said to be in it", () => {
    const [longitude, latitude] = destination([10.75, 59.91], 0, 343);
    const inside = { region: { id: "h", name: "Chapel hill" }, standing: "inside", doubt: "checking" };
    const located = { latitude, longitude, sampleTime: "2026-11-21T06:20:00Z" };
    const member = { ...memberAt([10.75, 59.91], { presences: [inside] }), located };
    assert.equal(lastPlace(member, regionsOf(hill)).words, "340 m north of Chapel hill");
});

test("of a person whom nobody located a call says so, and when they were heard or that their clock is wrong", () => {
    const now = Date.parse("2026-11-21T06:10:00Z");
    const member = { user: "ann", positions: new Map(), presences: new Map(), clocks: new Map() };
    assert.equal(lastPlace(member, regionsOf(hill)), undefined);
    assert.equal(callerPlaceWords(member, regionsOf(hill), now), "nobody knows where, never heard");
    assert.equal(callerPlaceWords({ ...member, heard: "2026-11-21T06:07:00Z" }, regionsOf(hill), now),
        "nobody knows where, heard 3 min ago");
    const clocks = new Map([["ann/phone", { aheadSeconds: 7200, receivedTime: "2026-11-21T06:09:00Z" }]]);
    assert.match(callerPlaceWords({ ...member, clocks }, regionsOf(hill), now),
        /^nobody knows where, clock 2 h ahead, told 1 min ago$/);
});

test("a panel covers the foot of the map where it lies over it, and never all of it", () => {
    const map = { left: 0, right: 390, top: 200, bottom: 550 };
    assert.equal(coveredBelow(map, undefined), 0);
    assert.equal(coveredBelow(map, { left: 0, right: 390, top: 400, bottom: 550 }), 150);
    assert.equal(coveredBelow(map, { left: 0, right: 390, top: 550, bottom: 800 }), 0, "it lies below the map");
    assert.equal(coveredBelow(map, { left: 390, right: 700, top: 200, bottom: 550 }), 0, "it lies beside the map");
    assert.equal(coveredBelow(map, { left: 0, right: 390, top: 100, bottom: 844 }), 262.5);
});

test("a region that cannot be drawn gives no direction", () => {
    const bare = { ...hill, radius: undefined };
    assert.equal(whereWords(memberAt([10.75, 59.911]), regionsOf(bare)), "59.91100, 10.75000");
});

test("the way between two points is that of the ellipsoid to within a thousandth", () => {
    for (const latitude of [-80, -35.3, 0, 51.5, 78]) {
        for (const bearing of [0, 37, 90, 163, 271, 359]) {
            for (const length of [1, 850, 40_000]) {
                const start = [179.95, latitude];
                const { distanceMetres, bearingDegrees } = wayTo(start, destination(start, bearing, length));
                const told = `${length} m at ${bearing}° from ${latitude}°: ${distanceMetres} m, ${bearingDegrees}°`;
                assert.ok(Math.abs(distanceMetres / length - 1) < 0.001, told);
                const off = Math.abs((bearingDegrees - bearing + 540) % 360 - 180);
                // The bearing changes along the way, by half the meridians' convergence.
                const convergence = length / 6_371_000 * Math.abs(Math.tan(latitude * Math.PI / 180)) * 90 / Math.PI;
                assert.ok(off < 0.2 + convergence, told);
            }
        }
    }
});

test("the length of a degree of the meridian and of the equator is as published", () => {
    // NIMA TR8350.2 / Rapp, Geometric Geodesy: 110,574.3 m from 0° to 1°, 111,319.5 m along the equator.
    assert.ok(Math.abs(wayTo([0, 0], [0, 1]).distanceMetres - 110_574.3) < 5);
    assert.ok(Math.abs(wayTo([0, 0], [1, 0]).distanceMetres - 111_319.5) < 0.1);
    assert.deepEqual(wayTo([5, 5], [5, 5]), { distanceMetres: 0, bearingDegrees: 0 });
});

test("lengths have two digits that count, in metres and kilometres", () => {
    const shown = [0, 6.7, 43.4, 99.6, 104, 343, 994, 999, 1000, 1049, 2140, 99_940, 123_456]
        .map((metres) => lengthWords(metres, "en-GB"));
    assert.deepEqual(shown, [
        "0 m", "7 m", "43 m", "100 m", "100 m", "340 m", "990 m", "1 km", "1 km", "1 km", "2.1 km", "99.9 km",
        "123 km"]);
});

test("lengths are in feet and miles where people read those", () => {
    assert.deepEqual([10, 100, 335, 915, 2092, 160_934].map((metres) => lengthWords(metres, "en-US")),
        ["33 ft", "330 ft", "1,100 ft", "0.6 mi", "1.3 mi", "100 mi"]);
    for (const [locale, isIt] of [["en-US", true], ["es-US", true], ["my-MM", true], ["en-GB", false], ["en", false],
        ["ja-JP", false], ["no such locale", false]]) {
        assert.equal(isImperial(locale), isIt, locale);
    }
});
