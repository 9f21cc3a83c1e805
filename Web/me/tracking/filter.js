/**
 * Decides which fixes are recorded, with the rules and numbers of MusterKit's `LocationFilter` and `LocationMonitor`.
 * Both are tested with the same cases (`Tests/MusterKitTests/Golden/location-filter.json`). Pure.
 *
 * @typedef {object} Fix one reading of the receiver
 * @property {number} latitude degrees
 * @property {number} longitude
 * @property {number} [accuracy] the radius that holds the true place with 68 %, metres
 * @property {number} [altitude] metres
 * @property {number} [speed] metres a second
 * @property {number} [heading] degrees clockwise from north
 * @property {number} [battery] percent
 * @property {number} wallMs when it was taken, by this device's clock, which may be wrong
 */
import { chordMetres } from "./distance.js";

/** A browser's accuracy is the 95 % radius, which is this many times the 68 % radius (Core's `AccuracyMeaning`). */
export const radius95 = 1.62;

/** The filters, by name. A fix at the limit of accuracy or distance is admitted, one at the limit of seconds is not. */
export const filters = Object.freeze({
    foreground: Object.freeze({ accuracyMetres: 25, distanceMetres: 15, seconds: 15 }),
    background: Object.freeze({ accuracyMetres: 100, distanceMetres: 100, seconds: 15 }),
    everything: Object.freeze({ accuracyMetres: Infinity, distanceMetres: 0, seconds: -Infinity }),
});

/** A little less than the time between two readings. */
const urgentSeconds = 4;
/** A fix at most this many seconds ahead of this device's clock is compared with later fixes. */
const aheadSeconds = 60;

/** Whether a filter admits a fix after the last one that it admitted. */
export function admits(filter, fix, last) {
    if (fix.accuracy > filter.accuracyMetres) { return false; }
    if (!last) { return true; }
    return (fix.wallMs - last.wallMs) / 1000 > filter.seconds && chordMetres(fix, last) >= filter.distanceMetres;
}

/**
 * Filters fixes one after the other. A fix's time may be wrong, because the receiver's clock or the device's clock is
 * ahead. A fix more than a minute ahead of the device's clock is admitted, since the device's clock may be the wrong
 * one; but it is compared only with other fixes that are ahead.
 */
export class Monitor {
    #foreground;
    #background;
    #lastAhead;

    /** Whether the page is out of sight; this chooses the filter. */
    isInBackground = false;
    /** The last admitted fix that is not ahead of the clock. @type {Fix|undefined} */
    last;

    /**
     * @param {{foreground?: object, background?: object, last?: Fix}} [options] `last`: the last fix before a restart
     */
    constructor({ foreground = filters.foreground, background = filters.background, last } = {}) {
        this.#foreground = foreground;
        this.#background = background;
        this.last = last;
    }

    /** Whether a fix is to be recorded. @param {number} nowMs by this device's clock */
    admits(fix, nowMs) {
        const filter = this.isInBackground ? this.#background : this.#foreground;
        const isAhead = (fix.wallMs - nowMs) / 1000 > aheadSeconds;
        const found = isAhead ? this.#lastAhead : this.last;
        // The last fix may still be ahead: it is from before a restart, or the clock was set back since.
        const isBeyond = found && (found.wallMs - (isAhead ? fix.wallMs : nowMs)) / 1000 > aheadSeconds;
        const before = isBeyond ? undefined : found;
        if (!admits(filter, fix, before)) { return false; }
        if (isAhead) { this.#lastAhead = fix; } else { this.last = fix; }
        return true;
    }
}

/**
 * Keeps the filter from making a person silent. The filter would never again admit fixes of a person who stands still,
 * or whom the receiver locates only roughly; the server would count that person as silent, and would not learn that
 * they stand in a muster region. So the newest fix is recorded in any case once nothing was recorded for the time
 * between two sendings. The filter does not know of such a fix: its decisions stay those of MusterKit.
 * In an urgent time (`urgency.js`) every fix is recorded. A person who walks into a muster region becomes safe there by
 * consecutive fixes, and during a filter's pause others would look for that person.
 */
export class SilenceRule {
    #seconds;
    #recordedMs;

    /** Whether the time is urgent now. */
    isUrgent = false;

    /** @param {number} [seconds] the longest time without a recorded fix; Infinity leaves all to the filter */
    constructor(seconds = 20) { this.#seconds = seconds; }

    /** Whether to record a fix that the filter left out. @param {number} monotonicMs by a clock that nobody can set */
    wants(monotonicMs) {
        if (!Number.isFinite(this.#seconds)) { return false; }
        if (this.#recordedMs === undefined) { return true; }
        const seconds = this.isUrgent ? Math.min(urgentSeconds, this.#seconds) : this.#seconds;
        return (monotonicMs - this.#recordedMs) / 1000 >= seconds;
    }

    /** Notes that a fix was recorded. */
    note(monotonicMs) { this.#recordedMs = monotonicMs; }
}
