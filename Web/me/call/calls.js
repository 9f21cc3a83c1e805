/** The incidents that call the person who holds the phone, and whether the person has seen each call. Pure. */
import { legible } from "../../console/shared/text.js";
import { clockTime } from "../../console/shared/time.js";
import { t } from "../../console/shared/words.js";

/** The key of an incident's call. A reopened incident has a new key, and calls again. */
export function callKey({ number, startedAt, reopenedAt }) {
    return `${number}/${reopenedAt ?? startedAt}`;
}

/**
 * The open incidents that call this person, each with the time at which the person saw the call.
 * @param {import("../own.js").Own|undefined} own
 * @param {Record<string, string>} seen when calls were seen on this phone, RFC 3339, by the key of the call
 * @returns {{incident: object, key: string, seenAt: string|undefined}[]} the calls not yet seen first, the newest first
 */
export function callsOf(own, seen) {
    if (!own?.member || own.member.takenOff) { return []; }
    const calls = own.incidents.map((incident) => {
        const key = callKey(incident);
        const { roll, callSeenAt } = own.member;
        // A confirmation from before the incident was reopened answers the former call.
        const isOfThisCall = roll?.incident === incident.number
            && Date.parse(callSeenAt) >= Date.parse(incident.reopenedAt ?? incident.startedAt);
        return { incident, key, seenAt: seen[key] ?? (isOfThisCall ? callSeenAt : undefined) };
    });
    return calls.sort((left, right) => Number(left.seenAt !== undefined) - Number(right.seenAt !== undefined)
        || right.incident.number - left.incident.number);
}

/** The title of a call: for example `Evacuate`, or that the incident is a drill. */
export function callTitle({ kind }) {
    return t(kind === "drill" ? "me.call.drill" : "me.call.real");
}

/** The team that is called, and since when. */
export function callLine({ team, startedAt }, nowMs) {
    return t("me.call.line", { team: legible(team), time: clockTime(startedAt, nowMs) });
}

/** Whether the acknowledgement is still on this phone or has reached the server. */
export function seenWords({ incident, seenAt }, deliveries, nowMs) {
    const time = clockTime(seenAt, nowMs);
    const delivery = deliveries.findLast(({ declaration }) => declaration.kind === "callSeen"
        && declaration.incident === incident.number);
    const isWaiting = delivery && (delivery.state === "sending" || delivery.state === "failed");
    return t(isWaiting ? "me.call.seenHere" : "me.call.seen", { time });
}

/**
 * What is known of the incident that a notification led to, while the server has not said that the incident is open.
 * The route is `#/call/7`, or `#/call` if the operating system opened the page. The notification may be newer than what
 * this phone has from the server, or older than the end of the incident.
 */
export function announcedWords({ route: { screen, rest: [named] }, own, isLive }) {
    const isOpen = own?.incidents.some(({ number }) => named === undefined || String(number) === named);
    if (screen !== "call" || isOpen) { return ""; }
    return t(isLive && own ? "me.call.over" : "me.call.announced");
}
