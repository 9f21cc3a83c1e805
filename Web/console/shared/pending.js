/**
 * What somebody pressed and the server does not have yet. A request that gets no answer is sent again until one comes,
 * and the page says meanwhile what waits. It goes through once: a request is repeated only where the server takes it
 * twice for one, by its method or by the id in its body.
 *
 * It lives as long as the page: it outlasts the form that began it, and a session that ends, until the same user signs
 * in again. What people declare of themselves outlasts the page, too: `outbox.js`.
 */
import { Problem } from "./http.js";
import { isTemporary, isUnanswered } from "./faults.js";
import { pause } from "./pause.js";

/** The time without an answer after which a request counts as unanswered, in milliseconds. */
const answerLimitMs = 10_000;
/** The time without an answer after which the page says that an order waits, in milliseconds. */
const slowMs = 2000;
const firstDelayMs = 1000;
const longestDelayMs = 15_000;
/** The largest number of orders that wait at once. */
const limit = 50;

/** Somebody gave a request up that was still waiting. */
export class GivenUp extends Error {}

/**
 * @typedef {object} Order
 * @property {string} path below `/api/v1/`
 * @property {string} words what it does, as the page says it: "Evacuate Harbour"
 * @property {string} [method] POST where it is left out
 * @property {object|Blob} [body]
 * @property {object} [headers]
 * @property {number} [limitMs] the time after which it counts as unanswered; longer for a large file
 * @property {boolean} [isRepeatable] whether the server takes it twice for one; by default every method but POST
 * @property {() => void} [waits] called when no answer has come, and it waits to be sent again
 */

export class Pending {
    #send;
    #report;
    #now;
    #wait;
    #entries = [];
    #number = 0;

    /**
     * @param {object} options
     * @param {(path: string, options: object) => Promise<Response>} options.send sends a request as the user
     * @param {(entries: {number: number, words: string, sinceMs: number}[]) => void} options.report takes what waits
     * @param {() => number} options.now milliseconds
     * @param {(ms: number, signal: AbortSignal) => Promise<void>} [options.wait] replaced in tests
     */
    constructor({ send, report, now, wait = pause }) {
        this.#send = send;
        this.#report = report;
        this.#now = now;
        this.#wait = wait;
    }

    /**
     * Sends an order until the server has answered.
     * @param {Order} order
     * @returns {Promise<Response>} a success. Of a DELETE that is sent again, "not found" is one, too.
     * @throws {Problem} the server's refusal
     * @throws {GivenUp} where somebody gave it up, or too much waits already
     * @throws {TypeError} where no answer came, and the order cannot be sent twice
     */
    async press({
        path, words, method = "POST", body, headers, limitMs = answerLimitMs, isRepeatable = method !== "POST", waits,
    }) {
        if (this.#entries.length >= limit) { throw new GivenUp(); }
        const ending = new AbortController();
        const entry = { number: ++this.#number, words, sinceMs: this.#now(), isWaiting: false, ending };
        this.#entries = [...this.#entries, entry];
        // Of what is not sent again the page does not say that it goes through.
        const slow = isRepeatable ? setTimeout(() => this.#showWaiting(entry), slowMs) : undefined;
        try {
            return await this.#attempts(entry, { path, method, body, headers, limitMs, isRepeatable, waits });
        } finally {
            clearTimeout(slow);
            this.#entries = this.#entries.filter((one) => one !== entry);
            this.#tell();
        }
    }

    /** Gives up what waits under this number. The server may have it all the same. */
    giveUp(number) {
        this.#entries.find((entry) => entry.number === number)?.ending.abort();
    }

    /** Gives everything up: somebody else may sit here next. */
    forget() {
        for (const entry of this.#entries) { entry.ending.abort(); }
    }

    async #attempts(entry, { path, method, body, headers, limitMs, isRepeatable, waits }) {
        const { signal } = entry.ending;
        for (let attempt = 1, delayMs = firstDelayMs; ; attempt += 1, delayMs = Math.min(delayMs * 2, longestDelayMs)) {
            try {
                const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
                return await this.#send(path, { method, body, headers, signal: limited });
            } catch (error) {
                if (signal.aborted) { throw new GivenUp(); }
                if (error instanceof Problem && error.status === 404 && method === "DELETE" && attempt > 1) {
                    return new Response(null, { status: 204 });
                }
                const isSignedOut = error instanceof Problem && error.status === 401;
                if (!isSignedOut && !isTemporary(error)) { throw error; }
                if (isUnanswered(error) && !isRepeatable) { throw error; }
                waits?.();
                await this.#pause(entry, Math.max(delayMs, (error.retryAfterSeconds ?? 0) * 1000));
            }
        }
    }

    async #pause(entry, delayMs) {
        this.#showWaiting(entry);
        await this.#wait(delayMs, entry.ending.signal);
        if (entry.ending.signal.aborted) { throw new GivenUp(); }
    }

    #showWaiting(entry) {
        entry.isWaiting = true;
        this.#tell();
    }

    #tell() {
        this.#report(this.#entries.filter(({ isWaiting }) => isWaiting)
            .map(({ number, words, sinceMs }) => ({ number, words, sinceMs })));
    }
}
