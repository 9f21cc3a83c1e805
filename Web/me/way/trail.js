/** The trail of the last hour, from the phone's own fixes. Pure. */

const longestMs = 3_600_000;
/** The largest number of points: those of an hour at one fix in five seconds. */
const mostPoints = 720;
/** The length below which a step is left out: the fixes of a phone that lies still would draw a star. */
const shortestMetres = 4;
/** The accuracy radius from which on a fix is left out of the trail. */
const roughestMetres = 200;
const metresPerDegree = 111_195;

/**
 * The trail with a fix at its end, without points older than an hour.
 * @param {{longitude: number, latitude: number, sampleTime: number}[]} trail in the order of time
 * @param {object} [fix] as in the store
 * @returns {object[]} the same array if nothing changed
 */
export function withFix(trail, fix) {
    const last = trail.at(-1);
    if (!fix || fix.isStale || !(fix.accuracy < roughestMetres) || (last && fix.sampleTime <= last.sampleTime)) {
        return trail;
    }
    const { longitude, latitude, sampleTime } = fix;
    const kept = trail.filter((point) => sampleTime - point.sampleTime <= longestMs).slice(1 - mostPoints);
    if (last && metresBetween(last, fix) < Math.max(shortestMetres, fix.accuracy / 2)) {
        return kept.length === trail.length ? trail : kept;
    }
    return [...kept, { longitude, latitude, sampleTime }];
}

function metresBetween(left, right) {
    const across = Math.cos(left.latitude * Math.PI / 180);
    const east = (((right.longitude - left.longitude + 540) % 360) - 180) * across;
    return metresPerDegree * Math.hypot(east, right.latitude - left.latitude);
}
