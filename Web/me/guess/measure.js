/**
 * Measures the distances to assembly points with the engine, for the way. Regions that the engine does not have are
 * measured by `otherwise`.
 * @param {import("./guess.js").Guesser} guesser
 * @param {{contains: Function, distanceToBoundary: Function}} otherwise
 */
export function engineMeasure(guesser, otherwise) {
    const distance = ({ key }, longitude, latitude) => {
        const number = guesser.numberOf(key);
        const found = number === undefined ? undefined
            : guesser.engine?.boundaryDistance(number, { longitude, latitude });
        return Number.isFinite(found) ? found : undefined;
    };
    return {
        /** A place on the boundary is inside. */
        contains(point, longitude, latitude) {
            const found = distance(point, longitude, latitude);
            return found === undefined ? otherwise.contains(point, longitude, latitude) : found >= 0;
        },
        distanceToBoundary(point, longitude, latitude) {
            const found = distance(point, longitude, latitude);
            return found === undefined ? otherwise.distanceToBoundary(point, longitude, latitude) : Math.abs(found);
        },
    };
}
