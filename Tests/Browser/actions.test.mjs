/** Actions that wait to be run by hand: which are shown, and what is said of them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../Web/console/frame/texts.js";
import {
    moreWords, runWords, targetsToRun, waitingWords, WaitingActions,
} from "../../Web/console/targets/waitingactions.js";
import { Problem } from "../../Web/console/shared/http.js";

const target = (name, more) => ({ target: name, byHand: true, enabled: true, pending: 1, deadLetters: 0, ...more });

test("only a target that is run by hand, is switched on and has something to run is shown", () => {
    const targets = [
        target("waits"), target("given-up", { pending: 0, deadLetters: 2 }), target("empty", { pending: 0 }),
        target("at-once", { byHand: false }), target("off", { enabled: false }),
    ];
    assert.deepEqual(targetsToRun(targets).map((each) => each.target), ["waits", "given-up"]);
    assert.equal(targetsToRun(Array.from({ length: 1000 }, (_, index) => target(`t${index}`))).length, 20);
});

test("the text counts waiting actions and the outcome of a run", () => {
    assert.equal(waitingWords(target("bea.action-2", { pending: 3 })), "bea.action-2: 3 waiting");
    assert.equal(waitingWords(target("x", { deadLetters: 1 })), "x: 1 waiting, 1 given up");
    assert.equal(runWords("x", 3, { pending: 0, deadLetters: 0 }), "x: 3 run");
    assert.equal(runWords("x", 3, { pending: 1, deadLetters: 1 }), "x: 1 run, 1 still waiting, 1 given up");
    // A dead letter of before the run is tried again too, so more may be left than the run counted.
    assert.equal(runWords("x", 1, { pending: 2, deadLetters: 0 }), "x: 0 run, 2 still waiting");
});

test("targets that are not shown are counted", () => {
    const many = Array.from({ length: 23 }, (_, index) => target(`t${index}`));
    assert.equal(moreWords(many), "and 3 more: see “muster target list”");
    assert.equal(moreWords(many.slice(3)), "");
});

/** A panel of an admin over a server that the test answers for. */
class World {
    shown;
    told = [];
    noticed = [];
    asked = [];
    user = { name: "admin", role: "admin" };

    constructor(answer) {
        this.actions = new WaitingActions({
            request: async (path, options) => {
                this.asked.push(path);
                const body = await answer(path, options);
                return { json: async () => body };
            },
            tell: (words) => { this.told.push(words); }, notice: (words) => { this.noticed.push(words); },
            report: (waiting) => { this.shown = waiting; },
            pause: async () => {},
        });
    }

    refresh() { return this.actions.refresh(this.user); }
    lines() { return targetsToRun(this.shown?.targets ?? []).map(waitingWords); }
    isRunning(target) { return this.shown.running.has(target); }
}

/** A promise and what fulfils it. */
function later() {
    const one = {};
    one.promise = new Promise((done) => { one.answer = done; });
    return one;
}

test("an answer that arrives after the sign-out is not shown", async () => {
    const answer = later();
    const world = new World(() => answer.promise);
    const asking = world.refresh();
    world.actions.forget();
    answer.answer({ targets: [target("secret")] });
    await asking;
    assert.deepEqual(world.lines(), []);
});

test("a run that ends after the sign-out is not shown to the next user", async () => {
    const answer = later();
    const world = new World((path) => path.endsWith("/run") ? answer.promise : { targets: [target("secret")] });
    await world.refresh();
    const running = world.actions.run("secret");
    world.actions.forget();
    world.told.length = 0;
    answer.answer({ count: 1, through: 1 });
    await running;
    assert.deepEqual([world.told, world.noticed, world.lines()], [[], [], []]);
    assert.equal(world.asked.filter((path) => path === "deliveries").length, 1);
});

test("a target can be run again after a run, and not during it, whatever was shown meanwhile", async () => {
    const answer = later();
    let pending = 2;
    const world = new World((path) => {
        if (path === "deliveries") { return { targets: [target("siren", { pending })] }; }
        return path.endsWith("/run") ? answer.promise : { pending: 0, deadLetters: 0 };
    });
    await world.refresh();
    const running = world.actions.run("siren");
    pending = 1;
    await world.refresh();
    assert.deepEqual([world.isRunning("siren"), world.lines()], [true, ["siren: 1 waiting"]]);
    await world.actions.run("siren");
    assert.equal(world.asked.filter((path) => path.endsWith("/run")).length, 1);
    answer.answer({ count: 2, through: 9 });
    await running;
    assert.equal(world.isRunning("siren"), false);
});

test("a run whose answer is lost is not shown as failed", async () => {
    const world = new World((path) => {
        if (path === "deliveries") { return { targets: [target("siren")] }; }
        if (path.endsWith("/run")) { return { count: 1, through: 9 }; }
        throw new Problem(404, { title: "There is no such resource." });
    });
    await world.refresh();
    await world.actions.run("siren");
    assert.match(world.noticed.at(-1), /^siren runs\./);
});

test("of two answers the one to the newer request is shown", async () => {
    const answers = [later(), later()];
    let next = 0;
    const world = new World(() => answers[next++].promise);
    const asking = [world.refresh(), world.refresh()];
    answers[1].answer({ targets: [] });
    await asking[1];
    answers[0].answer({ targets: [target("old")] });
    await asking[0];
    assert.deepEqual(world.lines(), []);
});
