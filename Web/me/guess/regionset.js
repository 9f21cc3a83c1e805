/** Which regions the engine has, and the changes that give it the server's regions. Pure. */

/**
 * @typedef {object} Known a region in the engine
 * @property {number} number
 * @property {object} feature as the server sent it
 */

/** The key of a region among all regions. */
export function keyOf(feature) {
    return `${collectionOf(feature) ?? ""}/${feature.id}`;
}

/** The name of a feature's collection. */
export function collectionOf(feature) {
    return feature.collection ?? feature.properties?.collection;
}

/** The regions that are decided by position, in the collections that the team's tracker is linked to, by their keys. */
export function wantedRegions(own) {
    const wanted = new Map();
    for (const feature of own?.regions ?? []) {
        const isLinked = !Array.isArray(own.collections) || own.collections.includes(collectionOf(feature));
        if (isLinked && feature.geometry && !feature.properties?.beacon) { wanted.set(keyOf(feature), feature); }
    }
    return wanted;
}

/**
 * The changes that turn the engine's regions into the wanted ones.
 * @param {Map<string, Known>} known
 * @param {Map<string, object>} wanted features by key
 * @returns {{gone: string[], put: string[]}} the keys of the regions to remove, and of those to put
 */
export function regionChanges(known, wanted) {
    const gone = [...known.keys()].filter((key) => !wanted.has(key));
    const put = [...wanted.keys()].filter((key) => !isSame(known.get(key)?.feature, wanted.get(key)));
    return { gone, put };
}

/** Whether the server decides a region by the raw policy. */
export function isRaw(feature) {
    return (feature.policy ?? feature.properties?.policy) === "raw";
}

/** What the engine must know of a region besides its number and collection. */
export function ruleOf({ geometry, properties = {} }) {
    return {
        geometry, radius: properties.radius, isMuster: properties.muster === true, mode: properties.crossingMode,
        dwell: properties.dwell, exitDelay: properties.exitDelay,
    };
}

/** The number of vertices of a geometry. */
export function vertexCount(coordinates) {
    return typeof coordinates?.[0] === "number" ? 1
        : (coordinates ?? []).reduce((sum, part) => sum + vertexCount(part), 0);
}

/** The distance in degrees of latitude within which a region is near: nobody goes farther while regions are put. */
const nearDegrees = 0.1;
/** A fix less accurate than this may lie anywhere. */
const coarseMetres = 1000;
const boxes = new WeakMap();

/** Whether a region may be near a fix, judged by the region's box; true if there is no box. */
export function isNear({ geometry, properties = {} }, fix) {
    if (!fix || !(fix.accuracy < coarseMetres)) { return true; }
    if (!boxes.has(geometry)) { boxes.set(geometry, boxOf(geometry.coordinates)); }
    const [west, south, east, north] = boxes.get(geometry);
    const squeeze = Math.max(0.01, Math.cos(fix.latitude * Math.PI / 180));
    const reach = nearDegrees + (geometry.type === "Point" ? properties.radius / 100_000 : 0);
    // A box across the antimeridian is as wide as the map, so everything in it counts as near. A circle near the
    // antimeridian may lie on its other side.
    const turned = [fix.longitude - 360, fix.longitude, fix.longitude + 360];
    return fix.latitude >= south - reach && fix.latitude <= north + reach
        && turned.some((longitude) => longitude >= west - reach / squeeze && longitude <= east + reach / squeeze);
}

function boxOf(coordinates, box = [Infinity, Infinity, -Infinity, -Infinity]) {
    if (typeof coordinates[0] !== "number") {
        for (const part of coordinates) { boxOf(part, box); }
        return box;
    }
    const [longitude, latitude] = coordinates;
    if (longitude < box[0]) { box[0] = longitude; }
    if (latitude < box[1]) { box[1] = latitude; }
    if (longitude > box[2]) { box[2] = longitude; }
    if (latitude > box[3]) { box[3] = latitude; }
    return box;
}

/** Whether two features mean the same to the engine. A cache or a server returns new objects each time. */
function isSame(left, right) {
    if (left === right) { return true; }
    if (!left || !right || isRaw(left) !== isRaw(right)) { return false; }
    const [one, other] = [ruleOf(left), ruleOf(right)];
    return Object.keys(one).every((name) => name === "geometry" || one[name] === other[name])
        && one.geometry.type === other.geometry.type
        && areAlike(one.geometry.coordinates, other.geometry.coordinates);
}

function areAlike(left, right) {
    if (left === right) { return true; }
    return Array.isArray(left) && Array.isArray(right) && left.length === right.length
        && left.every((part, index) => areAlike(part, right[index]));
}
