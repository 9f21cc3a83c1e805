/** What the app keeps in the browser: the promises of its database, and whether a browser may erase it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Database } from "../../Web/me/storage/database.js";
import { MemoryDatabase } from "../../Web/me/storage/memory.js";
import { isErasedAfterAWeek, storageState } from "../../Web/me/storage/persistence.js";
import { deviceName } from "../../Web/me/tracking/environment.js";
import { addressWarnings } from "../../Web/me/tracking/owntracks.js";
import { setLanguage, addWords } from "../../Web/console/shared/words.js";
import {
    fixWords, lossWords, problemWords, stateWords, storageWords, waitingWords,
} from "../../Web/me/tracking/trackingwords.js";
import { brokenPromises } from "./trial/databasesuite.js";

test("the database in memory keeps the promises of the browser's", async () => {
    assert.deepEqual(await brokenPromises(new MemoryDatabase()), []);
});

test("a browser that has no database, or refuses to open it, is told apart from a full one", async () => {
    await assert.rejects(new Database(undefined).get("cache", "ann", "key"), { kind: "unavailable" });
    const refusing = { open: () => { throw new DOMException("denied", "SecurityError"); } };
    await assert.rejects(new Database(refusing).get("cache", "ann", "key"), { kind: "unavailable" });
});

test("whether the browser keeps what is stored is asked of it, and a browser that cannot say is no fault", async () => {
    const storage = (isPersistent, grants, usage = 1e6, quota = 1e8) => ({
        persisted: async () => isPersistent, persist: async () => grants, estimate: async () => ({ usage, quota }),
    });
    const state = async (...details) => await storageState({ storage: storage(...details), asks: true });
    assert.deepEqual(await state(true, false), {
        isPersistent: true, usedBytes: 1e6, quotaBytes: 1e8, problem: undefined });
    assert.equal((await state(false, true)).isPersistent, true);
    assert.equal((await state(false, false)).problem, "erasable");
    assert.equal((await state(true, true, 95e6)).problem, "nearlyFull");
    assert.equal((await storageState({ storage: storage(false, true) })).isPersistent, false, "not asked");
    assert.deepEqual(await storageState({ storage: undefined }), {
        isPersistent: undefined, usedBytes: undefined, quotaBytes: undefined, problem: "unknown" });
});

test("Safari erases after a week what is not on the home screen, and no other browser does", () => {
    const agents = {
        iPhone: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            + "Version/18.4 Mobile/15E148 Safari/604.1",
        chromeOnIPhone: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
            + "Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1",
        mac: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 "
            + "Safari/605.1.15",
        chrome: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36",
        android: "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0 "
            + "Mobile Safari/537.36",
        firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
    };
    const erased = Object.entries(agents).filter(([, userAgent]) =>
        isErasedAfterAWeek({ userAgent, isInstalled: false })).map(([name]) => name);
    assert.deepEqual(erased, ["iPhone", "chromeOnIPhone", "mac"]);
    assert.equal(isErasedAfterAWeek({ userAgent: agents.iPhone, isInstalled: true }), false);
    assert.equal(isErasedAfterAWeek({ userAgent: agents.mac, isInstalled: false, isPersistent: true }), false);
});

test("a browser is one device, by a name that stays and is made anew where it cannot stay", () => {
    const kept = new Map();
    const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
    const name = deviceName(storage);
    assert.match(name, /^web-[a-z0-9]{6}$/);
    assert.equal(deviceName(storage), name);
    kept.set("muster-device", "another/one");
    assert.match(deviceName(storage), /^web-[a-z0-9]{6}$/);
    const deny = () => { throw new DOMException("no", "SecurityError"); };
    const denied = { getItem: deny, setItem: deny };
    assert.match(deviceName(denied), /^web-/);
    assert.match(deviceName(undefined), /^web-/);
});

test("the panel's words say what is, and promise nothing", async () => {
    await addWords("../me/tracking");
    await setLanguage("en");
    const noon = new Date(2026, 10, 21, 12, 3, 7).getTime();
    const fix = { accuracy: 4.9, sampleTime: noon, isStale: false };
    assert.equal(fixWords(fix, noon), "Position of 12:03:07, to within 8 m");
    assert.equal(fixWords({ ...fix, accuracy: 0.3 }, noon), "Position of 12:03:07, to within 1 m");
    assert.equal(fixWords({ ...fix, accuracy: undefined }, noon), "Position of 12:03:07");
    assert.equal(fixWords({ ...fix, isStale: true }, noon), "Last position of 12:03:07: nothing newer has come");
    assert.equal(fixWords(undefined, noon), "");
    assert.equal(waitingWords({ waiting: 1 }, noon), "1 position waits for the server");
    assert.equal(waitingWords({ waiting: 0, sentAt: noon }, noon),
        "Nothing waits for the server, last sent at 12:03:07");
    assert.equal(stateWords({ state: "of tomorrow" }), stateWords({ state: "off" }));
    assert.equal(problemWords({ state: "on" }), "");
    assert.match(problemWords({ state: "on", isJumping: true }), /^The positions jump/);
    assert.match(problemWords({ problem: { kind: "serverFull", detail: "the disk is full" } }), /the disk is full$/);
    assert.match(problemWords({ problem: { kind: "of tomorrow", detail: "why" } }), /why$/);
    assert.deepEqual(lossWords({}, noon), []);
    assert.equal(lossWords({
        thinned: { count: 2, fromMs: noon, untilMs: noon + 60_000 }, refused: 1, erased: 3, lost: 1,
    }, noon).length, 4);
    const sizes = { usedBytes: 2_500_000, quotaBytes: 1e9 };
    assert.equal(storageWords({ isPersistent: true, ...sizes }),
        "The browser keeps what this app stores: 3 of 1,000 MB.");
    assert.match(storageWords({ isPersistent: false, ...sizes }), /may erase/);
    assert.match(storageWords({ problem: "unknown" }), /does not say/);
    assert.match(storageWords({ isPersistent: true, problem: "nearlyFull", ...sizes }), /nearly full/);
    assert.equal(storageWords(undefined), "");
});

test("the code of OwnTracks warns of an address that no phone reaches, and of one in the clear", async () => {
    await addWords("../me/tracking");
    for (const language of ["es", "ja", "zh", "en"]) {
        await setLanguage(language);
        assert.equal(addressWarnings("http://localhost:8080/").length, 2);
        assert.match(addressWarnings("https://127.0.0.1/")[0], /127\.0\.0\.1/);
    }
    assert.match(addressWarnings("http://localhost:8080/")[0], /^No other device reaches this server at localhost: /);
    assert.match(addressWarnings("http://192.168.1.7:8080/").join(""), /^Without https/);
    assert.deepEqual(addressWarnings("https://muster.example.org/"), []);
});
