/** The events of a state: which changes are told of, and with what. No clock, no DOM, no I/O. */
import { shownState } from "./safety.js";
import { understood } from "./understood.js";

/** A crossing that is heard of later than this is told as past; a clock may be as much ahead. */
export const promptMs = 60_000;

/** Whether a change is the question where somebody is. */
export function isQuestion({ type, kind }) {
    return type === "action" && kind === "locationAsked";
}

/**
 * Events with those that changes told of, the latest first; the same list where nothing is new.
 * @param {object[]} events the latest first
 * @param {object[]} told in any order; those that were told before are left out
 * @returns {object[]} O(n log n)
 */
export function withEvents(events, told) {
    const known = new Set(events.map(({ sequence }) => sequence));
    const fresh = told.filter(({ sequence }) => !known.has(sequence) && known.add(sequence));
    if (fresh.length === 0) { return events; }
    return atTheirTimes([...events, ...fresh].sort((left, right) => right.sequence - left.sequence));
}

/**
 * Events with the time at which each happened. A state that begins has the time of its beginning; a later event of the
 * same state, as when a doubt ends, has the time at which the server logged it.
 * @param {object[]} events the latest first
 */
export function atTheirTimes(events) {
    const timed = [];
    const begun = new Set();
    for (const event of events.toReversed()) {
        const state = event.since && `${event.user} ${event.since}`;
        timed.push(begun.has(state) && event.at !== event.loggedAt ? { ...event, at: event.loggedAt } : event);
        if (state) { begun.add(state); }
    }
    return timed.reverse();
}

/** What a change about PAR or a handover tells besides that it happened. */
function incidentNews({ happened, crew, visitors, present, people, crews, to, by }) {
    switch (happened) {
        case "parReported": return { crew, visitors, present, people };
        case "parOverdue": return { crews };
        case "handedOver": return { to, by };
        default: return {};
    }
}

/** The text that somebody sent with a call for help, or after it. That they call is an event of their safety. */
function saidOf({ sequence, at, user, author, kind, note, late }) {
    if (late || !note || (kind !== "sos" && kind !== "needsHelp")) { return undefined; }
    return { sequence, at, user, kind: "said", call: kind, note, by: author === user ? undefined : author };
}

/** What is told of a change; undefined for most, as somebody who moves is nothing to tell of. */
export function eventOf(state, change) {
    const { sequence, at, user, region } = change;
    switch (change.type) {
        case "crossing": {
            const { kind, sampleTime, device, probability } = change;
            const delayMs = Date.parse(at) - Date.parse(sampleTime ?? at);
            const late = delayMs > promptMs ? { delayMs } : {};
            return { sequence, at: sampleTime ?? at, user, device, region, kind, probability, ...late };
        }
        case "safety": {
            const { since, source, doubt, markedBy, acknowledgedBy, ...safety } = understood(change);
            const team = state.members.get(user)?.team;
            const kind = shownState(state, { state: safety.state, source, doubt, team });
            // `since` is when the state began; a doubt, and an acknowledgement, came when the change was logged.
            const began = doubt || acknowledgedBy ? at : since ?? at;
            return {
                sequence, at: began, since, loggedAt: at, user, region, kind, source, doubt, markedBy, acknowledgedBy,
            };
        }
        case "reminder": return { sequence, at, user, kind: "reminder", call: change.state };
        case "declaration": return saidOf(change);
        case "checkInTimer":
            if (change.happened === "checkedIn" || change.happened === "sos") { return undefined; }
            return { sequence, at, user, kind: "timer", happened: change.happened, by: change.by };
        case "action":
            return isQuestion(change) ? { sequence, at, user, kind: "asked", by: change.author } : undefined;
        case "incident": {
            const { team, number, open, closedHow, closedBy, happened } = change;
            const isDrill = change.kind === "drill";
            return {
                sequence, at, user: team, kind: "incident", number, open, isDrill, closedHow, closedBy, happened,
                ...incidentNews(change),
            };
        }
        default: return undefined;
    }
}
