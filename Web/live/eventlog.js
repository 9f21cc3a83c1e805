/** The events of a state: which changes are told of, and with what. No clock, no DOM, no I/O. */
import { shownState } from "./safety.js";

/** A crossing that is heard of later than this is told as past; a clock may be as much ahead. */
export const promptMs = 60_000;

/** Whether a change is the question where somebody is. */
export function isQuestion({ type, kind }) {
    return type === "action" && kind === "locationAsked";
}

/** Adds what a change tells to the events of a draft; nothing for a change that was added before. */
export function addEvent(draft, change) {
    const { sequence, at, user, region } = change;
    if (draft.events.some((event) => event.sequence === sequence)) { return; }
    if (change.type === "crossing") {
        const { kind, sampleTime, device, probability } = change;
        const delayMs = Date.parse(at) - Date.parse(sampleTime ?? at);
        const late = delayMs > promptMs ? { delayMs } : {};
        draft.events.unshift({ sequence, at: sampleTime ?? at, user, device, region, kind, probability, ...late });
    } else if (change.type === "safety") {
        const { since, source, doubt, markedBy, acknowledgedBy } = change;
        const kind = shownState(draft, { state: change.state, source, doubt, team: draft.members.get(user)?.team });
        draft.events.unshift({
            sequence, at: since ?? at, user, region, kind, source, doubt, markedBy, acknowledgedBy,
        });
    } else if (change.type === "reminder") {
        draft.events.unshift({ sequence, at, user, kind: "reminder", call: change.state });
    } else if (change.type === "checkInTimer" && change.happened !== "checkedIn" && change.happened !== "sos") {
        draft.events.unshift({ sequence, at, user, kind: "timer", happened: change.happened, by: change.by });
    } else if (isQuestion(change)) {
        draft.events.unshift({ sequence, at, user, kind: "asked", by: change.author });
    } else if (change.type === "incident") {
        const { team, open, closedHow, closedBy, happened } = change;
        const isDrill = change.kind === "drill";
        const how = { open, isDrill, closedHow, closedBy, happened };
        draft.events.unshift({ sequence, at, user: team, kind: "incident", ...how });
    }
}
