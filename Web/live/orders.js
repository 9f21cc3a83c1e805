/** What a leader orders and says of others: sends it, and says when the server has it. */
import { Problem } from "./http.js";
import { newDeclaration } from "./outbox.js";
import { isOnRollAlone, nameOf } from "./roll.js";
import { legible } from "./text.js";
import { clockTime } from "./time.js";

/** Without an answer for so long, an order counts as unanswered. */
const answerLimitMs = 10_000;

const saidWords = {
    safe: "marked safe", offSite: "marked off site", needsHelp: "needs help", clear: "cleared",
    acknowledge: "call acknowledged",
};

export class Orders {
    #request;
    #member;
    #now;
    #tell;
    #notice;

    /**
     * @param {object} options
     * @param {(path: string, options: object) => Promise<Response>} options.request sends a request as the user
     * @param {(user: string) => object | undefined} options.member
     * @param {() => number} options.now the server's time in milliseconds
     * @param {(words: string) => void} options.tell shows how far an order has come
     * @param {(words: string) => void} options.notice shows what went wrong
     */
    constructor({ request, member, now, tell, notice }) {
        this.#request = request;
        this.#member = member;
        this.#now = now;
        this.#tell = tell;
        this.#notice = notice;
    }

    /** Says something of a person in this leader's name, by a declaration or, where that cannot be, on the roll. */
    async declare(user, kind, reason) {
        const member = this.#member(user);
        if (!member) { return; }
        const name = legible(nameOf(member));
        const { incident, person } = member.roll ?? {};
        const path = `incidents/${incident}/roll/${person}`;
        if (kind === "takeOff") {
            await this.send(`${path}/removal`, { reason }, `${name} is off the roll`);
            return;
        }
        const words = `${name}: ${saidWords[kind] ?? kind}`;
        if (isOnRollAlone(member)) {
            await this.send(`${path}/mark`, { state: kind === "clear" ? "unaccounted" : kind }, words);
            return;
        }
        const { dueAt, ...body } = newDeclaration(kind, this.#now());
        const response = await this.send(`users/${encodeURIComponent(user)}/declarations`, body, words);
        const receipt = await response?.json().catch(() => ({}));
        if (receipt?.late) {
            this.#tell("");
            this.#notice(`It changed nothing for ${name}: something newer, or a call for help, stands.`);
        }
    }

    /** Sends an order, and says when the server has it; what came of it comes back through the feed. */
    async send(path, body, words = "your order") {
        this.#tell(`Sending: ${words}…`);
        try {
            const response = await this.post(path, body);
            this.#notice("");
            this.#tell(`The server has it since ${clockTime(new Date(this.#now()).toISOString())}: ${words}.`);
            return response;
        } catch (error) {
            this.#tell("");
            this.#notice(error instanceof Problem
                ? `Not done (${words}): ${error.message}`
                : `The server does not answer, and may not have it: ${words}. Look at the page before you repeat it.`);
            return undefined;
        }
    }

    /** Posts to the API. @throws {Problem} for a refusal @throws {Error} when no answer came in time */
    post(path, body) {
        return this.#request(path, { method: "POST", body, signal: AbortSignal.timeout?.(answerLimitMs) });
    }
}
