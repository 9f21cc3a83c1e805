/** What happened, the latest first: "alice entered Assembly point A 12:03:07". */
import { markElement, marks } from "./marks.js";
import { sureness } from "./presence.js";
import { doubtWords } from "./safety.js";
import { clockTime, showTime } from "./time.js";

/** How a crossing is told, and the arrow before it. */
const crossings = {
    enter: { verb: "entered", arrow: "→" },
    exit: { verb: "left", arrow: "←" },
    dwell: { verb: "stays in", arrow: "•" },
    passed: { verb: "passed", arrow: "↷" },
};

export class Events {
    #list;
    #shown = new Map();

    /** @param {HTMLElement} list an empty `<ol>` */
    constructor(list) {
        this.#list = list;
    }

    /** Shows the events of a state; only new ones are added, so that a screen reader reads those alone. */
    show(state) {
        const current = new Map(state.events.map((event) => [event.sequence, event]));
        for (const [sequence, line] of this.#shown) {
            if (!current.has(sequence)) {
                line.remove();
                this.#shown.delete(sequence);
            }
        }
        let before = this.#list.firstElementChild;
        for (const event of state.events) {
            let line = this.#shown.get(event.sequence);
            if (!line) {
                line = lineOf(event);
                this.#shown.set(event.sequence, line);
                this.#list.insertBefore(line, before);
            } else {
                before = line.nextElementSibling;
            }
        }
    }
}

function lineOf(event) {
    const line = document.createElement("li");
    line.dataset.sequence = event.sequence;
    line.dataset.kind = event.kind;
    const text = document.createElement("span");
    text.className = "what";
    const who = document.createElement("strong");
    who.textContent = event.user;
    text.append(who, ` ${eventWords(event)}`);
    const time = document.createElement("time");
    showTime(time, event.at, clockTime(event.at));
    line.append(signOf(event), text, " ", time);
    if (event.delayMs) {
        const late = document.createElement("span");
        late.className = "late";
        late.textContent = `, ${lateWords(event)}`;
        line.dataset.past = "";
        text.after(late);
    }
    return line;
}

/** How late an event was heard of: it is past, and nobody need be alarmed now. */
export function lateWords({ delayMs }) {
    const minutes = Math.floor(delayMs / 60_000);
    return `heard of ${minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`} later`;
}

function signOf(event) {
    if (event.kind in marks) { return markElement(event.kind); }
    if (event.kind === "reminder") { return markElement(event.call); }
    const sign = document.createElement("span");
    sign.className = "arrow";
    sign.setAttribute("aria-hidden", "true");
    sign.textContent = crossings[event.kind]?.arrow ?? "•";
    return sign;
}

/**
 * An event in words, after the name of who it is about. The probability is that of being inside, so that an exit is as
 * sure as that is improbable.
 */
export function eventWords({ kind, region, probability, source, doubt, markedBy, acknowledgedBy, call, ...incident }) {
    const place = region?.name || region?.id;
    if (source === "seemsToHaveLeft") { return `seems to have left ${place ?? "a muster region"}`; }
    const heard = acknowledgedBy ? `, heard by ${acknowledgedBy}` : "";
    switch (kind) {
        case "sos": return `calls SOS${heard}`;
        case "needsHelp": return `needs help${heard}`;
        case "reminder": return `${call === "sos" ? "still calls SOS" : "still needs help"}: nobody has heard it`;
        case "offSite": return markedBy ? `is marked off site by ${markedBy}` : "is off site";
        case "asked": return `is asked by ${incident.by} where they are now`;
        case "incident": return incidentWords(incident);
        case "timer": return timerWords(incident);
        case "safe":
            if (markedBy) { return `is marked safe by ${markedBy}`; }
            return place ? `is safe in ${place}` : "is safe";
        case "unsafe": return "is not safe";
        case "located": return "is outside every muster region";
        case "checking": return `is in doubt in ${place ?? "a muster region"}: ${doubtWords[doubt]}`;
        case "unknown": return source === "unlocated" ? "is heard, but not located: unknown" : "is silent: unknown";
        case "passed": return `passed ${place ?? "a region"} (inferred)`;
        default: {
            const words = `${crossings[kind]?.verb ?? kind} ${place ?? "a region"}`;
            if (probability === undefined) { return words; }
            return `${words}, ${sureness(kind === "exit" ? 1 - probability : probability)}`;
        }
    }
}

/** What happened to a check-in timer. */
function timerWords({ happened, by }) {
    return {
        started: `has a check-in timer, started by ${by}`, ended: `has no check-in timer any more, ended by ${by}`,
        reminded: "is reminded to check in", overdue: "did not check in: leaders notified",
    }[happened] ?? "checks in";
}

/** What happened to an incident. Absent of what happened, it was started or closed. */
function incidentWords({ open, isDrill, closedHow, closedBy, happened }) {
    const what = isDrill ? "DRILL – evacuation" : "evacuation";
    switch (happened ?? (open ? "started" : "closed")) {
        case "started": return `${what} started`;
        case "allAccounted": return `${what}: all accounted for, not closed`;
        case "notAllAccounted": return `${what}: no longer all accounted for`;
        case "reopened": return `${what} reopened`;
        default: {
            const how = {
                allAccounted: "all are accounted for", automatic: "all stayed accounted for",
                teamGone: "its team is gone", takenOver: "a real incident took over",
            }[closedHow];
            return `${what} ended: ${how ?? `closed by hand${closedBy ? `, by ${closedBy}` : ""}`}`;
        }
    }
}
