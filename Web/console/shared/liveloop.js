/**
 * Keeps the store's `live` part as the server has it: loads the state, follows the changes, and reloads when needed.
 */
import { Problem } from "./http.js";
import { LiveData } from "./livedata.js";
import { learnNames, learnNamesOf } from "./names.js";
import { emptyState, reduce } from "./state.js";
import { t } from "./words.js";

/** The wait before a reload, in milliseconds: one change of people or regions is often followed by more. */
const reloadDelayMs = 700;
const retryLoadMs = 3000;
/** A state that took longer to load is not current: the page then says that it is not live, as with a silent feed. */
const silenceLimitMs = 9_500;
/** The time after which a request for the state is given up and repeated, in milliseconds. */
const loadLimitMs = 30_000;
/**
 * How often the page asks when people were heard: no change is sent for a device that is heard without a stored fix.
 */
const heardEveryMs = 20_000;
/** How often the page looks whether this device's clock was set. */
const clockEveryMs = 1000;
/** The difference between the clocks' movements beyond which this device's clock was set, or the device slept. */
const steppedMs = 2000;

export class LiveLoop {
    #store;
    #data;
    #taken;
    #loaded;
    #hasHistory = false;
    #reloadTimer;
    /** Counts sign-ins and reloads, so that an answer to an earlier request is dropped. */
    #era = 0;
    #clockAheadMs = 0;
    #monotonicNow;
    /** This device's clock minus the clock that nobody can set, when it was last looked at. */
    #clockDifferenceMs;
    /** The time at which the server was last heard, by this device's clock. */
    #heardMs;

    /**
     * @param {object} options
     * @param {import("./store.js").Store} options.store
     * @param {(refused?: string) => Promise<string>} options.token an access token of the user
     * @param {(changes: object[]) => void} options.taken called with the changes that the store has taken
     * @param {() => void} options.loaded called when the state was loaded
     * @param {() => Worker} [options.newWorker] starts the worker that reads the server, for a page that has its own
     * @param {() => number} [options.monotonicNow] a clock that nobody can set, in milliseconds; replaced in tests
     */
    constructor({ store, token, taken, loaded, newWorker, monotonicNow = () => performance.now() }) {
        this.#store = store;
        this.#monotonicNow = monotonicNow;
        this.#taken = taken;
        this.#loaded = loaded;
        this.#data = new LiveData({
            token, newWorker,
            receive: (changes) => this.#receive(changes),
            report: (status) => this.#report(status),
            resync: () => this.#load(),
        });
        this.#clockDifferenceMs = this.#clockDifference;
        setInterval(() => this.refreshHeard(), heardEveryMs);
        setInterval(() => this.#noticeSetClock(), clockEveryMs);
    }

    /** The server's time in milliseconds; this device's time until the server has told its own. */
    get serverNow() { return Date.now() + this.#clockAheadMs; }

    /** The milliseconds by which the server's clock is ahead of this device's; 0 until the server has told its time. */
    get clockAheadMs() { return this.#clockAheadMs; }

    /** Uses a difference of the clocks known from before the page was loaded, until the server tells its time again. */
    assumeClock(aheadMs) {
        if (this.#heardMs === undefined) { this.#clockAheadMs = aheadMs; }
    }

    /** The server time at which the server was last heard; undefined if it was not heard since the page was loaded. */
    get heardAt() { return this.#heardMs === undefined ? undefined : this.#heardMs + this.#clockAheadMs; }

    /** Loads the state for the user who signed in, and follows it. */
    begin() { return this.#load(); }

    /** Forgets everything when the user signs out. */
    end() {
        this.#era += 1;
        this.#data.stop();
        clearTimeout(this.#reloadTimer);
        this.#reloadTimer = undefined;
        this.#hasHistory = false;
        this.#heardMs = undefined;
        learnNames([], true);
        this.#store.set({ live: emptyState, connection: { state: "connecting" } });
    }

    /** Tries again at once if a retry is waiting: the network may be back. */
    hurry() { this.#data.hurry(); }

    /** The browser says that the network is gone: the page is not live until the server is heard again. */
    doubt() {
        this.#data.doubt();
        if (this.#store.value.connection.state === "live") { this.#report({ state: "waiting", delayMs: 0 }); }
    }

    /** Loads the state and follows the feed from there; repeats until that succeeds. */
    async #load(knownRegions) {
        this.#era += 1;
        const mine = this.#era;
        this.#data.stop();
        const silence = setTimeout(() => {
            if (mine === this.#era) { this.#report({ state: "waiting", delayMs: 0 }); }
        }, silenceLimitMs);
        try {
            const { snapshot, history } = await inTime(
                this.#data.load({ knownRegions, wantsHistory: !this.#hasHistory }), loadLimitMs);
            if (mine !== this.#era) { return; }
            this.#heardMs = Date.now();
            this.#hearClock(snapshot.at, 0);
            const { user } = this.#store.value;
            learnNames([[user?.name, user?.displayName], ...Object.entries(snapshot.names ?? {})], true);
            learnNamesOf(history);
            const live = reduce(this.#store.value.live, { type: "snapshot", snapshot });
            this.#hasHistory = true;
            this.#store.set(({ notice: was }) => ({
                live: reduce(live, { type: "history", changes: history }),
                // A notice of something else stays.
                notice: snapshot.isPartial ? t("notice.partial")
                    : [t("notice.partial"), t("notice.forbidden")].includes(was) ? "" : was,
            }));
            this.#data.follow(snapshot.sequence);
            this.#loaded();
        } catch (error) {
            if (mine !== this.#era || !this.#store.value.user) { return; }
            if (error instanceof Problem && error.status === 403) {
                this.#store.set({ notice: t("notice.forbidden") });
                return;
            }
            this.#report({ state: "waiting", delayMs: retryLoadMs });
            this.#reloadTimer = setTimeout(() => this.#reload(), retryLoadMs);
        } finally {
            clearTimeout(silence);
        }
    }

    #reload() {
        this.#reloadTimer = undefined;
        const { live } = this.#store.value;
        const knowsRegions = this.#hasHistory && !live.outdated.regions;
        this.#load(knowsRegions ? [...live.regions.values()] : undefined);
    }

    #receive(changes) {
        if (!this.#store.value.user) { return; }
        this.#heardMs = Date.now();
        learnNamesOf(changes);
        this.#store.set(({ live }) => ({ live: reduce(live, { type: "changes", changes }) }));
        this.#taken(changes);
        const { outdated } = this.#store.value.live;
        if (outdated.people || outdated.regions) {
            this.#reloadTimer ??= setTimeout(() => this.#reload(), reloadDelayMs);
        }
    }

    /**
     * Reports the connection's state. While the page is not live, the report says when the server was last heard, by
     * the server's clock.
     */
    #report({ state, delayMs, heardMs }) {
        if (heardMs) { this.#heardMs = heardMs; }
        this.#store.set(({ connection: was }) => {
            if (state === "live") { return { connection: { state } }; }
            const isFirst = was.wasLiveMs === undefined && state === "connecting";
            // A reload of a page that is live does not count as an interruption.
            if (isFirst && was.state === "live") { return {}; }
            // What the page itself heard last is a change; the feed also hears that nothing has changed.
            const toldMs = heardMs === undefined ? -Infinity : heardMs + this.#clockAheadMs;
            const wasLiveMs = isFirst ? undefined
                : Math.max(was.wasLiveMs ?? this.heardAt ?? this.serverNow, toldMs);
            return { connection: { state, delayMs, wasLiveMs } };
        });
    }

    /** Asks when people were heard, beginning with the teams in an incident, and what time it is. */
    async refreshHeard() {
        const mine = this.#era;
        const { user, connection, live } = this.#store.value;
        if (!user || connection.state !== "live" || document.hidden) { return; }
        const inIncident = [...live.incidents.values()].map(({ team }) => team);
        const teams = new Set(inIncident);
        for (const { team } of live.members.values()) { if (team) { teams.add(team); } }
        try {
            const { people, at } = await this.#data.heard([...teams]);
            if (mine !== this.#era) { return; }
            this.#hearClock(at, steppedMs);
            this.#store.set(({ live: now }) => ({ live: reduce(now, { type: "heard", people }) }));
        } catch {
            // The feed shows whether the server answers; the next round asks again.
        }
    }

    /** @param {string} [at] the server's time in an answer; a smaller change than `slackMs` is that of the way */
    #hearClock(at, slackMs) {
        const aheadMs = Date.parse(at ?? "") - Date.now();
        if (Math.abs(aheadMs - this.#clockAheadMs) >= slackMs) { this.#clockAheadMs = aheadMs; }
    }

    get #clockDifference() { return Date.now() - this.#monotonicNow(); }

    /** What this page thinks the server's time is may be wrong once somebody set this device's clock. */
    #noticeSetClock() {
        const isSet = Math.abs(this.#clockDifference - this.#clockDifferenceMs) >= steppedMs;
        this.#clockDifferenceMs = this.#clockDifference;
        if (isSet) { this.refreshHeard(); }
    }
}

/** The promise's value; rejects if the promise has not settled after `limitMs`. */
function inTime(promise, limitMs) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new TypeError("the server does not answer")), limitMs);
        promise.then(resolve, reject).finally(() => clearTimeout(timer));
    });
}
