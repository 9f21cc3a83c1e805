/** What the server last said about the signed-in user: the store's part `own`, made from the live state. Pure. */
import { emptyState } from "../console/shared/state.js";

/** The features of regions, by the map that holds the regions: they are made once for each load. */
const made = new WeakMap();

/**
 * @typedef {object} Own
 * @property {{name: string, role: string, team?: string}} user
 * @property {string} [team]
 * @property {import("../console/shared/state.js").Member} [member] undefined if the server said nothing about the user
 * @property {object[]} incidents the open incidents of the user's team
 * @property {object[]} regions GeoJSON features; `properties` has `name`, `muster` and `crossingMode`; the feature
 *     itself has `collection` and `policy`
 * @property {boolean} showsSafety whether the team's safety is shown now: in an incident, or always
 * @property {number} heardAt when the server last said so, in milliseconds of its clock
 */

/**
 * Reads what the live state says about a user.
 * @param {import("../console/shared/state.js").State} live
 * @param {{name: string, role: string, team?: string}} user
 * @param {number} heardAt
 * @returns {Own|undefined} undefined if nothing was loaded yet
 */
export function ownOf(live, user, heardAt) {
    if (!user || live === emptyState) { return undefined; }
    const member = live.members.get(user.name);
    const team = member?.team ?? user.team;
    const incidents = [...live.incidents.values()].filter((incident) => incident.team === team);
    return {
        user, team, member, incidents, regions: featuresOf(live.regions),
        showsSafety: incidents.length > 0 || live.alwaysShown.has(team), heardAt,
    };
}

/** Whether two values say the same, apart from the time. */
export function isSameOwn(left, right) {
    if (!left || !right) { return left === right; }
    return left.user === right.user && left.member === right.member && left.regions === right.regions
        && left.team === right.team && left.showsSafety === right.showsSafety
        && left.incidents.length === right.incidents.length
        && left.incidents.every((incident, index) => incident === right.incidents[index]);
}

function featuresOf(regions) {
    if (!made.has(regions)) { made.set(regions, [...regions.values()].map(featureOf)); }
    return made.get(regions);
}

function featureOf({ collection, id, name, muster, geometry, policy, properties }) {
    return { type: "Feature", id, collection, policy, geometry, properties: { ...properties, name, muster } };
}
