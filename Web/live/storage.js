/** Whether the server can store what it is told: asked of its health, and said large where it cannot. */
import { Problem } from "./http.js";
import { clockTime } from "./time.js";

/** How often the page asks. */
const askEveryMs = 15_000;
/** The status of what the server could not store. */
const notStored = 507;

/** What is said of the server's disk, to whom it concerns; nothing where all is well. Pure. */
export function storageWords(storage, user) {
    if (!storage || !user) { return ""; }
    if (!storage.writable) {
        const since = storage.since ? ` since ${clockTime(storage.since)}` : "";
        return `The server can store nothing${since}: its disk is full or takes no writes. Positions, marks and `
            + "“I am safe” do not count until there is room. What was stored before is shown.";
    }
    if (!storage.low || (user.role !== "admin" && user.role !== "leader")) { return ""; }
    const left = storage.freeBytes === undefined ? "" : ` (${Math.floor(storage.freeBytes / 1_048_576)} MiB left)`;
    return `The server’s disk is nearly full${left}. When it is full, nothing can be stored: tell whoever runs it.`;
}

/** The banner, and who asks for it. */
export class StorageBanner {
    #element;
    #json;
    #user;

    /**
     * @param {HTMLElement} element
     * @param {(path: string) => Promise<object>} json asks the API as the user
     * @param {() => object|undefined} user who is signed in
     */
    constructor(element, json, user) {
        this.#element = element;
        this.#json = json;
        this.#user = user;
    }

    /** Asks now, and from time to time from now on. */
    begin() {
        this.ask();
        setInterval(() => { if (!document.hidden) { this.ask(); } }, askEveryMs);
    }

    /** Asks now. */
    async ask() {
        if (!this.#user()) { this.#show(undefined); return; }
        try {
            this.#show((await this.#json("health")).storage);
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

    #show(storage) {
        const words = storageWords(storage, this.#user());
        if (this.#element.textContent !== words) { this.#element.textContent = words; }
        this.#element.dataset.state = storage && !storage.writable ? "unwritable" : "low";
        this.#element.hidden = words === "";
    }
}
