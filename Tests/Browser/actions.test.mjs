/** Actions that wait to be run by hand: which are shown, and what is said of them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { moreWords, runWords, targetsToRun, waitingWords, WaitingActions } from "../../Web/live/actions.js";
import { Problem } from "../../Web/live/http.js";

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

/** As much of an element as the panel uses. */
class Element {
    dataset = {};
    children = [];
    attributes = {};
    textContent = "";
    hidden = false;

    setAttribute(name, value) { this.attributes[name] = value; }
    addEventListener(name, act) { this[name] = act; }
    append(...more) { for (const each of more) { this.insertBefore(each, null); } }
    remove() { this.parent?.children.splice(this.parent.children.indexOf(this), 1); this.parent = undefined; }

    insertBefore(child, before) {
        child.remove();
        this.children.splice(before ? this.children.indexOf(before) : this.children.length, 0, child);
        child.parent = this;
    }
}

/** A panel of an admin over a server that the test answers for. */
class World {
    panel = new Element();
    told = [];
    noticed = [];
    asked = [];
    user = { name: "admin", role: "admin" };

    constructor(answer) {
        globalThis.document = { createElement: () => new Element() };
        this.actions = new WaitingActions(this.panel, {
            request: async (path, options) => {
                this.asked.push(path);
                const body = await answer(path, options);
                return { json: async () => body };
            },
            tell: (words) => { this.told.push(words); }, notice: (words) => { this.noticed.push(words); },
            pause: async () => {},
        });
    }

    refresh() { return this.actions.refresh(this.user); }
    button(index = 0) { return this.panel.children[index].children[1]; }
    lines() { return this.panel.children.map((line) => line.children[0]?.textContent ?? line.textContent); }
}

const settled = () => new Promise((done) => { setImmediate(done); });

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
    assert.equal(world.panel.hidden, true);
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

test("a button can be used again after a run, whatever was shown meanwhile", async () => {
    const answer = later();
    let pending = 2;
    const world = new World((path) => {
        if (path === "deliveries") { return { targets: [target("siren", { pending })] }; }
        return path.endsWith("/run") ? answer.promise : { pending: 0, deadLetters: 0 };
    });
    await world.refresh();
    const button = world.button();
    const running = world.actions.run("siren");
    pending = 1;
    await world.refresh();
    assert.equal(world.button(), button, "the button that has the focus stays");
    assert.deepEqual([button.disabled, world.lines()], [true, ["siren: 1 waiting"]]);
    answer.answer({ count: 2, through: 9 });
    await running;
    assert.equal(world.button().disabled, false);
});

test("the second click of two runs nothing, also not the target that has moved there", async () => {
    let waiting = [target("a"), target("b")];
    const world = new World((path) => {
        if (path === "deliveries") { return { targets: waiting }; }
        if (path.endsWith("/run")) { waiting = [target("b")]; return { count: 1, through: 9 }; }
        return { pending: 0, deadLetters: 0 };
    });
    await world.refresh();
    world.button().click({ detail: 1 });
    while (world.lines().length > 1) { await settled(); }
    world.button().click({ detail: 2 });
    await settled();
    assert.deepEqual(world.asked.filter((path) => path.endsWith("/run")), ["targets/a/run"]);
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
