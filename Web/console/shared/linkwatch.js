/**
 * What a link shows, asked for again every few seconds until the link is over. It knows when the server last answered,
 * so that a page says since when it is not refreshed; and it shows nothing past the link's time, also without a server.
 */
import { Problem, send } from "./http.js";

/** How often the server is asked. */
export const everyMs = 5000;
/** The time without an answer after which the shown state may be old, in milliseconds. */
export const oldAfterMs = 12_000;
const answerLimitMs = 8000;
/** The difference between the clocks' movements beyond which this device's clock was set, or the device slept. */
const steppedMs = 2000;
/** The longest wait that a server may ask for. */
const longestWaitMs = 60_000;

/**
 * @typedef {object} Watched
 * @property {boolean} isOver whether the link is over: nothing else is known then
 * @property {object} [answer] what `GET /shared` answered last
 * @property {number} [checkedMs] when the server last said that this is so, by this device's clock
 * @property {number} aheadMs by how much the server's clock is ahead of this device's
 * @property {Error} [fault] why the last question had no answer
 */

export class LinkWatch {
    #token;
    #report;
    #over;
    #request;
    #now;
    #monotonicNow;
    #schedule;
    #tag;
    /** This device's clock minus the clock that nobody can set, when the server last told its time. */
    #clockDifferenceMs;
    /** @type {Watched} */
    #watched = { isOver: false, aheadMs: 0 };
    #isAsking = false;
    #isEnded = false;
    #cancel = () => {};

    /**
     * @param {object} options
     * @param {string} options.token
     * @param {(watched: Watched) => void} options.report
     * @param {() => void} [options.over] called once, when the link is over
     * @param {typeof send} [options.request] this and the following are replaced in tests
     * @param {() => number} [options.now]
     * @param {() => number} [options.monotonicNow] a clock that nobody can set, in milliseconds
     * @param {(act: () => void, ms: number) => () => void} [options.schedule] answers what cancels it
     */
    constructor({
        token, report, over = () => {}, request = send, now = Date.now, monotonicNow = () => performance.now(),
        schedule = later,
    }) {
        this.#token = token;
        this.#report = report;
        this.#over = over;
        this.#request = request;
        this.#now = now;
        this.#monotonicNow = monotonicNow;
        this.#schedule = schedule;
    }

    /** The server's time in milliseconds, as far as it told. */
    get serverNow() { return this.#now() + this.#watched.aheadMs; }

    /** Asks, and again from then on. Settles once there is an answer or none. */
    begin() { return this.#turn(); }

    /** Ends it for good. */
    end() {
        this.#isEnded = true;
        this.#cancel();
    }

    /** Asks now: the page is seen again, or the network is back. */
    hurry() { if (!this.#isAsking) { this.#turn(); } }

    /** Sends a request with the right of the link. @throws {Problem} for a refusal; a 401 ends the link here, too */
    async send(path, options) {
        try {
            return await this.#request(path, { ...options, token: this.#token });
        } catch (error) {
            if (error instanceof Problem && error.status === 401) { this.#finish(); }
            throw error;
        }
    }

    async #turn() {
        // By a clock that was set nobody knows whether the link is over: the server is asked first.
        if (this.#isEnded || (!this.#isClockSet && this.#isOverByTime())) { return; }
        this.#cancel();
        this.#isAsking = true;
        const waitMs = await this.#ask();
        this.#isAsking = false;
        if (this.#isEnded || (this.#isClockSet && this.#isOverByTime())) { return; }
        const untilOver = this.#expiresMs() - this.serverNow;
        this.#cancel = this.#schedule(() => this.#turn(), Math.max(0, Math.min(waitMs, untilOver)));
    }

    /** @returns {Promise<number>} how long to wait before the next question */
    async #ask() {
        try {
            const response = await this.send("shared", {
                // An answer without a body does not tell the server's time.
                headers: this.#tag && !this.#isClockSet ? { "If-None-Match": this.#tag } : {},
                signal: AbortSignal.timeout(answerLimitMs),
            });
            const answer = await response.json();
            this.#tag = response.headers.get("ETag") ?? undefined;
            const now = this.#now();
            const aheadMs = Date.parse(answer.serverTime) - now || 0;
            this.#clockDifferenceMs = now - this.#monotonicNow();
            this.#show({ isOver: false, answer, checkedMs: now, aheadMs });
        } catch (error) {
            if (this.#isEnded) { return 0; }
            if (error instanceof Problem && error.status === 304) {
                this.#show({ ...this.#watched, checkedMs: this.#now(), fault: undefined });
                return everyMs;
            }
            this.#show({ ...this.#watched, fault: error });
            return Math.min(longestWaitMs, Math.max(everyMs, (error.retryAfterSeconds ?? 0) * 1000));
        }
        return everyMs;
    }

    get #isClockSet() {
        return Math.abs(this.#now() - this.#monotonicNow() - this.#clockDifferenceMs) >= steppedMs;
    }

    #expiresMs() {
        const expires = Date.parse(this.#watched.answer?.expiresTime ?? NaN);
        return Number.isNaN(expires) ? Infinity : expires;
    }

    #isOverByTime() {
        if (this.serverNow < this.#expiresMs()) { return false; }
        this.#finish();
        return true;
    }

    #finish() {
        if (this.#isEnded) { return; }
        this.end();
        this.#tag = undefined;
        this.#show({ isOver: true, aheadMs: this.#watched.aheadMs });
        this.#over();
    }

    #show(watched) {
        this.#watched = watched;
        this.#report(watched);
    }
}

function later(act, ms) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
}
