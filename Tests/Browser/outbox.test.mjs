/** What a person says of themselves reaches the server, whatever happens between. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import { Problem } from "../../Web/console/shared/http.js";
import { deliveryWords } from "../../Web/console/shared/deliverywords.js";
import { newDeclaration, Outbox } from "../../Web/console/shared/outbox.js";

/** A world whose clock, network and storage the test moves. */
class World {
    time = 1_000_000;
    stored = new Map();
    sent = [];
    told = [];
    timers = [];
    answer = () => ({});

    outbox() {
        return new Outbox({
            storage: {
                getItem: (key) => this.stored.get(key) ?? null,
                setItem: (key, value) => this.stored.set(key, value),
                removeItem: (key) => this.stored.delete(key),
            },
            now: () => this.time,
            schedule: (act, ms) => {
                const timer = { act, at: this.time + ms };
                this.timers.push(timer);
                return () => { this.timers = this.timers.filter((each) => each !== timer); };
            },
            send: async (path, { body }) => {
                this.sent.push({ path, ...body });
                const answer = this.answer(body);
                return { json: async () => answer };
            },
            report: ({ declaration, state, isLate }) => {
                this.told.push([declaration.kind, state, ...isLate ? ["late"] : []]);
            },
        });
    }

    async pass(ms = 0) {
        await settled();
        this.time += ms;
        const due = this.timers.filter(({ at }) => at <= this.time);
        this.timers = this.timers.filter((each) => !due.includes(each));
        for (const { act } of due) { act(); }
        await settled();
    }
}

const settled = () => new Promise((resolve) => { setImmediate(resolve); });
const offline = () => { throw new TypeError("Failed to fetch"); };

test("a declaration is shown as sending, and as received once the server has answered", async () => {
    const world = new World();
    const outbox = world.outbox();
    outbox.begin("ana");
    outbox.add(newDeclaration("safe", world.time));
    await world.pass();
    assert.equal(world.sent[0].path, "users/ana/declarations");
    assert.equal(world.sent[0].sampleTime, new Date(1_000_000).toISOString());
    assert.deepEqual(world.told.at(-1), ["safe", "received"]);
    assert.equal(world.stored.size, 0);
});

test("a declaration made without a connection survives a reload and is sent again with its id and time", async () => {
    const world = new World();
    world.answer = offline;
    const before = world.outbox();
    before.begin("ana");
    before.add(newDeclaration("needsHelp", world.time));
    await world.pass();
    assert.deepEqual(world.told.at(-1), ["needsHelp", "failed"]);
    await world.pass(1000);
    assert.equal(world.sent.length, 2);

    before.end();
    world.answer = () => ({});
    world.time += 60_000;
    world.outbox().begin("ana");
    await world.pass();
    assert.deepEqual(world.told.at(-1), ["needsHelp", "received"]);
    assert.equal(new Set(world.sent.map(({ id, sampleTime }) => `${id} ${sampleTime}`)).size, 1);
});

test("another user of the same browser does not send what someone else left unsent", async () => {
    const world = new World();
    world.answer = offline;
    const outbox = world.outbox();
    outbox.begin("ana");
    outbox.add(newDeclaration("sos", world.time));
    await world.pass();
    world.sent.length = 0;
    outbox.begin("ben");
    await world.pass(60_000);
    assert.deepEqual(world.sent, []);
    outbox.begin("ana");
    await world.pass();
    assert.deepEqual(world.sent.map(({ path }) => path), ["users/ana/declarations"]);
});

test("an SOS is sent when its countdown is over, also after a reload, and not when it was cancelled", async () => {
    const world = new World();
    const outbox = world.outbox();
    outbox.begin("ana");
    const cancelled = newDeclaration("sos", world.time, { dueAt: world.time + 5000 });
    outbox.add(cancelled);
    await world.pass(4000);
    assert.equal(outbox.cancel(cancelled.id), true);
    await world.pass(4000);
    assert.deepEqual(world.sent, []);

    outbox.add(newDeclaration("sos", world.time, { dueAt: world.time + 5000 }));
    assert.deepEqual(world.told.at(-1), ["sos", "counting"]);
    outbox.end();
    const reloaded = world.outbox();
    reloaded.begin("ana");
    await world.pass(4999);
    assert.deepEqual(world.sent, []);
    await world.pass(1);
    assert.equal(world.sent.length, 1);
    assert.equal("dueAt" in world.sent[0], false);
    assert.equal(reloaded.cancel(world.sent[0].id), false);
});

test("a call for help by a clock that the server does not believe is sent as of now", async () => {
    const world = new World();
    world.answer = ({ sampleTime }) => {
        if (sampleTime) { throw new Problem(400, { detail: "sampleTime is more than 60 s ahead" }); }
        return {};
    };
    const outbox = world.outbox();
    outbox.begin("ana");
    outbox.add(newDeclaration("sos", world.time));
    await world.pass();
    assert.deepEqual(world.told.at(-1), ["sos", "received"]);
    assert.equal(world.sent.length, 2);
});

test("a refused declaration is shown as refused, and a late one as changing nothing", async () => {
    const world = new World();
    const outbox = world.outbox();
    outbox.begin("ana");
    world.answer = () => { throw new Problem(403, { title: "no" }); };
    outbox.add(newDeclaration("safe", world.time));
    await world.pass();
    assert.deepEqual(world.told.at(-1), ["safe", "refused"]);
    world.answer = () => ({ late: true });
    outbox.add(newDeclaration("safe", world.time));
    await world.pass();
    assert.deepEqual(world.told.at(-1), ["safe", "received", "late"]);
});

test("the text says whether the server has the declaration", () => {
    const declaration = { kind: "sos" };
    assert.equal(deliveryWords({ declaration, state: "sending" }), "SOS: sending…");
    assert.equal(deliveryWords({ declaration, state: "failed", reason: "no connection" }),
        "SOS: not sent yet: no connection. Trying again…");
    assert.equal(deliveryWords({ declaration, state: "received" }, "12:03:07"), "The server has SOS since 12:03:07.");
});
