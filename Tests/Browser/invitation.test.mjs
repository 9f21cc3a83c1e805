/** The page that an invitation opens: a password whose answer is lost. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Invitation } from "../../Web/console/invite/invitation.js";
import { Problem } from "../../Web/console/shared/http.js";

test("a password whose first answer was lost counts as set, and one by an old link does not", async () => {
    const wait = async () => {};
    const answers = [new TypeError("cut"), new Problem(401)];
    const lost = new Invitation("x", { wait, request: async () => { throw answers.shift(); } });
    await assert.rejects(lost.setPassword("a good one"), (error) => error.mayBeSet === true);
    const old = new Invitation("x", { wait, request: async () => { throw new Problem(401); } });
    await assert.rejects(old.setPassword("a good one"), (error) => error.status === 401 && !error.mayBeSet);
    let sent;
    const good = new Invitation("x", { wait, request: async (path, options) => { sent = { path, ...options }; } });
    await good.setPassword("a good one");
    assert.deepEqual([sent.path, sent.method, sent.token, sent.body],
        ["shared/password", "POST", "x", { password: "a good one" }]);
});
