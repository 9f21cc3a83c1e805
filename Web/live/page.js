/** The live page: signs in, loads the state, follows the feed, and shows it as map, list and events. */
import { WaitingActions } from "./actions.js";
import { Alarms } from "./alarms.js";
import { Events } from "./events.js";
import { Feed } from "./feed.js";
import { Problem } from "./http.js";
import { List } from "./list.js";
import { LiveMap, NoMap } from "./map.js";
import { Myself } from "./myself.js";
import { Orders } from "./orders.js";
import { Outbox } from "./outbox.js";
import { PushButton } from "./push.js";
import { Session } from "./session.js";
import { loadHeard, loadHistory, loadSnapshot } from "./snapshot.js";
import { isOnRollAlone, nameOf } from "./roll.js";
import { counts, titleWords } from "./safety.js";
import { emptyState, latestPosition, reduce } from "./state.js";
import { StorageBanner } from "./storage.js";
import { clockTime, duration } from "./time.js";
import { MyTimer } from "./timer.js";
import { legible } from "./text.js";
import { TrackView } from "./trackview.js";
import { VisitorDialog } from "./visitor.js";
import { Whereabouts } from "./whereabouts.js";

/** What arrives within this time is shown at once; more when showing takes long, so that the page stays usable. */
const showEveryMs = 100;
const showCostFactor = 5;
/** After a change of people or regions, more of them may follow: they are asked for together. */
const reloadDelayMs = 700;
const retryLoadMs = 3000;
/** How often the page asks when people were heard: no change tells it where a device is heard and not stored. */
const heardEveryMs = 20_000;

const element = (id) => document.getElementById(id);
const session = new Session();
let state = emptyState;
let hasHistory = false;
/** How far the server's clock is ahead of this one. */
let clockAheadMs = 0;
let feed;
let map;
let showTimer;
let showCostMs = 0;
let reloadTimer;
/** Counts sign-ins and reloads, so that an answer that comes too late is dropped. */
let era = 0;

const list = new List({ list: element("list"), counts: element("counts"), empty: element("list-empty") },
    chooseFromList, (user, kind, reason) => orders.declare(user, kind, reason));
const events = new Events(element("events"));
const serverNow = () => Date.now() + clockAheadMs;
const storage = new StorageBanner(element("storage"), (path) => session.json(path), () => session.user);
const storing = storage.watching((path, options) => session.request(path, options));
const orders = new Orders({
    request: storing, member: (user) => state.members.get(user),
    now: serverNow, tell, notice,
});
const alarms = new Alarms(
    {
        alarms: element("alarms"), leaving: element("leaving"), closed: element("closed"), orders: element("orders"),
    },
    (path, body, words) => orders.send(path, body, words), serverNow,
    (incident) => visitors.open(incident), () => myTimer.checkIn(),
    new Whereabouts({ request: storing, user: () => session.user?.name, now: serverNow, tell, notice }));
const visitors = new VisitorDialog(
    element("visitor"), (path, body) => orders.post(path, body), tell);
const outbox = new Outbox({
    send: storing,
    report: (delivery) => myself.tell(delivery),
});
const myself = new Myself(element("myself"), outbox, serverNow);
const myTimer = new MyTimer(element("my-timer"), outbox, { request: storing, now: serverNow, tell, notice });
const actions = new WaitingActions(element("actions"), { request: storing, tell, notice });
const push = new PushButton(element("notify"), (path, options) => session.request(path, options), tell);
const track = new TrackView({
    bar: element("track"), title: element("track-title"), words: element("track-words"), said: element("track-said"),
    device: element("track-device"), span: element("track-span"), close: element("track-close"),
}, (path) => session.json(path), trackChanged);

// Signing in and out

async function start() {
    session.onEnd = showSignIn;
    element("sign-in-form").addEventListener("submit", submit);
    element("sign-out").addEventListener("click", signOut);
    element("fit").addEventListener("click", () => map?.fit());
    addEventListener("online", () => { feed?.hurry(); outbox.hurry(); });
    setInterval(() => list.tick(), 5000);
    setInterval(refreshHeard, heardEveryMs);
    storage.begin();
    const code = takeCode();
    try {
        if (code) { await session.signInWithCode(code); } else if (!await session.restore()) { showSignIn(); return; }
    } catch (error) {
        showSignIn();
        element("sign-in-error").textContent = code && error instanceof Problem
            ? "That link was used already. Sign in instead, or ask for a new one."
            : whyNot(error);
        return;
    }
    await showLive();
}

async function signOut() {
    await push.end();
    await session.signOut();
}

/** The one-time code of `#demo=…`; it leaves the address at once, and the history with it. */
function takeCode() {
    const match = /^#demo=(.+)$/.exec(location.hash);
    if (!match) { return undefined; }
    history.replaceState(null, "", location.pathname + location.search);
    return match[1];
}

async function submit(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const button = form.querySelector("button");
    button.disabled = true;
    element("sign-in-error").textContent = "";
    try {
        await session.signIn(form.elements.name.value.trim(), form.elements.password.value);
        form.reset();
        await showLive();
    } catch (error) {
        element("sign-in-error").textContent = whyNot(error);
        form.elements.password.select();
    } finally {
        button.disabled = false;
    }
}

function whyNot(error) {
    if (!(error instanceof Problem)) { return "The server does not answer. Is the network up?"; }
    if (error.status === 401) { return "The name or the password is wrong."; }
    if (error.status === 429) { return `Too many tries. Wait ${error.retryAfterSeconds ?? 60} seconds.`; }
    return error.message;
}

function showSignIn() {
    era += 1;
    feed?.stop();
    feed = undefined;
    outbox.end();
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
    state = emptyState;
    hasHistory = false;
    visitors.forget();
    actions.forget();
    tell("");
    track.close();
    show();
    element("live").hidden = true;
    element("sign-in").hidden = false;
    document.title = "Muster";
    element("name").focus();
}

async function showLive() {
    element("sign-in").hidden = true;
    element("live").hidden = false;
    element("who").textContent = session.user.name;
    outbox.begin(session.user.name);
    storage.ask();
    push.begin();
    if (!map) { await openMap(); }
    await load();
}

async function openMap() {
    try {
        map = await LiveMap.open(element("map"), chooseFromMap);
        element("fit").hidden = false;
    } catch (error) {
        if (!(error instanceof NoMap)) { throw error; }
        element("map-message").textContent = error.message;
        element("map-message").hidden = false;
    }
}

// The state

/** Loads the state and follows the feed from there; tries again until it can. */
async function load(knownRegions) {
    era += 1;
    const mine = era;
    feed?.stop();
    const get = (path) => session.json(path);
    try {
        const snapshot = await loadSnapshot(get, knownRegions);
        const past = hasHistory ? [] : await loadHistory(get, snapshot.sequence);
        if (mine !== era) { return; }
        if (snapshot.at) { clockAheadMs = Date.parse(snapshot.at) - Date.now(); }
        state = reduce(reduce(state, { type: "snapshot", snapshot }), { type: "history", changes: past });
        hasHistory = true;
        notice([serverClockWords(), snapshot.isPartial ? "There is more here than this page can show." : ""]
            .filter(Boolean).join(" "));
        show();
        actions.refresh(session.user);
        follow(snapshot.sequence);
        track.refresh();
    } catch (error) {
        if (mine !== era || !session.user) { return; }
        if (error instanceof Problem && error.status === 403) {
            notice("Your role may not see the live page.");
            return;
        }
        connection({ state: "waiting", delayMs: retryLoadMs });
        reloadTimer = setTimeout(reload, retryLoadMs);
    }
}

function reload() {
    reloadTimer = undefined;
    const knowsRegions = hasHistory && !state.outdated.regions;
    load(knowsRegions ? [...state.regions.values()] : undefined);
}

function follow(since) {
    const mine = era;
    feed = new Feed({
        since,
        open: (path, options) => session.request(path, options),
        receive: (changes) => { if (mine === era) { take(changes); } },
        report: (status) => { if (mine === era) { connection(status); } },
        resync: () => { if (mine === era) { load(); } },
    });
    feed.run();
}

/** Asks when people were heard, those of teams in an incident first, and what waits to be run. */
async function refreshHeard() {
    const mine = era;
    if (!isLive() || document.hidden) { return; }
    actions.refresh(session.user);
    const inIncident = [...state.incidents.values()].map(({ team }) => team);
    const teams = [...state.members.values()].map(({ team }) => team).filter(Boolean);
    try {
        const people = await loadHeard((path) => session.json(path), [...new Set([...inIncident, ...teams])]);
        if (mine !== era) { return; }
        state = reduce(state, { type: "heard", people });
        show();
    } catch {
        // The feed tells whether the server answers; the next turn asks again.
    }
}

function take(changes) {
    state = reduce(state, { type: "changes", changes });
    track.take(changes);
    showTimer ??= setTimeout(show, Math.max(showEveryMs, showCostFactor * showCostMs));
    if (state.outdated.people || state.outdated.regions) { reloadTimer ??= setTimeout(reload, reloadDelayMs); }
}

// What is seen

function show() {
    clearTimeout(showTimer);
    showTimer = undefined;
    const began = performance.now();
    alarms.show(state, session.user, isLive());
    list.show(state, serverNow, session.user);
    myself.show(state, session.user);
    myTimer.show(state, session.user);
    events.show(state);
    list.mark(track.user);
    track.show();
    map?.show(state);
    map?.showTrack(track.track);
    document.title = `${isLive() || !session.user ? "" : "Not live · "}${titleWords(counts(state))}`;
    showCostMs = performance.now() - began;
}

/** Leaders and admins are told that the server suspects its own clock: times and silences may then be wrong. */
function serverClockWords() {
    const clock = state.serverClock;
    if (!clock?.suspect || session.user?.role === "member") { return ""; }
    const off = `${duration(Math.abs(clock.aheadSeconds))} ${clock.aheadSeconds < 0 ? "behind" : "ahead of"}`;
    return `The server’s clock seems to be ${off} that of ${clock.devices} devices: do not trust the times shown.`;
}

/** Says whether the server has what was ordered. */
function tell(words) {
    element("said").textContent = words;
}

function connection({ state: name, delayMs }) {
    const pill = element("connection");
    showWhetherLive(name);
    if (name === "live") { track.retry(); }
    // A first attempt after a cut goes on saying since when the page is not live.
    if (name === "connecting" && pill.dataset.state === "waiting") { return; }
    if (name !== "waiting" || pill.dataset.state !== "waiting") {
        pill.textContent = {
            connecting: "Connecting…",
            live: "Live",
            waiting: `Not live since ${lastHeard()}`,
            refused: "Not live: refused",
        }[name];
    }
    const was = isLive();
    pill.dataset.state = name;
    if (was !== isLive() && session.user) { show(); }
    pill.title = name === "waiting" ? `Tries again within ${Math.ceil(delayMs / 1000)} s` : "";
}

/** Whether what is shown follows the server; a first attempt after a cut does not count. */
function isLive() {
    return element("connection").dataset.state === "live";
}

/** When the server was last heard. */
function lastHeard() {
    return clockTime(new Date(feed?.heardMs ?? Date.now()).toISOString());
}

/** Says large that what is shown may be old; a first attempt after a cut leaves it said. */
function showWhetherLive(name) {
    const banner = element("not-live");
    if (name === "connecting") { return; }
    if (name !== "live" && banner.hidden) {
        banner.textContent = name === "refused"
            ? "Not live: the server refused this page. Sign in again."
            : `Not live since ${lastHeard()}. What is shown here may be old.`;
    }
    banner.hidden = name === "live";
}

function notice(text) {
    element("notice").textContent = text;
    element("notice").hidden = text === "";
}

function chooseFromList(user) {
    const member = state.members.get(user);
    notice(member && latestPosition(member) ? "" : whyNowhere(user));
    map?.flyTo(user);
    if (map) { element("map").scrollIntoView({ block: "nearest" }); }
    selectTrack(user);
}

function whyNowhere(user) {
    const member = state.members.get(user);
    if (member?.roll?.kind === "visitor") { return `${legible(nameOf(member))} is a visitor without a phone.`; }
    if (member && isOnRollAlone(member)) { return `No device of ${legible(nameOf(member))} is shown here.`; }
    const [wrong] = state.members.get(user)?.clocks ?? [];
    if (!wrong) { return `Nobody knows yet where ${user} is.`; }
    const [device, { aheadSeconds }] = wrong;
    return `Nobody knows when ${user} was where: the clock of ${device} is ${duration(aheadSeconds)} ahead.`;
}

function chooseFromMap(user, device) {
    const row = rowOf(user);
    row?.scrollIntoView({ block: "nearest" });
    row?.firstElementChild.focus({ preventScroll: true });
    selectTrack(user, device);
}

function rowOf(user) {
    return [...element("list").children].find((item) => item.dataset.user === user);
}

// The track

/** Selects the track of a person's device: of the one that was heard last, unless another is named. */
function selectTrack(user, device) {
    const member = state.members.get(user);
    const devices = member ? [...new Set([...member.positions.keys(), ...member.clocks.keys()])] : [];
    const chosen = device ?? (member && latestPosition(member)?.device) ?? devices[0];
    if (!chosen) { track.close(); return; }
    const newest = (name) => Date.parse(state.members.get(user)?.positions.get(name)?.sampleTime ?? NaN) || serverNow();
    track.select(user, chosen, devices, newest);
}

function trackChanged(event, user) {
    const hadFocus = element("track").contains(document.activeElement);
    show();
    if (event === "read") { map?.fitTrack(track.track); }
    if (event === "closed" && hadFocus) { rowOf(user)?.firstElementChild.focus(); }
}

/** A read-only view for the browser's console and the tests. */
globalThis.muster = Object.freeze({
    get state() { return state; },
    drawn: (user) => map?.drawn(user) ?? [],
    centre: () => map?.centre(),
    get track() { return track.track; },
    drawnTrack: () => map?.drawnTrack() ?? [],
});

await start();
