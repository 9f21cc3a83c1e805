/**
 * What a leader orders and says of others: it is sent until the server has answered (`shared/pending.js`), and goes
 * through once, by its id; the page says when the server has it.
 */
import { faultWords } from "../shared/faults.js";
import { Problem } from "../shared/http.js";
import { newID } from "../shared/id.js";
import { called } from "../shared/names.js";
import { newDeclaration } from "../shared/outbox.js";
import { GivenUp } from "../shared/pending.js";
import { isOnRollAlone, nameOf } from "../shared/roll.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { t } from "../shared/words.js";

/** @typedef {import("../shared/pending.js").Order} Order */

/**
 * What is said of somebody: by a declaration or, where that cannot be, on the roll. Pure.
 * @param {object} member
 * @param {"safe"|"offSite"|"needsHelp"|"clear"|"acknowledge"|"takeOff"} kind
 * @param {{id: string, nowMs: number, reason?: string}} said `reason`: why somebody is taken off the roll
 * @returns {Order}
 */
export function orderOf(member, kind, { id, nowMs, reason }) {
    const words = t(`order.${kind}`, { name: legible(nameOf(member)) });
    const { incident, person } = member.roll ?? {};
    const path = `incidents/${incident}/roll/${person}`;
    if (kind === "takeOff") { return { path: `${path}/removal`, body: { reason, id }, words }; }
    if (isOnRollAlone(member)) {
        return { path: `${path}/mark`, body: { state: kind === "clear" ? "unaccounted" : kind, id }, words };
    }
    // The order must not be older than the state that it answers, whatever time this page's clock shows.
    const saidMs = Math.max(nowMs, Date.parse(member.since ?? "") || 0);
    const body = { ...newDeclaration(kind, saidMs), id };
    return { path: `users/${encodeURIComponent(member.user)}/declarations`, body, words };
}

/** Whether the answer to a declaration says that it changed nothing. */
async function isLate(response) {
    const receipt = await response.clone().json().catch(() => ({}));
    return receipt?.late === true;
}

/** Why an order was not done, after words that say that it was not. */
function reasonOf(error) {
    if (error instanceof GivenUp) { return t("fault.givenUp"); }
    return error instanceof Problem && error.status === 409 ? error.message : faultWords(error);
}

export class Orders {
    #pending;
    #member;
    #now;
    #tell;
    #notice;

    /**
     * @param {object} options
     * @param {import("../shared/pending.js").Pending} options.pending
     * @param {(user: string) => object | undefined} options.member
     * @param {() => number} options.now the server's time in milliseconds
     * @param {(words: string) => void} options.tell shows how far an order has come
     * @param {(words: string) => void} options.notice shows what went wrong
     */
    constructor({ pending, member, now, tell, notice }) {
        this.#pending = pending;
        this.#member = member;
        this.#now = now;
        this.#tell = tell;
        this.#notice = notice;
    }

    /** Says something of a person that needs no question first. @returns {Promise<boolean>} whether it is done */
    async declare(user, kind) {
        const member = this.#member(user);
        if (!member) { return false; }
        const order = orderOf(member, kind, { id: newID(), nowMs: this.#now() });
        try {
            return !await isLate(await this.press(order));
        } catch {
            return false;
        }
    }

    /**
     * Ends that people are off site, one after the other, as of the moment of the press. It ends nothing else: who
     * calls for help, or says anything new, while earlier orders are on their way is left out, and what this page has
     * not heard of yet is newer than the press, so that the server lets it stand. Whoever gives a waiting order up ends
     * the rest, too.
     * @param {string[]} users
     * @returns {Promise<void>}
     */
    async bringBack(users) {
        const pressedMs = this.#now();
        const pressed = users.map((user) => ({ user, since: this.#member(user)?.since }));
        for (const { user, since } of pressed) {
            const member = this.#member(user);
            if (member?.state !== "offSite" || member.since !== since) { continue; }
            const order = orderOf(member, "clear", { id: newID(), nowMs: pressedMs });
            try {
                await this.press(order);
            } catch (error) {
                // What the server refuses of one is said on the page, and the others are tried all the same.
                if (error instanceof GivenUp) { return; }
            }
        }
    }

    /**
     * Sends an order until the server has answered, and says when it has it; what came of it comes back by the feed.
     * @param {Order} order its body has an id, or the server takes it twice for one in another way
     * @returns {Promise<Response>}
     * @throws {Error} as of `Pending.press`; it was said on the page, too
     */
    async press(order) {
        const { words } = order;
        this.#tell(t("order.sending", { words }));
        try {
            const response = await this.#pending.press({ isRepeatable: true, ...order });
            this.#notice("");
            this.#tell(t("order.received", { time: clockTime(new Date(this.#now()).toISOString()), words }));
            await this.#lookForLate(response, order);
            return response;
        } catch (error) {
            this.#tell("");
            this.#notice(t("order.refused", { words, reason: reasonOf(error) }));
            throw error;
        }
    }

    /** A declaration that came after something newer changes nothing. */
    async #lookForLate(response, { path }) {
        if (!path.endsWith("/declarations") || !await isLate(response)) { return; }
        this.#tell("");
        this.#notice(t("order.late", { name: called(decodeURIComponent(path.split("/")[1])) }));
    }
}
