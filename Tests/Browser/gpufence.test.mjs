/** When what was asked of WebGL is drawn. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { whenDrawn } from "../../Web/console/map/gpufence.js";

function open(context, sync) {
    mock.timers.enable({ apis: ["setTimeout"] });
    context.after(() => mock.timers.reset());
    const world = { nowMs: 0, status: "unsignaled", deleted: [], flushed: 0, drawn: 0 };
    world.gl = {
        UNSIGNALED: "unsignaled",
        fenceSync: () => sync,
        flush() { world.flushed += 1; },
        getSyncParameter: () => world.status,
        deleteSync(each) { world.deleted.push(each); },
    };
    world.cancel = whenDrawn(world.gl, () => { world.drawn += 1; }, () => world.nowMs);
    world.pass = (ms) => {
        for (let count = 0; count < ms; count += 1) { world.nowMs += 1; mock.timers.tick(1); }
    };
    return world;
}

test("a picture is drawn once its fence says so, and the fence is given back", (context) => {
    const world = open(context, "fence");
    assert.equal(world.flushed, 1, "what was asked for is on its way");
    world.pass(100);
    assert.equal(world.drawn, 0);
    world.status = "signaled";
    world.pass(100);
    assert.equal(world.drawn, 1);
    assert.deepEqual(world.deleted, ["fence"]);
});

test("a fence that never opens, and one that a lost context cannot make, hold up nothing for long", (context) => {
    const world = open(context, "fence");
    world.pass(990);
    assert.equal(world.drawn, 0);
    world.pass(20);
    assert.equal(world.drawn, 1);
    mock.timers.reset();
    const lost = open(context, null);
    lost.pass(5);
    assert.equal(lost.drawn, 1);
});

test("a waiting that is given up does nothing", (context) => {
    const world = open(context, "fence");
    world.cancel();
    world.status = "signaled";
    world.pass(100);
    assert.equal(world.drawn, 0);
    assert.deepEqual(world.deleted, ["fence"]);
});

test("a browser with WebGL 1 alone draws as well", (context) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    context.after(() => mock.timers.reset());
    let drawn = 0;
    whenDrawn({ flush() {} }, () => { drawn += 1; }, () => 0);
    mock.timers.tick(5);
    assert.equal(drawn, 1);
    whenDrawn({ flush() {} }, () => { drawn += 1; }, () => 0)();
    mock.timers.tick(5);
    assert.equal(drawn, 1);
});
