/**
 * Tracks this device for the signed-in person: reads where the device is, records what the filter admits, and sends it.
 * It sets the store's parts `fix`, `tracking` and `storage`.
 *
 * `start` returns the function that ends tracking. The actions that a person can take are members of that function:
 * the `actions` below; the panel gets it as `tracking`.
 */
import { areSame } from "../../console/shared/store.js";
import { MemoryDatabase } from "../storage/memory.js";
import { browserEnvironment, deviceName } from "./environment.js";
import { Judgement } from "./judgement.js";
import { OneTab } from "./onetab.js";
import { PauseWatch } from "./pausewatch.js";
import { Queue } from "./queue.js";
import { Recorder } from "./recorder.js";
import { Sender } from "./sender.js";
import { ServerClock } from "./serverclock.js";
import { Settings } from "./settings.js";
import { frozenMs, readEveryMs, Source } from "./source.js";
import { isUrgent } from "./urgency.js";
import { WakeLock } from "./wakelock.js";

const actions = ["turnOn", "turnOff", "takePause", "keepAwake", "clearTold", "retry", "askPersistence"];
/** The panel's names for the reasons for which the disk refuses to store. */
const diskProblems = Object.freeze({ full: "diskFull", unavailable: "diskUnavailable", failed: "diskFailed" });

/**
 * @param {object} options
 * @param {import("../../console/shared/store.js").Store} options.store
 * @param {(path: string, options?: object) => Promise<Response>} options.request sends a request as the user; throws
 *     `Problem`
 * @param {string} options.user the signed-in user
 * @param {() => number} [options.serverNow] the server's time in milliseconds; by default this device's
 * @param {Promise<void>} [options.ownRead] settles once the store has what the server said before the page opened:
 *     nothing is recorded before, because the person may have paused
 * @param {object} [options.environment] replaces `browserEnvironment` in tests
 * @param {object} [options.filters] `{foreground, background}`, in place of MusterKit's
 * @param {number} [options.silenceSeconds] see `SilenceRule`
 * @returns {() => Promise<void>} ends tracking; settles once nothing more is written
 */
export function start(options) {
    const tracking = new Tracking(options);
    const stop = () => tracking.end();
    for (const name of actions) { stop[name] = (...details) => tracking[name](...details); }
    stop.started = tracking.begin();
    return stop;
}

class Tracking {
    #options;
    #environment;
    #clock;
    #run;
    #device;
    #database;
    #serverClock;
    #settings;
    #queue;
    #recorder;
    #sender;
    #source;
    #tab;
    #wakeLock;
    #judgement = new Judgement();
    #pauses;
    #pausedUntil;
    #channel;
    #endListening = () => {};
    #cancelLook = () => {};
    #isEnded = false;
    /** The receiver's last known state: `off`, `asking`, `on`, `denied`, `frozen`. */
    #receiver = "off";
    #hasNoPosition = false;
    #awake = "off";
    #lastAt;
    #permission;
    /** Settles when there is a recorder, a sender and the rest, with whether tracking has not ended before. */
    #opened;

    constructor({ environment = browserEnvironment(), ...options }) {
        this.#options = options;
        this.#environment = environment;
        this.#clock = this.#environment.clock;
        this.#run = Math.random().toString(36).slice(2);
        this.#database = this.#environment.database;
        this.#device = deviceName(this.#environment.localStorage);
        this.#serverClock = new ServerClock(() => this.#moment());
        this.#pauses = new PauseWatch({ serverNow: this.#clock.now, ...options });
    }

    async begin() {
        this.#opened = this.#open();
        if (await this.#opened) { await this.#measureStorage(false); }
    }

    /** @returns {Promise<boolean>} whether tracking has begun, and not ended before */
    async #open() {
        const { user, ownRead } = this.#options;
        await ownRead;
        this.#settings = new Settings({ database: this.#database, user });
        try {
            await this.#settings.read();
        } catch {
            // The browser does not let this page store anything: fixes wait in memory, and the person is told.
            this.#database = new MemoryDatabase();
            this.#settings = new Settings({ database: this.#database, user });
        }
        this.#queue = new Queue({ database: this.#database, user });
        await this.#queue.open();
        if (this.#isEnded) { return false; }
        this.#makeParts();
        const endListening = this.#environment.listen({ seen: () => this.#look(), online: () => this.#sender.hurry() });
        const endFollowing = this.#options.store.subscribe((state) => this.#hearServer(state));
        this.#endListening = () => { endListening(); endFollowing(); };
        this.#hearServer(this.#options.store.value);
        this.#wakeLock.want(this.#settings.choice.isAwake);
        this.#followPermission();
        this.#tab.begin();
        this.#tick();
        return true;
    }

    #makeParts() {
        const { user, request, filters, silenceSeconds } = this.#options;
        const { geolocation, getBattery, locks, openChannel, isHidden, wakeLock } = this.#environment;
        const schedule = (act, ms) => this.#clock.schedule(act, ms);
        const moment = () => this.#moment();
        this.#newRecorder(filters, silenceSeconds);
        this.#sender = new Sender({
            queue: this.#queue, request, user, device: this.#device, serverClock: this.#serverClock, moment, schedule,
            report: () => { this.#settings.keepOffset(this.#serverClock.offsetMs); this.#show(); },
        });
        this.#source = geolocation && new Source({
            geolocation, getBattery, moment, schedule, receive: (fix) => this.#take(fix),
            report: (state) => this.#hearReceiver(state),
        });
        this.#channel = openChannel(`muster-me-tracking.${user}`, (message) => this.#hearTab(message));
        this.#tab = new OneTab({
            name: `muster-me-tracker.${user}`, locks, channel: this.#channel, isHidden, schedule,
            won: () => this.#win(), lost: () => this.#lose(),
        });
        this.#wakeLock = new WakeLock({ wakeLock, report: (awake) => { this.#awake = awake; this.#show(); } });
    }

    #newRecorder(filters = this.#options.filters, silenceSeconds = this.#options.silenceSeconds) {
        this.#recorder = new Recorder({ queue: this.#queue, filters, silenceSeconds });
        this.#recorder.isInBackground = this.#environment.isHidden();
        this.#recorder.isUrgent = this.#sender?.isUrgent ?? false;
    }

    /** Reads from the server's last state whether the person has paused, or somebody may be looking for them now. */
    #hearServer({ own, deliveries }) {
        const urgent = isUrgent(own, deliveries);
        if (urgent !== this.#sender.isUrgent) {
            this.#sender.isUrgent = urgent;
            this.#recorder.isUrgent = urgent;
            if (urgent) { this.#sender.hurry(); }
        }
        if (this.#pauses.until !== this.#pausedUntil) { this.#follow(); }
    }

    /** Ends all work; what is on the disk stays. */
    async end() {
        this.#isEnded = true;
        this.#endListening();
        this.#cancelLook();
        this.#source?.end();
        this.#wakeLock?.want(false);
        await this.#recorder?.write();
        await this.#sender?.end();
        await this.#settings?.end();
        this.#tab?.end();
        this.#channel?.close();
        this.#options.store.set({ fix: undefined, tracking: { state: "off", waiting: 0 } });
    }

    // The actions of the person

    turnOn() { return this.#choose({ isOn: true }); }

    turnOff() { return this.#choose({ isOn: false }); }

    /**
     * Follows a pause that the server has just taken.
     * @param {string|undefined} until the pause's end, RFC 3339; undefined if the person ended it
     */
    async takePause(until) {
        if (!await this.#opened) { return; }
        this.#pauses.take(until);
        this.#channel.post({ type: "paused", until });
        this.#follow();
    }

    /** @param {boolean} isAwake whether the screen stays lit while the page is open */
    keepAwake(isAwake) { return this.#choose({ isAwake }); }

    /** Forgets the refused and the dropped fixes, once the person has read about them. */
    async clearTold() {
        await this.#queue.clearTold();
        this.#recorder.lost = 0;
        this.#show();
    }

    /** Tries again after the sending ended: somebody signed in again, or an admin changed something. */
    retry() { this.#sender.retry(); }

    /** Asks the browser for persistent storage. */
    askPersistence() { return this.#measureStorage(true); }

    async #choose(change) {
        // A switch may be pressed as soon as it is drawn, before what was chosen earlier is read.
        if (!await this.#opened) { return; }
        const choice = { ...this.#settings.choice, ...change };
        this.#settings.choice = choice;
        this.#wakeLock.want(choice.isAwake);
        this.#follow();
        this.#channel.post({ type: "chosen", choice });
        await this.#settings.keepChoice();
        if (change.isOn) { await this.#measureStorage(true); }
    }

    // Sharing with other tabs

    async #win() {
        // Another tab may have recorded and sent fixes since this one opened.
        await this.#queue.open().catch(() => {});
        if (this.#isEnded || !this.#tab.isHolding) { return; }
        // Fixes that did not reach the disk stay with the recorder that has them.
        if (this.#recorder.pending === 0) { this.#newRecorder(); }
        this.#sender.begin();
        this.#follow();
    }

    #lose() {
        this.#source?.end();
        this.#receiver = "off";
        this.#recorder.write();
        this.#sender.end();
        this.#show();
    }

    #hearTab(message) {
        this.#tab.hear(message);
        const { type, fix, tracking, choice, until } = message;
        if (type === "chosen") { this.#settings.choice = choice; this.#follow(); }
        if (type === "paused") { this.#pauses.take(until); this.#follow(); }
        if (type === "told" && !this.#tab.isHolding) {
            this.#options.store.set({ fix, tracking: { ...tracking, ...this.#own(), state: this.#state() } });
        }
    }

    // The receiver's reports

    /** Follows the browser's permission, if the browser tells it, and the person's changes of it. */
    async #followPermission() {
        try {
            const permission = await this.#environment.permissions.query({ name: "geolocation" });
            const look = () => {
                this.#permission = permission.state;
                if (this.#isEnded || this.#receiver === "off") { return; }
                if (permission.state === "denied") { this.#hearReceiver("denied"); } else { this.#source.again(); }
            };
            permission.onchange = look;
            look();
        } catch { /* An older browser tells it with the first fix. */ }
    }

    #follow() {
        this.#pausedUntil = this.#pauses.until;
        const isWanted = this.#settings.choice.isOn && this.#pausedUntil === undefined;
        const isTracking = isWanted && this.#tab.isHolding && this.#source !== undefined;
        if (isTracking && this.#receiver === "off") {
            this.#receiver = "asking";
            this.#judgement = new Judgement();
            this.#source.begin();
        }
        if (!isTracking && this.#receiver !== "off") {
            this.#source?.end();
            this.#receiver = "off";
        }
        this.#show();
    }

    #hearReceiver(state) {
        this.#hasNoPosition = state === "noPosition";
        if (state === "alive") { this.#receiver = "on"; }
        // While the person has not answered the browser's question, the receiver is not frozen.
        const isAsked = this.#receiver === "asking" && this.#permission !== "granted";
        if (state === "frozen" && this.#receiver !== "denied" && !isAsked) { this.#receiver = state; }
        if (state === "denied") { this.#receiver = state; }
        this.#show();
    }

    async #take(found) {
        if (this.#pauses.until !== undefined) { this.#follow(); return; }
        const offsetMs = this.#serverClock.offsetMs ?? this.#settings.offsetMs;
        const fix = { ...found, run: this.#run, offsetMs, isClockKnown: this.#serverClock.isKnown };
        this.#judgement.take(fix);
        this.#lastAt = fix.monotonicMs;
        this.#options.store.set({ fix: shown(fix) });
        const isRecorded = this.#recorder.take(fix, this.#moment());
        if (isRecorded || this.#recorder.pending > 0) { await this.#recorder.write(); }
        this.#show();
    }

    /** Checks at intervals whether the newest fix is old, and writes what the disk did not accept before. */
    #tick() {
        this.#cancelLook = this.#clock.schedule(() => this.#tick(), readEveryMs);
        const { fix } = this.#options.store.value;
        const isOld = this.#lastAt !== undefined && this.#moment().monotonicMs - this.#lastAt >= frozenMs;
        if (isOld && fix && !fix.isStale && this.#tab.isHolding) {
            this.#options.store.set({ fix: { ...fix, isStale: true } });
        }
        if (this.#recorder.pending > 0) { this.#recorder.write().then(() => this.#show()); }
        // A pause may have run out.
        this.#follow();
    }

    /** Called when the page came into sight, or went out of sight. */
    #look() {
        const isHidden = this.#environment.isHidden();
        this.#recorder.isInBackground = isHidden;
        this.#tab.look();
        if (isHidden) { return; }
        this.#wakeLock.look();
        this.#follow();
        if (this.#tab.isHolding) {
            this.#source?.again();
            this.#sender.hurry();
        }
    }

    // The values shown

    #show() {
        if (this.#isEnded) { return; }
        const { store } = this.#options;
        const { isHolding } = this.#tab;
        // Another tab that tracks reports its own state.
        const before = { waiting: this.#queue.waiting, ...store.value.tracking, ...this.#own() };
        const tracking = { ...(isHolding ? this.#told() : before), state: this.#state() };
        if (areSame(tracking, store.value.tracking)) { return; }
        store.set({ tracking });
        if (isHolding) { this.#channel.post({ type: "told", tracking, fix: store.value.fix }); }
    }

    /** The values that each tab knows by itself. */
    #own() {
        const { isOn, isAwake } = this.#settings.choice;
        return { isOn, isAwake, awake: this.#awake, device: this.#device, pausedUntil: this.#pausedUntil };
    }

    #told() {
        const { notes, waiting, refused, erased } = this.#queue;
        return {
            ...this.#own(), waiting: waiting + this.#recorder.pending, sentAt: this.#sender.progress.sentAt,
            problem: this.#problem(), refused, erased, lost: this.#recorder.lost + notes.forgotten,
            thinned: notes.thinned, isJumping: this.#judgement.isJumping,
        };
    }

    #state() {
        if (!this.#source) { return "unsupported"; }
        if (this.#settings.choice.isOn && this.#pausedUntil !== undefined) { return "paused"; }
        if (!this.#tab.isHolding) { return "elsewhere"; }
        if (this.#receiver === "on" && this.#judgement.isCoarse) { return "coarse"; }
        return this.#receiver;
    }

    /** The most important problem now: `{kind, detail?}`. */
    #problem() {
        if (this.#recorder.problem) { return this.#same({ kind: diskProblems[this.#recorder.problem] }); }
        if (!this.#database.isLasting) { return this.#same({ kind: diskProblems.unavailable }); }
        if (this.#sender.progress.problem) { return this.#sender.progress.problem; }
        return this.#hasNoPosition ? this.#same({ kind: "noPosition" }) : undefined;
    }

    /** Returns the same value while the problem is the same, so that nothing is drawn again. */
    #same(problem) {
        const shownNow = this.#options.store.value.tracking?.problem;
        return shownNow?.kind === problem.kind && shownNow.detail === undefined ? shownNow : problem;
    }

    async #measureStorage(asks) {
        const storage = await this.#environment.storageState({ asks });
        const { store } = this.#options;
        if (!this.#isEnded && !areSame(storage, store.value.storage)) { store.set({ storage }); }
    }

    #moment() {
        return { wallMs: this.#clock.now(), monotonicMs: this.#clock.monotonic(), run: this.#run };
    }
}

/** A fix as other parts see it: its time is the server's, as far as the server's time is known. */
function shown({ latitude, longitude, accuracy, wallMs, offsetMs = 0, speed, heading }) {
    return { latitude, longitude, accuracy, sampleTime: wallMs + offsetMs, speed, heading, isStale: false };
}
