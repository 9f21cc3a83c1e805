/** What the console takes of an official warning, which a service wrote. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { warningOf } from "../../Web/console/regions/warning.js";

const expires = "2026-12-01T23:00:00.000Z";

test("a warning is taken with what it says, and a word that is none is left out", () => {
    const found = warningOf({ warning: {
        headline: "Flood", severity: "severe", sender: "Service", area: 5, expires, onset: "soon",
        instruction: "Leave.",
    } });
    assert.deepEqual(found, {
        headline: "Flood", severity: "severe", sender: "Service", area: "", expires, onset: undefined,
        description: "", instruction: "Leave.",
    });
    assert.equal(warningOf({ warning: { severity: "constructor", expires } }).severity, "unknown");
});

test("what is no warning is a region like all others", () => {
    for (const properties of [undefined, {}, { warning: null }, { warning: "x" }, { warning: { expires: "never" } }]) {
        assert.equal(warningOf(properties), undefined);
    }
});
