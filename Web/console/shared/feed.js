/**
 * The live feed: changes as they are committed. It connects again by itself, after the last change it received, so that
 * what comes out has no gap; the state drops what it has already seen, so that nothing counts twice.
 *
 * `EventSource` cannot send an Authorization header, hence a reader of our own.
 */
import { Problem } from "./http.js";
import { pause } from "./pause.js";
import { EventStreamParser } from "./sse.js";

/** The server sends something every 5 s; after this much silence the page is not live. */
const silenceLimitMs = 9_500;
const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** After so long without the server it is quicker to load the state anew than to read all that changed since. */
const replayLimitMs = 60_000;

/** How long to wait after that many failures in a row: doubling, up to 30 s, less up to half by chance. */
export function backOffMs(failures, chance = Math.random()) {
    const full = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures, 10));
    return Math.round(full * (1 - chance / 2));
}

export class Feed {
    #open;
    #receive;
    #report;
    #resync;
    #wait;
    #now;
    #stopper = new AbortController();
    #wake = () => {};
    #isConnected = false;
    /** Whether the browser said that the network is gone, and nothing came over this connection since. */
    #isDoubted = false;
    /** Cuts the connection that is open. */
    #cut = () => {};

    /** The sequence to resume after. */
    last;
    /** When the server was last heard, in milliseconds of this clock; undefined before. */
    heardMs;

    /**
     * @param {object} options
     * @param {number} options.since the sequence after which to begin
     * @param {(path: string, options: object) => Promise<Response>} options.open sends a request as the user
     * @param {(changes: object[]) => void} options.receive takes changes in order
     * @param {(status: {state: "connecting"|"live"|"waiting"|"refused", delayMs?: number}) => void} options.report
     * @param {() => void} options.resync called once when the state must be loaded anew, because the log no longer goes
     *     back far enough or the server was not heard for more than a minute; the feed has stopped
     * @param {(ms: number, signal: AbortSignal) => Promise<void>} [options.wait] this and the following are replaced in
     *     tests
     * @param {() => number} [options.now]
     */
    constructor({ since, open, receive, report, resync, wait = pause, now = Date.now }) {
        this.last = since;
        this.#open = open;
        this.#receive = receive;
        this.#report = report;
        this.#resync = resync;
        this.#wait = wait;
        this.#now = now;
    }

    /** Reads until `stop`, a refusal or a resync. Settles then, and never throws. */
    async run() {
        const stopped = this.#stopper.signal;
        for (let failures = 0; !stopped.aborted; failures += 1) {
            this.#report({ state: "connecting" });
            try {
                const goesOn = await this.#read(() => { failures = 0; });
                if (stopped.aborted) { return; }
                if (!goesOn) { this.stop(); this.#resync(); return; }
            } catch (error) {
                if (stopped.aborted) { return; }
                if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
                    this.#report({ state: "refused" });
                    return;
                }
            }
            const delayMs = backOffMs(failures);
            this.#report({ state: "waiting", delayMs });
            await this.#sleep(delayMs);
        }
    }

    /** Ends the feed for good. */
    stop() {
        this.#stopper.abort();
        this.#wake();
    }

    /** Tries again at once when it waits, or when its connection is in doubt: the network may be back. */
    hurry() {
        this.#wake();
        if (this.#isDoubted) { this.#cut(); }
    }

    /**
     * Reports that the feed is not live until the server is heard again. The browser's word alone ends no connection:
     * a server on this machine is there without a network.
     */
    doubt() {
        if (!this.#isConnected) { return; }
        this.#isDoubted = true;
        this.#report({ state: "waiting", delayMs: 0 });
    }

    /** One connection. @returns {Promise<boolean>} false when the server asks to load the state anew */
    async #read(connected) {
        const connection = new AbortController();
        const cut = () => connection.abort();
        this.#stopper.signal.addEventListener("abort", cut);
        this.#cut = cut;
        let deadline = setTimeout(cut, silenceLimitMs);
        try {
            const response = await this.#open(`live?since=${this.last}`, {
                signal: connection.signal,
                headers: { Accept: "text/event-stream", "Last-Event-ID": String(this.last) },
            });
            connected();
            if (this.#now() - this.heardMs > replayLimitMs) { return false; }
            this.#isConnected = true;
            this.#report({ state: "live" });
            const parser = new EventStreamParser();
            const reader = response.body.getReader();
            for (;;) {
                const { done, value } = await reader.read();
                if (!done) { this.heardMs = this.#now(); }
                clearTimeout(deadline);
                if (done || connection.signal.aborted) { return true; }
                deadline = setTimeout(cut, silenceLimitMs);
                this.#believe();
                if (!this.#take(parser.push(value))) { return false; }
            }
        } finally {
            clearTimeout(deadline);
            this.#isConnected = false;
            this.#isDoubted = false;
            this.#stopper.signal.removeEventListener("abort", cut);
            connection.abort();
        }
    }

    /** The server was heard: a connection that was in doubt is live. */
    #believe() {
        if (!this.#isDoubted) { return; }
        this.#isDoubted = false;
        this.#report({ state: "live" });
    }

    #take(events) {
        const changes = [];
        let goesOn = true;
        for (const event of events) {
            if (event.type === "resync") { goesOn = false; break; }
            const change = parsed(event);
            if (change) { changes.push(change); }
        }
        if (changes.length > 0) {
            this.last = Math.max(this.last, changes.at(-1).sequence);
            this.#receive(changes);
        }
        return goesOn;
    }

    async #sleep(delayMs) {
        const sleep = new AbortController();
        this.#wake = () => sleep.abort();
        await this.#wait(delayMs, sleep.signal);
        this.#wake = () => {};
    }
}

/** The change an event carries; undefined for one that is not ours to understand. */
function parsed(event) {
    try {
        const change = JSON.parse(event.data);
        return Number.isSafeInteger(change?.sequence) ? { type: event.type, ...change } : undefined;
    } catch {
        return undefined;
    }
}
