/** What a leader can say of a person, from the person's row: safe, off site, clear, and that a call was heard. */
import { leads } from "./alarms.js";
import { isOnRollAlone, nameOf } from "./roll.js";
import { legible } from "./text.js";

/** What may be said of a member now, as kinds of declarations with their names. Pure. */
export function actionsFor(member, user) {
    if (!user || member.user === user.name || !leads(user, member.team)) { return []; }
    if (member.takenOff) { return []; }
    const takeOff = member.roll ? [["takeOff", "Take off the roll…"]] : [];
    if (isOnRollAlone(member)) { return [...rollMarks(member), ...takeOff]; }
    const isCall = member.state === "sos" || member.state === "needsHelp";
    const isSaid = isCall || member.source === "marked" || member.source === "ownDeclaration";
    return [
        ...(isCall && !member.acknowledgedBy ? [["acknowledge", "Acknowledge"]] : []),
        // An SOS ends by being cleared, and by nothing else.
        ...(member.state === "sos" ? [] : [["safe", "Mark safe"]]),
        ...(isCall ? [] : [["offSite", "Off site"]]),
        ...(isSaid ? [["clear", "Clear"]] : []),
        ...takeOff,
    ];
}

/** How a visitor, or someone removed from the server, can be marked; of someone moved the new team's leader speaks. */
function rollMarks({ roll, state }) {
    if (roll.kind === "moved") { return []; }
    const all = [["safe", "Mark safe"], ["offSite", "Off site"], ["needsHelp", "Needs help"], ["clear", "Clear"]];
    return all.filter(([kind]) => (kind === "clear" ? state !== "unknown" : kind !== state));
}

/** What is asked before something that ends a search for someone is said; nothing for an acknowledgement. */
export function questionFor(kind, user) {
    return {
        safe: `Mark ${user} safe? The roll will say that you said so.`,
        offSite: `Mark ${user} off site? The roll will say that you said so, and nobody will look for ${user}.`,
        clear: `Clear what was said of ${user}?`,
    }[kind];
}

/** The buttons of one row, behind one that opens them; open by themselves while the person calls for help. */
export class RowActions {
    element = document.createElement("div");
    #toggle = document.createElement("button");
    #buttons = document.createElement("span");
    #face;
    #wasCall = false;

    /**
     * @param {import("./state.js").Member} member of whom the row is
     * @param {(user: string, kind: string, reason?: string) => void} declare
     */
    constructor(member, declare) {
        const { user } = member;
        const name = legible(nameOf(member));
        const takeOff = () => {
            const reason = prompt(`Take ${name} off the roll? Nobody will wait for ${name}. Why:`)?.trim();
            if (reason) { declare(user, "takeOff", reason); }
        };
        this.element.className = "row-actions";
        this.#toggle.type = "button";
        this.#toggle.textContent = "⋯";
        this.#toggle.title = "Mark…";
        this.#toggle.setAttribute("aria-label", `Mark ${name}`);
        this.#toggle.addEventListener("click", () => this.#open(this.#buttons.hidden));
        this.#buttons.setAttribute("role", "group");
        this.#buttons.setAttribute("aria-label", `Say of ${name}`);
        this.element.append(this.#toggle, this.#buttons);
        this.#open(false);
        this.declare = (kind) => {
            if (kind === "takeOff") { takeOff(); return; }
            const question = questionFor(kind, name);
            if (!question || confirm(question)) { declare(user, kind); }
        };
    }

    show(member, user) {
        const actions = actionsFor(member, user);
        const face = actions.join();
        if (face === this.#face) { return; }
        this.#face = face;
        this.element.hidden = actions.length === 0;
        const isCall = member.state === "sos" || member.state === "needsHelp";
        if (isCall !== this.#wasCall) { this.#open(isCall); }
        this.#wasCall = isCall;
        this.#buttons.replaceChildren(...actions.map(([kind, name]) => {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = name;
            button.addEventListener("click", () => this.declare(kind));
            return button;
        }));
    }

    #open(isOpen) {
        this.#buttons.hidden = !isOpen;
        this.#toggle.setAttribute("aria-expanded", String(isOpen));
    }
}
