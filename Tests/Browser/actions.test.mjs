/** Actions that wait to be run by hand: which are shown, and what is said of them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { runWords, targetsToRun, waitingWords } from "../../Web/live/actions.js";

const target = (name, more) => ({ target: name, byHand: true, enabled: true, pending: 1, deadLetters: 0, ...more });

test("only a target that is run by hand, is switched on and has something to run is shown", () => {
    const targets = [
        target("waits"), target("given-up", { pending: 0, deadLetters: 2 }), target("empty", { pending: 0 }),
        target("at-once", { byHand: false }), target("off", { enabled: false }),
    ];
    assert.deepEqual(targetsToRun(targets).map((each) => each.target), ["waits", "given-up"]);
    assert.equal(targetsToRun(Array.from({ length: 1000 }, (_, index) => target(`t${index}`))).length, 20);
});

test("the words count what waits and what came of a run", () => {
    assert.equal(waitingWords(target("bea.action-2", { pending: 3 })), "bea.action-2: 3 waiting");
    assert.equal(waitingWords(target("x", { deadLetters: 1 })), "x: 1 waiting, 1 given up");
    assert.equal(runWords("x", 3, { pending: 0, deadLetters: 0 }), "x: 3 run");
    assert.equal(runWords("x", 3, { pending: 1, deadLetters: 1 }), "x: 1 run, 1 still waiting, 1 given up");
    // A dead letter of before the run is tried again too, so more may be left than the run counted.
    assert.equal(runWords("x", 1, { pending: 2, deadLetters: 0 }), "x: 0 run, 2 still waiting");
});
