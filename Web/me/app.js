/** The member's app: who is signed in, what the page knows, and what its parts can do. */
import { browserStorage } from "../console/shared/browserstorage.js";
import { withDelivery } from "../console/shared/deliveries.js";
import { Drafts } from "../console/shared/drafts.js";
import { LiveLoop } from "../console/shared/liveloop.js";
import { newDeclaration, Outbox } from "../console/shared/outbox.js";
import { passing } from "../console/shared/passing.js";
import { Pending } from "../console/shared/pending.js";
import { PushSubscription } from "../console/shared/push.js";
import { isSameRoute, parseRoute, watchRoute } from "../console/shared/route.js";
import { Session } from "../console/shared/session.js";
import { SignIn, whyNot } from "../console/shared/signin.js";
import { emptyState } from "../console/shared/state.js";
import { Store } from "../console/shared/store.js";
import { keepTimeBy } from "../console/shared/time.js";
import { html, PageContext, render, useSlice } from "../console/shared/view.js";
import { addWords, currentLanguage, languageFor, languages, setLanguage, t } from "../console/shared/words.js";
import { PersonCache } from "./cache.js";
import { Call } from "./call/panel.js";
import { readSeen } from "./call/seen.js";
import { waitingWords } from "./declarations/deliverylines.js";
import { eraseEverything } from "./erase.js";
import { Ask } from "./frame/ask.js";
import { Frame } from "./frame/frame.js";
import { OwnLoop } from "./ownloop.js";
import { PartLoader } from "./partloader.js";
import { firstParts, loadPart } from "./parts.js";
import { formerPerson, formerProblem, OnePerson, rememberPerson } from "./person.js";
import { ShellUpdate } from "./shell/update.js";

const languageKey = "muster.language";

const store = new Store({
    user: undefined, own: undefined, live: emptyState, connection: { state: "connecting" },
    fix: undefined, tracking: { state: "off", waiting: 0 }, guess: undefined, storage: undefined,
    deliveries: [], delivery: undefined, seen: {}, pendingOrders: [], isNotified: false, asked: undefined,
    route: parseRoute(location.hash), parts: [], running: {}, version: {}, viewers: {},
    notice: "", said: "", whySignedOut: "", language: currentLanguage(), isReady: false,
});
const session = new Session({ key: "muster.me.session", isShared: true, storage: browserStorage() });
const request = (path, options) => session.request(path, options);
const serverNow = () => loop.serverNow;
const tell = passing((said) => store.set({ said }));
const notice = (words) => store.set({ notice: words });
const cache = new PersonCache();
const drafts = new Drafts();
const outbox = new Outbox({
    send: request, storage: browserStorage(), report: (reported) => store.set(({ deliveries }) => {
        const delivery = { ...reported, at: serverNow() };
        return { delivery, deliveries: withDelivery(deliveries, delivery) };
    }),
});
const pending = new Pending({
    send: request, now: serverNow, report: (pendingOrders) => store.set({ pendingOrders }),
});
const push = new PushSubscription({
    request, tell, report: (isNotified) => store.set({ isNotified }), key: "muster.me.push",
    worker: () => navigator.serviceWorker.ready,
});
const loop = new LiveLoop({
    store, token: (refused) => session.token(refused), taken: () => {}, loaded: () => {},
    newWorker: () => new Worker(new URL("live-worker.js", import.meta.url), { type: "module" }),
});
const ownLoop = new OwnLoop({ store, cache, loop });
const person = new OnePerson();
const update = new ShellUpdate({
    report: (version) => store.set({ version }), mayAsk: () => store.value.connection.state === "live",
});

/** The age in milliseconds beyond which a fix no longer says where a call for help comes from. */
const placeLimitMs = 60_000;

/** What every part may use: the data to show is in the store, and the actions are here. */
const page = {
    store, outbox, pending, drafts, push, cache, update, request, serverNow, tell, notice, clock: { now: serverNow },
    signIn, signOut, chooseLanguage,
    checkIn() { outbox.add(newDeclaration("checkIn", serverNow())); },
    /** The place that a call for help comes from: where this phone was just measured. */
    place(kind) {
        const { fix } = store.value;
        const isCall = kind === "sos" || kind === "needsHelp";
        if (!isCall || !fix || fix.isStale || serverNow() - fix.sampleTime > placeLimitMs) { return {}; }
        return { latitude: fix.latitude, longitude: fix.longitude };
    },
    /** Asks the person before an action, in the app's one dialog for that; undefined closes the dialog. */
    ask(asked) { store.set({ asked }); },
};

/** The longest time that signing out waits for the server to stop its notifications to this phone, in milliseconds. */
const farewellMs = 4000;

/** The functions that end the parts that work by themselves, such as the tracker, by the name of the part. */
let running = {};
/** Settles once the ended parts have stopped. */
let ending = Promise.resolve();

/** The names in the last warning: if the second person signs in again, the first one's unsent data is erased. */
let warnedOf;

/**
 * @throws {Problem} the server's refusal; and, the first time, a warning that another person's unsent data would be
 *     erased
 */
async function signIn(name, password) {
    const former = await formerPerson(name);
    const problem = former && warnedOf !== `${former.name} ${name}` ? formerProblem(former) : undefined;
    if (problem) {
        warnedOf = `${former.name} ${name}`;
        throw problem;
    }
    await session.signIn(name, password);
    // Only after the server has accepted the sign-in: a wrong password erases nothing.
    if (former) { await eraseEverything({ keeps: ["muster.me.session"] }); }
    begin();
}

/** Signs out, and erases all data of this person. Without a server, the session there ends only when it expires. */
async function signOut() {
    store.set({ isReady: false });
    pending.forget();
    drafts.forget();
    // A part that is still writing must finish before the data is erased.
    await endParts();
    await inTime(push.end(), farewellMs);
    outbox.forget();
    await session.signOut();
    await person.alone();
    const faults = await eraseEverything();
    if (faults.length > 0) { store.set({ isReady: true, whySignedOut: t("me.app.notErased") }); return; }
    // Loading the page again discards what the page holds in memory.
    location.replace(location.pathname);
}

/** Settles when the promise settles, at the latest after `limitMs`. */
function inTime(promise, limitMs) {
    return Promise.race([promise.catch(() => {}), new Promise((resolve) => { setTimeout(resolve, limitMs); })]);
}

/** Ends all parts; settles once none of them writes any more. */
function endParts() {
    const stops = Object.values(running);
    running = {};
    store.set({ running });
    ending = Promise.allSettled([ending, ...stops.map(async (stop) => stop?.())]);
    return ending;
}

function begin() {
    rememberPerson(session.user.name);
    person.begin();
    if (drafts.begin(session.user.name)) { pending.forget(); }
    store.set({ user: session.user, whySignedOut: "", seen: readSeen(session.user.name) });
    cache.begin(session.user.name);
    outbox.begin(session.user.name);
    page.ownRead = ownLoop.begin();
    push.begin();
    loop.begin();
    beginParts();
}

/** Starts the parts that have not started yet; a part that fails to start does not stop the others. */
function beginParts() {
    for (const { name, start: begins } of store.value.parts) {
        if (!begins || running[name]) { continue; }
        try {
            running = { ...running, [name]: begins(page) };
        } catch (error) {
            console.error(`The part ${name} cannot begin.`, error);
        }
    }
    store.set({ running });
}

/**
 * Shows nothing of the former user any more. Unsent messages and positions stay for the same user: the server may have
 * ended the session, and a call for help must not be lost for that reason.
 */
function forget() {
    const waits = waitingWords(store.value.deliveries, store.value.tracking?.waiting);
    endParts().finally(() => person.end());
    loop.end();
    outbox.end();
    ownLoop.end();
    cache.begin(undefined);
    store.set({
        user: undefined, deliveries: [], delivery: undefined, seen: {}, asked: undefined, guess: undefined,
        fix: undefined, notice: "", said: "",
        whySignedOut: waits ? t("me.app.endedWaiting", { what: waits }) : t("me.app.ended"),
    });
}

/** If another tab signed out, or signed somebody in, this tab starts again without the former user's data. */
function lookAtOthers() {
    const before = session.user;
    session.look();
    if (before && !session.user) { endParts().finally(() => location.reload()); }
    if (!before) { session.restore().then((isIn) => { if (isIn) { begin(); } }).catch(() => {}); }
}

async function chooseLanguage(wanted) {
    try {
        await setLanguage(wanted);
    } catch {
        store.set(session.user ? { notice: t("signIn.noAnswer") } : { whySignedOut: t("signIn.noAnswer") });
        return;
    }
    try { browserStorage().setItem(languageKey, wanted); } catch { /* Full: the choice is lost with the page. */ }
    showLanguage();
    update.keepLanguage(wanted).catch(() => {});
}

function showLanguage() {
    document.documentElement.lang = currentLanguage();
    store.set({ language: currentLanguage(), notice: "", said: "" });
}

function Page() {
    const { user, language, isReady } = useSlice(({ user, language, isReady }) => ({ user, language, isReady }));
    if (!isReady) { return undefined; }
    if (!user) { return html`<${SignIn} what=${t("me.app.what")} />`; }
    return html`<div key=${language} class="me-page"><${Frame} /><${Ask} /><${Call} /></div>`;
}

async function start() {
    const wanted = browserStorage().getItem(languageKey);
    await setLanguage(wanted in languages ? wanted : languageFor(navigator.languages)).catch(() => {});
    const [parts] = await Promise.all([
        Promise.all(firstParts.map(loadPart)), addWords("../me", { isEnglishEnough: true }),
    ]);
    showLanguage();
    store.set({ parts });
    const app = document.getElementById("app");
    app.replaceChildren();
    render(html`<${PageContext.Provider} value=${page}><${Page} /><//>`, app);
    session.onEnd = forget;
    watchRoute((route) => { if (!isSameRoute(route, store.value.route)) { store.set({ route, notice: "" }); } });
    addEventListener("online", () => { loop.hurry(); outbox.hurry(); });
    addEventListener("offline", () => loop.doubt());
    document.addEventListener("visibilitychange", () => {
        if (document.hidden) { ownLoop.keep(); } else { loop.hurry(); outbox.hurry(); }
    });
    keepTimeBy(serverNow);
    navigator.serviceWorker?.addEventListener("message", ({ data }) => {
        if (data?.type === "open") { location.hash = data.fragment; }
    });
    store.subscribe(({ connection }) => { if (connection.state === "live") { update.look(); } });
    // The language may have been chosen before the service worker was ready.
    let known = store.value.version;
    store.subscribe(({ version, language }) => {
        if (version !== known && version.state === "kept") { update.keepLanguage(language).catch(() => {}); }
        known = version;
    });
    // A tab that was frozen hears what happened meanwhile one by one: it first looks whether somebody signed out.
    document.addEventListener("resume", lookAtOthers);
    addEventListener("storage", ({ key }) => { if (key === null || key === "muster.me.session") { lookAtOthers(); } });
    try {
        if (await session.restore()) { begin(); }
    } catch (error) {
        store.set({ whySignedOut: whyNot(error) });
    }
    store.set({ isReady: true });
    store.flush();
    const loader = new PartLoader({ store, loaded: () => { if (session.user) { beginParts(); } } });
    await Promise.all([loader.begin(), update.begin()]);
}

/** A read-only view for the browser's console and the tests. */
globalThis.musterMe = Object.freeze({ get state() { return store.value; } });

await start();
