/** What is replayed: the part of the address after the screen's name, and the times that it means. Pure. */

export const speeds = Object.freeze([1, 5, 10, 30, 60]);
export const spans = Object.freeze(["hour", "day"]);
/** A replay of an incident begins a little before it. */
const leadMs = 60_000;

/**
 * @typedef {{kind: "none"} | {kind: "at", ms: number, span: "hour"|"day", team?: string}
 *     | {kind: "incident", number: number}} Wanted
 */

/** What an address asks for: `at/TIME/day/north`, `incident/3`; anything else is no replay. @returns {Wanted} */
export function wantedOf([kind, value, span = "hour", team]) {
    if (kind === "at") {
        const ms = Date.parse(value ?? "");
        return Number.isNaN(ms) ? { kind: "none" } : { kind, ms, span: spans.includes(span) ? span : "hour", team };
    }
    const number = Number(value);
    return kind === "incident" && Number.isSafeInteger(number) && number > 0 ? { kind, number } : { kind: "none" };
}

/** The parts of the address of a replay. */
export function restOf({ kind, ms, span, team, number }) {
    if (kind === "incident") { return ["incident", number]; }
    return ["at", new Date(ms).toISOString(), span, ...(team ? [team] : [])];
}

/** The hour or the day that a time is in, by this device's calendar; not beyond now. */
export function rangeOf(ms, span, nowMs) {
    const begin = new Date(ms);
    const end = new Date(ms);
    if (span === "day") {
        begin.setHours(0, 0, 0, 0);
        end.setHours(24, 0, 0, 0);
    } else {
        begin.setMinutes(0, 0, 0);
        end.setMinutes(60, 0, 0);
    }
    return { fromMs: begin.getTime(), toMs: Math.min(end.getTime(), Math.max(nowMs, begin.getTime() + 1000)) };
}

/** From a little before an incident began until it was closed, or now. */
export function rangeOfIncident({ startedAt, closedAt }, nowMs) {
    const fromMs = Date.parse(startedAt) - leadMs;
    const closedMs = Date.parse(closedAt ?? NaN);
    // What this device takes for now may be a little behind the server's.
    const endMs = closedAt ? Math.max(closedMs, Math.min(closedMs + leadMs, nowMs)) : nowMs;
    return { fromMs, toMs: Math.max(fromMs + 1000, endMs) };
}
