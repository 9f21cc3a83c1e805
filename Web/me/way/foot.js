/**
 * The nearest point of a region's boundary, which gives the direction of the arrow. Pure.
 *
 * The point is found on a plane around the place: exact to a few centimetres within a kilometre, where a direction
 * matters. The distance to the boundary, and whether a place is inside, come from the engine.
 */
import { destination, wayTo } from "../../console/shared/drawing.js";

/**
 * @param {{geometry: object, radius?: number, shape: object}} point
 * @param {number[]} place [longitude, latitude]
 * @returns {number[]} [longitude, latitude], near the place's own longitude
 */
export function footOn({ geometry, radius, shape }, place) {
    if (geometry.type === "Point") {
        const { distanceMetres, bearingDegrees } = wayTo(geometry.coordinates, place);
        return destination(geometry.coordinates, distanceMetres > 0 ? bearingDegrees : 0, radius);
    }
    const [longitude, latitude] = place;
    const across = Math.cos(latitude * Math.PI / 180);
    let best;
    let bestSquare = Infinity;
    for (const rings of shape.type === "Polygon" ? [shape.coordinates] : shape.coordinates) {
        for (const ring of rings) {
            const turn = 360 * Math.round((longitude - ring[0][0]) / 360);
            for (let index = 1; index < ring.length; index += 1) {
                const start = [ring[index - 1][0] + turn, ring[index - 1][1]];
                const end = [ring[index][0] + turn, ring[index][1]];
                const found = onEdge(start, end, place, across);
                const square = ((found[0] - longitude) * across) ** 2 + (found[1] - latitude) ** 2;
                if (square < bestSquare) { [best, bestSquare] = [found, square]; }
            }
        }
    }
    return best;
}

/** The point of an edge that is nearest on the plane; the edge is straight in longitude and latitude. */
function onEdge(start, end, [longitude, latitude], across) {
    const [east, north] = [(end[0] - start[0]) * across, end[1] - start[1]];
    const square = east ** 2 + north ** 2;
    if (square === 0) { return start; }
    const along = ((longitude - start[0]) * across * east + (latitude - start[1]) * north) / square;
    const part = Math.min(1, Math.max(0, along));
    return [start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])];
}
