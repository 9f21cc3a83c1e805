/** The history of a team over some minutes, as the server has it in columns, made ready to be replayed. Pure. */
import { understood } from "../shared/understood.js";

/**
 * @typedef {object} Chunk
 * @property {number} fromMs
 * @property {number} toMs exclusive
 * @property {string[]} people
 * @property {{user: string, device: string}[]} devices `device` is `ann/phone`
 * @property {Fix[]} start by device: its newest fix before `fromMs`; empty where there is none within a day
 * @property {{device: Uint32Array, ms: Float64Array, latitude: Float64Array, longitude: Float64Array,
 *     accuracy: Float32Array}} fixes in the order of their times; an accuracy that is not known is NaN
 * @property {Standing[]} startStates how people were at `fromMs`, as far as it is known
 * @property {Standing[]} changes how they became, in the order of their times
 * @property {string[]} gaps what is missing, in the server's words
 *
 * @typedef {{ms: number, latitude: number, longitude: number, accuracy: number}} Fix
 * @typedef {{ms: number, user: string, state: string, doubt?: string, source?: string}} Standing
 */

/**
 * What the server answered, as a chunk.
 * @param {object} answer of `GET /teams/{team}/history`
 * @returns {Chunk}
 * @throws {TypeError} where it is no such answer
 */
export function chunkOf(answer) {
    const fromMs = Date.parse(answer.from);
    const toMs = Date.parse(answer.to);
    const { people, fixes, states } = answer;
    const devices = answer.devices.map(({ user, device }) => ({ user, device: `${user}/${device}` }));
    const { length } = fixes.t;
    const isWhole = ["device", "latitude", "longitude", "accuracy"].every((name) => fixes[name].length === length)
        && fixes.device.every((index) => index >= 0 && index < devices.length);
    if (!(fromMs < toMs) || !isWhole) { throw new TypeError("this is no history of a team"); }
    const standing = (ms, index, state, doubt, source) =>
        understood({ ms, user: people[index], state, doubt: doubt ?? undefined, source });
    return {
        fromMs, toMs, people, devices, gaps: [answer.gaps ?? []].flat().map(String),
        start: startOf(answer.start, fromMs, devices.length),
        fixes: {
            device: Uint32Array.from(fixes.device),
            ms: Float64Array.from(fixes.t, (ms) => fromMs + ms),
            latitude: Float64Array.from(fixes.latitude),
            longitude: Float64Array.from(fixes.longitude),
            accuracy: Float32Array.from(fixes.accuracy, (metres) => metres ?? NaN),
        },
        startStates: states.start.map(([index, ...how]) => standing(fromMs, index, ...how)),
        changes: states.changes.map(([ms, index, ...how]) => standing(fromMs + ms, index, ...how)),
    };
}

function startOf(rows, fromMs, count) {
    const start = new Array(count).fill(undefined);
    for (const [index, ms, latitude, longitude, accuracy] of rows) {
        start[index] = { ms: fromMs + ms, latitude, longitude, accuracy: accuracy ?? NaN };
    }
    return start;
}

/** The parts of a chunk that a worker hands on without a copy. @param {Chunk} chunk @returns {ArrayBuffer[]} */
export function buffersOf({ fixes }) {
    return Object.values(fixes).map(({ buffer }) => buffer);
}

/** How many of an ascending row are not above a limit; `at` answers the value of an index. */
export function countUpTo(length, at, limit) {
    let [low, high] = [0, length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (at(middle) <= limit) { low = middle + 1; } else { high = middle; }
    }
    return low;
}
