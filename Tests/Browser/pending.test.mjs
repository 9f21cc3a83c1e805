/** What was pressed while the server did not answer goes through, once; and what was typed is not lost. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../../Web/console/shared/drafts.js";
import { Problem } from "../../Web/console/shared/http.js";
import { GivenUp, Pending } from "../../Web/console/shared/pending.js";

/** A server that gives these answers, one after another; what it was asked; what the page said meanwhile. */
function pendingOf(answers) {
    const asked = [];
    const said = [];
    const delays = [];
    const pending = new Pending({
        now: () => 1000,
        report: (entries) => said.push(entries),
        wait: async (ms) => { delays.push(ms); },
        send: async (path, options) => {
            asked.push([options.method, path, options.body]);
            const answer = answers.shift();
            if (answer instanceof Error) { throw answer; }
            return answer;
        },
    });
    return { pending, asked, said, delays };
}

const silent = () => new TypeError("no answer");
const order = { path: "x", words: "Evacuate", body: { id: "1" } };

test("an order that gets no answer is sent again until it gets one, and the page says what waits", async () => {
    const answers = [silent(), new Problem(503, {}, 4), silent(), new Response("{}")];
    const { pending, asked, said, delays } = pendingOf(answers);
    const response = await pending.press({ ...order, isRepeatable: true });
    assert.equal(response.status, 200);
    assert.deepEqual(asked, Array(4).fill(["POST", "x", { id: "1" }]));
    assert.deepEqual(delays, [1000, 4000, 4000]);
    assert.deepEqual(said[0], [{ number: 1, words: "Evacuate", sinceMs: 1000 }]);
    assert.deepEqual(said.at(-1), []);
});

test("an order whose answer is slow is said to wait, but for one that would not be sent again", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    for (const [isRepeatable, count] of [[true, 1], [false, 0]]) {
        const said = [];
        let answer;
        const pending = new Pending({
            now: () => 1000, report: (entries) => said.push(entries),
            send: () => new Promise((resolve) => { answer = resolve; }),
        });
        const pressed = pending.press({ ...order, isRepeatable });
        context.mock.timers.tick(1999);
        assert.deepEqual(said, []);
        context.mock.timers.tick(1);
        assert.equal(said.flat().length, count);
        answer(new Response("{}"));
        await pressed;
        assert.deepEqual(said.at(-1), []);
    }
});

test("who pressed an order hears when it waits to be sent again, and not that its answer is slow", async (context) => {
    let count = 0;
    const waits = () => { count += 1; };
    const { pending } = pendingOf([silent(), new Problem(503), new Response("{}")]);
    await pending.press({ ...order, isRepeatable: true, waits });
    assert.equal(count, 2);
    context.mock.timers.enable({ apis: ["setTimeout"] });
    let answer;
    const slow = new Pending({
        now: () => 1000, report: () => {}, send: () => new Promise((resolve, reject) => { answer = reject; }),
    });
    const pressed = slow.press({ ...order, isRepeatable: true, waits });
    context.mock.timers.tick(5000);
    answer(new Problem(409, { detail: "no" }));
    await assert.rejects(pressed, { status: 409 });
    assert.equal(count, 2);
});

test("an order that cannot be sent twice is not", async () => {
    const { pending, asked } = pendingOf([silent(), new Response("{}")]);
    await assert.rejects(pending.press(order), TypeError);
    assert.equal(asked.length, 1);
});

test("a refusal ends it at once, and a session that ended does not", async () => {
    const refused = pendingOf([new Problem(409, { detail: "no" })]);
    await assert.rejects(refused.pending.press({ ...order, isRepeatable: true }), { status: 409 });
    const ended = pendingOf([new Problem(401), new Response("{}")]);
    assert.equal((await ended.pending.press(order)).status, 200);
});

test("what was removed by an answer that did not arrive is removed", async () => {
    const { pending } = pendingOf([silent(), new Problem(404)]);
    assert.equal((await pending.press({ path: "x", words: "Remove", method: "DELETE" })).status, 204);
    const first = pendingOf([new Problem(404)]);
    await assert.rejects(first.pending.press({ path: "x", words: "Remove", method: "DELETE" }), { status: 404 });
});

test("an order can be given up, and signing out gives all of them up", async () => {
    for (const end of [(pending) => pending.giveUp(1), (pending) => pending.forget()]) {
        const pending = new Pending({
            now: () => 0, send: async () => { throw silent(); },
            report: (entries) => { if (entries.length > 0) { end(pending); } },
        });
        await assert.rejects(pending.press({ ...order, isRepeatable: true }), GivenUp);
    }
});

test("what was typed stays for the same user, and for nobody else", () => {
    const drafts = new Drafts();
    assert.equal(drafts.begin("lea"), true);
    drafts.set("region a", { name: "Square" });
    assert.equal(drafts.begin("lea"), false);
    assert.deepEqual(drafts.get("region a", {}), { name: "Square" });
    drafts.set("region b", "x");
    drafts.set("region b", undefined);
    assert.equal(drafts.get("region b", "first"), "first");
    assert.equal(drafts.begin("omar"), true);
    assert.deepEqual(drafts.get("region a", {}), {});
    for (let number = 0; number < 60; number += 1) { drafts.set(`form ${number}`, number); }
    assert.equal(drafts.get("form 9", "gone"), "gone");
    assert.equal(drafts.get("form 10", "gone"), 10);
});
