/**
 * The server's time, from the `Date` of its answers, and the true time of a fix that was taken by a wrong clock. Pure,
 * apart from the clocks, which are given.
 *
 * @typedef {object} Moment one moment by the clocks of this device
 * @property {number} wallMs by the clock that a person can set
 * @property {number} monotonicMs by a clock that nobody can set; it starts again with each start of the page, and may
 *     stand still while the device sleeps
 */

/** The resolution of the `Date` header, in milliseconds. */
const headerMs = 1000;
/** The difference between the clocks' movements beyond which a clock was set, or the device slept. */
const steppedMs = 2000;
/** The difference within which two errors of one clock count as the same. */
const sameErrorMs = 5000;
/** The largest step back in time between consecutive fixes that comes from another reading of the same clock. */
const readingMs = 2000;

/** The server's time, as far as it is known since the page was started. */
export class ServerClock {
    #moment;
    /** The lower and the upper bound of the server's time minus the monotonic clock. */
    #least = -Infinity;
    #greatest = Infinity;
    #offset;
    /** The wall clock minus the monotonic clock at the last answer; the offset holds while that difference stays. */
    #heardAt;

    /** @param {() => Moment} moment the clocks of this device now */
    constructor(moment) { this.#moment = moment; }

    /**
     * Learns from an answer of the server.
     * @param {Moment} sent when the request was sent
     * @param {number} dateMs the answer's `Date`; if it is NaN, nothing is learned
     */
    hear(sent, dateMs) {
        if (!Number.isFinite(dateMs)) { return; }
        const now = this.#moment();
        const least = dateMs - now.monotonicMs;
        const greatest = dateMs + headerMs - sent.monotonicMs;
        const isSame = least <= this.#greatest && greatest >= this.#least;
        this.#least = isSame ? Math.max(least, this.#least) : least;
        this.#greatest = isSame ? Math.min(greatest, this.#greatest) : greatest;
        this.#choose(now);
    }

    /** Keeps the offset, or 0 at first, if the bounds allow it: a clock that may be right is believed. */
    #choose(now) {
        const difference = now.monotonicMs - now.wallMs;
        const [least, greatest] = [this.#least + difference, this.#greatest + difference];
        const wanted = this.isKnown ? this.#offset : 0;
        const fits = wanted >= least && wanted <= greatest;
        this.#offset = fits ? wanted : Math.round((least + greatest) / 2);
        this.#heardAt = -difference;
    }

    /** Whether the server's time is known now: it was heard, and no clock of this device was set since. */
    get isKnown() {
        if (this.#heardAt === undefined) { return false; }
        const { wallMs, monotonicMs } = this.#moment();
        return Math.abs(wallMs - monotonicMs - this.#heardAt) <= steppedMs;
    }

    /** The server's time minus this device's clock, milliseconds; undefined while it is not known. */
    get offsetMs() { return this.isKnown ? this.#offset : undefined; }

    /** Forgets the server's time: the server refused a time that was made from it. */
    forget() {
        this.#heardAt = undefined;
        [this.#least, this.#greatest] = [-Infinity, Infinity];
    }
}

/**
 * The time by the server's clock at which a fix was taken, worked out later than the fix was recorded.
 * @param {Moment & {run: string, offsetMs?: number}} fix the clocks when the fix was taken, the start of the page, and
 *     the clock's error known then, from the last contact before the fix
 * @param {Moment & {run: string, offsetMs: number}} present the clocks now, and the clock's error now
 * @param {number} afterMs the time of the preceding fix, by the server's clock
 */
export function correctedTime(fix, present, afterMs = -Infinity) {
    const serverNow = present.wallMs + present.offsetMs;
    // The time if the clock was not set since the fix.
    const untouched = fix.wallMs + present.offsetMs;
    const moved = (present.wallMs - present.monotonicMs) - (fix.wallMs - fix.monotonicMs);
    const isSameRun = fix.run === present.run;
    if (fix.offsetMs === undefined) {
        // Either the clock was set or the device slept. The older of both times counts: no fix may look newer than it
        // is.
        const isMoved = isSameRun && Math.abs(moved) > steppedMs;
        return isMoved ? Math.min(untouched, serverNow - (present.monotonicMs - fix.monotonicMs)) : untouched;
    }
    const setBy = fix.offsetMs - present.offsetMs;
    if (Math.abs(setBy) <= sameErrorMs) { return untouched; }
    // The clock was set between the last contact and now, before the fix or after it. The time if it was set after:
    const after = fix.wallMs + fix.offsetMs;
    const isAfter = isSameRun && Math.abs(moved - setBy) < Math.abs(moved);
    const [likely, other] = isAfter ? [after, untouched] : [untouched, after];
    const fits = (time) => time > afterMs && time <= serverNow + steppedMs;
    return fits(likely) || !fits(other) ? likely : other;
}

/** The time of a fix after the preceding one: a small step back, from another reading of the clock, keeps the order. */
export function inOrder(timeMs, afterMs) {
    const isTurned = timeMs <= afterMs && afterMs - timeMs < readingMs;
    return Math.round(isTurned ? afterMs + 1 : timeMs);
}

/**
 * The age of a fix when the page receives it, although the receiver's clock and the device's may differ: the smallest
 * difference seen between the two is that of a fresh fix.
 */
export class FixAge {
    #freshMs = 0;
    #steppedAt;

    /**
     * @param {number} timestampMs the receiver's time of the fix
     * @param {Moment} now
     * @returns {number} milliseconds, 0 or more
     */
    ageMs(timestampMs, { wallMs, monotonicMs }) {
        const differenceMs = wallMs - timestampMs;
        if (!Number.isFinite(differenceMs)) { return 0; }
        const clocks = wallMs - monotonicMs;
        const isSet = this.#steppedAt !== undefined && Math.abs(clocks - this.#steppedAt) > steppedMs;
        if (this.#steppedAt === undefined || isSet) {
            this.#steppedAt = clocks;
            // A first fix may be some minutes old. A fix of another day shows that the clocks differ.
            this.#freshMs = Math.abs(differenceMs) <= oldestMs ? 0 : differenceMs;
        }
        this.#freshMs = Math.min(this.#freshMs, differenceMs);
        return differenceMs - this.#freshMs;
    }
}

/** The age of the oldest fix that a browser may still have from before, in milliseconds. */
const oldestMs = 10 * 60_000;
