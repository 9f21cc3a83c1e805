/** Events as the timeline lists them: which of them, and reminders of one call as one line. Pure. */
import { regionKey } from "../shared/state.js";

/** The kinds to choose from, and the events that each has. */
export const kinds = Object.freeze({
    calls: ["sos", "needsHelp", "said", "reminder"],
    safety: ["safe", "unsafe", "located", "checking", "seemsToHaveLeft", "unknown", "offSite"],
    crossings: ["enter", "exit", "dwell", "passed"],
    incidents: ["incident"],
    timers: ["timer"],
    questions: ["asked"],
});

/** @typedef {{kind: string, person: string, group: string, region: string}} Filter each empty where all are wanted */
export const noFilter = Object.freeze({ kind: "", person: "", group: "", region: "" });

/** The value of a group in a list to choose from: a team, or a crew of one. */
export function groupValue(team, crew) {
    return JSON.stringify(crew === undefined ? [team] : [team, crew]);
}

/** Whether somebody is of a group that was chosen. @param {{team?: string, crew?: string}} [member] */
export function isOfGroup(group, member) {
    if (!group) { return true; }
    const [team, crew] = JSON.parse(group);
    return member?.team === team && (crew === undefined || member.crew === crew);
}

/**
 * Whether an event is one that was asked for.
 * @param {object} event as in `State.events`
 * @param {Filter} filter
 * @param {Map<string, object>} members the people as they are now, with their teams and crews
 */
export function isWanted(event, { kind, person, group, region }, members) {
    if (kind && !kinds[kind]?.includes(event.kind)) { return false; }
    if (region && (!event.region || regionKey(event.region) !== region)) { return false; }
    const isOfTeam = event.kind === "incident";
    if (person && (isOfTeam || !event.user.toLowerCase().includes(person.trim().toLowerCase()))) { return false; }
    return isOfTeam ? isOfGroup(group, { team: event.user }) : isOfGroup(group, members.get(event.user));
}

/**
 * Reminders of one call become one event, at the place of the last of them: `count` of them, `at` the last one. A call
 * that began anew has reminders of its own.
 * @param {object[]} events the latest first
 */
export function folded(events) {
    const lines = [];
    /** By person: the line of the reminders of the call that stands. */
    const open = new Map();
    for (const event of events) {
        if (event.kind === "reminder") {
            const line = open.get(event.user);
            if (line?.call === event.call) { line.count += 1; continue; }
            const begun = { ...event, count: 1 };
            open.set(event.user, begun);
            lines.push(begun);
            continue;
        }
        if (event.kind === "sos" || event.kind === "needsHelp") { open.delete(event.user); }
        lines.push(event);
    }
    return lines;
}
