/** The distance between two places near each other. Pure. */

const semiMajorAxisMetres = 6_378_137;
const flattening = 1 / 298.257223563;
const squaredEccentricity = flattening * (2 - flattening);

/**
 * The length of the straight line between two places on the WGS-84 ellipsoid, in metres. It is shorter than the way
 * over the ground, by less than a billionth up to a kilometre. Poles and the antimeridian need no special care.
 * @param {{latitude: number, longitude: number}} start degrees
 * @param {{latitude: number, longitude: number}} end
 */
export function chordMetres(start, end) {
    const [from, to] = [inSpace(start), inSpace(end)];
    return Math.hypot(from[0] - to[0], from[1] - to[1], from[2] - to[2]);
}

function inSpace({ latitude, longitude }) {
    const [phi, lambda] = [latitude * Math.PI / 180, longitude * Math.PI / 180];
    const normal = semiMajorAxisMetres / Math.sqrt(1 - squaredEccentricity * Math.sin(phi) ** 2);
    const fromAxis = normal * Math.cos(phi);
    return [
        fromAxis * Math.cos(lambda), fromAxis * Math.sin(lambda), normal * (1 - squaredEccentricity) * Math.sin(phi),
    ];
}
