/**
 * Reads where this device is from the browser: with a watch, and with a request every 5 s while the watch is silent,
 * since a watch may report nothing about a person who stands still. Reports when no fix comes any more, and starts the
 * watch again.
 */
import { FixAge } from "./serverclock.js";
import { radius95 } from "./filter.js";

/** The time between two readings of the newest fix, in milliseconds. */
export const readEveryMs = 5000;
/** The time without a new fix after which the receiver counts as frozen, and the watch starts again. */
export const frozenMs = 30_000;
const wanted = Object.freeze({ enableHighAccuracy: true, maximumAge: 0, timeout: 20_000 });
const asked = Object.freeze({ ...wanted, timeout: readEveryMs });

/** The codes of `GeolocationPositionError`. */
const denied = 1;
const noPosition = 2;

export class Source {
    #options;
    #watch;
    #askedAt;
    #isDenied = false;
    #isStarted = false;
    #cancelTimer = () => {};
    #age = new FixAge();
    #newest;
    #lastTimestamp;
    #heardAt;
    #deliveredAt = -Infinity;
    #battery;

    /**
     * @param {object} options
     * @param {Geolocation} options.geolocation
     * @param {() => import("./serverclock.js").Moment} options.moment
     * @param {(act: () => void, ms: number) => () => void} options.schedule
     * @param {(fix: import("./filter.js").Fix) => void} options.receive receives the newest fix, at most once in 5 s
     * @param {(state: "denied"|"noPosition"|"frozen"|"alive") => void} options.report
     * @param {() => Promise<{level: number}>} [options.getBattery]
     */
    constructor(options) { this.#options = options; }

    begin() {
        if (this.#isStarted) { return; }
        this.#isStarted = true;
        this.#options.getBattery?.().then((battery) => { this.#battery = battery; }, () => {});
        this.again();
        this.#tick();
    }

    end() {
        this.#isStarted = false;
        this.#cancelTimer();
        this.#stopWatch();
        this.#newest = undefined;
        this.#deliveredAt = -Infinity;
        this.#lastTimestamp = undefined;
        this.#askedAt = undefined;
    }

    /** Starts the watch again: the page is in sight again, or the receiver was silent. */
    again() {
        if (!this.#isStarted) { return; }
        this.#stopWatch();
        this.#isDenied = false;
        this.#heardAt = this.#options.moment().monotonicMs;
        this.#watch = this.#options.geolocation.watchPosition(
            (found) => this.#take(found), (error) => this.#fail(error), wanted);
    }

    #stopWatch() {
        if (this.#watch !== undefined) { this.#options.geolocation.clearWatch(this.#watch); }
        this.#watch = undefined;
    }

    #tick() {
        this.#cancelTimer = this.#options.schedule(() => this.#tick(), readEveryMs);
        const { monotonicMs } = this.#options.moment();
        if (this.#newest) { this.#deliver(monotonicMs); return; }
        // The fix was delivered as soon as it came.
        if (monotonicMs - this.#deliveredAt < readEveryMs) { return; }
        if (monotonicMs - this.#heardAt >= frozenMs) {
            this.#options.report("frozen");
            this.again();
        }
        // A denied watch never reports again, and the person may have changed their mind.
        if (this.#isDenied) { this.again(); return; }
        this.#ask(monotonicMs);
    }

    /**
     * Makes one request at a time; a request that the browser never answers, as behind its own question, is given up.
     */
    #ask(monotonicMs) {
        if (monotonicMs - this.#askedAt < frozenMs) { return; }
        this.#askedAt = monotonicMs;
        const done = (act) => (found) => {
            this.#askedAt = undefined;
            if (this.#isStarted) { act(found); }
        };
        this.#options.geolocation.getCurrentPosition(
            done((found) => this.#take(found)), done((error) => this.#fail(error)), asked);
    }

    #take({ coords, timestamp }) {
        if (!this.#isStarted) { return; }
        const now = this.#options.moment();
        // A reading with the same time is the same reading.
        if (timestamp === this.#lastTimestamp && this.#lastTimestamp !== undefined) { return; }
        this.#lastTimestamp = timestamp;
        const ageMs = this.#age.ageMs(timestamp, now);
        const fix = readFix(coords, {
            wallMs: now.wallMs - ageMs, monotonicMs: now.monotonicMs - ageMs, battery: this.#battery?.level,
        });
        // A reading that the browser kept from before does not tell the present place.
        if (!fix || ageMs >= frozenMs) { return; }
        this.#heardAt = now.monotonicMs;
        this.#newest = fix;
        if (now.monotonicMs - this.#deliveredAt >= readEveryMs) { this.#deliver(now.monotonicMs); }
    }

    #deliver(monotonicMs) {
        const fix = this.#newest;
        this.#newest = undefined;
        this.#deliveredAt = monotonicMs;
        this.#options.report("alive");
        this.#options.receive(fix);
    }

    #fail({ code }) {
        if (!this.#isStarted) { return; }
        if (code === denied) {
            this.#isDenied = true;
            this.#options.report("denied");
        }
        if (code === noPosition) { this.#options.report("noPosition"); }
    }
}

/**
 * A fix from the browser's coordinates; undefined if they are no place. A receiver may report NaN for unknown values.
 */
export function readFix(coords, { wallMs, monotonicMs, battery }) {
    const { latitude, longitude } = coords;
    if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) { return undefined; }
    const accuracy95 = coords.accuracy > 0 && Number.isFinite(coords.accuracy) ? coords.accuracy : undefined;
    return {
        latitude, longitude, wallMs: Math.round(wallMs), monotonicMs,
        ...(accuracy95 === undefined ? {} : { accuracy95, accuracy: accuracy95 / radius95 }),
        ...known({ altitude: coords.altitude, speed: coords.speed, heading: coords.heading }),
        ...(Number.isFinite(battery) ? { battery: Math.round(battery * 100) } : {}),
    };
}

function known(values) {
    return Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)));
}
