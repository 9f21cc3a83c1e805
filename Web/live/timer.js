/** Check-in timers: that of the person who looks, and the words for those of others. */
import { newDeclaration } from "./outbox.js";
import { Problem } from "./http.js";
import { legible, shortened } from "./text.js";
import { minuteTime } from "./time.js";

/** As much of a note as a banner shows. */
const noteLimit = 80;

/**
 * @typedef {object} Timer
 * @property {"started"|"checkedIn"|"reminded"|"overdue"|"sos"} happened how far it has come
 * @property {string} lastWord when the person last checked in, RFC 3339
 * @property {string} dueAt when the next check-in is due
 * @property {string} [note] what the person does, and where
 */

/** The state of a timer in words; empty without a timer. Pure. */
export function timerWords(timer, nowMs) {
    if (!timer) { return ""; }
    switch (timer.happened) {
        case "reminded": return `check-in due since ${minuteTime(timer.dueAt, nowMs)}`;
        case "overdue": return `no check-in since ${minuteTime(timer.lastWord, nowMs)}, leaders notified`;
        case "sos": return `no check-in since ${minuteTime(timer.lastWord, nowMs)}`;
        default: return `next check-in due ${minuteTime(timer.dueAt, nowMs)}`;
    }
}

/** The banner for a person whose check-in is due. Pure. */
export function dueWords({ happened, dueAt }, nowMs) {
    const consequence = happened === "overdue" ? ": your leaders were notified" : ", or your leaders are notified";
    return `Your check-in is due since ${minuteTime(dueAt, nowMs)}. Check in${consequence}`;
}

/** The banner for a leader about a person who did not check in. Pure. */
export function overdueWords(user, { lastWord, note }, where, nowMs) {
    const what = note ? `: “${legible(shortened(note, noteLimit))}”` : "";
    return `No word from ${legible(user)} since ${minuteTime(lastWord, nowMs)}${what}, ${where}`;
}

export class MyTimer {
    #panel;
    #parts;
    #outbox;
    #request;
    #now;
    #tell;
    #notice;
    #user;

    /**
     * @param {HTMLElement} panel holds the elements named in index.html
     * @param {import("./outbox.js").Outbox} outbox sends a check-in until the server has it
     * @param {object} options
     * @param {(path: string, options: object) => Promise<Response>} options.request sends a request as the user
     * @param {() => number} options.now the server's time in milliseconds
     * @param {(words: string) => void} options.tell shows how far an order has come
     * @param {(words: string) => void} options.notice shows what went wrong
     */
    constructor(panel, outbox, { request, now, tell, notice }) {
        this.#panel = panel;
        this.#outbox = outbox;
        this.#request = request;
        this.#now = now;
        this.#tell = tell;
        this.#notice = notice;
        const part = (name) => panel.querySelector(`#my-${name}`);
        this.#parts = {
            words: part("timer-words"), checkIn: part("check-in"), end: part("timer-end"), start: part("timer-start"),
            form: part("timer-form"), minutes: part("timer-minutes"), note: part("timer-note"),
        };
        this.#parts.checkIn.addEventListener("click", () => this.checkIn());
        this.#parts.end.addEventListener("click", () => this.#end());
        this.#parts.form.addEventListener("submit", (event) => this.#start(event));
    }

    /** Shows the timer of the person who looks. */
    show(state, user) {
        this.#user = user?.name;
        const timer = state.members.get(this.#user)?.timer;
        const { words, checkIn, end, start } = this.#parts;
        const text = timer ? `Your timer: ${timerWords(timer, this.#now())}` : "";
        if (words.textContent !== text) { words.textContent = text; }
        checkIn.hidden = end.hidden = timer === undefined;
        start.hidden = timer !== undefined;
        this.#panel.dataset.happened = timer?.happened ?? "none";
    }

    /** Checks in. The outbox stores the check-in with its time, and sends it until the server has it. */
    checkIn() {
        this.#outbox.add(newDeclaration("checkIn", this.#now()));
    }

    #start(event) {
        event.preventDefault();
        const { minutes, note, start, form } = this.#parts;
        const body = { intervalSeconds: Number(minutes.value) * 60, note: note.value.trim() || undefined };
        return this.#order("PUT", body, "your timer runs", () => {
            form.reset();
            start.open = false;
        });
    }

    #end() {
        if (!confirm("End your timer? Nobody will be notified if you do not check in.")) { return undefined; }
        return this.#order("DELETE", undefined, "your timer is ended", () => {});
    }

    async #order(method, body, words, done) {
        this.#tell(`Sending: ${words}…`);
        try {
            await this.#request(`users/${encodeURIComponent(this.#user)}/check-in-timer`, { method, body });
            this.#notice("");
            this.#tell(`The server has it: ${words}.`);
            done();
        } catch (error) {
            this.#tell("");
            const why = error instanceof Problem ? error.message : "the server does not answer";
            this.#notice(`Not done (${words}): ${why}`);
        }
    }
}
