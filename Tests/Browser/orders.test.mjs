/** What a leader's press says of several people, while what is known of them changes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { Orders } from "../../Web/console/incident/orders.js";
import { GivenUp } from "../../Web/console/shared/pending.js";

const pressed = "2026-11-21T12:00:00.000Z";
const before = "2026-11-21T07:00:00.000Z";

/** A leader's page: what it knows of people, and the orders it sends; `sent` is called at each of them. */
function pageOf(users, sent = () => {}) {
    const people = new Map(users.map((user) => [user, { user, state: "offSite", since: before }]));
    const clock = { nowMs: Date.parse(pressed) };
    const asked = [];
    const orders = new Orders({
        member: (user) => people.get(user), now: () => clock.nowMs, tell: () => {}, notice: () => {},
        pending: { press: async ({ path, body }) => {
            asked.push({ user: path.split("/")[1], ...body });
            sent(people, clock);
            return new Response("{}");
        } },
    });
    return { orders, asked };
}

test("all who are off site are back as of the moment of the press, however long the orders take", async () => {
    const { orders, asked } = pageOf(["ana", "ben"], (_, clock) => { clock.nowMs += 60_000; });
    await orders.bringBack(["ana", "ben"]);
    assert.deepEqual(asked.map(({ user, kind, sampleTime }) => [user, kind, sampleTime]), [
        ["ana", "clear", pressed], ["ben", "clear", pressed]]);
    assert.notEqual(asked[0].id, asked[1].id);
});

test("an SOS that comes between two orders is not ended by them", async () => {
    const { orders, asked } = pageOf(["ana", "ben", "cleo"], (people, clock) => {
        clock.nowMs += 60_000;
        people.set("ben", { user: "ben", state: "sos", since: "2026-11-21T12:00:30.000Z" });
    });
    await orders.bringBack(["ana", "ben", "cleo"]);
    assert.deepEqual(asked.map(({ user }) => user), ["ana", "cleo"]);
});

test("who says anew between two orders that they are off site stays off site", async () => {
    const { orders, asked } = pageOf(["ana", "ben"], (people) => {
        people.set("ben", { user: "ben", state: "offSite", since: "2026-11-21T12:00:30.000Z" });
    });
    await orders.bringBack(["ana", "ben", "gone"]);
    assert.deepEqual(asked.map(({ user }) => user), ["ana"]);
});

test("whoever gives one of the orders up ends the rest", async () => {
    const { orders, asked } = pageOf(["ana", "ben"], () => { throw new GivenUp(); });
    await orders.bringBack(["ana", "ben"]);
    assert.deepEqual(asked.map(({ user }) => user), ["ana"]);
});
