/** What the phone itself computes, with the engine that the pages use. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { Store } from "../../Web/console/shared/store.js";
import { Engine } from "../../Web/engine/engine.js";
import { Guesser } from "../../Web/me/guess/guess.js";
import { isNear } from "../../Web/me/guess/regionset.js";
import { KeptFixes, keptLimit } from "../../Web/me/guess/keptfixes.js";
import { engineMeasure } from "../../Web/me/guess/measure.js";

const bytes = readFileSync(new URL("../../Web/engine/engine.wasm", import.meta.url));
const began = Date.UTC(2026, 0, 1);
const square = (east) => {
    const corners = [[14, 46], [14.002, 46], [14.002, 46.002], [14, 46.002], [14, 46]];
    return { type: "Polygon", coordinates: [corners.map(([longitude, latitude]) => [longitude + east, latitude])] };
};
const feature = (id, geometry, properties = {}, policy = "confident") => ({
    type: "Feature", id, collection: "town", policy, geometry, properties: { name: id, muster: true, ...properties },
});
const yard = feature("yard", square(0));
const fixAt = (seconds, longitude = 14.001, latitude = 46.001) =>
    ({ latitude, longitude, accuracy: 5, sampleTime: began + seconds * 1000, isStale: false });

/** A page with a clock that is moved by hand. */
function page({ regions = [yard], load: loadEngine = () => Engine.load(bytes), now = began, kept } = {}) {
    const timers = [];
    // The module is compiled by other threads, which take their time.
    let loading;
    const load = () => { loading = loadEngine(); return loading; };
    const world = {
        now, debugged: [], timers,
        store: new Store({ own: { regions, member: undefined }, fix: undefined, guess: undefined }, (act) => act()),
    };
    const schedule = (act, ms) => {
        const timer = { act, at: world.now + ms };
        timers.push(timer);
        return () => timers.splice(timers.indexOf(timer) >>> 0, 1);
    };
    world.guesser = new Guesser({
        store: world.store, load, serverNow: () => world.now, schedule, debug: (...words) => world.debugged.push(words),
        ...(kept ? { history: () => kept.before(world.now), keep: (fix) => kept.add(fix) } : {}),
    });
    world.run = async (seconds = 0) => {
        world.now += seconds * 1000;
        for (let round = 0; round < 100; round += 1) {
            await Promise.allSettled([loading]);
            await new Promise(setImmediate);
            const due = timers.findIndex(({ at }) => at <= world.now);
            if (due >= 0) { timers.splice(due, 1)[0].act(); }
        }
    };
    world.report = async (fix) => {
        world.now = Math.max(world.now, fix.sampleTime);
        world.store.set({ fix });
        await world.run();
    };
    world.stay = async (from, to, longitude) => {
        for (let second = from; second <= to; second += 5) { await world.report(fixAt(second, longitude)); }
    };
    world.guesser.begin();
    return world;
}

describe("the guess", () => {
    test("one fix makes nobody safe; several do, and those outside end it", async () => {
        const world = page();
        await world.report(fixAt(0));
        assert.equal(world.store.value.guess.isInMuster, false);
        await world.stay(5, 60);
        const { regions, isInMuster, safety, at } = world.store.value.guess;
        assert.equal(at, began + 60_000);
        assert.deepEqual(safety, { state: "safe", source: "region", doubt: undefined });
        assert.ok(isInMuster);
        assert.equal(regions.length, 1);
        assert.deepEqual(regions.map(({ id, name, isInside, isMuster }) => ({ id, name, isInside, isMuster })),
            [{ id: "yard", name: "yard", isInside: true, isMuster: true }]);
        assert.ok(regions[0].probability > 0.99);
        await world.stay(65, 180, 14.01);
        assert.equal(world.store.value.guess.isInMuster, false);
        assert.deepEqual(world.store.value.guess.regions.filter(({ isInside }) => isInside), []);
    });

    test("a muster region of a raw collection makes safe by the confident policy, too", async () => {
        const world = page({ regions: [feature("yard", square(0), {}, "raw")] });
        await world.report(fixAt(0));
        assert.equal(world.store.value.guess.isInMuster, false);
        await world.stay(5, 60);
        assert.ok(world.store.value.guess.isInMuster);
    });

    test("regions that a radio decides, of other teams and that are not valid make nobody safe", async () => {
        const bow = { type: "Polygon", coordinates: [[[14, 46], [14.01, 46.01], [14.01, 46], [14, 46.01], [14, 46]]] };
        const world = page({ regions: [feature("radio", square(0), { beacon: {} }), feature("bow", bow)] });
        await world.stay(0, 60);
        assert.equal(world.store.value.guess.isInMuster, false);
        world.store.set({ own: { regions: [yard], collections: ["elsewhere"] } });
        await world.stay(65, 130);
        assert.deepEqual(world.store.value.guess.regions, []);
    });

    test("regions that come, change and go are followed", async () => {
        const world = page({ regions: [] });
        await world.stay(0, 60);
        assert.deepEqual(world.store.value.guess.regions, []);
        world.store.set({ own: { regions: [structuredClone(yard)] } });
        await world.stay(65, 130);
        assert.ok(world.store.value.guess.isInMuster);
        world.store.set({ own: { regions: [feature("yard", square(1))] } });
        await world.stay(135, 200);
        assert.equal(world.store.value.guess.isInMuster, false);
        world.store.set({ own: { regions: [] } });
        await world.stay(205, 210);
        assert.deepEqual(world.store.value.guess.regions, []);
    });

    test("many regions are put in slices, those that are near first", async () => {
        const many = Array.from({ length: 100 }, (_, index) => feature(`r${99 - index}`,
            { type: "Polygon", coordinates: [ring(14 + (99 - index) / 100, 46, 0.004, 100)] }));
        const world = page({ regions: [] });
        await world.stay(0, 5);
        world.store.set({ own: { regions: many }, fix: fixAt(10, 14) });
        assert.equal(world.guesser.numberOf("town/r99"), undefined);
        await world.run();
        assert.ok(world.guesser.numberOf("town/r0") < world.guesser.numberOf("town/r99"));
        assert.equal(world.store.value.guess.at, began + 10_000);
    });

    test("without the module there is no guess, and the next fix tries again", async () => {
        let isThere = false;
        const load = () => (isThere ? Engine.load(bytes) : Promise.reject(new TypeError("offline")));
        const world = page({ load });
        await world.stay(0, 60);
        assert.equal(world.store.value.guess, undefined);
        isThere = true;
        await world.stay(65, 130);
        assert.ok(world.store.value.guess.isInMuster);
    });

    test("a clock that is set back does not keep an old guess alive", async () => {
        const world = page();
        await world.stay(0, 600);
        const { at } = world.store.value.guess;
        await world.report(fixAt(597, 14.01));
        assert.equal(world.store.value.guess.at, at, "a late fix makes no guess of now");
        world.now = began - 3_600_000;
        for (let second = -3600; second <= -3540; second += 5) {
            world.now = began + second * 1000;
            await world.report(fixAt(second, 14.01));
        }
        assert.equal(world.store.value.guess.at, began - 3_540_000);
        assert.equal(world.store.value.guess.isInMuster, false);
    });

    test("a place that is none is left out", async () => {
        const world = page();
        await world.stay(0, 60);
        await world.report({ ...fixAt(65), latitude: NaN });
        await world.report(fixAt(70));
        assert.ok(world.store.value.guess.isInMuster);
    });

    test("nothing is left of it at the end", async () => {
        const world = page();
        await world.stay(0, 60);
        world.guesser.end();
        assert.equal(world.store.value.guess, undefined);
        await world.stay(65, 70);
        assert.equal(world.store.value.guess, undefined);
    });
});

/** What a phone keeps of a person, which outlasts the page. */
function disk() {
    const values = new Map();
    return {
        values, writes: 0,
        async read(name) { return values.get(name); },
        async write(name, value) { this.writes += 1; values.set(name, structuredClone(value)); },
    };
}

describe("after a reload", () => {
    test("the guess is the same as before, without a new fix", async () => {
        const cache = disk();
        const kept = new KeptFixes(cache);
        const before = page({ kept });
        await before.stay(0, 60);
        await before.report(fixAt(65, 14.0008));
        await kept.end();
        const { guess } = before.store.value;
        assert.ok(guess.isInMuster);
        const after = page({ now: began + 70_000, kept: new KeptFixes(cache) });
        await after.run();
        assert.deepEqual(after.store.value.guess, guess);
        // One fix alone would make nobody safe.
        const forgetful = page({ now: began + 70_000 });
        await forgetful.report(fixAt(65));
        assert.equal(forgetful.store.value.guess.isInMuster, false);
    });

    test("the newest fixes are kept, also those from before, and none of the future or too old", async () => {
        const cache = disk();
        const first = new KeptFixes(cache);
        for (let second = 0; second < 5 * (keptLimit + 10); second += 5) { first.add(fixAt(second)); }
        await first.end();
        assert.ok(cache.writes < 10, "one write at a time has all that came meanwhile");
        const second = new KeptFixes(cache);
        const found = await second.before(began + 700_000);
        assert.deepEqual([found.length, found[0].sampleTime], [keptLimit, began + 50_000]);
        assert.equal((await second.before(began + 100_000)).length, 11);
        assert.deepEqual(await second.before(began + 9_000_000), []);
        second.add(fixAt(700));
        await second.end();
        const all = await new KeptFixes(cache).before(began + 700_000);
        assert.deepEqual([all[0].sampleTime, all.at(-1).sampleTime], [began + 100_000, began + 700_000],
            "those of ten minutes");
    });

    test("a disk that takes nothing, or has something else, is no history", async () => {
        const fails = async () => { throw new TypeError("full"); };
        const kept = new KeptFixes({ read: fails, write: fails });
        kept.add(fixAt(0));
        await kept.end();
        assert.deepEqual(await kept.before(began), []);
        assert.deepEqual(await new KeptFixes({ read: async () => "text", write: fails }).before(began), []);
    });
});

describe("the server's verdict", () => {
    const timeAt = (seconds) => new Date(began + seconds * 1000).toISOString();
    const member = (seconds, standing) => ({
        positions: new Map([["phone", { device: "phone", sampleTime: timeAt(seconds) }]]),
        presences: new Map([["phone", new Map([["town/yard", { standing }]])]]),
    });

    test("is compared with the guess at the same fix, once, and only the developer is told", async () => {
        const world = page();
        await world.stay(0, 60);
        const { guess } = world.store.value;
        world.store.set((value) => ({ own: { ...value.own, member: member(60, "inside") } }));
        await world.run(3);
        assert.deepEqual([world.guesser.comparison.compared, world.guesser.comparison.differences], [1, 0]);
        await world.report(fixAt(65));
        world.store.set((value) => ({ own: { ...value.own, member: member(65, "outside") } }));
        await world.run(3);
        world.store.set((value) => ({ own: { ...value.own, member: member(65, "outside") } }));
        await world.run(3);
        assert.deepEqual([world.guesser.comparison.compared, world.guesser.comparison.differences], [2, 1]);
        assert.equal(world.debugged.length, 1);
        assert.deepEqual(world.debugged[0][1], { at: began + 65_000, server: [], phone: ["town/yard"] });
        assert.equal(world.store.value.guess.isInMuster, guess.isInMuster);
    });
});

describe("the way", () => {
    test("is measured by the engine where it has the region", async () => {
        const world = page();
        await world.stay(0, 10);
        const plane = { contains: () => "plane", distanceToBoundary: () => "plane" };
        const measure = engineMeasure(world.guesser, plane);
        const point = { key: "town/yard", geometry: yard.geometry };
        assert.equal(measure.contains(point, 14.001, 46.001), true);
        assert.equal(measure.contains(point, 14, 46), true);
        assert.ok(Math.abs(measure.distanceToBoundary(point, 14.001, 45.999) - 111.15) < 0.1);
        assert.equal(measure.contains({ ...point, key: "town/other" }, 14, 46), "plane");
    });
});

describe("a region is near", () => {
    const check = (geometry, fix, expected, properties = {}) => assert.equal(
        isNear({ geometry, properties }, { accuracy: 10, ...fix }), expected, JSON.stringify([geometry.type, fix]));

    test("by its box, over the antimeridian too, and where nobody knows", () => {
        check(square(0), { latitude: 46.05, longitude: 14.1 }, true);
        check(square(0), { latitude: 46.2, longitude: 14 }, false);
        check(square(0), { latitude: 46, longitude: 14.3 }, false);
        check(square(0), { latitude: 46, longitude: 80, accuracy: 20_000 }, true);
        check(square(0), { latitude: 46, longitude: 80, accuracy: undefined }, true);
        const circle = { type: "Point", coordinates: [179.99, -17] };
        check(circle, { latitude: -17, longitude: -179.99 }, true, { radius: 50 });
        check(circle, { latitude: -16, longitude: 179.99 }, false, { radius: 50 });
        check(circle, { latitude: -16, longitude: 179.99 }, true, { radius: 100_000 });
        assert.equal(isNear({ geometry: circle }, undefined), true);
    });
});

function ring(longitude, latitude, reach, corners) {
    const points = Array.from({ length: corners }, (_, index) => {
        const angle = 2 * Math.PI * index / corners;
        return [longitude + reach * Math.cos(angle), latitude + reach * Math.sin(angle)];
    });
    return [...points, points[0]];
}
