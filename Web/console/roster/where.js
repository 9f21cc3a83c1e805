/** Where someone is, in words: "in School playing field", "340 m north of Chapel hill". Pure. */
import { drawable, middlePoint, wayTo } from "../shared/drawing.js";
import { lengthWords } from "../shared/length.js";
import { latestPosition } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";

/** Farther from every region than this the direction from one tells nobody anything: the coordinates do. */
const farMetres = 50_000;
/** As near as this, or as the fix is exact, the direction is noise. */
const nearMetres = 20;
const winds = ["north", "northEast", "east", "southEast", "south", "southWest", "west", "northWest"];

/** The middle of each region, by the map of the regions. */
const middles = new WeakMap();

/**
 * Where a member is, by the regions they are inside, else by the nearest region's middle, else by coordinates.
 * @param {import("../shared/state.js").Member} member
 * @param {Map<string, object>} regions as in `State.regions`
 * @returns {string} empty where nobody knows
 */
export function whereWords(member, regions) {
    const position = latestPosition(member);
    if (!position) { return ""; }
    const names = [...member.presences.get(position.device)?.values() ?? []]
        .filter(({ standing }) => standing === "inside")
        .map(({ region }) => legible(region.name || region.id));
    return names.length > 0 ? t("where.inside", { places: listed(names) }) : wayFromRegion(position, regions);
}

/** Where a position lies, by the nearest region's middle, else by coordinates. `regions` are as of `whereWords`. */
export function wayFromRegion(position, regions) {
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
    for (const middle of middlesOf(regions)) {
        const east = (((middle.point[0] - longitude + 540) % 360) - 180) * scale;
        const square = east ** 2 + (middle.point[1] - latitude) ** 2;
        if (square < bestSquare) { [best, bestSquare] = [middle, square]; }
    }
    if (!best) { return undefined; }
    const { distanceMetres, bearingDegrees } = wayTo(best.point, [longitude, latitude]);
    return distanceMetres > farMetres ? undefined : { name: best.name, distanceMetres, bearingDegrees };
}

function middlesOf(regions) {
    let found = middles.get(regions);
    if (!found) {
        found = [];
        for (const region of regions.values()) {
            const geometry = drawable(region.geometry, region.radius);
            if (geometry) { found.push({ name: region.name, point: middlePoint(geometry) }); }
        }
        middles.set(regions, found);
    }
    return found;
}
