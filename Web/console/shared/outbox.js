/**
 * What a person said of themselves and the server does not have yet. It is kept in localStorage before it is sent, so
 * that no reload and no lost connection loses it, and is sent until the server answers. The id is the declaration's:
 * the server takes the same id once. Where the browser keeps nothing, it is sent all the same, and the report says that
 * it is not kept.
 */
import { Problem } from "./http.js";
import { newID } from "./id.js";
import { t } from "./words.js";

const storagePrefix = "muster.unsent.";
const firstDelayMs = 1000;
const longestDelayMs = 10_000;
/** Without an answer for so long, an attempt counts as failed. */
const answerLimitMs = 10_000;

/**
 * @typedef {object} Declaration
 * @property {string} id
 * @property {"safe"|"needsHelp"|"sos"|"offSite"|"clear"|"checkIn"|"callSeen"} kind
 * @property {number} [incident] the incident whose call was seen
 * @property {string} [sampleTime] when it was said, RFC 3339
 * @property {string} [note]
 * @property {number} [dueAt] milliseconds of this device's clock before which it is not sent and may be cancelled
 *
 * @typedef {object} Delivery how far a declaration has come
 * @property {Declaration} declaration
 * @property {"counting"|"sending"|"failed"|"received"|"refused"|"cancelled"} state
 * @property {string} [reason] why it failed or was refused
 * @property {boolean} [isLate] whether the server has it, but something newer was said
 * @property {boolean} [isUnkept] whether the declaration would be lost with the page, as the browser does not store it
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
    /** The declarations that the storage did not take; undefined while the storage works. */
    #unkept;
    /** The ids of the declarations that are counted down before they are sent. */
    #counting = new Set();

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
        for (const declaration of this.unsent) { this.#tell({ declaration, state: this.#waitState(declaration) }); }
        this.#attempt();
    }

    /** Stops sending; what is unsent stays stored until its user begins again. */
    end() {
        this.#timer?.();
        this.#timer = undefined;
        this.#user = undefined;
        this.#unkept = undefined;
        this.#failures = 0;
    }

    /** Forgets the unsent declarations, as the user asked when signing out. */
    forget() {
        if (this.#user !== undefined) { this.#store([]); }
    }

    /** What the server does not have yet, in the order in which it was said. @returns {Declaration[]} */
    get unsent() {
        if (this.#user === undefined) { return []; }
        if (this.#unkept) { return this.#unkept; }
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
        this.#tell({ declaration, state: this.#waitState(declaration) });
        this.hurry();
    }

    /** Forgets a declaration that was not due yet. @returns {boolean} whether there was one */
    cancel(id) {
        const found = this.unsent.find((each) => each.id === id);
        if (!found || this.#waitState(found) !== "counting") { return false; }
        this.#remove(id);
        this.#tell({ declaration: found, state: "cancelled" });
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

    /** The milliseconds until the next countdown ends; undefined if none runs. */
    get #untilDueMs() {
        const counted = this.unsent.filter((each) => this.#waitState(each) === "counting");
        return counted.length > 0 ? Math.min(...counted.map(({ dueAt }) => dueAt)) - this.#now() : undefined;
    }

    /** Declarations whose countdown is over wait like all others, also if an earlier declaration holds them up. */
    #endCountdowns(unsent) {
        for (const declaration of unsent) {
            if (!this.#counting.has(declaration.id) || this.#waitState(declaration) === "counting") { continue; }
            this.#tell({ declaration, state: this.#failures > 0 ? "failed" : "sending" });
        }
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
            this.#endCountdowns(unsent);
            const due = unsent.filter((each) => this.#waitState(each) === "sending");
            // An SOS does not wait for earlier declarations: the server reads in each when it was made.
            const declaration = due.find(({ kind }) => kind === "sos") ?? due[0];
            if (!declaration) { return this.#untilDueMs; }
            this.#tell({ declaration, state: this.#failures > 0 ? "failed" : "sending" });
            try {
                const { path, body } = requestFor(declaration, user);
                const response = await this.#send(path, {
                    method: "POST", body, signal: AbortSignal.timeout?.(answerLimitMs),
                });
                const receipt = await response.json().catch(() => ({}));
                this.#failures = 0;
                if (this.#user !== user) { return undefined; }
                this.#remove(declaration.id);
                this.#tell({ declaration, state: "received", isLate: receipt.late === true });
            } catch (error) {
                if (this.#user !== user) { return undefined; }
                if (!this.#isFinal(error, declaration)) {
                    this.#failures += 1;
                    this.#tell({ declaration, state: "failed", reason: reasonOf(error) });
                    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures - 1, 8));
                    return Math.min(delayMs, this.#untilDueMs ?? Infinity);
                }
            }
        }
    }

    /** Whether a refusal needs no further waiting; it has then been dealt with. */
    #isFinal(error, declaration) {
        const isRefused = error instanceof Problem && [400, 403, 404, 409, 413, 422].includes(error.status);
        if (!isRefused) { return false; }
        // An old check-in is never sent as one of now: it would say that someone is well of whom nobody knows.
        const mayCountAsNow = !["checkIn", "callSeen"].includes(declaration.kind)
            && declaration.sampleTime !== undefined;
        if (error.status !== 403 && error.status !== 404 && mayCountAsNow) {
            // The server may not believe this device's clock. A call for help is not lost to that: it counts as of now.
            this.#store(this.unsent.map((each) =>
                (each.id === declaration.id ? { ...each, sampleTime: undefined } : each)));
            return true;
        }
        this.#remove(declaration.id);
        this.#tell({ declaration, state: "refused", reason: error.message });
        return true;
    }

    #remove(id) {
        this.#store(this.unsent.filter((each) => each.id !== id));
    }

    #store(declarations) {
        const key = storagePrefix + this.#user;
        try {
            if (declarations.length === 0) { this.#storage.removeItem(key); }
            else { this.#storage.setItem(key, JSON.stringify(declarations)); }
            this.#unkept = undefined;
        } catch {
            // The storage is full or forbidden. A call for help must not be lost for that reason.
            this.#unkept = declarations;
        }
    }

    #tell(delivery) {
        const { declaration: { id }, state } = delivery;
        if (state === "counting") { this.#counting.add(id); } else { this.#counting.delete(id); }
        const isOver = ["received", "refused", "cancelled"].includes(state);
        const isUnkept = this.#unkept !== undefined || this.#storage.isLasting === false;
        this.#report(isUnkept && !isOver ? { ...delivery, isUnkept: true } : delivery);
    }
}

/** A new declaration of now, by the server's clock where that is known. */
export function newDeclaration(kind, nowMs, fields = {}) {
    return { id: newID(), kind, sampleTime: new Date(nowMs).toISOString(), ...fields };
}

/** Where a declaration goes, and what the server takes: a check-in says no more than when. */
function requestFor({ dueAt, ...declaration }, user) {
    const { kind, id, sampleTime, incident } = declaration;
    const own = `users/${encodeURIComponent(user)}`;
    switch (kind) {
        case "checkIn": return { path: `${own}/check-ins`, body: { sampleTime } };
        case "callSeen": return { path: `incidents/${incident}/acknowledgement`, body: { id, sampleTime } };
        default: return { path: `${own}/declarations`, body: declaration };
    }
}

function reasonOf(error) {
    if (!(error instanceof Problem)) { return t("problem.noConnection"); }
    return error.status === 401 ? t("problem.signedOut") : error.message;
}

function later(act, ms) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
}
