/** Where and when somebody was last seen, for those who look for them. Pure. */
import { lastPlace } from "../roster/where.js";
import { heardOf } from "../shared/rowwords.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

/**
 * Where and when somebody on a roll was last seen, and how to call them. Of somebody who was never located it says so,
 * and when a device of theirs was heard.
 * @param {object} member as the state has them, or as a roll of the server does
 * @param {Map<string, object>} regions as in `State.regions`
 * @param {number} nowMs
 */
export function lastSeenOnRoll(member, regions, nowMs) {
    const place = lastPlace(member, regions);
    const heard = heardOf(member);
    return listed([
        place ? t("incident.lastSeenAt", { place: place.words, time: clockTime(place.at, nowMs) }) : t("call.nowhere"),
        !place && heard && t("incident.lastHeard", { time: clockTime(heard, nowMs) }),
        member.phone && legible(member.phone),
    ]);
}

/**
 * Somebody as the server told a roll; of an open incident with what the page knows of where their devices are, as the
 * roll on the screen has it.
 * @param {object} member as `peopleOfRoll` makes it
 * @param {import("../shared/state.js").State} live
 */
export function withDevices(member, { open, team }, live) {
    const known = open && member.roll.kind === "user" && live.members.get(member.name);
    if (!known || known.team !== team) { return member; }
    const { positions, presences, clocks, located } = known;
    return { ...member, positions, presences, clocks, located };
}

/**
 * Where somebody was last seen, for paper: in words and by coordinates, as who reads it may have another map; when, and
 * how to call them. Arguments as of `lastSeenOnRoll`.
 */
export function seenOnPaper(member, regions, nowMs) {
    const place = lastPlace(member, regions);
    const heard = heardOf(member);
    const seen = place && { where: place.words, place: place.coordinates, time: clockTime(place.at, nowMs) };
    return listed([
        seen && (seen.where === seen.place ? listed([seen.place, seen.time]) : t("incident.seenAt", seen)),
        !place && (heard ? t("incident.lastHeard", { time: clockTime(heard, nowMs) }) : t("incident.notSeen")),
        member.phone && legible(member.phone),
    ]);
}
