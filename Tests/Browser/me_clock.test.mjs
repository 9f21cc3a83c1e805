/** Wrong clocks: when a fix was taken by the server's clock, and that none looks newer than it is. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { correctedTime, FixAge, inOrder, ServerClock } from "../../Web/me/tracking/serverclock.js";
import { noon, Time } from "./me_world.mjs";

const day = 86_400_000;

/** The header of an answer of now: whole seconds. */
const date = (time) => Math.floor(time.trueMs / 1000) * 1000;

test("a clock that may be right is believed, one that is off is corrected to half a second", async () => {
    const time = new Time();
    const clock = new ServerClock(time.moment);
    assert.equal(clock.isKnown, false);
    time.trueMs += 700;
    clock.hear(time.moment(), date(time));
    assert.equal(clock.offsetMs, 0);
    time.errorMs = -day;
    assert.equal(clock.isKnown, false, "the clock was set since");
    const sent = time.moment();
    time.trueMs += 200;
    clock.hear(sent, date(time));
    assert.ok(Math.abs(clock.offsetMs - day) <= 600, `${clock.offsetMs}`);
    const first = clock.offsetMs;
    for (let round = 0; round < 20; round += 1) {
        time.trueMs += 5_037;
        clock.hear(time.moment(), date(time));
    }
    assert.ok(Math.abs(clock.offsetMs - day) <= 600);
    assert.ok(Math.abs(clock.offsetMs - first) <= 600, "it does not wander");
});

test("an answer without a date, or one that came late, teaches nothing wrong", () => {
    const time = new Time();
    const clock = new ServerClock(time.moment);
    clock.hear(time.moment(), NaN);
    assert.equal(clock.isKnown, false);
    const sent = time.moment();
    const old = date(time);
    time.trueMs += 25_000;
    clock.hear(sent, old);
    assert.equal(clock.offsetMs, 0);
});

test("what a device slept through makes the server's time unknown", () => {
    const time = new Time();
    const clock = new ServerClock(time.moment);
    clock.hear(time.moment(), date(time));
    time.sleep(3_600_000);
    assert.equal(clock.isKnown, false);
    clock.hear(time.moment(), date(time));
    assert.equal(clock.offsetMs, 0);
});

/** A fix as it is recorded now, and the present, of one device. */
function recorded(time, offsetMs, run = "run") { return { ...time.moment(run), offsetMs, trueMs: time.trueMs }; }

function correction(fix, time, run = "run", afterMs) {
    return correctedTime(fix, { ...time.moment(run), offsetMs: -time.errorMs }, afterMs) - fix.trueMs;
}

test("a clock that is a day off all the time is corrected, in the same run and in another", () => {
    for (const errorMs of [-day, day, 90_000]) {
        const time = new Time();
        time.errorMs = errorMs;
        const first = recorded(time, undefined);
        const later = recorded(time, -errorMs);
        time.trueMs += 3_600_000;
        assert.equal(correction(first, time), 0);
        assert.equal(correction(later, time), 0);
        time.restart();
        time.trueMs += 60_000;
        assert.equal(correction(first, time, "other"), 0);
        assert.equal(correction(later, time, "other"), 0);
    }
});

test("a clock that was set after the fix, or before it, is told apart", () => {
    for (const [before, after] of [[-day, 0], [day, 0], [0, day], [0, -day], [3_600_000, -7_200_000]]) {
        for (const restarts of [false, true]) {
            const time = new Time();
            time.errorMs = before;
            const lastSent = time.trueMs - 60_000;
            const early = recorded(time, -before);
            time.trueMs += 1_800_000;
            time.errorMs = after;
            const late = recorded(time, -before);
            time.trueMs += 1_800_000;
            if (restarts) { time.restart(); }
            const run = restarts ? "other" : "run";
            assert.equal(correction(early, time, run, lastSent), 0, `early ${before} ${after} ${restarts}`);
            assert.equal(correction(late, time, run, early.trueMs), 0, `late ${before} ${after} ${restarts}`);
        }
    }
});

test("a device that slept makes no fix newer than it is", () => {
    for (const offsetMs of [0, undefined]) {
        const time = new Time();
        const fix = recorded(time, offsetMs);
        time.sleep(8 * 3_600_000);
        assert.equal(correction(fix, time), 0);
    }
    // The app has never heard the server, and the clock was set ahead by a day. Which time is right is unknown, so the
    // fix counts as a day older.
    const time = new Time();
    time.errorMs = -day;
    const fix = recorded(time, undefined);
    time.errorMs = 0;
    time.trueMs += 60_000;
    assert.equal(correction(fix, time), -day);
    // The clock was set back, so the fix would lie in the future. The monotonic clock gives its true age.
    time.errorMs = day;
    const ahead = recorded(time, undefined);
    time.errorMs = 0;
    assert.equal(correction(ahead, time), 0);
});

test("two readings of one clock keep the order, and what is truly older stays so", () => {
    assert.equal(inOrder(noon + 0.4, noon - 5), noon);
    assert.equal(inOrder(noon, noon), noon + 1);
    assert.equal(inOrder(noon - 700, noon), noon + 1);
    assert.equal(inOrder(noon - 3_600_000, noon), noon - 3_600_000);
});

test("a fix is as old as the freshest one shows, whatever the receiver's clock says", () => {
    const time = new Time();
    const ages = new FixAge();
    const age = (agoMs, receiverErrorMs) => ages.ageMs(time.clock.now() - agoMs + receiverErrorMs, time.moment());
    assert.equal(age(100_000, 0), 100_000, "the first may be old");
    assert.equal(age(100, 0), 100);
    const other = new FixAge();
    assert.equal(other.ageMs(time.clock.now() + day, time.moment()), 0, "a receiver that is a day ahead");
    time.trueMs += 5_000;
    assert.equal(other.ageMs(time.clock.now() + day - 3_000, time.moment()), 3_000);
    const third = new FixAge();
    assert.equal(third.ageMs(time.clock.now() - day, time.moment()), 0, "one that is a day behind");
    time.errorMs = -day;
    assert.equal(third.ageMs(time.clock.now() - 200, time.moment()), 200, "the clock was set");
    assert.equal(third.ageMs(NaN, time.moment()), 0);
});
