/**
 * The history of a replay, in chunks of some minutes: the one that is shown, one ahead, and a few that were shown.
 */
import { Problem } from "../shared/http.js";
import { t } from "../shared/words.js";

const firstLengthMs = 5 * 60_000;
const shortestLengthMs = 15_000;
/** The most chunks that are kept. */
const limit = 6;

export class ReplayData {
    #range;
    #load;
    #report;
    #lengthMs = firstLengthMs;
    /** By their number in the range: chunks, and those on their way. */
    #chunks = new Map();
    #loading = new Map();
    #wanted = 0;
    #isEnded = false;

    /** Why the chunk that is wanted is not here. @type {Error|undefined} */
    fault;

    /**
     * @param {object} options
     * @param {{fromMs: number, toMs: number}} options.range what is replayed
     * @param {(fromMs: number, toMs: number, signal: AbortSignal) => Promise<object>} options.load reads a chunk
     * @param {() => void} options.report called when a chunk came, or did not
     */
    constructor({ range, load, report }) {
        this.#range = range;
        this.#load = load;
        this.#report = report;
    }

    /** The chunk of a time; undefined while it is on its way. What is wanted next is asked for. */
    at(ms) {
        this.#wanted = this.#number(ms);
        const chunk = this.#chunks.get(this.#wanted);
        if (chunk) { this.#want(this.#wanted + 1); } else if (!this.fault) { this.#want(this.#wanted); }
        return chunk;
    }

    /** The chunks that are here up to a time, without a gap between, in order. */
    upTo(ms) {
        const found = [];
        for (let number = this.#number(ms); this.#chunks.has(number); number -= 1) {
            found.unshift(this.#chunks.get(number));
        }
        return found;
    }

    /** Tries again what could not be read. */
    retry() {
        this.fault = undefined;
        this.#want(this.#wanted);
    }

    /** Ends it: nothing is read any more. */
    end() {
        this.#isEnded = true;
        for (const ending of this.#loading.values()) { ending.abort(); }
    }

    #number(ms) {
        return Math.floor((Math.min(ms, this.#range.toMs - 1) - this.#range.fromMs) / this.#lengthMs);
    }

    async #want(number) {
        const fromMs = this.#range.fromMs + number * this.#lengthMs;
        const toMs = Math.min(fromMs + this.#lengthMs, this.#range.toMs);
        if (this.#isEnded || this.#chunks.has(number) || this.#loading.has(number) || !(fromMs < toMs)) { return; }
        const ending = new AbortController();
        this.#loading.set(number, ending);
        try {
            const chunk = await this.#load(fromMs, toMs, ending.signal);
            if (ending.signal.aborted) { return; }
            this.#loading.delete(number);
            this.#chunks.set(number, chunk);
            this.fault = undefined;
            this.#forgetFarthest();
        } catch (error) {
            if (ending.signal.aborted) { return; }
            this.#loading.delete(number);
            if (this.#isTooMuch(error)) { this.#shorten(); return; }
            // One that is read ahead is asked for again when it is wanted.
            if (number === this.#wanted) { this.fault = error; }
        }
        this.#report();
    }

    /** More fixes than an answer may have. */
    #isTooMuch(error) {
        return error instanceof Problem && error.status === 422 && this.#lengthMs > shortestLengthMs;
    }

    /** Everything is asked for anew, in shorter chunks. */
    #shorten() {
        for (const ending of this.#loading.values()) { ending.abort(); }
        this.#loading.clear();
        this.#chunks.clear();
        this.#lengthMs = Math.max(shortestLengthMs, this.#lengthMs / 4);
        this.#report();
    }

    #forgetFarthest() {
        const numbers = [...this.#chunks.keys()];
        if (numbers.length <= limit) { return; }
        const distance = (number) => Math.abs(number - this.#wanted);
        this.#chunks.delete(numbers.reduce((left, right) => (distance(left) < distance(right) ? right : left)));
    }
}

/** Reads chunks from the server; a worker makes them of its answers. */
export class ChunkReader {
    #request;
    #worker;
    #asked = new Map();
    #last = 0;

    /** @param {(path: string, options: object) => Promise<Response>} request sends a request as the user */
    constructor(request) {
        this.#request = request;
    }

    /** @throws {Problem} for a refusal, and for an unreadable answer @throws {TypeError} without an answer */
    async read(team, fromMs, toMs, signal) {
        const range = new URLSearchParams({
            from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() });
        const response = await this.#request(`teams/${encodeURIComponent(team)}/history?${range}`, { signal });
        return this.#parsed(await response.arrayBuffer());
    }

    end() {
        this.#worker?.terminate();
        this.#fail(new TypeError("the replay has ended"));
    }

    #parsed(buffer) {
        this.#worker ??= this.#start();
        const number = ++this.#last;
        this.#worker.postMessage({ number, buffer }, [buffer]);
        return new Promise((resolve, reject) => { this.#asked.set(number, { resolve, reject }); });
    }

    #start() {
        const worker = new Worker(new URL("replay-worker.js", import.meta.url), { type: "module" });
        worker.addEventListener("message", ({ data: { number, chunk } }) => {
            const question = this.#asked.get(number);
            this.#asked.delete(number);
            // The server did answer, so "the server does not answer" would be wrong.
            if (chunk) { question?.resolve(chunk); } else {
                question?.reject(new Problem(0, { detail: t("timeline.unreadable") }));
            }
        });
        worker.addEventListener("error", () => {
            this.#worker = undefined;
            this.#fail(new TypeError("the worker of the replay failed"));
        });
        return worker;
    }

    #fail(error) {
        for (const { reject } of this.#asked.values()) { reject(error); }
        this.#asked.clear();
    }
}
