/**
 * Sends the queue to the server in order and in batches, each until the server has it. A batch whose answer was lost is
 * sent again, and the server recognizes its fixes by device, time and place. After a failure the sender waits as
 * described in docs/offline.md. A failure that waiting cannot mend ends the sending, with the reason, until it is begun
 * again.
 */
import { Problem } from "../../console/shared/http.js";
import { batchLimit, faultsOf, isReadable, packed, position } from "./batch.js";

/** The times between two sendings, normally and in an urgent time (`urgency.js`), in milliseconds. */
export const sendEveryMs = 20_000;
const urgentEveryMs = 5000;
const firstDelayMs = 500;
const longestDelayMs = 60_000;
/** The time without an answer after which a batch counts as lost, in milliseconds. */
const answerLimitMs = 30_000;
/** The smallest size of a batch: on a network that carries no large batch, the sender tries smaller ones. */
const smallestBatch = 25;

/** The wait after a number of consecutive failures: it doubles up to a minute, and is up to half shorter by chance. */
export function backOffMs(failures, chance) {
    return Math.round(Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 10)) * (1 - chance / 2));
}

/**
 * @typedef {object} Progress
 * @property {number} [sentAt] when the server last accepted a batch, by this device's clock
 * @property {{kind: "away"|"busy"|"serverFull"|"signedOut"|"forbidden"|"noDevice"|"diskFailed", detail?: string}}
 *     [problem] why the sender does not send now
 */

export class Sender {
    #options;
    #failures = 0;
    #limit = batchLimit;
    #isDeviceThere = false;
    #running;
    #cancelTimer = () => {};
    #isEnded = true;
    #isRefused = false;
    /** The time before which the server asked not to be called again, by the monotonic clock. */
    #notBefore = -Infinity;
    #stopping = new AbortController();
    /** @type {Progress} */
    progress = {};
    /** Whether the time is urgent now. */
    isUrgent = false;

    /**
     * @param {object} options
     * @param {import("./queue.js").Queue} options.queue
     * @param {(path: string, options?: object) => Promise<Response>} options.request sends a request as the user
     * @param {string} options.user
     * @param {string} options.device the name of this browser's own device
     * @param {import("./serverclock.js").ServerClock} options.serverClock
     * @param {() => import("./serverclock.js").Moment & {run: string}} options.moment
     * @param {(act: () => void, ms: number) => () => void} options.schedule returns a function that cancels the call
     * @param {() => void} options.report called when `progress` or the queue has changed
     * @param {() => number} [options.chance] 0 to 1
     */
    constructor(options) { this.#options = { chance: Math.random, ...options }; }

    /** Sends now, and then at intervals. */
    begin() {
        if (!this.#isEnded) { return; }
        this.#isEnded = false;
        this.#isRefused = false;
        this.#stopping = new AbortController();
        this.hurry();
    }

    /** Ends the sending; settles once no part of it runs. */
    async end() {
        this.#isEnded = true;
        this.#cancelTimer();
        this.#stopping.abort();
        await this.#running;
    }

    /** Sends at once, because the network may be back; but not before a time that the server named. */
    hurry() {
        if (this.#isEnded || this.#isRefused || this.#options.moment().monotonicMs < this.#notBefore) { return; }
        this.#cancelTimer();
        this.#running ??= this.#round().finally(() => { this.#running = undefined; });
    }

    /** Tries again after a refusal: somebody signed in, or changed the cause of the refusal. */
    retry() {
        this.#isRefused = false;
        this.hurry();
    }

    async #round() {
        let delayMs = this.isUrgent ? urgentEveryMs : sendEveryMs;
        try {
            if (await this.#sendAll()) { this.#tell({ problem: undefined }); }
            this.#failures = 0;
        } catch (error) {
            if (this.#isEnded) { return; }
            delayMs = this.#failed(error);
        }
        if (this.#isEnded || delayMs === undefined) { return; }
        this.#cancelTimer = this.#options.schedule(() => {
            this.#notBefore = -Infinity;
            this.hurry();
        }, delayMs);
    }

    /** @returns {Promise<boolean>} whether the server answered */
    async #sendAll() {
        const { queue, serverClock, moment } = this.#options;
        if (queue.waiting === 0) { return false; }
        while (!this.#isEnded && queue.waiting > 0) {
            if (!serverClock.isKnown) { await this.#ask("session"); }
            if (!this.#isDeviceThere) { await this.#makeDevice(); }
            // If the server's answers have no date, its clock and this device's clock are taken for the same.
            const present = { ...moment(), offsetMs: serverClock.offsetMs ?? 0 };
            const batch = await queue.first(this.#limit, present);
            if (batch.length === 0) { break; }
            await this.#send(batch);
        }
        return true;
    }

    async #send(batch) {
        const { queue, device } = this.#options;
        const unreadable = batch.filter(({ fix }) => !isReadable(fix));
        if (unreadable.length > 0) {
            await queue.setAside(unreadable.map((entry) => ({ ...entry, reason: "unreadable" })));
            this.#tell({});
            return;
        }
        const body = await packed(JSON.stringify(batch.map(({ fix }) => position(fix, device))));
        try {
            await this.#ask("positions", { method: "POST", ...body });
        } catch (error) {
            if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 413)) { throw error; }
            await this.#takeRefusal(error, batch);
            return;
        }
        this.#failures = 0;
        await queue.remove(batch);
        if (this.#limit < batchLimit) { this.#limit = Math.min(batchLimit, this.#limit * 2); }
        this.#tell({ sentAt: this.#options.moment().wallMs, problem: undefined });
    }

    /** Handles a refusal: the server stored nothing of the batch, because of some of its fixes or its size. */
    async #takeRefusal(error, batch) {
        const { queue, serverClock } = this.#options;
        const { faults, isDeviceMissing } = faultsOf(error, batch.length);
        if (error.status === 400 && isDeviceMissing && this.#isDeviceThere) {
            // Somebody removed the device from the server; it is created again.
            this.#isDeviceThere = false;
            return;
        }
        if (error.status === 413 || faults.size === 0) {
            // The refusal does not name the faulty fixes: each half of the batch is sent on its own.
            if (batch.length > 1) { this.#limit = Math.ceil(batch.length / 2); return; }
            await queue.setAside([{ ...batch[0], reason: error.message }]);
            this.#limit = batchLimit;
            this.#tell({});
            return;
        }
        const named = [...faults].map(([place, reason]) => ({ ...batch[place], reason }));
        // The server refused a time, because a clock was set meanwhile: the time is worked out again, once.
        const ahead = named.filter(({ fix, reason }) => reason.includes("ahead") && !fix.wasRefused);
        if (ahead.length > 0) {
            serverClock.forget();
            await queue.untime(ahead);
        }
        await queue.setAside(named.filter((entry) => !ahead.includes(entry)));
        this.#tell({});
    }

    async #makeDevice() {
        const { user, device } = this.#options;
        try {
            await this.#ask(`users/${encodeURIComponent(user)}/devices`, { method: "POST", body: { name: device } });
        } catch (error) {
            // The device exists already.
            if (!(error instanceof Problem) || error.status !== 409) {
                if (error instanceof Problem && error.status === 400) { throw new NoDevice(error.message); }
                throw error;
            }
        }
        this.#isDeviceThere = true;
    }

    /** Sends a request that ends with the sender, or without an answer in time. The answer tells the server's time. */
    async #ask(path, options = {}) {
        const { request, serverClock, moment } = this.#options;
        const sent = moment();
        const limited = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(answerLimitMs)]);
        const response = await request(path, { ...options, signal: limited });
        serverClock.hear(sent, Date.parse(response.headers.get("Date") ?? ""));
        return response;
    }

    /** @returns {number|undefined} the milliseconds to wait before the next try; undefined if waiting would not help */
    #failed(error) {
        this.#failures += 1;
        const kind = kindOf(error);
        this.#tell({ problem: { kind, detail: error.message } });
        if (["signedOut", "forbidden", "noDevice"].includes(kind)) {
            this.#isRefused = true;
            return undefined;
        }
        if (error.name === "TimeoutError") { this.#limit = Math.max(smallestBatch, Math.floor(this.#limit / 2)); }
        const waitMs = (error.retryAfterSeconds ?? 0) * 1000;
        this.#notBefore = this.#options.moment().monotonicMs + waitMs;
        return Math.max(waitMs, backOffMs(this.#failures, this.#options.chance()));
    }

    #tell(change) {
        this.progress = { ...this.progress, ...change };
        this.#options.report();
    }
}

class NoDevice extends Error {}

function kindOf(error) {
    if (error instanceof NoDevice) { return "noDevice"; }
    if (error.name === "DatabaseError") { return "diskFailed"; }
    if (!(error instanceof Problem)) { return "away"; }
    switch (error.status) {
        case 401: return "signedOut";
        case 403: return "forbidden";
        case 507: return "serverFull";
        // Also for 404: a proxy may answer so while the server is away.
        default: return "busy";
    }
}
