/** The age of a declaration that somebody is safe or off site, and how long the declaration still counts. Pure. */
import { called } from "../shared/names.js";
import { isAccounted } from "../shared/safety.js";
import { age, duration } from "../shared/time.js";
import { t } from "../shared/words.js";

/** The part of a declaration's time that is left when the page begins to warn that it will end. */
const endingShare = 1 / 6;

/**
 * The age of a declaration that somebody is safe or off site. Unlike a device's report, a declaration tells only of the
 * time at which it was made.
 * @param {number} [holdsSeconds] the time for which a declaration counts
 * @returns {{words: string, isEnding: boolean}} nothing if no declaration stands
 */
export function wordAge(member, nowMs, holdsSeconds) {
    const { state, source, since, markedBy, nameThen = called } = member;
    const isSaid = source === "ownDeclaration" || source === "marked";
    const sinceMs = Date.parse(since ?? "");
    if (!isSaid || !isAccounted(member) || Number.isNaN(sinceMs)) { return { words: "", isEnding: false }; }
    const kind = state === "offSite" ? "OffSite" : "Safe";
    const words = source === "marked" && markedBy
        ? t(`incident.marked${kind}`, { name: nameThen(markedBy), age: age(since, nowMs) })
        : t(`incident.said${kind}`, { age: age(since, nowMs) });
    const leftSeconds = holdsSeconds === undefined ? Infinity : holdsSeconds - (nowMs - sinceMs) / 1000;
    if (leftSeconds <= 0) { return { words: t("incident.wordOver", { words }), isEnding: true }; }
    if (leftSeconds > holdsSeconds * endingShare || leftSeconds === Infinity) { return { words, isEnding: false }; }
    return { words: t("incident.wordEnds", { words, duration: duration(leftSeconds) }), isEnding: true };
}
