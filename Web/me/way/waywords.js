/** The texts of the way. Pure. */
import { middlePoint, wayTo } from "../../console/shared/drawing.js";
import { lengthWords } from "../../console/shared/length.js";
import { legible } from "../../console/shared/text.js";
import { age, clockTime } from "../../console/shared/time.js";
import { t } from "../../console/shared/words.js";
import { sureMetres } from "./assembly.js";
import { roughDegrees, wrapped } from "./heading.js";

const winds = ["north", "northEast", "east", "southEast", "south", "southWest", "west", "northWest"];
const turns = ["ahead", "aheadRight", "right", "behindRight", "behind", "behindLeft", "left", "aheadLeft"];
/** The age in milliseconds beyond which a place is old, even if it is not marked as stale. */
const oldMs = 60_000;
/** The time in milliseconds after which the engine's guess says nothing of a newer place. */
const guessMs = 90_000;

/** Whether the person's own place is old. */
export function isOld(fix, nowMs) {
    return fix.isStale === true || nowMs - fix.sampleTime > oldMs;
}

/**
 * How the person stands to an assembly point, judged by the phone alone. Only the server says whether they are safe.
 * @param {import("./assembly.js").Way} way
 * @param {{accuracy?: number}} fix
 * @param {{regions: {key: string, isInside: boolean}[], at: number}} [guess] what the engine computes; a guess from
 *     long before the fix, as after a reload, says nothing of it
 * @returns {"inside"|"edge"|"near"|"away"|"byBeacon"} `edge`: inside, but not surely; `near`: outside, but not surely;
 *     `byBeacon`: the position says nothing, because a beacon decides
 */
export function standingOf(way, fix, guess) {
    const doubtMetres = sureMetres(fix);
    if (!way.isInside) { return way.metres > doubtMetres ? "away" : "near"; }
    if (way.point.isByBeacon) { return "byBeacon"; }
    // The engine lists the regions near the phone; the phone is outside all others.
    const isOldGuess = guess && fix.sampleTime - guess.at > guessMs;
    const isBelieved = !guess || isOldGuess
        || guess.regions.some(({ key, isInside }) => key === way.point.key && isInside);
    const isSure = way.depthMetres > doubtMetres && isBelieved;
    return isSure ? "inside" : "edge";
}

/** The direction to go: to the boundary, or further into the region, towards its middle. */
export function bearingOf(way, fix) {
    if (!way.isInside) { return way.bearingDegrees; }
    return wayTo([fix.longitude, fix.latitude], middlePoint(way.point.shape)).bearingDegrees;
}

/** For example `north-east`. */
export function windWords(bearingDegrees) {
    return t(`wind.${winds[Math.round(wrapped(bearingDegrees) / 45) % 8]}`);
}

/** For example `to your right`, relative to a heading. */
export function turnWords(bearingDegrees, headingDegrees) {
    return t(`me.way.turn.${turns[Math.round(wrapped(bearingDegrees - headingDegrees) / 45) % 8]}`);
}

/** The standing in one sentence; empty if the distance says it. */
export function standingWords(standing, way, isStale) {
    const place = legible(way.point.name);
    switch (standing) {
        case "inside": return t(isStale ? "me.way.wasInside" : "me.way.inside", { place });
        case "edge": return t(isStale ? "me.way.wasAtEdge" : "me.way.atEdge", { place });
        case "byBeacon": return t("me.way.byBeacon", { place });
        case "near": return t("me.way.near", { place });
        default: return "";
    }
}

/** For example `Your place is known to 40 m.` */
export function accuracyWords(fix) {
    const metres = sureMetres(fix);
    return metres < Infinity ? t("me.way.accuracy", { length: lengthWords(Math.max(1, metres)) })
        : t("me.way.noAccuracy");
}

/** The age of the place; empty for a present one. */
export function oldWords(fix, nowMs) {
    if (!isOld(fix, nowMs)) { return ""; }
    const sampled = new Date(fix.sampleTime).toISOString();
    return t("me.way.old", { time: clockTime(sampled, nowMs), age: age(sampled, nowMs) });
}

/** What the arrow turns by, and how the person may get a better heading. */
export function headingWords(heading, compass) {
    const by = t(`me.way.by.${heading.by}`);
    if (heading.by === "compass") {
        return heading.accuracyDegrees > roughDegrees
            ? t("me.way.roughCompass", { degrees: Math.round(heading.accuracyDegrees) }) : by;
    }
    return compass?.state === "denied" ? `${by} ${t("me.way.compassDenied")}` : by;
}

/** Whether the tracker reads places: the person wants it, and has not paused. */
export function isReading(tracking) { return tracking?.isOn === true && tracking.state !== "paused"; }

/** Why no way is shown; empty if one is shown. */
export function nothingWords({ own, points, fix, here, tracking }) {
    if (!own) { return t("me.way.notHeard"); }
    if (points.length === 0) { return t("me.way.noPoints"); }
    if (fix) { return ""; }
    if (tracking?.state === "denied" || here?.isDenied) { return t("me.way.denied"); }
    return t(here?.isAsked || isReading(tracking) ? "me.way.looks" : "me.way.noFix");
}
