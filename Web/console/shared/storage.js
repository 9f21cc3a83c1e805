/** Whether the server can store what it is told: asked of its health, and said large where it cannot. */
import { Problem } from "./http.js";
import { clockTime } from "./time.js";
import { t } from "./words.js";

/** How often the page asks. */
const askEveryMs = 15_000;
/** The status of what the server could not store. */
const notStored = 507;

/** What is said of the server's disk, to whom it concerns; nothing where all is well. Pure. */
export function storageWords(storage, user) {
    if (!storage || !user) { return ""; }
    if (!storage.writable) {
        return storage.since ? t("storage.fullSince", { time: clockTime(storage.since) }) : t("storage.full");
    }
    if (!storage.low || (user.role !== "admin" && user.role !== "leader")) { return ""; }
    if (storage.freeBytes === undefined) { return t("storage.low"); }
    return t("storage.lowLeft", { mebibytes: Math.floor(storage.freeBytes / 1_048_576) });
}

/** Asks after the server's disk from time to time. */
export class StorageWatch {
    #json;
    #user;
    #report;

    /**
     * @param {object} options
     * @param {(path: string) => Promise<object>} options.json asks the API as the user
     * @param {() => object|undefined} options.user who is signed in
     * @param {(storage: object|undefined) => void} options.report takes what the server said of its disk
     */
    constructor({ json, user, report }) {
        this.#json = json;
        this.#user = user;
        this.#report = report;
    }

    /** Asks now, and from time to time from now on. */
    begin() {
        this.ask();
        setInterval(() => { if (!document.hidden) { this.ask(); } }, askEveryMs);
    }

    /** Asks now. */
    async ask() {
        if (!this.#user()) { this.#report(undefined); return; }
        try {
            this.#report((await this.#json("health")).storage);
        } catch {
            // The feed tells whether the server answers; what was said of the disk stays until it does.
        }
    }

    /** Passes a request on, and asks at once when the server could not store what it brought. */
    watching(request) {
        return async (...details) => {
            try {
                return await request(...details);
            } catch (error) {
                if (error instanceof Problem && error.status === notStored) { this.ask(); }
                throw error;
            }
        };
    }
}
