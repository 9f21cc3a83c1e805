/** Times as a person reads and types them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { zonesWords } from "../../Web/console/incident/sheet.js";
import {
    age, clockTime, keepTimeBy, localText, minuteTime, stopwatch, today, zoneWords,
} from "../../Web/console/shared/time.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("incident");

/** Does something in another time zone, and at another time by the page's clock. */
function at(zone, now, act) {
    const before = process.env.TZ;
    process.env.TZ = zone;
    keepTimeBy(() => Date.parse(now));
    try { act(); } finally {
        if (before === undefined) { delete process.env.TZ; } else { process.env.TZ = before; }
        keepTimeBy(() => Date.now());
    }
}

test("a time that runs has hours only where there are some, and never less than nothing", () => {
    assert.deepEqual([0, 59.999, 67, 3599, 3600, 3847, -5].map(stopwatch),
        ["0:00", "0:59", "1:07", "59:59", "1:00:00", "1:04:07", "0:00"]);
});

test("a time goes into a field and comes out of it as the same time", () => {
    const noon = Date.parse("2026-11-21T12:00:00Z");
    assert.equal(new Date(localText(noon)).getTime(), noon);
});

test("a time of another day is shown with that day, and one of another year with the year", () => {
    at("Europe/Oslo", "2026-11-21T22:59:59Z", () => {
        assert.equal(clockTime("2026-11-21T13:03:07Z"), "14:03:07");
        assert.equal(minuteTime("2025-11-21T13:03:07Z"), "Nov 21, 2025 14:03");
    });
    // The next second is another day in Oslo.
    at("Europe/Oslo", "2026-11-21T23:00:00Z", () => {
        assert.equal(clockTime("2026-11-21T13:03:07Z"), "Nov 21 14:03:07");
        assert.equal(minuteTime("2026-11-21T13:03:07Z"), "Nov 21 14:03");
        assert.equal(minuteTime("2026-11-22T13:03:07Z"), "14:03");
    });
});

test("which day it is, is by the page’s clock and not by this device’s", () => {
    at("UTC", "2001-02-03T12:00:00Z", () => {
        assert.equal(clockTime("2001-02-03T11:00:00Z"), "11:00:00");
        assert.equal(today(), new Date("2001-02-03T01:00:00Z").toDateString());
    });
});

test("the time zone has its name and its distance from UTC at the time, summer and winter", () => {
    const [winter, summer] = ["2026-01-21T12:00:00Z", "2026-07-21T12:00:00Z"].map((text) => Date.parse(text));
    at("Europe/Oslo", "2026-11-21T12:00:00Z", () => {
        assert.equal(zoneWords(winter), "Central European Standard Time, UTC+01:00");
        assert.equal(zoneWords(summer), "Central European Summer Time, UTC+02:00");
    });
    at("Asia/Kolkata", "2026-11-21T12:00:00Z", () => assert.equal(zoneWords(), "India Standard Time, UTC+05:30"));
    at("America/St_Johns", "2026-11-21T12:00:00Z", () => assert.match(zoneWords(winter), /, UTC−03:30$/));
    at("UTC", "2026-11-21T12:00:00Z", () => assert.equal(zoneWords(), "Coordinated Universal Time, UTC"));
});

test("where the clocks are put back the hour comes twice, and an age and a time that runs count through it", () => {
    const [first, second] = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"];
    at("Europe/Oslo", second, () => {
        assert.deepEqual([clockTime(first), clockTime(second)], ["02:30:00", "02:30:00"]);
        assert.equal(age(first, Date.parse(second)), "1 h ago");
        assert.equal(stopwatch((Date.parse(second) - Date.parse(first)) / 1000), "1:00:00");
    });
    at("Europe/Oslo", "2026-03-29T01:00:00Z", () => {
        assert.equal(clockTime("2026-03-29T00:59:59Z"), "01:59:59");
        assert.equal(clockTime("2026-03-29T01:00:00Z"), "03:00:00");
        assert.equal(age("2026-03-29T00:00:00Z", Date.parse("2026-03-29T01:00:00Z")), "1 h ago");
    });
});

test("a device that is carried into another time zone shows the times of that zone", () => {
    at("Europe/Oslo", "2026-11-21T12:00:00Z", () => assert.equal(minuteTime("2026-11-21T11:00:00Z"), "12:00"));
    at("Asia/Tokyo", "2026-11-21T12:00:00Z", () => assert.equal(minuteTime("2026-11-21T11:00:00Z"), "20:00"));
    at("Europe/Oslo", "2026-11-21T12:00:00Z", () => assert.equal(minuteTime("2026-11-21T11:00:00Z"), "12:00"));
});

test("a sheet that is made after the clocks changed names the zone of the call, too", () => {
    at("Europe/Oslo", "2026-10-26T08:00:00Z", () => {
        const [called, made] = ["2026-10-24T12:00:00Z", "2026-10-26T08:00:00Z"].map((text) => Date.parse(text));
        assert.equal(zonesWords(called, called + 60_000), "Central European Summer Time, UTC+02:00");
        assert.equal(zonesWords(called, made), "Until the clocks changed, Central European Summer Time, UTC+02:00; "
            + "from then on, Central European Standard Time, UTC+01:00");
    });
});
