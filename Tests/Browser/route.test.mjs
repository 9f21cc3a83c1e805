/** The screen that an address names. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { hrefOf, isSameRoute, parseRoute } from "../../Web/console/shared/route.js";

test("an address names a screen and what is shown in it, whatever the names are", () => {
    for (const rest of [[], ["12"], ["a/b", "ü 50%", "<b>", "#"], ["."]]) {
        assert.deepEqual(parseRoute(hrefOf("regions", ...rest)), { screen: "regions", rest });
    }
});

test("an address that names no screen is the first one's", () => {
    for (const hash of ["", "#", "#demo=abc", "#/", "#/UPPER", "#//regions"]) {
        assert.deepEqual(parseRoute(hash), { screen: "people", rest: [] });
    }
    assert.deepEqual(parseRoute("#/regions/%"), { screen: "regions", rest: ["%"] });
});

test("routes are the same by their parts", () => {
    assert.ok(isSameRoute(parseRoute("#/regions/a"), parseRoute("#/regions/a/")));
    assert.ok(!isSameRoute(parseRoute("#/regions/a"), parseRoute("#/regions/b")));
    assert.ok(!isSameRoute(parseRoute("#/regions/a"), parseRoute("#/regions")));
});
