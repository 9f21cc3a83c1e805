/**
 * The roll of an incident in its replay: who was on it at a moment. Of visitors, and of people who were never heard,
 * the record alone knows.
 */
import { understood } from "../shared/understood.js";
import { useEffect, usePage, useState } from "../shared/view.js";

/**
 * @typedef {object} VisitorLine
 * @property {number} ms when it was recorded
 * @property {number} person the number on the roll
 * @property {string} name
 * @property {boolean} isOff whether the visitor was taken off the roll
 * @property {string} state
 *
 * @typedef {{visitors: VisitorLine[], people: {ms: number, user: string, isOff: boolean}[]}} RollRecord
 */

const comings = new Set(["present", "joined", "returned"]);
const goings = new Set(["takenOff", "left", "joinedTo"]);

/**
 * What the record of an incident says of who was on its roll, in the order of its times. Pure.
 * @param {{changes?: object[]}} report as `GET /incidents/{n}/report` has it
 * @returns {RollRecord}
 */
export function rollRecord({ changes = [] }) {
    const people = changes.filter(({ person, event }) => person > 0 && (comings.has(event) || goings.has(event)))
        .map(({ at, user, event }) => ({ ms: Date.parse(at), user, isOff: goings.has(event) }));
    const visitors = changes.filter(({ person, event }) => person < 0 && event !== "atClosing")
        .map(({ at, person, user, event, state, source, doubt }) => understood({
            ms: Date.parse(at), person, name: user, isOff: event === "takenOff", state, source, doubt }));
    const byTime = (left, right) => left.ms - right.ms;
    return { visitors: visitors.sort(byTime), people: people.sort(byTime) };
}

/**
 * The visitors who were on the roll at a moment, as the console knows people. Pure.
 * @param {VisitorLine[]} lines
 * @param {number} ms
 * @param {string} team
 * @returns {object[]} none before the first was put on the roll
 */
export function visitorsAt(lines, ms, team) {
    return newestAt(lines, ms, ({ person }) => person).map(({ person, name, state, source, doubt }) => ({
        user: `/roll/${person}`, name, team, state, source, doubt, positions: none, clocks: none, presences: none,
        beliefs: none,
    }));
}

const none = new Map();

/**
 * The users who were on the roll at a moment: put on it by then, and not taken off it. Pure.
 * @param {RollRecord["people"]} lines
 * @returns {Set<string>}
 */
export function usersAt(lines, ms) {
    return new Set(newestAt(lines, ms, ({ user }) => user).map(({ user }) => user));
}

/** The newest line about each by a time, without those who were off the roll by then. */
function newestAt(lines, ms, keyOf) {
    const newest = new Map();
    for (const line of lines) {
        if (line.ms > ms) { break; }
        newest.set(keyOf(line), line);
    }
    return [...newest.values()].filter(({ isOff }) => !isOff);
}

/**
 * What the record says of the roll of an incident.
 * @param {number} [number] undefined where no incident is replayed
 * @returns {{record?: RollRecord, isUnreadable: boolean}} no record while it is on its way
 */
export function useRollRecord(number) {
    const { request } = usePage();
    const [found, setFound] = useState({ isUnreadable: false });
    useEffect(() => {
        if (number === undefined) { return undefined; }
        const ending = new AbortController();
        const { signal } = ending;
        request(`incidents/${number}/report?format=json`, { signal }).then((response) => response.json())
            .then((report) => setFound({ record: rollRecord(report), isUnreadable: false }))
            .catch(() => { if (!signal.aborted) { setFound({ isUnreadable: true }); } });
        return () => ending.abort();
    }, [number]);
    return found;
}
