/** The visitors on the roll of an incident, in its replay: of them the record alone knows, as they have no phone. */
import { understood } from "../shared/understood.js";
import { useEffect, usePage, useState } from "../shared/view.js";

/**
 * @typedef {object} VisitorLine
 * @property {number} ms when it was recorded
 * @property {number} person the number on the roll
 * @property {string} name
 * @property {boolean} isOff whether the visitor was taken off the roll
 * @property {string} state
 */

/**
 * What the record of an incident says of visitors, in the order of its times. Pure.
 * @param {{changes?: object[]}} report as `GET /incidents/{n}/report` has it
 * @returns {VisitorLine[]}
 */
export function visitorLines({ changes }) {
    return (changes ?? []).filter(({ person, event }) => person < 0 && event !== "atClosing")
        .map(({ at, person, user, event, state, source, doubt }) => understood({
            ms: Date.parse(at), person, name: user, isOff: event === "takenOff", state, source, doubt }))
        .sort((left, right) => left.ms - right.ms);
}

/**
 * The visitors who were on the roll at a moment, as the console knows people. Pure.
 * @param {VisitorLine[]} lines
 * @param {number} ms
 * @param {string} team
 * @returns {object[]} none before the first was put on the roll
 */
export function visitorsAt(lines, ms, team) {
    const newest = new Map();
    for (const line of lines) {
        if (line.ms > ms) { break; }
        newest.set(line.person, line);
    }
    return [...newest.values()].filter(({ isOff }) => !isOff).map(({ person, name, state, source, doubt }) => ({
        user: `/roll/${person}`, name, team, state, source, doubt, positions: none, clocks: none, presences: none,
        beliefs: none,
    }));
}

const none = new Map();

/** What the record says of the visitors of an incident; none while it is not here, and where there are none. */
export function useVisitorLines(number) {
    const { request } = usePage();
    const [lines, setLines] = useState([]);
    useEffect(() => {
        if (number === undefined) { return undefined; }
        const ending = new AbortController();
        readVisitors((path) => request(path, { signal: ending.signal }), number)
            // Without them the replay is that of everybody else.
            .then((found) => { if (!ending.signal.aborted) { setLines(found); } }, () => {});
        return () => ending.abort();
    }, [number]);
    return lines;
}

/** The record of a large incident is long: it is read only where there are visitors. */
async function readVisitors(request, number) {
    const { roll } = await (await request(`incidents/${number}`)).json();
    if (!roll?.some(({ visitor }) => visitor)) { return []; }
    return visitorLines(await (await request(`incidents/${number}/report?format=json`)).json());
}
