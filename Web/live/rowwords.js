/** What a person's row says beside their state: by what evidence, when heard, when located, battery, the roll. Pure. */
import { marks } from "./marks.js";
import { doubtWords, isAccounted } from "./safety.js";
import { latestPosition } from "./state.js";
import { legible } from "./text.js";
import { age, clockTime } from "./time.js";

/** A phone with less than this, per cent, may be silent soon. */
const lowPercent = 20;

/** When a device of theirs was last heard, RFC 3339: a device that is heard need not have said where it is. */
export function heardOf(member) {
    const received = [...member.positions.values()].map(({ receivedTime, sampleTime }) => receivedTime ?? sampleTime);
    return latest([member.heard, ...received]);
}

/** Of what time the newest place of theirs is that is known, RFC 3339. */
export function locatedOf(member) {
    return latest([member.located?.sampleTime, latestPosition(member)?.sampleTime]);
}

/** The battery, per cent, as the newest place told it. */
export function batteryOf(member) {
    const position = latestPosition(member);
    const isStoredNewer = !member.located
        || Date.parse(position?.sampleTime) >= Date.parse(member.located.sampleTime);
    return isStoredNewer ? position?.battery ?? member.located?.battery : member.located.battery;
}

export function isBatteryLow(percent) {
    return percent !== undefined && percent < lowPercent;
}

/** `battery 14 %, low`; nothing where none was told. */
export function batteryWords(member) {
    const percent = batteryOf(member);
    if (percent === undefined) { return ""; }
    return `battery ${Math.round(percent)}\u00A0%${isBatteryLow(percent) ? ", low" : ""}`;
}

/** What stands at the right of a row: the state's word with what is in doubt, and how the state is known. */
export function stateWords(member, shown) {
    const { word } = marks[shown];
    if (shown === "seemsToHaveLeft") {
        return [word, member.region ? ` ${legible(member.region.name || member.region.id)}` : ""];
    }
    const isSaid = !member.doubt || (shown === "checking" && member.doubt === "checking");
    return [isSaid ? word : `${word}, ${doubtWords[member.doubt]}`, knownBy(member)];
}

/** How a state is known, where that is not plain from the state itself. */
export function knownBy({ state, region, source, markedBy: marker, acknowledgedBy }) {
    // That someone is not found is nobody's mark.
    const markedBy = state === "unknown" ? undefined : marker;
    const place = region && legible(region.name || region.id);
    const words = {
        region: place, ownDeclaration: "own word", marked: markedBy && `marked by ${markedBy}`,
        seemsToHaveLeft: `seems to have left${place ? ` ${place}` : ""}`,
        underReview: "being worked out after an edit of regions", checkInTimer: "check-in timer ran out",
    };
    const known = words[source] ?? place ?? (markedBy ? `marked by ${markedBy}` : undefined);
    const heard = acknowledgedBy && `heard by ${acknowledgedBy}`;
    return [known, heard].filter(Boolean).map((word) => ` · ${word}`).join("");
}

/** What the roll of an open incident says of someone beyond their state; nothing for most. */
export function rollWords(member, nowMs) {
    const { takenOff, unconfirmed, roll, departure } = member;
    if (takenOff) {
        return `taken off the roll${by(takenOff)}, ${clockTime(takenOff.at, nowMs)}${
            takenOff.reason ? `: ${legible(takenOff.reason)}` : ""}`;
    }
    if (roll?.kind === "removed") { return `removed from the server${by(departure)}, still on the roll`; }
    if (roll?.kind === "moved") { return `moved to another team${by(departure)}, still on the roll`; }
    if (unconfirmed && !isAccounted(member)) {
        const kind = unconfirmed.kind === "offSite" ? "off site" : "safe";
        return `said ${kind} by ${legible(unconfirmed.by)} ${age(unconfirmed.at, nowMs)}, not confirmed`;
    }
    return "";
}

function by(act) {
    return act?.by ? ` by ${legible(act.by)}` : "";
}

function latest(times) {
    const known = times.filter((time) => !Number.isNaN(Date.parse(time ?? "")));
    return known.reduce((left, right) => (Date.parse(right) > Date.parse(left) ? right : left), known[0]);
}
