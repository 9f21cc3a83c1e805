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
    return targets.filter(isToRun).slice(0, shownLimit);
}

/** @param {Waiting} waiting */
function isToRun({ byHand, enabled, pending, deadLetters }) {
    return byHand && enabled && pending + deadLetters > 0;
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

/** How many targets are not shown though something waits for them. Pure. @param {Waiting[]} targets */
export function moreWords(targets) {
    const more = targets.filter(isToRun).length - shownLimit;
    return more > 0 ? `and ${more} more: see “muster target list”` : "";
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
    /** @type {Map<string, {line: HTMLElement, words: HTMLElement, button: HTMLButtonElement}>} */
    #lines = new Map();
    #more = document.createElement("p");
    #user;
    /** Counts sign-outs and questions, so that an answer that comes too late is dropped. */
    #era = 0;
    #asked = 0;

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
        this.#user = user;
        if (user?.role !== "admin") { this.#show([]); return; }
        this.#asked += 1;
        const [era, asked] = [this.#era, this.#asked];
        try {
            const { targets } = await (await this.#request("deliveries")).json();
            if (era === this.#era && asked === this.#asked) { this.#show(targets); }
        } catch {
            // The feed tells whether the server answers; the next turn asks again.
        }
    }

    /** Removes everything that is shown, for somebody else may sign in. */
    forget() {
        this.#era += 1;
        this.#user = undefined;
        this.#running = new Set();
        this.#show([]);
    }

    /** Changes only what is new, so that a button that has the focus keeps it. */
    #show(targets) {
        const waiting = targetsToRun(targets);
        const names = new Set(waiting.map(({ target }) => target));
        for (const [target, { line }] of this.#lines) {
            if (!names.has(target)) { line.remove(); this.#lines.delete(target); }
        }
        waiting.forEach((each, index) => {
            let shown = this.#lines.get(each.target);
            if (!shown) {
                shown = this.#line(each.target);
                this.#lines.set(each.target, shown);
            }
            if (this.#panel.children[index] !== shown.line) {
                this.#panel.insertBefore(shown.line, this.#panel.children[index] ?? null);
            }
            const words = waitingWords(each);
            if (shown.words.textContent !== words) { shown.words.textContent = words; }
            shown.button.disabled = this.#running.has(each.target);
        });
        this.#more.remove();
        this.#more.textContent = moreWords(targets);
        if (this.#more.textContent !== "") { this.#panel.append(this.#more); }
        this.#panel.hidden = waiting.length === 0;
    }

    #line(target) {
        const line = document.createElement("p");
        line.dataset.target = target;
        const words = document.createElement("span");
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "Run now";
        button.setAttribute("aria-label", `Run what waits for ${legible(target)}`);
        button.addEventListener("click", (event) => {
            // The line of a run that ended at once makes room for the next one, which the second click then meets.
            if (event.detail < 2) { this.run(target); }
        });
        line.append(words, button);
        return { line, words, button };
    }

    /** Runs what waits for a target, and says what came of it. */
    async run(target) {
        const running = this.#running;
        const era = this.#era;
        if (running.has(target)) { return; }
        running.add(target);
        this.#enable(target, false);
        this.#tell(`Sending: run what waits for ${legible(target)}…`);
        const words = await this.#carryOut(target);
        running.delete(target);
        if (era !== this.#era) { return; }
        this.#tell(words.told ?? "");
        this.#notice(words.noticed ?? "");
        this.#enable(target, true);
        await this.refresh(this.#user);
    }

    #enable(target, isEnabled) {
        const button = this.#lines.get(target)?.button;
        if (button) { button.disabled = !isEnabled; }
    }

    /** What is to be said of a run. An order that the server took is not called off by an answer that is lost later. */
    async #carryOut(target) {
        const path = `targets/${encodeURIComponent(target)}`;
        let run;
        try {
            run = await (await this.#request(`${path}/run`, { method: "POST" })).json();
        } catch (error) {
            return {
                noticed: error instanceof Problem
                    ? `Not run (${legible(target)}): ${error.message}`
                    : `The server does not answer: whether ${legible(target)} runs shows here once it does.`,
            };
        }
        try {
            return { told: runWords(target, run.count, await this.#rest(path, run.through)) };
        } catch {
            return { noticed: `${legible(target)} runs. What came of it shows here once the server answers.` };
        }
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
