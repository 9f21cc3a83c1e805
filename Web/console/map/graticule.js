/** Lines of longitude and latitude in steps that suit the zoom, and their names along the map's edges. */

const minutes = 1 / 60;
const seconds = 1 / 3600;
/** Steps in degrees: whole degrees, then minutes, then seconds of arc. */
const steps = [
    90, 60, 45, 30, 20, 10, 5, 2, 1,
    30 * minutes, 20 * minutes, 10 * minutes, 5 * minutes, 2 * minutes, minutes,
    30 * seconds, 20 * seconds, 10 * seconds, 5 * seconds, 2 * seconds, seconds, seconds / 2, seconds / 5, seconds / 10,
];
/** The least room for a line's name, in pixels. */
const roomForName = 110;

/**
 * The lines that cross a view.
 * @param {{west: number, south: number, east: number, north: number, width: number}} view in degrees, east ≥ west;
 *   its width in pixels
 * @returns {{meridians: number[], parallels: number[], step: number}}
 */
export function graticule({ west, south, east, north, width }) {
    const smallest = (east - west) * roomForName / Math.max(width, 1);
    const step = steps.findLast((size) => size >= smallest) ?? steps[0];
    const parallels = multiples(step, Math.max(south, -85), Math.min(north, 85));
    return { meridians: multiples(step, west, east), parallels, step };
}

/** The same lines as GeoJSON, a little longer than the view so that a drag shows no ends. */
export function graticuleFeatures(view) {
    const { west, south, east, north } = view;
    const [wide, high] = [(east - west) / 2, (north - south) / 2];
    const larger = {
        west: west - wide, east: east + wide,
        south: Math.max(south - high, -85), north: Math.min(north + high, 85),
    };
    const { step } = graticule(view);
    const line = (coordinates) => (
        { type: "Feature", properties: {}, geometry: { type: "LineString", coordinates } }
    );
    return {
        type: "FeatureCollection",
        features: [
            ...multiples(step, larger.west, larger.east).map((x) => line([[x, larger.south], [x, larger.north]])),
            ...multiples(step, larger.south, larger.north).map((y) => line([[larger.west, y], [larger.east, y]])),
        ],
    };
}

/** `59°54′30″N`: as many parts as the step needs. */
export function degreesName(value, step, isLatitude) {
    const wrapped = isLatitude ? value : value - 360 * Math.round(value / 360);
    const tenths = Math.round(Math.abs(wrapped) * 36_000);
    const hemisphere = tenths === 0 ? "" : isLatitude ? (wrapped > 0 ? "N" : "S") : (wrapped > 0 ? "E" : "W");
    let name = `${Math.floor(tenths / 36_000)}°`;
    if (step < 1) { name += `${two(Math.floor(tenths / 600) % 60)}′`; }
    if (step < minutes) { name += `${two(Math.floor(tenths / 10) % 60)}${step < seconds ? `.${tenths % 10}` : ""}″`; }
    return name + hemisphere;
}

/** At most a few dozen: the step is chosen for the view. */
function multiples(step, from, to) {
    const result = [];
    for (let index = Math.ceil(from / step); index * step <= to && result.length < 100; index += 1) {
        result.push(index * step);
    }
    return result;
}

function two(number) {
    return String(number).padStart(2, "0");
}
