/**
 * The assembly points of a member's team, and the distance to each. Pure.
 *
 * A team's assembly points are the muster regions of the collections that its tracker is linked to, and no others: in
 * another team's region nobody of this team counts as safe, however near it is.
 */
import { drawable, wayTo } from "../../console/shared/drawing.js";
import { collectionOf, keyOf } from "../guess/regionset.js";
import { radius95 } from "../tracking/filter.js";
import { footOn } from "./foot.js";

/** A factor on distances measured on the plane to a box: they may be too long, and must be lower bounds here. */
const planeMargin = 0.97;

const known = new WeakMap();

/**
 * The assembly points that a member should go to.
 * @param {{regions?: object[], collections?: string[]}} [own] the store's part: GeoJSON features, each with its
 *     `collection`; if `collections` names those that the team's tracker is linked to, no others count
 * @returns {AssemblyPoint[]} in the order of the list
 *
 * @typedef {{key: string, id: string, collection?: string, name: string, isByBeacon: boolean, geometry: object,
 *     radius?: number, shape: object, box: {west: number, south: number, east: number, north: number}}} AssemblyPoint
 * `shape` is the region as a flat map draws it; `isByBeacon`: a beacon decides who is inside, and not the position
 */
export function assemblyPoints(own) {
    if (!own?.regions) { return []; }
    const found = known.get(own.regions);
    if (found && found.collections === own.collections) { return found.points; }
    const isLinked = (collection) => !Array.isArray(own.collections) || own.collections.includes(collection);
    const points = own.regions
        .filter((feature) => feature?.properties?.muster === true && isLinked(collectionOf(feature)))
        .map(assemblyPoint).filter(({ box }) => box);
    known.set(own.regions, { collections: own.collections, points });
    return points;
}

function assemblyPoint(feature) {
    const { name, radius, beacon } = feature.properties;
    const id = String(feature.id);
    const { geometry } = feature;
    let shape;
    return {
        key: keyOf(feature), id, collection: collectionOf(feature),
        name: typeof name === "string" && name !== "" ? name : id,
        isByBeacon: Boolean(beacon), geometry, radius, box: boxOf(geometry, radius),
        // The shape is made for the few nearest points only: for a thousand large regions it would take a second.
        get shape() { return shape ??= drawable(geometry, radius); },
    };
}

/** The radius that contains the person with 95 %: a fix has the one for 68 %. Infinite if the fix has none. */
export function sureMetres({ accuracy }) {
    return Number.isFinite(accuracy) ? radius95 * accuracy : Infinity;
}

/**
 * The nearest assembly points, the nearest first. The exact distance is computed for those only.
 * @param {AssemblyPoint[]} points
 * @param {{longitude: number, latitude: number}} place
 * @param {Measure} measure
 * @param {number} [count] the number of points wanted
 * @returns {Way[]}
 *
 * @typedef {{contains: (point: AssemblyPoint, longitude: number, latitude: number) => boolean,
 *     distanceToBoundary: (point: AssemblyPoint, longitude: number, latitude: number) => number}} Measure
 * `distanceToBoundary` returns metres, at least 0, also from inside
 * @typedef {{point: AssemblyPoint, isInside: boolean, metres: number, depthMetres: number, bearingDegrees: number,
 *     foot: number[]}} Way
 * `metres` to the boundary, 0 inside; `depthMetres` from the boundary, 0 outside; `foot` is the nearest point of the
 * boundary, and `bearingDegrees` the direction to it, clockwise from north
 */
export function nearestFirst(points, place, measure, count = 8) {
    const bounded = points.map((point) => ({ point, least: planeMargin * metresToBox(point.box, place) }))
        .sort((left, right) => left.least - right.least);
    const ways = [];
    for (const { point, least } of bounded) {
        if (ways.length >= count && ways[count - 1].metres <= least) { break; }
        ways.push(wayOf(point, place, measure));
        ways.sort(inOrder);
    }
    return ways.slice(0, count);
}

/** The way to one assembly point. @returns {Way} */
export function wayOf(point, { longitude, latitude }, measure) {
    const isInside = measure.contains(point, longitude, latitude);
    const distance = Math.abs(measure.distanceToBoundary(point, longitude, latitude));
    const foot = footOn(point, [longitude, latitude]);
    return {
        point, isInside, foot,
        metres: isInside ? 0 : distance,
        depthMetres: isInside ? distance : 0,
        bearingDegrees: wayTo([longitude, latitude], foot).bearingDegrees,
    };
}

/**
 * Sorts ways by distance. Of the points that contain the person, the one with the greatest depth comes first: the
 * person is most surely inside that one.
 */
function inOrder(left, right) {
    return left.metres - right.metres || right.depthMetres - left.depthMetres
        || (left.point.key < right.point.key ? -1 : 1);
}

/** The shown point stays while no other is nearer by at least this; otherwise the arrow would jump at each fix. */
const leastGainMetres = 15;

/**
 * The way to show: to the point that the member chose, else to the nearest.
 * @param {Way[]} ways the nearest first
 * @param {{chosen?: string, shown?: string, accuracyMetres?: number}} before the keys of the point that the member
 *   chose, and of the one that was shown last
 * @returns {Way | undefined}
 */
export function wayToShow(ways, { chosen, shown, accuracyMetres = 0 } = {}) {
    const wanted = ways.find(({ point }) => point.key === chosen);
    if (wanted) { return wanted; }
    const [nearest] = ways;
    const last = ways.find(({ point }) => point.key === shown);
    if (!last || !nearest || nearest.isInside) { return nearest; }
    const gain = last.metres - nearest.metres;
    return gain < Math.max(leastGainMetres, Math.min(accuracyMetres, 100) / 2) ? last : nearest;
}

/** The box of a region, beyond ±180 if necessary; undefined for a geometry without an area. */
function boxOf(geometry, radius) {
    const polygons = geometry?.type === "MultiPolygon" ? geometry.coordinates
        : geometry?.type === "Polygon" ? [geometry.coordinates] : [drawable(geometry, radius)?.coordinates ?? []];
    const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
    for (const [ring] of polygons) {
        let previous = ring?.[0]?.[0] ?? 0;
        for (const [longitude, latitude] of ring ?? []) {
            // Each edge goes the short way round the globe.
            previous = longitude - 360 * Math.round((longitude - previous) / 360);
            if (previous < box.west) { box.west = previous; }
            if (previous > box.east) { box.east = previous; }
            if (latitude < box.south) { box.south = latitude; }
            if (latitude > box.north) { box.north = latitude; }
        }
    }
    return box.west <= box.east ? box : undefined;
}

function metresToBox({ west, south, east, north }, { longitude, latitude }) {
    // The box may lie beyond the antimeridian.
    const turned = longitude + 360 * Math.round(((west + east) / 2 - longitude) / 360);
    const corner = [Math.min(Math.max(turned, west), east), Math.min(Math.max(latitude, south), north)];
    return wayTo([turned, latitude], corner).distanceMetres;
}
