/** The features that the app's map draws. Pure. */
import { bounds, unwrap } from "../../console/shared/drawing.js";
import { collected, feature, largestAccuracyMetres } from "../../console/map/mapdata.js";
import { collectionOf, keyOf } from "../guess/regionset.js";
import { sureMetres } from "./assembly.js";

/** The time between two fixes beyond which the trail is broken: nobody knows the way between them. */
const longestGapMs = 120_000;

/** The regions in the form that the console's map takes. @param {object[]} features as in `own.regions` */
export function regionsOf(features, points) {
    const assembly = new Set(points.map(({ key }) => key));
    return new Map(features.filter(({ geometry }) => geometry).map((region) => {
        const { name, radius } = region.properties ?? {};
        const id = String(region.id);
        const key = keyOf(region);
        return [key, {
            collection: collectionOf(region), id, name: typeof name === "string" && name !== "" ? name : id,
            // A muster region of another team is not an assembly point of this member.
            muster: assembly.has(key), geometry: region.geometry, radius,
        }];
    }));
}

/**
 * The person's own place: a point with its accuracy and heading.
 * @returns {object} a collection, empty without a fix
 */
export function ownFeatures(fix, heading, isStale) {
    if (!fix) { return collected([]); }
    const { longitude, latitude } = fix;
    const metres = sureMetres(fix);
    return collected([feature({ type: "Point", coordinates: [longitude, latitude] }, {
        isStale,
        ...(metres > 0 && metres <= largestAccuracyMetres
            ? { reach: metres / Math.cos(latitude * Math.PI / 180) } : {}),
        ...(heading.by === "north" || isStale ? {} : { heading: Math.round(heading.degrees) }),
    })]);
}

/** The straight line to the assembly point; no line if the person is inside. */
export function wayFeatures(way, fix) {
    if (!way || !fix || way.isInside) { return collected([]); }
    const coordinates = unwrap([[fix.longitude, fix.latitude], way.foot]);
    return collected([feature({ type: "LineString", coordinates }, {})]);
}

/** The trail, with one line for each part without a gap. */
export function trailFeatures(trail = []) {
    const parts = [];
    for (const [index, point] of trail.entries()) {
        const isOn = index > 0 && point.sampleTime - trail[index - 1].sampleTime <= longestGapMs;
        if (!isOn) { parts.push([]); }
        parts.at(-1).push([point.longitude, point.latitude]);
    }
    return collected(parts.filter((part) => part.length > 1)
        .map((part) => feature({ type: "LineString", coordinates: unwrap(part) }, {})));
}

/**
 * What the map shows first: the person's own place and the way from there, else the assembly points, else all regions.
 * @returns {number[][] | undefined} [[west, south], [east, north]]
 */
export function firstView({ fix, way, points, regions }) {
    const place = fix ? [[fix.longitude, fix.latitude]] : [];
    const corners = ({ box }) => [[box.west, box.south], [box.east, box.north]];
    if (fix && way) { return bounds([...place, way.foot, ...corners(way.point)]); }
    const all = points.flatMap(corners);
    if (all.length > 0) { return bounds([...place, ...all]); }
    return bounds([...place, ...[...regions.values()].flatMap(({ geometry }) => flat(geometry.coordinates))]);
}

function flat(coordinates) {
    return typeof coordinates[0] === "number" ? [coordinates] : coordinates.flatMap(flat);
}
