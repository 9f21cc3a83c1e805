/** The console: who looks, what the page knows, and what can be done; and the frame in which its panels stand. */
import { AskDialog } from "./frame/ask.js";
import { Banners, Sayings } from "./frame/banners.js";
import { Header } from "./frame/header.js";
import { LeavingDialog } from "./frame/leaving.js";
import { OtherScreen, PendingOrders } from "./frame/navigation.js";
import { VersionWatch } from "./frame/newversion.js";
import { Sharing } from "./frame/sharing.js";
import { session } from "./frame/oursession.js";
import { collectionsOf, withStartLines } from "./frame/startlines.js";
import { Alarms, OrderButtons } from "./incident/alarms.js";
import {
    askClose, askHeardFrom, askOf, askReopen, askStart, askVisitor, needsQuestion,
} from "./incident/askings.js";
import { SeenHandovers } from "./incident/handover.js";
import { Distress, distressTitle, unheardCalls } from "./incident/distress.js";
import { Orders } from "./incident/orders.js";
import { Whereabouts } from "./incident/questions.js";
import { Siren } from "./incident/siren.js";
import { loadScreen, screensFor } from "./screens.js";
import { isTrackShown, MapPanel } from "./map/panel.js";
import { isOverMap } from "./person/sheet.js";
import { Myself } from "./myself/myself.js";
import { TrackFollower } from "./person/trackfollower.js";
import { Roster } from "./roster/roster.js";
import { withDelivery } from "./shared/deliveries.js";
import { Drafts } from "./shared/drafts.js";
import { Problem } from "./shared/http.js";
import { chooseLanguage as changeLanguage } from "./shared/language.js";
import { LiveLoop } from "./shared/liveloop.js";
import { newDeclaration, Outbox } from "./shared/outbox.js";
import { whenPainted } from "./shared/painted.js";
import { passing } from "./shared/passing.js";
import { Pending } from "./shared/pending.js";
import { PushSubscription } from "./shared/push.js";
import { firstScreen, go, hrefOf, isSameRoute, parseRoute, watchRoute } from "./shared/route.js";
import { nowhereWords } from "./shared/rowwords.js";
import { counts, titleWords } from "./shared/safety.js";
import { SignIn, whyNot } from "./shared/signin.js";
import { emptyState, latestPosition } from "./shared/state.js";
import { StorageWatch } from "./shared/storage.js";
import { Store } from "./shared/store.js";
import { keepTimeBy, today } from "./shared/time.js";
import { html, PageContext, render, useSlice } from "./shared/view.js";
import { currentLanguage, t } from "./shared/words.js";
import { WaitingActions } from "./targets/waitingactions.js";
import { WaitingList } from "./targets/waitinglist.js";
import { Events } from "./timeline/events.js";

/** How often the page looks whether another day began. */
const dayEveryMs = 5000;
/** So long after signing in the page has shown what matters most. */
const preloadAfterMs = 5000;
const noFilter = Object.freeze({ sorting: "state" });

const store = new Store({
    user: undefined, live: emptyState, connection: { state: "connecting" },
    filter: noFilter, selection: undefined, track: undefined, delivery: undefined, deliveries: [],
    asked: undefined, sharing: undefined,
    /** What is shown only once now, and what somebody did that would lose it, until they decide. */
    atStake: [], leaving: undefined,
    /** The keys of the handovers that the user said they know of. */
    seenHandovers: [],
    waiting: { targets: [], running: new Set() }, storage: undefined, isNotified: false,
    pendingOrders: [], isSilent: true, route: parseRoute(location.hash),
    notice: "", said: "", whySignedOut: "", language: currentLanguage(), isWall: isWallWanted(), isReady: false,
    /** The day by the server's clock, in the reader's time zone: a time of another day is shown with its day. */
    day: today(),
    /** Whether the server has a newer version of this page. */
    isOutdated: false,
});
const json = (path) => session.json(path);
const serverNow = () => loop.serverNow;
const tell = passing((said) => store.set({ said }));
const notice = (words) => store.set({ notice: words });
const storage = new StorageWatch({ json, user: () => session.user, report: (found) => store.set({ storage: found }) });
const request = storage.watching((path, options) => session.request(path, options));
const member = (user) => store.value.live.members.get(user);
const outbox = new Outbox({
    send: request, report: (reported) => store.set(({ deliveries }) => {
        const delivery = { ...reported, at: serverNow() };
        return { delivery, deliveries: withDelivery(deliveries, delivery) };
    }),
});
const drafts = new Drafts();
const pending = new Pending({
    send: request, now: serverNow, report: (pendingOrders) => store.set({ pendingOrders }),
});
const orders = new Orders({ pending, member, now: serverNow, tell, notice });
const siren = new Siren({ report: (isSilent) => store.set({ isSilent }) });
const actions = new WaitingActions({ request, tell, notice, report: (waiting) => store.set({ waiting }) });
const push = new PushSubscription({
    request: (path, options) => session.request(path, options), tell,
    report: (isNotified) => store.set({ isNotified }),
});
const track = new TrackFollower({
    get: json, report: (selected) => store.set({ track: selected }),
    newestMs: (user, device) => Date.parse(member(user)?.positions.get(device)?.sampleTime ?? NaN) || serverNow(),
});
const versions = new VersionWatch({ report: () => store.set({ isOutdated: true }) });
const loop = new LiveLoop({
    store, token: (refused) => session.token(refused), taken: (changes) => track.take(changes),
    loaded: () => { actions.refresh(session.user); track.refresh(); },
});

/** What every component may use: what it shows is in the store, and what can be done is here. */
const page = {
    store, outbox, orders, pending, drafts, actions, push, track, siren, versions, request, serverNow, tell, notice,
    seenHandovers: new SeenHandovers({ report: (seenHandovers) => store.set({ seenHandovers }) }),
    whereabouts: new Whereabouts({ request, user: () => session.user?.name, now: serverNow, tell, notice }),
    map: undefined,
    setMap(map) { page.map = map; },
    /** The map of another screen than the first, while that is shown. */
    otherMap: undefined,
    setOtherMap(map) { page.otherMap = map; },
    signIn, signOut: () => leave(signOut), chooseLanguage, toggleWall, select, deselect,
    chooseOnMap(user, device) { select(user, { device, isOnMap: true }); },
    checkIn() { outbox.add(newDeclaration("checkIn", serverNow())); },
    /** Opens the dialog by which a link is given: `{kind, user | incident | team}`; for nothing, the list of links. */
    share(subject) { store.set({ sharing: { subject } }); },
    closeSharing() { store.set({ sharing: undefined }); },

    /** Shows somebody among the people and on the map, from any screen. */
    showPerson(user) {
        if (store.value.route.screen !== firstScreen) { go(firstScreen); }
        select(user, { scrollsTo: true, isMapWanted: true });
    },

    /** Asks before an order, in the one dialog for that; undefined closes it. */
    ask(ask) { store.set(({ asked }) => ({ asked: ask && { ask, number: (asked?.number ?? 0) + 1 } })); },
    /** Asks where it needs that, and says something of a person. */
    declare(someone, kind) {
        if (needsQuestion(kind)) { page.ask(askOf(someone.user, kind)); } else { orders.declare(someone.user, kind); }
    },
    heardFrom(user) { page.ask(askHeardFrom(user)); },
    start(team, kind) {
        let collections;
        // The question opens at once; what it says of assembly points comes as soon as the server has told.
        collectionsOf(json, team).then((found) => { collections = found; });
        page.ask(withStartLines(askStart(team, kind), team, () => collections, (users) => orders.bringBack(users)));
    },
    close(incident) { page.ask(askClose(incident)); },
    reopen(incident) { page.ask(askReopen(incident)); },
    openVisitor(incident) { page.ask(askVisitor(incident)); },
};

// Signing in and out

async function signIn(name, password) {
    await session.signIn(name, password);
    begin();
}

/** Whether the user ends the session, who then need not be told why it ended. */
let isSigningOut = false;

async function signOut() {
    isSigningOut = true;
    pending.forget();
    drafts.forget();
    try {
        await push.end();
        await session.signOut();
    } finally { isSigningOut = false; }
}

/** Whom and what somebody looked at whose session the server ended: it is there again once they sign in again. */
let looked;

function begin() {
    if (drafts.begin(session.user.name)) { pending.forget(); }
    const { filter = noFilter, selection } = looked?.name === session.user.name ? looked : {};
    looked = undefined;
    store.set({ user: session.user, whySignedOut: "", filter, selection });
    outbox.begin(session.user.name);
    page.seenHandovers.begin(session.user.name);
    storage.ask();
    push.begin();
    // A screen that opens before the state is here reads the time, too.
    loop.assumeClock(session.clockAheadMs ?? 0);
    loop.begin();
    // What leads through an incident must open also where the server is gone by then.
    setTimeout(() => {
        for (const place of screensFor(session.user).slice(0, 1)) { loadScreen(place).catch(() => {}); }
    }, preloadAfterMs);
}

/**
 * Shows nothing of the former user any more. Where the server ended the session, what was typed and what waits
 * stays for the same user (`drafts.js`, `pending.js`).
 */
function forget() {
    loop.end();
    outbox.end();
    actions.forget();
    track.close();
    const { user, filter, selection } = store.value;
    looked = isSigningOut || !user ? undefined : { name: user.name, filter, selection };
    store.set({
        user: undefined, filter: noFilter, selection: undefined, delivery: undefined, deliveries: [],
        asked: undefined, sharing: undefined, storage: undefined, notice: "", said: "",
        atStake: [], leaving: undefined,
        whySignedOut: isSigningOut ? "" : t(drafts.isEmpty ? "signIn.ended" : "signIn.endedKept"),
    });
}

// Leaving

/** Goes on at once, or once somebody agreed to lose what is shown only now. */
function leave(proceed) {
    if (store.value.atStake.length === 0) { proceed(); } else { store.set({ leaving: { proceed } }); }
}

/** Asks before a link to another screen is followed: nothing has come into the browser's history by then. */
function holdLink(event) {
    const link = event.target.closest?.("a[href^='#/']");
    if (!link || store.value.atStake.length === 0 || event.ctrlKey || event.metaKey || event.shiftKey) { return; }
    event.preventDefault();
    leave(() => { location.hash = link.hash; });
}

/** Shows the screen that the address names. The address stays that of what is shown while somebody is asked. */
function follow(route) {
    const { route: shown, atStake } = store.value;
    if (isSameRoute(route, shown)) { return; }
    if (atStake.length === 0) { store.set({ route, notice: "" }); return; }
    history.pushState(null, "", hrefOf(shown.screen, ...shown.rest));
    leave(() => go(route.screen, ...route.rest));
}

// Choosing

/**
 * Selects a person: shows them on the map, and their track. `isOnMap`: they were chosen there; `scrollsTo`: brings
 * their row in sight; `isMapWanted`: the map must be in sight, and on a phone it takes the place of the row.
 */
function select(user, { device, isOnMap = false, scrollsTo = isOnMap, isMapWanted = false } = {}) {
    const someone = member(user);
    if (!someone) { return; }
    store.set({ selection: { user, scrollsTo, isMapWanted, isOnMap }, notice: nowhereWords(someone) });
    const devices = [...new Set([...someone.positions.keys(), ...someone.clocks.keys()])];
    const chosen = device ?? latestPosition(someone)?.device ?? devices[0];
    if (chosen) { track.select(user, chosen, devices); } else { track.close(); }
    store.flush();
    // First the choice is seen, and then the map moves, which keeps a slow machine busy.
    const move = () => {
        if (store.value.selection?.user === user && !isTrackShown(store.value)) { page.map?.flyTo(user); }
    };
    if (!isOnMap) { whenPainted(move); }
}

function deselect(hadFocus = false) {
    const { selection } = store.value;
    const isSheetOfMap = selection?.isOnMap && isOverMap(document.getElementById("person"));
    track.close();
    store.set({ selection: undefined, notice: "" });
    store.flush();
    // The row is far from the map where the panel was a sheet over it.
    if (hadFocus && isSheetOfMap) { page.map?.focus(); return; }
    if (hadFocus) { document.querySelector(`#list [data-user="${CSS.escape(selection.user)}"] .person`)?.focus(); }
}

async function chooseLanguage(wanted) {
    try {
        await changeLanguage(wanted);
        store.set({ language: currentLanguage(), notice: "", said: "" });
    } catch {
        store.set(session.user ? { notice: t("signIn.noAnswer") } : { whySignedOut: t("signIn.noAnswer") });
    }
}

// The wall

function isWallWanted() {
    return new URLSearchParams(location.search).has("wall");
}

/** A screen on a wall has no controls but the button that brings them back: it shows itself to the mouse and to Tab. */
function toggleWall() {
    store.set(({ isWall }) => ({ isWall: !isWall }));
}

// What is seen

function Page() {
    // With another day everything is drawn again: a time of the day before gets its day.
    const { user, language, isReady, isWall, route } = useSlice(({ user, language, isReady, isWall, route, day }) => (
        { user, language, isReady, isWall, route, day }));
    if (!isReady) { return undefined; }
    if (!user) { return html`<${SignIn} />`; }
    const isFirst = route.screen === firstScreen;
    return html`<div id="live" class=${isWall ? "live wall" : "live"} key=${language}>
        <a class="skip" href=${isFirst ? "#list" : "#screen"} onClick=${skip}>${
        isFirst ? t("skip") : t("screens.skip")}</a>
        <${Header} /><${Banners} /><${Alarms} /><${PendingOrders} />
        ${!isWall && isFirst && html`<${Myself} />`}<${Sayings} /><${AskDialog} /><${Sharing} />
        <${LeavingDialog} />
        ${!isWall && html`<${Distress} />`}
        <${First} isAway=${!isFirst} />
        ${!isFirst && html`<${OtherScreen} />`}
        ${isWall && html`<button type="button" class="leave-wall" onClick=${toggleWall}>${
        t("header.leaveWall")}</button>`}
    </div>`;
}

/** The people, the map and the events. While another screen is shown they stay, unseen: the map takes long to open. */
function First({ isAway }) {
    return html`<main class=${isAway ? "first away" : "first"} inert=${isAway}>
        <div class="side"><${Roster} /><${OrderButtons} /><${WaitingList} /></div>
        <${MapPanel} /><${Events} />
    </main>`;
}

/** The address names the screen, so that the way past the head must not change it. */
function skip(event) {
    event.preventDefault();
    document.querySelector(event.currentTarget.getAttribute("href"))?.focus();
}

function showTitle({ user, live, connection }) {
    const isOld = user && connection.state !== "live";
    const words = distressTitle(unheardCalls(live, user), titleWords(counts(live)));
    document.title = isOld ? t("title.notLive", { words }) : words;
}

/** `/` goes to the search from anywhere but a field. */
function listenForKeys() {
    addEventListener("keydown", (event) => {
        const isTyping = event.target.matches?.("input, select, textarea, [contenteditable]");
        if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) { return; }
        const search = document.querySelector("main:not([inert]) [type=search]");
        if (search) { event.preventDefault(); search.focus(); }
    });
}

/**
 * Shows the console in an element, for who is signed in (`frame/oursession.js`), was so before a reload, or came by a
 * one-time code; else the form to sign in.
 */
export async function openConsole(element, code) {
    element.replaceChildren();
    // This module may be older than what was chosen in the form.
    store.set({ language: currentLanguage(), route: parseRoute(location.hash), day: today() });
    render(html`<${PageContext.Provider} value=${page}><${Page} /><//>`, element);
    session.onEnd = forget;
    store.subscribe(showTitle);
    store.subscribe(({ connection }) => versions.follow(connection));
    store.subscribe(({ live, user, isNotified }) => siren.look({ live, user, isNotified, now: serverNow() }));
    watchRoute(follow);
    listenForKeys();
    addEventListener("click", holdLink);
    addEventListener("online", () => { loop.hurry(); outbox.hurry(); });
    addEventListener("offline", () => loop.doubt());
    document.addEventListener("visibilitychange", () => loop.refreshHeard());
    keepTimeBy(serverNow);
    setInterval(() => store.set({ day: today() }), dayEveryMs);
    storage.begin();
    setInterval(() => { if (session.user && !document.hidden) { actions.refresh(session.user); } }, 20_000);
    try {
        if (code) { await session.signInWithCode(code); }
        if (session.user || await session.restore()) { begin(); }
    } catch (error) {
        const isUsed = code && error instanceof Problem;
        store.set({ whySignedOut: isUsed ? t("signIn.usedLink") : whyNot(error) });
    }
    store.set({ isReady: true });
}

const mapInSight = () => page.otherMap ?? page.map;

/** A read-only view for the browser's console and the tests. */
globalThis.muster = Object.freeze({
    get state() { return store.value.live; },
    get serverNow() { return serverNow(); },
    drawn: (user) => mapInSight()?.drawn?.(user) ?? [],
    drawnSeeming: (user) => mapInSight()?.drawnSeeming?.(user) ?? [],
    lookAt: (user) => mapInSight()?.flyTo(user),
    centre: () => mapInSight()?.centre(),
    get shown() { return mapInSight()?.shown; },
    get track() { return store.value.track?.track; },
    drawnTrack: () => mapInSight()?.drawnTrack?.() ?? [],
    get map() { return mapInSight()?.library; },
});
