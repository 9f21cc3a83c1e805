/** Who is in which region, as the server decided it. Pure. */
import { sureness } from "../shared/presence.js";
import { doubtWords } from "../shared/safety.js";
import { byName, legible } from "../shared/text.js";
import { minuteTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

/** As many regions are offered as a choice, those with the most people. */
const choiceLimit = 200;

/**
 * The presence by which a person is inside a region; of several devices inside, that of the newest fix.
 * @param {import("../shared/state.js").Member} member
 * @param {string} key the region's, as `collection/id`
 * @returns {import("../shared/state.js").Presence|undefined} undefined for a person who is not inside
 */
export function presenceIn(member, key) {
    let newest;
    for (const ofDevice of member.presences.values()) {
        const presence = ofDevice.get(key);
        if (presence?.standing !== "inside") { continue; }
        if (!newest || Date.parse(presence.sampleTime) > Date.parse(newest.sampleTime)) { newest = presence; }
    }
    return newest;
}

/**
 * The people inside a region, by name. O(n log n) of those inside.
 * @param {import("../shared/state.js").State} live
 * @param {string} key as of `presenceIn`
 * @param {Map<string, number>} places the place of each by their name, as of `placesOf`
 * @returns {{member: import("../shared/state.js").Member, presence: import("../shared/state.js").Presence}[]}
 */
export function peopleInside(live, key, places) {
    const found = [];
    for (const member of live.members.values()) {
        const presence = presenceIn(member, key);
        if (presence) { found.push({ member, presence }); }
    }
    return found.sort((left, right) => places.get(left.member.user) - places.get(right.member.user));
}

/** How many people are inside each region that has somebody, by `collection/id`. */
export function insideCounts(live) {
    const counts = new Map();
    for (const member of live.members.values()) {
        const keys = new Set();
        for (const ofDevice of member.presences.values()) {
            for (const [key, { standing }] of ofDevice) { if (standing === "inside") { keys.add(key); } }
        }
        for (const key of keys) { counts.set(key, (counts.get(key) ?? 0) + 1); }
    }
    return counts;
}

/** Since when somebody is inside, and how sure that is: `since 12:03, 87 % sure`. */
export function insideWords({ since, probability, doubt }, clock = minuteTime) {
    return listed([
        t("row.since", { time: clock(since) }), probability !== undefined && sureness(probability),
        doubt && doubtWords(doubt),
    ]);
}

/**
 * The regions to choose from: those that the most people are in, by name, and always the one that is chosen, by its id
 * where the region is gone, so that nobody is left out of the list unseen.
 * @param {import("../shared/state.js").State} live
 * @param {string} [chosen] as of `presenceIn`
 * @param {number} [limit]
 * @returns {{choices: [string, string][], more: number}} `more`: how many regions with somebody in them are not offered
 */
export function regionChoices(live, chosen, limit = choiceLimit) {
    const counts = insideCounts(live);
    const known = [...counts].filter(([key]) => key !== chosen && live.regions.has(key))
        .sort(([, left], [, right]) => right - left);
    const offered = known.slice(0, limit);
    if (chosen) { offered.push([chosen, counts.get(chosen) ?? 0]); }
    const choices = offered.map(([key, count]) => {
        const { name, id = key.slice(key.indexOf("/") + 1) } = live.regions.get(key) ?? {};
        return [key, t("roster.inRegion", { place: legible(name || id), count })];
    });
    const more = Math.max(0, known.length - limit);
    return { choices: choices.sort(([, left], [, right]) => byName(left, right)), more };
}
