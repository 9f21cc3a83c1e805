/** How sure Muster is where someone is, in words. Pure. */
import { legible } from "./text.js";
import { minuteTime } from "./time.js";

/** What a leader must see first. */
const order = ["checking", "inside", "likely", "poorAccuracy", "stale"];

/** `87 % sure`, its number in one piece. Nothing measured is wholly sure, though the rounded number may say so. */
export function sureness(probability) {
    const percent = Math.round(probability * 100);
    if (percent >= 100) { return ">\u00A099\u00A0% sure"; }
    if (percent <= 0) { return "<\u00A01\u00A0% sure"; }
    return `${percent}\u00A0% sure`;
}

/** Whether the last fix of a device does not fit what was known before it. */
export function isChecking(member, device) {
    if (member.beliefs?.get(device)?.checking) { return true; }
    return [...member.presences.get(device)?.values() ?? []].some((presence) => presence.doubt === "checking");
}

/**
 * What is told of a member, the most telling first. Of several devices in one region, the one sampled last counts.
 * @param {import("./state.js").Member} member
 * @param {(time: string) => string} [clock] replaced in tests, which know no time zone
 * @returns {{kind: string, words: string[]}[]} the words before the region's name, the name, and those after it: where
 *   there is no room for all, it is the name that is cut
 */
export function presenceLines(member, clock = minuteTime) {
    const latest = new Map();
    for (const ofDevice of member.presences.values()) {
        for (const [key, presence] of ofDevice) {
            const known = latest.get(key);
            if (!known || Date.parse(presence.sampleTime) > Date.parse(known.sampleTime)) { latest.set(key, presence); }
        }
    }
    const told = [...latest.values()]
        .map((presence) => ({ presence, kind: kindOf(presence) }))
        .filter(({ kind }) => kind !== undefined)
        .sort(inOrder);
    const checked = told.filter(({ kind }) => kind === "checking").map(({ presence }) => presence);
    const others = told.filter(({ kind }) => kind !== "checking");
    const seeming = [...member.beliefs?.values() ?? []].map(({ checking }) => checking).filter(Boolean);
    const isChecking = checked.length + seeming.length > 0;
    return [
        ...(isChecking ? [{ kind: "checking", words: checkingWords(checked, seeming) }] : []),
        ...others.map(({ presence, kind }) => ({ kind, words: words(presence, kind, clock) })),
    ];
}

/** Undefined for what says nothing: silence of what was never known to be inside. */
function kindOf({ doubt, standing }) {
    if (doubt === "stale") { return standing === "inside" ? "stale" : undefined; }
    if (doubt) { return doubt; }
    return standing === "inside" ? "inside" : "likely";
}

function inOrder(left, right) {
    return order.indexOf(left.kind) - order.indexOf(right.kind)
        || Number(right.presence.region.muster === true) - Number(left.presence.region.muster === true)
        || (right.presence.probability ?? 1) - (left.presence.probability ?? 1)
        || nameOf(left.presence).localeCompare(nameOf(right.presence), undefined, { numeric: true });
}

/** A fix that does not fit puts every region of its device in doubt at once: that is told once, without a number. */
function checkingWords(checked, seeming) {
    const held = checked.filter((presence) => presence.standing === "inside").map(nameOf);
    if (seeming.length > 0) {
        const regions = seeming.flatMap(({ regions: named }) => named ?? []);
        const places = [...new Set(regions.map((region) => legible(region.name || region.id)))].join(", ");
        const was = held.length === 1 && held[0] !== places ? `, was inside ${held[0]}` : "";
        return places
            ? ["checking… seems to be in ", places, was] : ["checking… seems to be in no region", "", was];
    }
    if (held.length === 0) { return ["checking…", "", ""]; }
    return ["checking… was inside ", held.length === 1 ? held[0] : `${held.length} regions`, ""];
}

function words(presence, kind, clock) {
    const name = nameOf(presence);
    const { probability } = presence;
    switch (kind) {
        case "poorAccuracy": return ["accuracy too poor for ", name, ""];
        case "stale": return ["last known inside ", name, ` ${clock(presence.sampleTime)}`];
        default: {
            const since = ` since ${clock(presence.since)}`;
            if (probability === undefined) { return ["inside ", name, since]; }
            // `since` is when one half was passed: of what is less probable it tells when that fell, which misleads.
            if (probability <= 0.5) {
                return [`${sureness(probability)} ${kind === "inside" ? "still inside" : "inside"} `, name, ""];
            }
            return [`${sureness(probability)} inside `, name, since];
        }
    }
}

function nameOf({ region }) {
    return legible(region.name || region.id);
}
