/** How sure Muster is where someone is, in words. Pure. */
import { byName, legible } from "./text.js";
import { minuteTime } from "./time.js";
import { notUnderstood } from "./understood.js";
import { around, listed, t } from "./words.js";

/** What a leader must see first. */
const order = ["checking", "inside", "likely", notUnderstood, "poorAccuracy", "stale"];

/** `87 % sure`, its number in one piece. Nothing measured is wholly sure, though the rounded number may say so. */
export function sureness(probability) {
    const percent = Math.round(probability * 100);
    const number = percent >= 100 ? ">\u00A099" : percent <= 0 ? "<\u00A01" : String(percent);
    return t("presence.sure", { percent: t("text.percent", { number }) });
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
        || byName(nameOf(left.presence), nameOf(right.presence));
}

/** A fix that does not fit puts every region of its device in doubt at once: that is told once, without a number. */
function checkingWords(checked, seeming) {
    const held = checked.filter((presence) => presence.standing === "inside").map(nameOf);
    if (seeming.length > 0) {
        const regions = seeming.flatMap(({ regions: named }) => named ?? []);
        const places = listed([...new Set(regions.map((region) => legible(region.name || region.id)))]);
        const was = held.length === 1 && held[0] !== places ? t("presence.wasInside", { place: held[0] }) : "";
        return places ? named("presence.seemsIn", places, { was }) : [t("presence.seemsNowhere"), "", was];
    }
    if (held.length === 0) { return [t("presence.checking"), "", ""]; }
    if (held.length > 1) { return [t("presence.checkingSeveral", { count: held.length }), "", ""]; }
    return named("presence.checkingIn", held[0]);
}

function words(presence, kind, clock) {
    const name = nameOf(presence);
    const { probability } = presence;
    switch (kind) {
        case "poorAccuracy": case notUnderstood: return named(`presence.${kind}`, name);
        case "stale": return named("presence.stale", name, { time: clock(presence.sampleTime) });
        default: {
            const time = clock(presence.since);
            if (probability === undefined) { return named("presence.inside", name, { time }); }
            const sure = sureness(probability);
            // `since` is when one half was passed: of what is less probable it tells when that fell, which misleads.
            if (probability <= 0.5) {
                return named(`presence.${kind === "inside" ? "still" : "maybe"}`, name, { sure });
            }
            return named("presence.sureInside", name, { sure, time });
        }
    }
}

/** The text of a key in three parts: before the name of a region, the name, and after it. */
function named(key, name, parameters = {}) {
    const [before, after] = around(key, "place", parameters);
    return [before, name, after];
}

function nameOf({ region }) {
    return legible(region.name || region.id);
}
