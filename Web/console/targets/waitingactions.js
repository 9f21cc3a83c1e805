/** Actions that wait until they are run by hand: an admin sees how many wait for which target, and runs them. */
import { Problem } from "../shared/http.js";
import { pause } from "../shared/pause.js";
import { legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";

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
    const parts = [
        pending > 0 && t("waiting.pending", { count: pending }),
        deadLetters > 0 && t("waiting.givenUp", { count: deadLetters }),
    ];
    return t("waiting.of", { target: legible(target), words: listed(parts) });
}

/** What came of a run of `count` actions. Pure. @param {{pending: number, deadLetters: number}} left */
export function runWords(target, count, { pending, deadLetters }) {
    const parts = [
        t("waiting.run", { count: Math.max(0, count - pending - deadLetters) }),
        pending > 0 && t("waiting.still", { count: pending }),
        deadLetters > 0 && t("waiting.givenUp", { count: deadLetters }),
    ];
    return t("waiting.of", { target: legible(target), words: listed(parts) });
}

/** How many targets are not shown though something waits for them. Pure. @param {Waiting[]} targets */
export function moreWords(targets) {
    const more = targets.filter(isToRun).length - shownLimit;
    return more > 0 ? t("waiting.more", { count: more }) : "";
}

/** What waits, as an admin's page knows it, and its runs. */
export class WaitingActions {
    #request;
    #tell;
    #notice;
    #report;
    #pause;
    /** The targets whose run is not over. */
    #running = new Set();
    #targets = [];
    #user;
    /** Counts sign-outs and questions, so that an answer that comes too late is dropped. */
    #era = 0;
    #asked = 0;

    /**
     * @param {object} options
     * @param {(path: string, options?: object) => Promise<Response>} options.request sends a request as the user
     * @param {(words: string) => void} options.tell shows how far an order has come
     * @param {(words: string) => void} options.notice shows what went wrong
     * @param {(waiting: {targets: Waiting[], running: Set<string>}) => void} options.report takes what is to be shown
     * @param {(ms: number) => Promise<void>} [options.pause]
     */
    constructor({
        request, tell, notice, report, pause: wait = pause,
    }) {
        this.#request = request;
        this.#tell = tell;
        this.#notice = notice;
        this.#report = report;
        this.#pause = wait;
    }

    /** Asks what waits, and shows it. Only an admin may know; for everybody else nothing is shown. */
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

    /** Runs what waits for a target, and says what came of it. */
    async run(target) {
        const running = this.#running;
        const era = this.#era;
        if (running.has(target)) { return; }
        running.add(target);
        this.#show(this.#targets);
        this.#tell(t("waiting.sending", { target: legible(target) }));
        const words = await this.#carryOut(target);
        running.delete(target);
        if (era !== this.#era) { return; }
        this.#tell(words.told ?? "");
        this.#notice(words.noticed ?? "");
        this.#show(this.#targets);
        await this.refresh(this.#user);
    }

    #show(targets) {
        this.#targets = targets;
        this.#report({ targets, running: new Set(this.#running) });
    }

    /** What is to be said of a run. An order that the server took is not called off by an answer that is lost later. */
    async #carryOut(target) {
        const path = `targets/${encodeURIComponent(target)}`;
        let run;
        try {
            run = await (await this.#request(`${path}/run`, { method: "POST" })).json();
        } catch (error) {
            const words = { target: legible(target), reason: error.message };
            return { noticed: t(error instanceof Problem ? "waiting.refused" : "waiting.unanswered", words) };
        }
        try {
            return { told: runWords(target, run.count, await this.#rest(path, run.through)) };
        } catch {
            return { noticed: t("waiting.lost", { target: legible(target) }) };
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
