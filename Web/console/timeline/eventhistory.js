/** The events of the log: those that come, and earlier ones, page by page back to the first that is kept. */
import { atTheirTimes } from "../shared/eventlog.js";
import { Problem } from "../shared/http.js";

const pageSize = 1000;
/** The most pages that one look back reads: on a busy server most changes are movements. */
const pageLimit = 15;
/** The most changes that are read after a cut. */
const catchUpLimit = 50_000;
/** The number of further events at which a look back ends. */
const enough = 60;
/** The most events that are kept; the oldest go first. */
const eventLimit = 5000;

/**
 * @typedef {object} Found
 * @property {object[]} events the latest first
 * @property {number} [lookedBackMs] of what time the earliest change is that was looked at
 * @property {boolean} isWhole whether there are no earlier ones
 * @property {boolean} isTrimmed whether earlier ones were deleted
 */

export class EventHistory {
    #get;
    #eventOf;
    #events = new Map();
    /** Every change after this sequence, up to `#newest`, was looked at. */
    #lowest;
    #newest;
    #length = pageSize;
    #lookedBackMs;
    #isTrimmed = false;

    /**
     * @param {object} options
     * @param {(path: string) => Promise<object>} options.get answers the JSON of an API path
     * @param {(change: object) => object|undefined} options.eventOf what is told of a change
     * @param {number} options.sequence where the log is now
     */
    constructor({ get, eventOf, sequence }) {
        this.#get = get;
        this.#eventOf = eventOf;
        this.#lowest = sequence;
        this.#newest = sequence;
    }

    /** @returns {Found} */
    get found() {
        const events = [...this.#events.values()].sort((left, right) => right.sequence - left.sequence);
        return {
            events: atTheirTimes(events), lookedBackMs: this.#lookedBackMs, isTrimmed: this.#isTrimmed,
            isWhole: this.#lowest <= 0 || this.#isTrimmed,
        };
    }

    /** Takes events that came by the feed, which has told everything up to a sequence. */
    take(events, sequence) {
        for (const event of events) {
            if (event.sequence > this.#newest) { this.#events.set(event.sequence, event); }
        }
        this.#newest = Math.max(this.#newest, sequence);
        if (this.#events.size > eventLimit) {
            // Half of them, so that who looks back has room for what is found there.
            const oldest = this.#trim(eventLimit / 2);
            this.#lowest = Math.max(this.#lowest, oldest.sequence - 1);
            this.#lookedBackMs = Date.parse(oldest.loggedAt ?? oldest.at);
            this.#isTrimmed = false;
        }
    }

    /**
     * Looks further back.
     * @param {(event: object) => boolean} isWanted it looks on until it has some of these
     * @throws {Problem} when the server refuses @throws {TypeError} when it does not answer
     */
    async older(isWanted) {
        let count = 0;
        for (let page = 0; page < pageLimit && count < enough && this.#lowest > 0 && !this.#isTrimmed; page += 1) {
            const events = await this.#readBack();
            count += events.filter(isWanted).length;
        }
    }

    /**
     * Reads what was missed between two feeds, up to the sequence where the second began. Where that is too much, it
     * begins anew there, and the rest is found by looking back.
     */
    async catchUp(sequence) {
        if (sequence - this.#newest > catchUpLimit) {
            this.#events.clear();
            this.#lowest = sequence;
            this.#newest = sequence;
            this.#lookedBackMs = undefined;
        }
        while (this.#newest < sequence) {
            const answer = await this.#get(`changes?since=${this.#newest}&limit=${pageSize}`);
            this.#add(answer.items);
            this.#newest = Math.max(answer.lastSequence, this.#newest + 1);
            if (!answer.more) { return; }
        }
    }

    /** One page before what was read. Where what is deleted begins within it, it is a shorter one, as all after it. */
    async #readBack() {
        for (;; this.#length = Math.floor(this.#length / 2)) {
            const since = Math.max(0, this.#lowest - this.#length);
            try {
                const answer = await this.#get(`changes?since=${since}&limit=${this.#lowest - since}`);
                const items = answer.items.filter(({ sequence }) => sequence <= this.#lowest);
                this.#lowest = since;
                const [first] = items;
                if (first) { this.#lookedBackMs = Date.parse(first.at); }
                return this.#add(items);
            } catch (error) {
                if (!(error instanceof Problem) || error.status !== 410) { throw error; }
                if (this.#length > 1) { continue; }
                this.#isTrimmed = true;
                return [];
            }
        }
    }

    #add(changes) {
        const events = changes.map(this.#eventOf).filter(Boolean);
        for (const event of events) { this.#events.set(event.sequence, event); }
        this.#trim(eventLimit);
        return events;
    }

    /** Keeps the newest events. @returns {object|undefined} the oldest of them */
    #trim(limit) {
        if (this.#events.size > limit) {
            const kept = [...this.#events.keys()].sort((left, right) => left - right).slice(-limit);
            this.#events = new Map(kept.map((sequence) => [sequence, this.#events.get(sequence)]));
        }
        return this.#events.values().next().value;
    }
}
