/** Who is in which region, as the server decided it. Pure. */
import { sureness } from "../shared/presence.js";
import { nameOf } from "../shared/roll.js";
import { doubtWords } from "../shared/safety.js";
import { byName, legible } from "../shared/text.js";
import { minuteTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

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
 * The people inside a region, by name.
 * @param {import("../shared/state.js").State} live
 * @param {string} key as of `presenceIn`
 * @returns {{member: import("../shared/state.js").Member, presence: import("../shared/state.js").Presence}[]}
 */
export function peopleInside(live, key) {
    const found = [];
    for (const member of live.members.values()) {
        const presence = presenceIn(member, key);
        if (presence) { found.push({ member, presence }); }
    }
    return found.sort((left, right) => byName(nameOf(left.member), nameOf(right.member)));
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

/** The regions to choose from: those that somebody is in, and the one that is chosen. @returns {[string, string][]} */
export function regionChoices(live, chosen) {
    const counts = insideCounts(live);
    if (chosen && !counts.has(chosen)) { counts.set(chosen, 0); }
    const choices = [...counts].filter(([key]) => live.regions.has(key)).map(([key, count]) => {
        const { name, id } = live.regions.get(key);
        return [key, t("roster.inRegion", { place: legible(name || id), count })];
    });
    return choices.sort(([, left], [, right]) => byName(left, right));
}
