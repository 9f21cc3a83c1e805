/** The map's features, made from the state. Pure. */
import { drawable, labelPoint, unwrap } from "../shared/drawing.js";
import { isChecking } from "../shared/presence.js";
import { nameOf } from "../shared/roll.js";
import { isAccounted, seemsToHaveLeft, shownState } from "../shared/safety.js";
import { isCoarse, latestPosition } from "../shared/state.js";
import { legible, shortened } from "../shared/text.js";
import { minuteTime } from "../shared/time.js";
import { t } from "../shared/words.js";

/** An accuracy beyond this says nothing about where someone is, and its circle would cover the map. */
export const largestAccuracyMetres = 20_000;
const longestName = 40;
/** As slow as this nobody has a direction: the receiver's heading is noise. */
const slowestMetresPerSecond = 0.5;
/** Whom a cluster tells of first. */
export const weights = {
    safe: 0, located: 1, offSite: 2, checking: 3, unknown: 4, seemsToHaveLeft: 5, unsafe: 6, needsHelp: 7, sos: 8,
};

/** Regions as polygons and their names as points; a muster region's name has the number of those who are safe in it. */
export function regionFeatures(regions, sheltered = new Map()) {
    const shapes = [];
    const names = [];
    for (const [key, region] of regions) {
        const geometry = drawable(region.geometry, region.radius);
        if (!geometry) { continue; }
        const properties = { id: region.id, collection: region.collection, muster: region.muster };
        shapes.push(feature(geometry, properties));
        const name = cut(region.name);
        const count = sheltered.get(key) ?? 0;
        const label = region.muster && count > 0 ? `${name}\n${t("map.safeHere", { count })}` : name;
        names.push(feature({ type: "Point", coordinates: labelPoint(geometry) }, { label, muster: region.muster }));
    }
    return { shapes: collected(shapes), names: collected(names) };
}

/**
 * What is drawn of one member: a point for each device, and for one whose fixes are not believed a hollow one where
 * they seem to be, with a line between.
 * @param {import("../shared/state.js").State} state
 * @param {import("../shared/state.js").Member} member
 * @returns {{people: object[], sheltered: object[], seeming: object[], doubts: object[]}} features; those of
 *   `sheltered` stand for people whom a count at their muster region tells of as well
 */
export function memberFeatures(state, member) {
    const drawn = { people: [], sheltered: [], seeming: [], doubts: [] };
    if (member.positions.size === 0) { return drawn; }
    const shown = shownState(state, member);
    const hasLeft = seemsToHaveLeft(member);
    const isSheltered = member.state === "safe" && member.region !== undefined && isAccounted(member);
    for (const [device, position] of member.positions) {
        const { estimate, checking } = member.beliefs.get(device) ?? {};
        // While its fixes are not believed, a device is drawn where it is believed to be; they are drawn hollow.
        // That of a person who seems to have left is drawn where the fixes are, not in the region that was left.
        const isDoubted = Boolean(checking && estimate);
        const [believed, doubted] = isDoubted && !hasLeft ? [estimate, checking] : [position, estimate];
        const coordinates = [believed.longitude, believed.latitude];
        const properties = { user: member.user, device, state: shown };
        if (isDoubted) {
            const other = [doubted.longitude, doubted.latitude];
            if (!hasLeft) { drawn.seeming.push(feature({ type: "Point", coordinates: other }, properties)); }
            drawn.doubts.push(feature({ type: "LineString", coordinates: unwrap([coordinates, other]) }, properties));
        }
        const told = { ...properties, ...look(member, position, device), weight: weights[shown] };
        drawn[isSheltered ? "sheltered" : "people"].push(feature({ type: "Point", coordinates }, told));
    }
    return drawn;
}

/**
 * How a device looks beyond its place and state. A member of a replay has a `fade`, the opacity of their mark: how old
 * what is known of them was then.
 */
function look(member, position, device) {
    const { accuracy, heading, speed, latitude } = position;
    const isStale = member.doubt === "stale" || member.source === "silence";
    const name = cut(member.positions.size > 1 ? device : nameOf(member, longestName));
    const isRough = isCoarse(position);
    return {
        // Since when, where what is shown is old.
        label: isStale ? `${name}\n${t("map.since", { time: minuteTime(position.sampleTime) })}` : name,
        isStale, isRough, isChecking: isChecking(member, device),
        ...(member.fade ? { fade: member.fade } : {}),
        // As wide as the map is there: the layer makes pixels of it.
        ...(accuracy > 0 && accuracy <= largestAccuracyMetres
            ? { reach: accuracy / Math.cos(latitude * Math.PI / 180) } : {}),
        ...(heading >= 0 && speed > slowestMetresPerSecond ? { heading } : {}),
    };
}

/** A track as its points and the line through those that say exactly where the device was. */
export function trackFeatures(track) {
    const points = track?.points ?? [];
    const place = ({ longitude, latitude }) => [longitude, latitude];
    const way = points.filter((point) => !point.isRough).map(place);
    const line = way.length > 1 ? [feature({ type: "LineString", coordinates: unwrap(way) }, {})] : [];
    const dots = points.map((point, index) => feature({ type: "Point", coordinates: place(point) },
        { index, isRough: point.isRough, isHollow: point.isLate || point.isAhead }));
    return { track: collected(line), trackPoints: collected(dots) };
}

/** The points that a view of everything must hold: rough positions only when there is nothing else. */
export function extent(state) {
    const points = [];
    const rough = [];
    for (const region of state.regions.values()) {
        const geometry = drawable(region.geometry, region.radius);
        if (!geometry) { continue; }
        const parts = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
        for (const rings of parts) { points.push(...rings[0]); }
    }
    for (const member of state.members.values()) {
        const place = drawnPlace(member);
        if (place) { (isCoarse(latestPosition(member)) ? rough : points).push(place); }
    }
    return points.length > 0 ? points : rough;
}

/**
 * [longitude, latitude] of where a member is drawn: a wild fix is drawn apart. Undefined for a member nobody located.
 */
export function drawnPlace(member) {
    const position = latestPosition(member);
    if (!position) { return undefined; }
    const { estimate, checking } = member.beliefs.get(position.device) ?? {};
    const { longitude, latitude } = checking && estimate && !seemsToHaveLeft(member) ? estimate : position;
    return [longitude, latitude];
}

function cut(name) {
    return legible(shortened(name, longestName));
}

/** Makes a GeoJSON feature. */
export function feature(geometry, properties) {
    return { type: "Feature", geometry, properties };
}

/** Features as one collection. */
export function collected(features) {
    return { type: "FeatureCollection", features };
}
