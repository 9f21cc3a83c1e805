/** Where someone is, in words: "in School playing field", "340 m north of Chapel hill". Pure. */
import { drawable, liesIn, middlePoint, wayTo } from "../shared/drawing.js";
import { lengthWords } from "../shared/length.js";
import { latestPosition } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { notUnderstood } from "../shared/understood.js";
import { listed, t } from "../shared/words.js";

/** Farther from every region than this the direction from one tells nobody anything: the coordinates do. */
const farMetres = 50_000;
/** As near as this, or as the fix is exact, the direction is noise. */
const nearMetres = 20;
/** A place that was known within this time counts as the place of now. */
const presentMs = 60_000;
const winds = ["north", "northEast", "east", "southEast", "south", "southWest", "west", "northWest"];

/** What each region is called, its shape and its middle, by the map of the regions. */
const shapes = new WeakMap();

/**
 * The newest place that is known of a member: by the regions they are inside, or, where nothing is known of those, by
 * the regions in which the fix lies; else by the nearest region's middle, else by coordinates.
 * @param {object} member as the state has them, or as a roll of the server does
 * @param {Map<string, object>} regions as in `State.regions`
 * @returns {{words: string, coordinates: string, at: string, fix: object}|undefined} the words, the coordinates and the
 *     sample time of one fix; undefined where nobody knows
 */
export function lastPlace(member, regions) {
    const stored = latestPosition(member);
    // Some fixes are compared with the regions and not stored.
    const newer = [member.located, member.lastSeen].filter((fix) => fix?.latitude !== undefined
        && !(Date.parse(fix.sampleTime) <= Date.parse(stored?.sampleTime)))
        .sort((left, right) => Date.parse(right.sampleTime) - Date.parse(left.sampleTime)).at(0);
    const fix = newer ?? stored;
    if (!fix) { return undefined; }
    // A fix that is not stored names no device: of several devices nobody knows whose regions count. And where it
    // contradicts the region it is checked, and the region is not the place of this fix.
    const devices = new Set(
        [member.positions, member.presences, member.clocks ?? []].flatMap((each) => [...each.keys()]));
    const device = newer && devices.size > 1 ? undefined : stored?.device;
    const names = [...member.presences.get(device)?.values() ?? []]
        .filter(({ standing, doubt }) => standing === "inside"
            && !(newer && (doubt === "checking" || doubt === notUnderstood)))
        .map(({ region }) => legible(region.name || region.id));
    // The record of a closed incident has a fix alone.
    if (member.positions.size === 0 && member.presences.size === 0) { names.push(...namesAround(fix, regions)); }
    return {
        words: names.length > 0 ? t("where.inside", { places: listed(names) }) : wayFromRegion(fix, regions),
        coordinates: coordinateWords(fix), at: fix.sampleTime, fix,
    };
}

/** The words of `lastPlace`; empty where nobody knows. */
export function whereWords(member, regions) {
    return lastPlace(member, regions)?.words ?? "";
}

/** The words of a place, and its time if that is not now: `near Chapel hill, 12:03:07`. */
export function placeAtWords({ words, at }, nowMs) {
    return listed([words, !isPresent(at, nowMs) && clockTime(at, nowMs)]);
}

/** Whether a place that was known at a time counts as the place of now. */
export function isPresent(at, nowMs) {
    return nowMs - Date.parse(at) < presentMs;
}

/** Where a position lies, by the nearest region's middle, else by coordinates. */
function wayFromRegion(position, regions) {
    const nearest = nearestRegion(position, regions);
    if (!nearest) { return coordinateWords(position); }
    if (nearest.distanceMetres < Math.max(nearMetres, position.accuracy ?? 0)) {
        return t("where.near", { place: legible(nearest.name) });
    }
    const wind = winds[Math.round(nearest.bearingDegrees / 45) % 8];
    return t("where.fromRegion", {
        length: lengthWords(nearest.distanceMetres), wind: t(`wind.${wind}`), place: legible(nearest.name),
    });
}

/** `51.12345, 5.56789`: to about a metre. */
export function coordinateWords({ latitude, longitude }) {
    return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

/** A position with how exact it is: `51.12345, 5.56789, ±12 m`. */
export function placeWords(position) {
    return listed([coordinateWords(position), position.accuracy > 0 && `±${lengthWords(position.accuracy)}`]);
}

function nearestRegion({ latitude, longitude }, regions) {
    // Which is nearest is decided on a plane, as only one of them is then measured exactly.
    const scale = Math.cos(latitude * Math.PI / 180);
    let best;
    let bestSquare = Infinity;
    for (const middle of shapesOf(regions)) {
        const east = (((middle.point[0] - longitude + 540) % 360) - 180) * scale;
        const square = east ** 2 + (middle.point[1] - latitude) ** 2;
        if (square < bestSquare) { [best, bestSquare] = [middle, square]; }
    }
    if (!best) { return undefined; }
    const { distanceMetres, bearingDegrees } = wayTo(best.point, [longitude, latitude]);
    return distanceMetres > farMetres ? undefined : { name: best.name, distanceMetres, bearingDegrees };
}

/** The names of the regions in which a fix lies. */
function namesAround({ latitude, longitude }, regions) {
    return shapesOf(regions).filter(({ geometry }) => liesIn(geometry, [longitude, latitude]))
        .map(({ name }) => legible(name));
}

function shapesOf(regions) {
    let found = shapes.get(regions);
    if (!found) {
        found = [];
        for (const region of regions.values()) {
            const geometry = drawable(region.geometry, region.radius);
            if (geometry) { found.push({ name: region.name || region.id, geometry, point: middlePoint(geometry) }); }
        }
        shapes.set(regions, found);
    }
    return found;
}
