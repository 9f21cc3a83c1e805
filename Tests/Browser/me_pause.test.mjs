/** A pause: while it lasts the tracker records nothing, and then goes on as the person had chosen. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Store } from "../../Web/console/shared/store.js";
import { addWords } from "../../Web/console/shared/words.js";
import { start } from "../../Web/me/tracking/tracking.js";
import { placeless, stateWords, troubled } from "../../Web/me/tracking/trackingwords.js";
import { isUrgent } from "../../Web/me/tracking/urgency.js";
import { isReading } from "../../Web/me/way/waywords.js";
import { noon, Profile, Receiver, Server, settle } from "./me_world.mjs";

await addWords("../me/tracking");

const everything = { accuracyMetres: Infinity, distanceMetres: 0, seconds: -Infinity };
const minute = 60_000;
const place = (number) => ({ latitude: 52 + number * 2e-4, longitude: 13 });
const until = (ms) => ({ until: new Date(noon + ms).toISOString() });
const ownOf = (pause, sequence, rest = {}) => (
    { incidents: [], member: { state: "unknown", pause, pauseSequence: sequence }, ...rest });

/** A tab in which somebody wants to be tracked. */
async function open(profile, server, own, options = {}) {
    const tab = profile.tab(new Receiver(profile.time));
    const store = new Store({ own, deliveries: [], tracking: { state: "off", waiting: 0 } }, (act) => act());
    const stop = start({
        store, request: (...details) => server.request(...details), user: "ann", environment: tab.environment,
        serverNow: () => profile.time.trueMs, filters: { foreground: everything, background: everything }, ...options,
    });
    return Object.assign(tab, { store, stop, state: () => store.value.tracking.state });
}

async function world(own) {
    const profile = new Profile();
    const server = new Server(profile.time);
    const tab = await open(profile, server, own);
    await tab.stop.turnOn();
    await settle();
    const move = async (number) => {
        tab.receiver.move(place(number));
        await profile.time.pass(6000, 1000);
    };
    const latitudes = async () => {
        await profile.time.pass(40_000);
        return [...new Set([...server.stored.values()].map(({ latitude }) => latitude))];
    };
    return { profile, server, tab, move, latitudes, time: profile.time };
}

test("nothing is recorded while the person has paused, and it goes on by itself when the pause runs out", async () => {
    const { tab, move, latitudes, time } = await world(ownOf(undefined, 1));
    await move(0);
    tab.store.set({ own: ownOf(until(10 * minute), 2) });
    assert.equal(tab.state(), "paused");
    assert.equal(tab.receiver.watching, 0, "the receiver is off, not only unheard");
    assert.equal(tab.store.value.tracking.pausedUntil, until(10 * minute).until);
    await move(1);
    // Time passes to the end of the pause, at another place.
    await move(2);
    await time.pass(10 * minute, 5000);
    assert.equal(tab.receiver.watching, 1);
    assert.equal(tab.state(), "on");
    assert.deepEqual(await latitudes(), [0, 2].map((number) => place(number).latitude));
    await tab.stop();
});

test("a pause that is ended leaves the tracker as it was: on, or off where the person had turned it off", async () => {
    const { tab, move, latitudes } = await world(ownOf(until(minute * 30), 2));
    assert.equal(tab.state(), "paused");
    await move(0);
    tab.store.set({ own: ownOf(undefined, 3) });
    assert.equal(tab.state(), "asking");
    await move(1);
    assert.deepEqual(await latitudes(), [place(1).latitude]);
    tab.store.set({ own: ownOf(until(minute * 30), 4) });
    assert.equal(tab.state(), "paused");
    await tab.stop.turnOff();
    assert.equal(tab.state(), "off");
    tab.store.set({ own: ownOf(undefined, 5) });
    assert.equal(tab.state(), "off");
    await tab.stop();
});

test("a pause that the server has just taken counts before the change of it comes, and so does its end", async () => {
    const { tab } = await world(ownOf(undefined, 1));
    await tab.stop.takePause(until(10 * minute).until);
    assert.equal(tab.state(), "paused");
    // Another change of the person comes first.
    tab.store.set({ own: ownOf(undefined, 1, { heardAt: noon }) });
    assert.equal(tab.state(), "paused");
    tab.store.set({ own: ownOf(until(10 * minute), 2) });
    assert.equal(tab.state(), "paused");
    await tab.stop.takePause(undefined);
    assert.equal(tab.state(), "asking");
    tab.store.set({ own: ownOf(undefined, 3) });
    assert.equal(tab.state(), "asking");
    tab.store.set({ own: ownOf(until(5 * minute), 4) });
    assert.equal(tab.state(), "paused", "as the person said on another device");
    await tab.stop();
});

test("who calls for help, or is called, is tracked in spite of a pause", async () => {
    const paused = ownOf(until(10 * minute), 2);
    const call = { declaration: { id: "1", kind: "sos" }, state: "sending", at: noon };
    for (const parts of [
        { own: { ...paused, member: { ...paused.member, state: "needsHelp" } } }, { deliveries: [call] },
        { own: { ...paused, incidents: [{ number: 1 }] } },
        { own: { ...paused, member: { ...paused.member, timer: { happened: "overdue" } } } },
    ]) {
        const { tab } = await world(paused);
        assert.equal(tab.state(), "paused");
        tab.store.set(parts);
        assert.equal(tab.state(), "asking");
        await tab.stop();
    }
    assert.equal(isUrgent(undefined), false);
    assert.equal(isUrgent(paused, [{ ...call, state: "cancelled" }]), false);
});

test("an app that opens in a pause without a server records nothing, not even for a moment", async () => {
    const { profile, server, tab } = await world(ownOf(undefined, 1));
    await tab.stop();
    let read;
    const again = await open(profile, server, undefined, { ownRead: new Promise((resolve) => { read = resolve; }) });
    await settle();
    again.receiver.move(place(5));
    await profile.time.pass(20_000);
    assert.equal(again.receiver.watching, 0);
    again.store.set({ own: ownOf(until(10 * minute), 2) });
    read();
    await again.stop.started;
    await settle();
    assert.equal(again.state(), "paused");
    assert.equal(again.receiver.watching, 0);
    assert.equal(again.store.value.fix, undefined);
    await again.stop();
});

test("all tabs of a browser are paused, whichever of them has the receiver", async () => {
    const { profile, server, tab } = await world(ownOf(undefined, 1));
    const other = await open(profile, server, ownOf(undefined, 1));
    await other.stop.started;
    await settle();
    assert.equal(other.state(), "elsewhere");
    await other.stop.takePause(until(10 * minute).until);
    await settle();
    assert.deepEqual([tab.state(), other.state(), tab.receiver.watching], ["paused", "paused", 0]);
    await other.stop();
    await tab.stop();
});

test("a pause is said with its end, is no trouble, and shows no place", () => {
    const words = stateWords({ state: "paused", pausedUntil: "2026-11-21T12:30:00.000Z" }, noon);
    assert.match(words, /^Paused until .*: this app records no position\./);
    assert.ok(placeless.has("paused") && !troubled.has("paused"));
    assert.equal(isReading({ isOn: true, state: "paused" }), false);
    assert.equal(isReading({ isOn: true, state: "on" }), true);
});
