/** What a person can say of themselves: "I am safe", "I need help", SOS; and whether the server has it. */
import { marks } from "./marks.js";
import { newDeclaration } from "./outbox.js";
import { shownState } from "./safety.js";
import { clockTime } from "./time.js";

/** So long the SOS button is held, and so long an SOS can then be cancelled. */
const holdMs = 1000;
const cancelMs = 5000;

const spoken = {
    safe: "“I am safe”", needsHelp: "“I need help”", sos: "SOS", checkIn: "your check-in",
};

export class Myself {
    #panel;
    #parts;
    #outbox;
    #now;
    #state;
    #hold;
    #wasHeld = false;
    #counting;
    #ticker;

    /**
     * @param {HTMLElement} panel holds the elements named in index.html
     * @param {import("./outbox.js").Outbox} outbox
     * @param {() => number} now the server's time in milliseconds
     */
    constructor(panel, outbox, now) {
        this.#panel = panel;
        this.#outbox = outbox;
        this.#now = now;
        const part = (name) => panel.querySelector(`#my-${name}`);
        this.#parts = Object.fromEntries(
            ["state", "safe", "help", "sos", "countdown", "seconds", "cancel", "now", "delivery", "note-form", "note"]
                .map((name) => [name, part(name)]));
        this.#parts.safe.addEventListener("click", () => this.#say("safe"));
        this.#parts.help.addEventListener("click", () => this.#say("needsHelp"));
        this.#parts.cancel.addEventListener("click", () => this.#cancel());
        this.#parts.now.addEventListener("click", () => this.#outbox.sendNow(this.#counting?.id));
        this.#parts["note-form"].addEventListener("submit", (event) => this.#addNote(event));
        this.#listenForHold(this.#parts.sos);
    }

    /** Shows how the person who looks is; nothing for who is on no team's roll. */
    show(state, user) {
        const own = user && state.members.get(user.name);
        const speaks = user !== undefined
            && (user.role === "member" || user.role === "leader" || (user.role === "admin" && user.team !== undefined));
        this.#panel.hidden = !speaks;
        this.#state = own?.state;
        const since = own?.since ? ` since ${clockTime(own.since)}` : "";
        const heard = own?.acknowledgedBy ? `, heard by ${own.acknowledgedBy}` : "";
        const shown = own && shownState(state, own);
        this.#parts.state.textContent = own ? `You: ${marks[shown].word}${since}${heard}` : "";
        this.#panel.dataset.state = shown ?? "unknown";
        this.#parts["note-form"].hidden = !(own?.state === "sos" || own?.state === "needsHelp");
    }

    /** Shows how far a declaration has come. @param {import("./outbox.js").Delivery} delivery */
    tell(delivery) {
        const { declaration, state } = delivery;
        const isCounting = state === "counting";
        if (isCounting) { this.#startCounting(declaration); } else { this.#stopCounting(declaration.id); }
        this.#parts.delivery.dataset.state = state;
        const words = isCounting ? "" : deliveryWords(delivery, clockTime(new Date(this.#now()).toISOString()));
        if (this.#parts.delivery.textContent !== words) { this.#parts.delivery.textContent = words; }
    }

    #say(kind, fields = {}) {
        if (this.#counting && kind !== "sos") { this.#cancel(); }
        this.#outbox.add(newDeclaration(kind, this.#now(), fields));
    }

    #addNote(event) {
        event.preventDefault();
        const note = this.#parts.note.value.trim();
        if (note === "") { return; }
        this.#say(this.#state === "sos" ? "sos" : "needsHelp", { note });
        this.#parts.note.value = "";
    }

    // Holding

    #listenForHold(button) {
        const release = () => this.#release();
        button.addEventListener("pointerdown", (event) => { if (event.button === 0) { this.#press(); } });
        for (const type of ["pointerup", "pointercancel", "pointerleave", "blur"]) {
            button.addEventListener(type, release);
        }
        button.addEventListener("contextmenu", (event) => event.preventDefault());
        button.addEventListener("keydown", (event) => {
            if ((event.key === " " || event.key === "Enter") && !event.repeat) { this.#press(); }
        });
        button.addEventListener("keyup", release);
        // Assistive technology clicks without a press: the countdown alone then guards against a mistake.
        button.addEventListener("click", () => {
            if (!this.#wasHeld) { this.#arm(); }
            this.#wasHeld = false;
        });
    }

    #press() {
        if (this.#counting || this.#hold) { return; }
        this.#wasHeld = true;
        this.#parts.sos.dataset.held = "";
        this.#hold = setTimeout(() => this.#arm(), holdMs);
    }

    #release() {
        delete this.#parts.sos.dataset.held;
        if (!this.#hold) { return; }
        clearTimeout(this.#hold);
        this.#hold = undefined;
        if (!this.#counting) { this.#parts.delivery.textContent = "Hold the SOS button for one second."; }
    }

    #arm() {
        clearTimeout(this.#hold);
        this.#hold = undefined;
        delete this.#parts.sos.dataset.held;
        if (this.#counting) { return; }
        // Stored already: a reload does not lose it, and goes on counting.
        this.#outbox.add(newDeclaration("sos", this.#now(), { dueAt: Date.now() + cancelMs }));
    }

    // Counting down

    #startCounting(declaration) {
        if (this.#counting?.id === declaration.id) { return; }
        this.#counting = declaration;
        this.#parts.countdown.hidden = false;
        this.#parts.sos.setAttribute("aria-disabled", "true");
        clearInterval(this.#ticker);
        this.#ticker = setInterval(() => this.#tick(), 200);
        this.#tick();
    }

    #tick() {
        const left = Math.max(0, Math.ceil((this.#counting.dueAt - Date.now()) / 1000));
        const words = left > 0 ? `${left} s` : "now";
        if (this.#parts.seconds.textContent !== words) { this.#parts.seconds.textContent = words; }
    }

    #stopCounting(id) {
        if (id !== undefined && this.#counting?.id !== id) { return; }
        clearInterval(this.#ticker);
        this.#counting = undefined;
        this.#parts.countdown.hidden = true;
        this.#parts.sos.removeAttribute("aria-disabled");
    }

    #cancel() {
        const id = this.#counting?.id;
        if (!id || !this.#outbox.cancel(id)) { return; }
        this.#stopCounting(id);
        this.#parts.delivery.dataset.state = "cancelled";
        this.#parts.delivery.textContent = "The SOS was cancelled; nothing was sent.";
        this.#parts.sos.focus();
    }
}

/** How far a declaration has come, in words. Pure. */
export function deliveryWords({ declaration, state, reason, isLate }, time) {
    const what = `${spoken[declaration.kind] ?? declaration.kind}${declaration.note ? ` (${declaration.note})` : ""}`;
    switch (state) {
        case "sending": return `${what}: sending…`;
        case "failed": return `${what}: not sent yet: ${reason ?? "no connection"}. Trying again…`;
        case "refused": return `${what}: not sent. The server refused it: ${reason}`;
        case "received":
            return `The server has ${what} since ${time}${
                isLate ? ", but it changed nothing: a call for help or something newer stands" : ""}.`;
        default: return "";
    }
}
