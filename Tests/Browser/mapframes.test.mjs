/** When a map is drawn anew: seldom while it stands still, at once when it is moved, and not while it rests. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { MapFrames } from "../../Web/console/map/mapframes.js";

/** A map on a machine of which each frame takes `frameMs` and each picture `pictureMs`, and its clock. */
function open(context, frameMs, pictureMs = frameMs) {
    const world = { nowMs: 10_000, isMoving: false, drawn: 0, asked: 0, handedOver: 0 };
    let frames = [];
    mock.timers.enable({ apis: ["setTimeout"] });
    globalThis.requestAnimationFrame = (act) => { frames.push(act); return act; };
    globalThis.cancelAnimationFrame = (act) => { frames = frames.filter((each) => each !== act); };
    context.after(() => {
        mock.timers.reset();
        delete globalThis.requestAnimationFrame;
        delete globalThis.cancelAnimationFrame;
    });
    const listeners = {};
    const hands = {};
    const presses = {};
    const map = {
        on(type, act) { (listeners[type] ??= []).push(act); },
        once(type, act) { map.on(type, act); },
        isMoving: () => world.isMoving,
        getContainer: () => ({
            addEventListener(type, act) { hands[type] = act; },
            contains: (target) => target === map,
            ownerDocument: { addEventListener(type, act) { presses[type] = act; } },
        }),
        triggerRepaint() { world.asked += 1; },
        redraw() { world.drawn += 1; map.fire("render"); },
        fire(type) { for (const act of listeners[type] ?? []) { act(); } },
    };
    world.map = map;
    world.pacing = new MapFrames(map, {
        now: () => world.nowMs,
        whenDrawn(act) {
            world.handedOver += 1;
            const timer = setTimeout(() => { world.handedOver -= 1; act(); }, pictureMs);
            return () => clearTimeout(timer);
        },
    });
    world.press = (type, target) => presses[type]({ type, target });
    world.hand = (type, event = {}) => hands[type]({ type, ...event });
    world.frame = () => {
        world.nowMs += frameMs;
        mock.timers.tick(frameMs);
        const due = frames;
        frames = [];
        for (const act of due) { act(); }
    };
    return world;
}

test("what changes on a map that stands still is drawn together, the less often the slower the machine", (context) => {
    for (const [frameMs, most] of [[90, 6], [16, 15]]) {
        const world = open(context, frameMs);
        const endMs = world.nowMs + 1000;
        while (world.nowMs < endMs) { world.map.triggerRepaint(); world.frame(); }
        assert.ok(world.drawn >= 3 && world.drawn <= most, `${world.drawn} at ${frameMs} ms`);
        assert.equal(world.asked, 0);
        mock.timers.reset();
    }
});

test("a move, and a hand on the map, is drawn frame by frame, and so is what waited", (context) => {
    const world = open(context, 90);
    world.map.triggerRepaint();
    for (let count = 0; count < 3; count += 1) { world.frame(); }
    assert.equal(world.drawn, 1);
    world.map.triggerRepaint();
    world.hand("pointermove", { buttons: 0 });
    assert.equal(world.asked, 0, "a mouse passes over the map");
    world.hand("wheel");
    assert.equal(world.asked, 1, "what waited");
    world.map.triggerRepaint();
    assert.equal(world.asked, 2);
    world.nowMs += 1000;
    world.isMoving = true;
    world.map.triggerRepaint();
    assert.equal(world.asked, 3);
});

test("a map that rests draws nothing, and then what was asked for meanwhile", (context) => {
    const world = open(context, 16);
    world.map.triggerRepaint();
    world.pacing.rest();
    world.frame();
    world.map.triggerRepaint();
    world.frame();
    assert.equal(world.drawn, 0);
    world.pacing.wake();
    world.frame();
    assert.equal(world.drawn, 1);
    world.pacing.wake();
    world.frame();
    assert.equal(world.drawn, 1, "nothing was asked for");
});

test("a map that nobody wakes draws again by itself", (context) => {
    const world = open(context, 16);
    world.pacing.rest();
    world.map.triggerRepaint();
    mock.timers.tick(1000);
    world.frame();
    assert.equal(world.drawn, 1);
});

test("no picture is begun before the last is drawn, also while the map moves", (context) => {
    for (const isMoving of [false, true]) {
        const world = open(context, 16, 400);
        world.map.triggerRepaint();
        world.frame();
        assert.deepEqual([world.drawn, world.handedOver], [1, 1]);
        world.isMoving = isMoving;
        for (let count = 0; count < 20; count += 1) { world.map.triggerRepaint(); world.frame(); }
        assert.deepEqual([world.drawn, world.handedOver, world.asked], [1, 1, 0]);
        for (let count = 0; count < 60; count += 1) { world.frame(); }
        assert.equal(world.drawn + world.asked, 2, "what was asked for meanwhile, once");
        mock.timers.reset();
    }
});

test("a press elsewhere on the page lets the map rest until its effect is seen", (context) => {
    const world = open(context, 16);
    world.press("pointerdown", "a row of the list");
    world.map.triggerRepaint();
    world.frame();
    assert.equal(world.drawn, 0);
    for (let count = 0; count < 20; count += 1) { world.frame(); }
    assert.equal(world.drawn, 1);
    world.press("keydown", world.map);
    world.map.triggerRepaint();
    for (let count = 0; count < 8; count += 1) { world.frame(); }
    assert.equal(world.drawn, 2);
});

test("the map is drawn also while somebody writes", (context) => {
    const world = open(context, 16);
    for (let count = 0; count < 120; count += 1) {
        world.press("keydown", "a note");
        world.map.triggerRepaint();
        world.frame();
    }
    assert.ok(world.drawn >= 3, `${world.drawn} pictures in two seconds`);
});
