/**
 * Writes fixes to the disk: those that the filter admits, and the newest fix when none was recorded for too long. Fixes
 * that cannot be written wait in memory, up to a bound, and are tried again.
 */
import { Monitor, SilenceRule } from "./filter.js";

/**
 * The largest number of fixes that wait for the disk; then every second one of the older half is dropped and counted.
 */
export const pendingLimit = 2000;

export class Recorder {
    #queue;
    #monitor;
    #silence;
    #pending = [];
    #running;
    /** The number of fixes lost because neither the disk nor the memory had room. */
    lost = 0;
    /** @type {"full"|"unavailable"|"failed"|undefined} why the disk does not accept fixes now */
    problem;

    /**
     * @param {object} options
     * @param {import("./queue.js").Queue} options.queue open
     * @param {number} [options.silenceSeconds]
     * @param {{foreground?: object, background?: object}} [options.filters]
     */
    constructor({ queue, silenceSeconds, filters = {} }) {
        this.#queue = queue;
        this.#monitor = new Monitor({ ...filters, last: queue.notes.last });
        this.#silence = new SilenceRule(silenceSeconds);
    }

    set isUrgent(isUrgent) { this.#silence.isUrgent = isUrgent; }

    set isInBackground(isInBackground) { this.#monitor.isInBackground = isInBackground; }

    /** The number of fixes that are not on the disk yet. */
    get pending() { return this.#pending.length; }

    /**
     * Takes a fix.
     * @param {object} fix with `isClockKnown`, `offsetMs` and `run`
     * @param {import("./serverclock.js").Moment} now
     * @returns {boolean} whether it is to be recorded
     */
    take(fix, now) {
        if (!this.#monitor.admits(fix, now.wallMs) && !this.#silence.wants(now.monotonicMs)) { return false; }
        this.#silence.note(now.monotonicMs);
        this.#pending.push(fix);
        if (this.#pending.length > pendingLimit) { this.#thin(); }
        return true;
    }

    #thin() {
        const older = this.#pending.slice(0, pendingLimit / 2).filter((_, index) => index % 2 === 0);
        this.lost += pendingLimit / 2 - older.length;
        this.#pending = [...older, ...this.#pending.slice(pendingLimit / 2)];
    }

    /** Writes the waiting fixes; settles when they are on the disk, or the disk has refused them (`problem`). */
    write() {
        this.#running ??= this.#writeAll().finally(() => { this.#running = undefined; });
        return this.#running;
    }

    async #writeAll() {
        while (this.#pending.length > 0) {
            const batch = [...this.#pending];
            try {
                await this.#queue.append(batch, this.#monitor.last);
            } catch (error) {
                this.problem = error.kind ?? "failed";
                return;
            }
            this.problem = undefined;
            // Some of the written fixes may have been dropped from memory meanwhile.
            const written = new Set(batch);
            this.#pending = this.#pending.filter((fix) => !written.has(fix));
        }
    }
}
