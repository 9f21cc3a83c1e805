/**
 * Measures distances, and tests for inside, on a plane while the engine is not loaded. The results serve the way alone,
 * and never decide whether somebody is safe. Pure.
 * @implements {import("./assembly.js").Measure}
 */
import { wayTo } from "../../console/shared/drawing.js";
import { footOn } from "./foot.js";

export const planeMeasure = Object.freeze({
    /** A place on the boundary is inside. */
    contains({ geometry, radius, shape }, longitude, latitude) {
        if (geometry.type === "Point") {
            return wayTo(geometry.coordinates, [longitude, latitude]).distanceMetres <= radius;
        }
        const polygons = shape.type === "Polygon" ? [shape.coordinates] : shape.coordinates;
        return polygons.some(([outer, ...holes]) => isWithin(outer, longitude, latitude)
            && !holes.some((hole) => isWithin(hole, longitude, latitude)));
    },

    distanceToBoundary(point, longitude, latitude) {
        if (point.geometry.type === "Point") {
            const { distanceMetres } = wayTo(point.geometry.coordinates, [longitude, latitude]);
            return Math.abs(distanceMetres - point.radius);
        }
        return wayTo([longitude, latitude], footOn(point, [longitude, latitude])).distanceMetres;
    },
});

/** Whether a place is within a closed ring: a ray to the east crosses it an odd number of times. */
function isWithin(ring, longitude, latitude) {
    const turned = longitude + 360 * Math.round((ring[0][0] - longitude) / 360);
    return [turned - 360, turned, turned + 360].some((x) => crossings(ring, x, latitude) % 2 === 1);
}

function crossings(ring, x, y) {
    let count = 0;
    for (let index = 1; index < ring.length; index += 1) {
        const [[x1, y1], [x2, y2]] = [ring[index - 1], ring[index]];
        if ((y1 > y) !== (y2 > y) && x <= x1 + (y - y1) / (y2 - y1) * (x2 - x1)) { count += 1; }
    }
    return count;
}
