/** Where and when somebody on a roll was last seen, for those who look for them. Pure. */
import { wayFromRegion, whereWords } from "../roster/where.js";
import { heardOf } from "../shared/rowwords.js";
import { latestPosition } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

/**
 * Where and when somebody was last seen, and how to call them. Somebody who was never located is told by when a device
 * of theirs was heard.
 * @param {object} member as the state has them, or as a roll of the server does
 * @param {Map<string, object>} regions as in `State.regions`
 * @param {number} nowMs
 */
export function lastSeenOnRoll(member, regions, nowMs) {
    const stored = latestPosition(member);
    // A fix may have been compared with the regions and not stored. The place and the time are of one fix.
    const newer = [member.located, member.lastSeen].filter((fix) => fix?.latitude !== undefined
        && !(Date.parse(fix.sampleTime) <= Date.parse(stored?.sampleTime)))
        .sort((left, right) => Date.parse(right.sampleTime) - Date.parse(left.sampleTime)).at(0);
    const place = newer ? wayFromRegion(newer, regions) : whereWords(member, regions);
    const at = (newer ?? stored)?.sampleTime;
    const heard = heardOf(member);
    const seen = at ? t(place ? "incident.lastSeenAt" : "incident.lastSeen", { place, time: clockTime(at, nowMs) })
        : heard ? t("incident.lastHeard", { time: clockTime(heard, nowMs) }) : "";
    return listed([seen, member.phone && legible(member.phone)]);
}
