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
