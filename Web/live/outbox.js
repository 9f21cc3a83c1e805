/**
 * What a person said of themselves and the server does not have yet. It is kept in localStorage before it is sent, so
 * that no reload and no lost connection loses it, and is sent until the server answers. The id is the declaration's:
 * the server takes the same id once.
 */
import { Problem } from "./http.js";

const storagePrefix = "muster.unsent.";
const firstDelayMs = 1000;
const longestDelayMs = 10_000;
/** Without an answer for so long, an attempt counts as failed. */
const answerLimitMs = 10_000;

/**
 * @typedef {object} Declaration
 * @property {string} id
 * @property {"safe"|"needsHelp"|"sos"|"offSite"|"clear"|"checkIn"} kind
 * @property {string} [sampleTime] when it was said, RFC 3339
 * @property {string} [note]
 * @property {number} [dueAt] milliseconds of this device's clock before which it is not sent and may be cancelled
 *
 * @typedef {object} Delivery how far a declaration has come
 * @property {Declaration} declaration
 * @property {"counting"|"sending"|"failed"|"received"|"refused"} state
 * @property {string} [reason] why it failed or was refused
 * @property {boolean} [isLate] whether the server has it, but something newer was said
 */

export class Outbox {
    #storage;
    #send;
    #now;
    #schedule;
    #report;
    #user;
    #timer;
    #failures = 0;
    #isSending = false;
    #isWanted = false;

    /**
     * @param {object} options
     * @param {(path: string, options: object) => Promise<Response>} options.send sends a request as the user
     * @param {(delivery: Delivery) => void} options.report called at each step of each declaration
     * @param {Storage} [options.storage] this and the following are replaced in tests
     * @param {() => number} [options.now]
     * @param {(act: () => void, ms: number) => () => void} [options.schedule] answers what cancels it
     */
    constructor({ send, report, storage = globalThis.localStorage, now = Date.now, schedule = later }) {
        this.#send = send;
        this.#report = report;
        this.#storage = storage;
        this.#now = now;
        this.#schedule = schedule;
    }

    /** Takes up what this user left unsent, and sends it. */
    begin(user) {
        this.end();
        this.#user = user;
        for (const declaration of this.unsent) { this.#report({ declaration, state: this.#waitState(declaration) }); }
        this.#attempt();
    }

    /** Stops sending; what is unsent stays stored until its user begins again. */
    end() {
        this.#timer?.();
        this.#timer = undefined;
        this.#user = undefined;
        this.#failures = 0;
    }

    /** What the server does not have yet, in the order in which it was said. @returns {Declaration[]} */
    get unsent() {
        if (this.#user === undefined) { return []; }
        try {
            const stored = JSON.parse(this.#storage.getItem(storagePrefix + this.#user) ?? "[]");
            return Array.isArray(stored) ? stored.filter((each) => typeof each?.id === "string") : [];
        } catch {
            return [];
        }
    }

    /** Stores a declaration and sends it as soon as it is due. @param {Declaration} declaration */
    add(declaration) {
        this.#store([...this.unsent, declaration]);
        this.#report({ declaration, state: this.#waitState(declaration) });
        this.hurry();
    }

    /** Forgets a declaration that was not due yet. @returns {boolean} whether there was one */
    cancel(id) {
        const found = this.unsent.find((each) => each.id === id);
        if (!found || this.#waitState(found) !== "counting") { return false; }
        this.#remove(id);
        return true;
    }

    /** Sends a declaration now that was to be sent later. */
    sendNow(id) {
        this.#store(this.unsent.map((each) => (each.id === id ? { ...each, dueAt: undefined } : each)));
        this.hurry();
    }

    /** Tries at once: the network may be back. */
    hurry() {
        this.#timer?.();
        this.#timer = undefined;
        this.#attempt();
    }

    #waitState({ dueAt }) {
        return dueAt > this.#now() ? "counting" : "sending";
    }

    async #attempt() {
        // Something may be added, or another user may begin, while a declaration is on its way.
        this.#isWanted = true;
        if (this.#isSending) { return; }
        this.#isSending = true;
        try {
            while (this.#isWanted && this.#user !== undefined) {
                this.#isWanted = false;
                const delayMs = await this.#sendWhatIsDue(this.#user);
                this.#timer?.();
                this.#timer = delayMs === undefined ? undefined : this.#schedule(() => this.#attempt(), delayMs);
            }
        } finally {
            this.#isSending = false;
        }
    }

    /** @returns {Promise<number|undefined>} in how many milliseconds to try again; undefined when nothing is left */
    async #sendWhatIsDue(user) {
        for (;;) {
            const unsent = this.unsent;
            const declaration = unsent.find((each) => this.#waitState(each) === "sending");
            if (!declaration) {
                const dueAt = Math.min(...unsent.map((each) => each.dueAt));
                return unsent.length > 0 ? Math.max(0, dueAt - this.#now()) : undefined;
            }
            this.#report({ declaration, state: this.#failures > 0 ? "failed" : "sending" });
            try {
                const { path, body } = requestFor(declaration);
                const response = await this.#send(`users/${encodeURIComponent(user)}/${path}`, {
                    method: "POST", body, signal: AbortSignal.timeout?.(answerLimitMs),
                });
                const receipt = await response.json().catch(() => ({}));
                this.#failures = 0;
                if (this.#user !== user) { return undefined; }
                this.#remove(declaration.id);
                this.#report({ declaration, state: "received", isLate: receipt.late === true });
            } catch (error) {
                if (this.#user !== user) { return undefined; }
                if (!this.#isFinal(error, declaration)) {
                    this.#failures += 1;
                    this.#report({ declaration, state: "failed", reason: reasonOf(error) });
                    return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures - 1, 8));
                }
            }
        }
    }

    /** Whether a refusal needs no further waiting; it has then been dealt with. */
    #isFinal(error, declaration) {
        const isRefused = error instanceof Problem && [400, 403, 404, 409, 413, 422].includes(error.status);
        if (!isRefused) { return false; }
        // An old check-in is never sent as one of now: it would say that someone is well of whom nobody knows.
        const mayCountAsNow = declaration.kind !== "checkIn" && declaration.sampleTime !== undefined;
        if (error.status !== 403 && error.status !== 404 && mayCountAsNow) {
            // The server may not believe this device's clock. A call for help is not lost to that: it counts as of now.
            this.#store(this.unsent.map((each) =>
                (each.id === declaration.id ? { ...each, sampleTime: undefined } : each)));
            return true;
        }
        this.#remove(declaration.id);
        this.#report({ declaration, state: "refused", reason: error.message });
        return true;
    }

    #remove(id) {
        this.#store(this.unsent.filter((each) => each.id !== id));
    }

    #store(declarations) {
        const key = storagePrefix + this.#user;
        if (declarations.length === 0) { this.#storage.removeItem(key); return; }
        this.#storage.setItem(key, JSON.stringify(declarations));
    }
}

/** A new declaration of now, by the server's clock where that is known. */
export function newDeclaration(kind, nowMs, fields = {}) {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0"));
    return { id: id.join(""), kind, sampleTime: new Date(nowMs).toISOString(), ...fields };
}

/** Where a declaration goes, and what the server takes: a check-in says no more than when. */
function requestFor({ dueAt, ...declaration }) {
    if (declaration.kind !== "checkIn") { return { path: "declarations", body: declaration }; }
    return { path: "check-ins", body: { sampleTime: declaration.sampleTime } };
}

function reasonOf(error) {
    if (!(error instanceof Problem)) { return "no connection"; }
    return error.status === 401 ? "signed out" : error.message;
}

function later(act, ms) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
}
