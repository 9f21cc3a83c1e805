/** What the server knows, and what changes: read by a worker (`live-worker.js`), told to the page in batches. */
import { Problem } from "./http.js";

export class LiveData {
    #newWorker;
    #worker;
    #isFollowing = false;
    #token;
    #receive;
    #report;
    #resync;
    /** What the page asked of the worker and has no answer to, by number. */
    #asked = new Map();
    #lastAsked = 0;

    /**
     * @param {object} options
     * @param {(refused?: string) => Promise<string>} options.token an access token of the user
     * @param {(changes: object[]) => void} options.receive takes changes in order
     * @param {(status: {state: "connecting"|"live"|"waiting"|"refused", delayMs?: number, heardMs?: number}) => void}
     *     options.report `heardMs` is when the server was last heard, by this device's clock
     * @param {() => void} options.resync called when the state must be loaded anew; the feed has stopped
     * @param {() => Worker} [options.newWorker] replaced in tests
     */
    constructor({ token, receive, report, resync, newWorker = startWorker }) {
        this.#token = token;
        this.#receive = receive;
        this.#report = report;
        this.#resync = resync;
        this.#newWorker = newWorker;
        this.#start();
    }

    /**
     * Loads the state, and on wish the changes just before it.
     * @param {{knownRegions?: object[], wantsHistory: boolean}} wanted
     * @returns {Promise<{snapshot: object, history: object[]}>}
     * @throws {Problem} for the server's refusal; any other error when it does not answer
     */
    load(wanted) { return this.#ask("load", wanted); }

    /** When the people of these teams were last heard and located, and the server's time: `{people, at}`. */
    heard(teams) { return this.#ask("heard", { teams }); }

    /** Follows the changes after a sequence; what was followed before ends. */
    follow(since) {
        this.#isFollowing = true;
        this.#post({ type: "follow", since });
    }

    /** Ends following. */
    stop() {
        this.#isFollowing = false;
        this.#post({ type: "stop" });
    }

    /** Tries again at once when it waits: the network may be back. */
    hurry() { this.#post({ type: "hurry" }); }

    /** Is not live until the server is heard again: the network may be gone. */
    doubt() { this.#post({ type: "doubt" }); }

    #ask(type, details) {
        this.#lastAsked += 1;
        const number = this.#lastAsked;
        this.#post({ type, number, ...details });
        return new Promise((resolve, reject) => { this.#asked.set(number, { resolve, reject }); });
    }

    #take({ type, number, ...data }) {
        switch (type) {
            case "changes":
                try { this.#receive(data.changes); } finally { this.#post({ type: "taken" }); }
                break;
            case "status": this.#report(data.status); break;
            case "resync": this.#resync(); break;
            case "token": this.#sendToken(number, data.refused); break;
            case "answer": this.#settle(number)?.resolve(data.answer); break;
            case "failure": {
                const { status, message } = data.failure;
                this.#settle(number)?.reject(
                    status === undefined ? new TypeError(message) : new Problem(status, { detail: message }));
                break;
            }
            default: break;
        }
    }

    #settle(number) {
        const question = this.#asked.get(number);
        this.#asked.delete(number);
        return question;
    }

    async #sendToken(number, refused) {
        try {
            this.#post({ type: "token", number, token: await this.#token(refused) });
        } catch (error) {
            const problem = { status: error instanceof Problem ? error.status : 503, message: error.message };
            this.#post({ type: "token", number, problem });
        }
    }

    #start() {
        const worker = this.#newWorker();
        this.#worker = worker;
        worker.addEventListener("message", ({ data }) => { if (worker === this.#worker) { this.#take(data); } });
        worker.addEventListener("error", () => { if (worker === this.#worker) { this.#fail(); } });
    }

    #post(message) {
        if (!this.#worker) { this.#start(); }
        this.#worker.postMessage(message);
    }

    /** A worker's script may not have come, as the server was gone: what is asked next starts another worker. */
    #fail() {
        this.#worker.terminate?.();
        this.#worker = undefined;
        for (const { reject } of this.#asked.values()) { reject(new TypeError("the worker of the page failed")); }
        this.#asked.clear();
        this.#report({ state: "waiting", delayMs: 0 });
        if (this.#isFollowing) {
            this.#isFollowing = false;
            this.#resync();
        }
    }
}

function startWorker() {
    return new Worker(new URL("live-worker.js", import.meta.url), { type: "module" });
}
