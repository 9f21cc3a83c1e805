/** The direction in which the top of the screen points, and the heading by which the arrow turns. Pure. */

const radians = (degrees) => degrees * Math.PI / 180;

/** Brings an angle into the range from 0 to below 360. */
export function wrapped(degrees) {
    return ((degrees % 360) + 360) % 360;
}

/** The turn from one direction to another, −180 to 180: negative to the left. */
export function turn(from, to) {
    const angle = wrapped(to - from);
    return angle > 180 ? angle - 360 : angle;
}

/**
 * The direction in which the top of the screen points, clockwise from north; if the phone is held upright, the
 * direction in which the person looks at it. The axes of the phone turn as in the W3C's Device Orientation
 * specification: by `alpha` about z, then `beta` about x, then `gamma` about y.
 * @param {{alpha?: number, beta?: number, gamma?: number, absolute?: boolean, webkitCompassHeading?: number,
 *     webkitCompassAccuracy?: number}} event
 * @param {number} [screenAngle] the angle of `screen.orientation`, degrees
 * @returns {{degrees: number, accuracyDegrees?: number} | undefined} undefined if the event knows no north
 */
export function compassHeading(event, screenAngle = 0) {
    const { webkitCompassHeading, webkitCompassAccuracy } = event;
    if (Number.isFinite(webkitCompassHeading)) {
        // The values are negative if the compass has not been calibrated.
        if (webkitCompassAccuracy < 0 || webkitCompassHeading < 0) { return undefined; }
        return {
            degrees: wrapped(webkitCompassHeading + screenAngle),
            ...(webkitCompassAccuracy > 0 ? { accuracyDegrees: webkitCompassAccuracy } : {}),
        };
    }
    if (!event.absolute || ![event.alpha, event.beta, event.gamma].every(Number.isFinite)) { return undefined; }
    const [a, b, g, s] = [event.alpha, event.beta, event.gamma, screenAngle].map(radians);
    // The direction of the screen's upper edge, and the direction through the screen: their east and north components.
    const right = [
        Math.cos(a) * Math.cos(g) - Math.sin(a) * Math.sin(b) * Math.sin(g),
        Math.sin(a) * Math.cos(g) + Math.cos(a) * Math.sin(b) * Math.sin(g),
    ];
    const up = [-Math.sin(a) * Math.cos(b), Math.cos(a) * Math.cos(b)];
    const through = [
        -(Math.cos(a) * Math.sin(g) + Math.sin(a) * Math.sin(b) * Math.cos(g)),
        -(Math.sin(a) * Math.sin(g) - Math.cos(a) * Math.sin(b) * Math.cos(g)),
    ];
    const [east, north] = [0, 1].map((axis) =>
        Math.sin(s) * right[axis] + Math.cos(s) * up[axis] + through[axis]);
    // The phone lies face down, or is upside down: no edge is on top.
    if (Math.hypot(east, north) < 0.2) { return undefined; }
    return { degrees: wrapped(Math.atan2(east, north) * 180 / Math.PI) };
}

/** The accuracy in degrees beyond which the person is told that the compass is rough. */
export const roughDegrees = 30;
/** The speed below which the direction of a walk is noise. */
const slowestMetresPerSecond = 0.7;

/**
 * The heading by which the arrow turns.
 * @param {{compass?: {degrees?: number, accuracyDegrees?: number}, fix?: object}} known a compass that is not heard has
 *     no degrees
 * @returns {{by: "compass"|"walk"|"north", degrees: number, accuracyDegrees?: number}} `degrees` is 0 for north
 */
export function headingNow({ compass, fix }) {
    if (compass?.degrees !== undefined) {
        return { by: "compass", degrees: compass.degrees, accuracyDegrees: compass.accuracyDegrees };
    }
    const isWalking = fix && !fix.isStale && fix.speed > slowestMetresPerSecond && Number.isFinite(fix.heading);
    return isWalking ? { by: "walk", degrees: wrapped(fix.heading) } : { by: "north", degrees: 0 };
}

/** The weight of a new heading, because a compass trembles; a large turn counts in full at once. */
const newWeight = 0.3;
const largeTurnDegrees = 40;
/** The smallest turn that is drawn, in degrees. */
export const leastTurnDegrees = 3;

/** The heading smoothed with a new measurement. */
export function smoothed(before, measured) {
    if (before === undefined) { return measured; }
    const by = turn(before, measured);
    return Math.abs(by) > largeTurnDegrees ? measured : wrapped(before + newWeight * by);
}

/**
 * The angle by which to draw an arrow so that it does not spin the long way round when it passes north: of all
 * equivalent angles, the nearest to the one drawn before.
 */
export function continued(drawn, degrees) {
    return drawn === undefined ? degrees : drawn + turn(wrapped(drawn), degrees);
}
