/** The muster time of an incident. Pure. */

/**
 * The muster time: from the call of the incident until the last person is accounted for. When an incident is reopened,
 * everyone is asked again, and the time starts again then.
 * @returns {{seconds: number, isRunning: boolean, isWhole: boolean}} `isWhole`: everyone is accounted for, and the time
 *     stands still. A closed incident whose time is not whole ended before everyone was accounted for
 */
export function musterTime(incident, nowMs) {
    const from = Date.parse(incident.reopenedAt ?? incident.startedAt);
    const wholeMs = incident.allAccounted ? Date.parse(incident.allAccountedAt) : NaN;
    const isWhole = wholeMs >= from;
    const until = isWhole ? wholeMs : incident.open ? nowMs : Date.parse(incident.closedAt);
    return { seconds: Math.max(0, Math.floor((until - from) / 1000)), isRunning: incident.open && !isWhole, isWhole };
}
