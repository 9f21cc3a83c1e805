/** The texts of the tracking panel. Pure. */
import { lengthWords } from "../../console/shared/length.js";
import { clockTime, minuteTime } from "../../console/shared/time.js";
import { listed, t } from "../../console/shared/words.js";
import { radius95 } from "./filter.js";

const states = new Set(["off", "asking", "on", "denied", "coarse", "frozen", "elsewhere", "paused",
    "unsupported"]);
/** The states in which no place is to be shown: there is none, or it is from before the pause. */
export const placeless = new Set(["off", "paused"]);
/** The states in which nothing is reported although the person has turned tracking on. */
export const troubled = new Set(["denied", "coarse", "frozen", "unsupported"]);

/** The words of a problem, by its kind. */
const problems = {
    away: "me.tracking.away", busy: "me.tracking.busy", serverFull: "me.tracking.serverFull",
    signedOut: "me.tracking.signedOut", forbidden: "me.tracking.forbidden", noDevice: "me.tracking.noDevice",
    noPosition: "me.tracking.noPosition", diskFull: "me.tracking.storageFull",
    diskUnavailable: "me.tracking.storageUnavailable", diskFailed: "me.tracking.storageFailed",
};

const wordsOfState = {
    off: "me.tracking.off", asking: "me.tracking.asking", on: "me.tracking.on", denied: "me.tracking.denied",
    coarse: "me.tracking.coarse", frozen: "me.tracking.frozen", elsewhere: "me.tracking.elsewhere",
    paused: "me.tracking.paused", unsupported: "me.tracking.unsupported",
};

/** @param {object} tracking the store's part `tracking` */
export function stateWords({ state, pausedUntil }, nowMs) {
    return t(wordsOfState[states.has(state) ? state : "off"], {
        time: state === "paused" ? minuteTime(pausedUntil, nowMs) : "" });
}

/** The phone's place and the time of it; empty if the place is not known. */
export function fixWords(fix, nowMs) {
    if (!fix) { return ""; }
    const time = clockTime(new Date(fix.sampleTime).toISOString(), nowMs);
    if (fix.isStale) { return t("me.tracking.oldFix", { time }); }
    if (fix.accuracy === undefined) { return t("me.tracking.fixOnly", { time }); }
    return t("me.tracking.fix", { time, length: lengthWords(Math.max(1, fix.accuracy * radius95)) });
}

/** How many positions wait, and when the server last accepted some. */
export function waitingWords({ waiting = 0, sentAt }, nowMs) {
    const sent = sentAt === undefined ? "" : t("me.tracking.sentAt", {
        time: clockTime(new Date(sentAt).toISOString(), nowMs) });
    return listed([waiting > 0 ? t("me.tracking.waiting", { count: waiting }) : t("me.tracking.nothingWaits"), sent]);
}

/** What is wrong now; empty if nothing is. */
export function problemWords({ problem, isJumping, state }) {
    if (problem) { return t(problems[problem.kind] ?? problems.busy, { reason: problem.detail ?? "" }); }
    return isJumping && state === "on" ? t("me.tracking.jumping") : "";
}

/** Whether the person can do something about a problem on this panel. */
export function mayRetry({ problem }) {
    return ["forbidden", "noDevice"].includes(problem?.kind);
}

/** The positions that did not reach the server, and never will by themselves. @returns {string[]} */
export function lossWords({ thinned, refused = 0, erased = 0, lost = 0 }, nowMs) {
    const time = (ms) => clockTime(new Date(ms).toISOString(), nowMs);
    return [
        thinned && t("me.tracking.thinned", {
            count: thinned.count, first: time(thinned.fromMs), last: time(thinned.untilMs) }),
        refused > 0 && t("me.tracking.refused", { count: refused }),
        erased > 0 && t("me.tracking.erased", { count: erased }),
        lost > 0 && t("me.tracking.lost", { count: lost }),
    ].filter(Boolean);
}

/** Whether the browser keeps what the app stores. */
export function storageWords(storage) {
    if (!storage) { return ""; }
    const megabytes = (bytes) => (bytes === undefined ? "–" : Math.ceil(bytes / 1e6));
    const sizes = { used: megabytes(storage.usedBytes), quota: megabytes(storage.quotaBytes) };
    if (storage.problem === "nearlyFull") { return t("me.tracking.nearlyFull", sizes); }
    if (storage.isPersistent === undefined) { return t("me.tracking.keptUnknown"); }
    return t(storage.isPersistent ? "me.tracking.kept" : "me.tracking.erasable", sizes);
}
