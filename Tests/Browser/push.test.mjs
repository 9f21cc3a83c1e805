import assert from "node:assert/strict";
import { test } from "node:test";

import { whyNotNotified } from "../../Web/console/shared/push.js";

const able = { isSecure: true, hasWorkers: true, hasPush: true, isApple: false, isInstalled: false };

test("a browser that can be notified shows no obstacle", () => {
    assert.equal(whyNotNotified(able), undefined);
    assert.equal(whyNotNotified({ ...able, permission: "granted" }), undefined);
    assert.equal(whyNotNotified({ ...able, isApple: true, isInstalled: true }), undefined);
});

test("each obstacle is shown with what to do about it", () => {
    assert.match(whyNotNotified({ ...able, isSecure: false }), /https/);
    assert.match(whyNotNotified({ ...able, isApple: true, hasPush: false }), /Home Screen/);
    assert.match(whyNotNotified({ ...able, hasPush: false }), /another browser/);
    assert.match(whyNotNotified({ ...able, permission: "denied" }), /settings/);
});
