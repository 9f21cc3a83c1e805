/** Times as a person reads and types them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { localText, stopwatch } from "../../Web/console/shared/time.js";

test("a time that runs has hours only where there are some, and never less than nothing", () => {
    assert.deepEqual([0, 59.999, 67, 3599, 3600, 3847, -5].map(stopwatch),
        ["0:00", "0:59", "1:07", "59:59", "1:00:00", "1:04:07", "0:00"]);
});

test("a time goes into a field and comes out of it as the same time", () => {
    const noon = Date.parse("2026-11-21T12:00:00Z");
    assert.equal(new Date(localText(noon)).getTime(), noon);
});
