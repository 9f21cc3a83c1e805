/**
 * Tells until when the person has paused: this app records nothing meanwhile. The server's last word counts. A pause
 * that the server has just taken from this browser counts at once, because the change that tells of it comes later.
 */
import { isUrgent } from "./urgency.js";

export class PauseWatch {
    #store;
    #serverNow;
    #taken;

    /**
     * @param {object} options
     * @param {import("../../console/shared/store.js").Store} options.store its parts `own` and `deliveries` are read
     * @param {() => number} options.serverNow the server's time in milliseconds
     */
    constructor({ store, serverNow }) {
        this.#store = store;
        this.#serverNow = serverNow;
    }

    /** Notes what the server has just taken. @param {string|undefined} until RFC 3339; undefined: the pause is over */
    take(until) { this.#taken = { until, sequence: this.#store.value.own?.member?.pauseSequence }; }

    /** When the pause ends, RFC 3339; undefined if none runs. Who calls for help wants to be found, and has none. */
    get until() {
        const { own, deliveries } = this.#store.value;
        const { pause, pauseSequence } = own?.member ?? {};
        if (this.#taken?.sequence !== pauseSequence) { this.#taken = undefined; }
        const { until } = this.#taken ?? pause ?? {};
        return Date.parse(until) > this.#serverNow() && !isUrgent(own, deliveries) ? until : undefined;
    }
}
