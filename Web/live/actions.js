/** Actions that wait until they are run by hand: an admin sees how many wait for which target, and runs them. */
import { Problem } from "./http.js";
import { legible } from "./text.js";

/** How often and how long the page asks whether the actions of a run have ended. */
const askEveryMs = 500;
const askLimit = 20;
/** As many targets as are shown. The others are in the list of `muster target list`. */
const shownLimit = 20;

/**
 * @typedef {object} Waiting
 * @property {string} target
 * @property {boolean} byHand
 * @property {boolean} enabled
 * @property {number} pending how many deliveries wait
 * @property {number} deadLetters how many were given up
 */

/** The targets for which something waits until somebody runs it. Pure. @param {Waiting[]} targets */
export function targetsToRun(targets) {
    return targets.filter(({ byHand, enabled, pending, deadLetters }) => byHand && enabled && pending + deadLetters > 0)
        .slice(0, shownLimit);
}

/** What waits for a target. Pure. @param {Waiting} waiting */
export function waitingWords({ target, pending, deadLetters }) {
    const parts = [pending > 0 ? `${pending} waiting` : "", deadLetters > 0 ? `${deadLetters} given up` : ""];
    return `${legible(target)}: ${parts.filter(Boolean).join(", ")}`;
}

/** What came of a run of `count` actions. Pure. @param {{pending: number, deadLetters: number}} left */
export function runWords(target, count, { pending, deadLetters }) {
    const run = Math.max(0, count - pending - deadLetters);
    const rest = [pending > 0 ? `${pending} still waiting` : "", deadLetters > 0 ? `${deadLetters} given up` : ""];
    return `${legible(target)}: ${[`${run} run`, ...rest.filter(Boolean)].join(", ")}`;
}

/** The panel that lists them, each with a button. */
export class WaitingActions {
    #panel;
    #request;
    #tell;
    #notice;
    #pause;
    /** The targets whose run is not over. */
    #running = new Set();
    /** @type {Waiting[]} */
    #shown = [];

    /**
     * @param {HTMLElement} panel
     * @param {object} options
     * @param {(path: string, options?: object) => Promise<Response>} options.request sends a request as the user
     * @param {(words: string) => void} options.tell shows how far an order has come
     * @param {(words: string) => void} options.notice shows what went wrong
     * @param {(ms: number) => Promise<void>} [options.pause]
     */
    constructor(panel, { request, tell, notice, pause = (ms) => new Promise((done) => { setTimeout(done, ms); }) }) {
        this.#panel = panel;
        this.#request = request;
        this.#tell = tell;
        this.#notice = notice;
        this.#pause = pause;
    }

    /** Asks what waits, and shows it. Only an admin may know; for everybody else the panel stays hidden. */
    async refresh(user) {
        if (user?.role !== "admin") { this.#show([]); return; }
        try {
            const { targets } = await (await this.#request("deliveries")).json();
            this.#show(targetsToRun(targets));
        } catch {
            // The feed tells whether the server answers; the next turn asks again.
        }
    }

    /** Removes everything that is shown, for somebody else may sign in. */
    forget() { this.#show([]); }

    #show(waiting) {
        const isSame = JSON.stringify(waiting) === JSON.stringify(this.#shown);
        this.#shown = waiting;
        this.#panel.hidden = waiting.length === 0;
        if (!isSame) { this.#panel.replaceChildren(...waiting.map((each) => this.#line(each))); }
    }

    #line(waiting) {
        const line = document.createElement("p");
        line.dataset.target = waiting.target;
        const words = document.createElement("span");
        words.textContent = waitingWords(waiting);
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "Run now";
        button.disabled = this.#running.has(waiting.target);
        button.setAttribute("aria-label", `Run what waits for ${legible(waiting.target)}`);
        button.addEventListener("click", () => this.run(waiting.target, button));
        line.append(words, button);
        return line;
    }

    /** Runs what waits for a target, and says what came of it. */
    async run(target, button) {
        if (this.#running.has(target)) { return; }
        this.#running.add(target);
        button.disabled = true;
        this.#tell(`Sending: run what waits for ${legible(target)}…`);
        try {
            const path = `targets/${encodeURIComponent(target)}`;
            const { count, through } = await (await this.#request(`${path}/run`, { method: "POST" })).json();
            this.#notice("");
            const left = await this.#rest(path, through);
            this.#tell(runWords(target, count, left));
        } catch (error) {
            this.#tell("");
            this.#notice(error instanceof Problem
                ? `Not run (${legible(target)}): ${error.message}`
                : `The server does not answer: whether ${legible(target)} runs shows here once it does.`);
        } finally {
            this.#running.delete(target);
            button.disabled = false;
        }
        await this.refresh({ role: "admin" });
    }

    /** What is left of a run once its actions have ended, or after as long as the page waits. */
    async #rest(path, through) {
        let left = await this.#counts(path, through);
        for (let asked = 0; left.pending > 0 && asked < askLimit; asked += 1) {
            await this.#pause(askEveryMs);
            left = await this.#counts(path, through);
        }
        return left;
    }

    async #counts(path, through) {
        return await (await this.#request(`${path}/deliveries?through=${through}`)).json();
    }
}
