/** Whether a shape is wide enough for the errors of phones. Pure. */

/** The metres of a degree of latitude, near enough to tell narrow from wide. */
const metresOfDegree = 111_320;
/** In an assembly point narrower than this a good phone's errors end "safe" for people who stand still in it. */
export const narrowMetres = 20;

/**
 * About how far from the edge the inside of a shape reaches: the radius of a circle, half the side of a square, the
 * width of a strip. Of several parts the narrowest counts; undefined where there is no area.
 * @param {import("./shape.js").Shape} shape
 */
export function widthMetres(shape) {
    if (shape.kind === "circle") { return shape.radius > 0 ? shape.radius : undefined; }
    if (shape.kind === "empty") { return undefined; }
    const widths = shape.polygons.map(widthOfPolygon).filter((width) => width > 0);
    return widths.length > 0 ? Math.min(...widths) : undefined;
}

/** Twice the area by the length of the edge, holes and all. */
function widthOfPolygon(rings) {
    const scale = Math.cos((rings[0]?.[0]?.[1] ?? 0) * Math.PI / 180);
    let [area, length] = [0, 0];
    rings.forEach((ring, index) => {
        let twice = 0;
        ring.forEach(([x, y], vertex) => {
            const [nextX, nextY] = ring[(vertex + 1) % ring.length];
            twice += (x - ring[0][0]) * (nextY - ring[0][1]) - (nextX - ring[0][0]) * (y - ring[0][1]);
            length += Math.hypot((nextX - x) * scale, nextY - y) * metresOfDegree;
        });
        area += (index === 0 ? 1 : -1) * Math.abs(twice) / 2 * scale * metresOfDegree ** 2;
    });
    return length > 0 ? 2 * area / length : 0;
}
