/**
 * The track of one device over a chosen span: a value, and how points join it. No clock, no DOM, no I/O.
 *
 * Points are in the order of their sample times, whenever they came. One that is there already joins once, so that what
 * is read from the history and what the live feed tells may overlap.
 */
import { wayTo } from "../shared/drawing.js";
import { isCoarse } from "../shared/state.js";
import { minuteTime } from "../shared/time.js";
import { listedClauses, t } from "../shared/words.js";

/** As many points as a track draws: the latest. */
export const pointLimit = 20_000;
/** By so many points of one time a wild one is known. */
const neighbours = 7;
/** A point as near to those of its time as this is not wild, however slow they were. */
const nearMetres = 300;
/** A point that the server had more than this after it was sampled came late; one this far ahead has a wrong clock. */
const toleranceMs = 60_000;

/** The spans to choose from, in milliseconds. Each ends with the device's latest point. */
export const spans = { hour: 3_600_000, day: 86_400_000, all: Infinity };

/**
 * @typedef {object} TrackPoint
 * @property {number} ms its sample time
 * @property {string} sampleTime RFC 3339
 * @property {number} longitude
 * @property {number} latitude
 * @property {boolean} isLate whether it reached the server more than a minute after it was sampled
 * @property {boolean} isAhead whether its device's clock ran more than a minute ahead
 * @property {boolean} isRough whether it says only roughly where the device was
 *
 * @typedef {object} Track
 * @property {string} device `ann/phone`
 * @property {keyof spans} span
 * @property {TrackPoint[]} points ascending
 * @property {boolean} isLoaded whether the history was read
 * @property {boolean} [hasFailed] whether the last try to read it failed
 * @property {boolean} isWhole whether the span holds no older points than these
 */

/** A track of which nothing is known yet. @returns {Track} */
export function emptyTrack(device, span = "hour") {
    return { device, span, points: [], isLoaded: false, isWhole: true };
}

/** The track with what was read of its history. @param {{positions: object[], isWhole: boolean}} history */
export function withHistory(track, { positions, isWhole }) {
    const joined = withPositions(track, positions);
    return { ...joined, isLoaded: true, hasFailed: false, isWhole: isWhole && joined.isWhole };
}

/** The track with those changes that are positions of its device; the same value where none is. */
export function withChanges(track, changes) {
    const own = changes.filter(({ type, device, position }) => type === "position" && position
        && device === track.device);
    return own.length > 0 ? withPositions(track, own.map(({ position }) => position)) : track;
}

function withPositions(track, positions) {
    const sorted = [...track.points, ...positions.map(pointOf)].sort(inOrder);
    const points = sorted.filter((point, index) => index === 0 || inOrder(sorted[index - 1], point) !== 0);
    // By a clock that is ahead the span would end in a time that nobody has lived yet.
    const newest = points.findLast((point) => !point.isAhead)?.ms ?? -Infinity;
    const begin = newest - spans[track.span];
    const kept = points.filter((point) => !(point.ms < begin));
    return { ...track, points: kept.slice(-pointLimit), isWhole: track.isWhole && kept.length <= pointLimit };
}

function pointOf(position) {
    const ms = Date.parse(position.sampleTime);
    const delayMs = Date.parse(position.receivedTime ?? position.sampleTime) - ms;
    const { sampleTime, longitude, latitude } = position;
    return {
        ms, sampleTime, longitude, latitude,
        isLate: delayMs > toleranceMs, isAhead: delayMs < -toleranceMs, isRough: isCoarse(position),
    };
}

/** The identity of a position: its time and place. */
function inOrder(left, right) {
    return left.ms - right.ms || left.latitude - right.latitude || left.longitude - right.longitude;
}

/**
 * The points of a track that a view of it holds: without wild fixes, which lie far from those before and after them.
 * With them in view the way itself would be a dot.
 * @param {TrackPoint[]} points
 * @returns {TrackPoint[]}
 */
export function pointsInView(points) {
    const known = points.filter(({ isRough }) => !isRough);
    if (known.length < neighbours) { return known.length > 0 ? known : points; }
    const places = known.map(({ longitude, latitude }) => [longitude, latitude]);
    return known.filter((_, index) => {
        const first = Math.max(0, Math.min(index - (neighbours - 1) / 2, places.length - neighbours));
        const around = places.slice(first, first + neighbours);
        const middle = [0, 1].map((axis) => median(around.map((place) => place[axis])));
        const step = median(around.slice(1).map((place, other) => wayTo(around[other], place).distanceMetres));
        return wayTo(middle, places[index]).distanceMetres <= Math.max(nearMetres, 2 * neighbours * step);
    });
}

function median(values) {
    return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
}

/** `180 points, 12:03 to 12:58; 34 of them came late (hollow)`. */
export function trackWords({ points, isLoaded, hasFailed, isWhole }, nowMs = Date.now()) {
    if (!isLoaded) { return t(hasFailed ? "track.failed" : "track.reading"); }
    if (points.length === 0) { return t("track.none"); }
    const count = t(isWhole ? "track.points" : "track.latestPoints", { count: points.length });
    const [first, last] = [points[0], points.at(-1)].map(({ sampleTime }) => minuteTime(sampleTime, nowMs));
    const parts = [first === last ? t("track.at", { count, time: first }) : t("track.from", { count, first, last })];
    const late = points.filter((point) => point.isLate).length;
    if (late > 0) { parts.push(t("track.late", { count: late })); }
    const ahead = points.filter((point) => point.isAhead).length;
    if (ahead > 0) { parts.push(t("track.ahead", { count: ahead })); }
    if (!isWhole) { parts.push(t("track.older")); }
    return listedClauses(parts);
}
