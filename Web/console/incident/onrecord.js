/** What the record of an incident has of somebody on its roll, and of each time that it was closed. Pure. */
import { called } from "../shared/names.js";
import { isAccounted } from "../shared/safety.js";
import { writtenNote } from "../shared/rowwords.js";
import { legible } from "../shared/text.js";
import { clockTime, duration, stopwatch, wholeTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";
import { calledIn } from "./calledin.js";

/** For how long after its closing the server opens an incident again. */
const reopenMs = 24 * 3600_000;

/** Whether a closed incident may be opened again; later a new one has to be started. */
export function isReopenable({ open, closedAt }, nowMs) {
    return !open && nowMs - Date.parse(closedAt) <= reopenMs;
}

/**
 * So long before the positions of a closed incident are deleted it is told as a warning: in the last quarter of the
 * time for which the server keeps them, and never more than 30 days before.
 */
const longestWarnMs = 30 * 24 * 3600_000;
const warnShare = 0.25;

/**
 * Until when the positions and changes of a closed incident are kept; afterwards its record and report alone are.
 * @param {object} incident as `GET /incidents/{n}` has it
 * @returns {{words: string, shortWords: string, isWarning: boolean}|undefined} undefined where the server does not say
 */
export function keptWords({ open, startedAt, positionsKeptUntil }, nowMs) {
    const untilMs = Date.parse(positionsKeptUntil ?? "");
    if (open || Number.isNaN(untilMs)) { return undefined; }
    const time = wholeTime(untilMs);
    if (untilMs <= nowMs) {
        const shortWords = t("incident.keptNoMoreShort");
        return { words: t("incident.keptNoMore", { time }), shortWords, isWarning: false };
    }
    // The server counts from the call.
    const warnMs = Math.min(longestWarnMs, warnShare * (untilMs - Date.parse(startedAt)));
    const isWarning = untilMs - nowMs <= warnMs;
    const left = duration((untilMs - nowMs) / 1000);
    const words = t(isWarning ? "incident.keptWarning" : "incident.kept", { time, left });
    return { words, shortWords: t("incident.keptShort", { time }), isWarning };
}

/**
 * Since when somebody is as they are, on the roll of an incident; a time before its call is said so. Empty for no
 * time.
 */
export function sinceWords({ since }, { startedAt }, nowMs) {
    if (!since) { return ""; }
    const time = clockTime(since, nowMs);
    return Date.parse(since) < Date.parse(startedAt) ? t("incident.sinceBefore", { time }) : time;
}

/** How long after the call somebody was accounted for first; empty while they never were. */
export function afterWords({ firstAccountedTime }, incident) {
    return lastedWords(firstAccountedTime, incident, "incident.after");
}

/** How long after the call the last of a crew's people was accounted for; empty while one is not. */
export function allAfterWords(people, incident) {
    const isAll = people.length > 0 && people.every((member) => isAccounted(member) && member.firstAccountedTime);
    const times = people.map(({ firstAccountedTime }) => Date.parse(firstAccountedTime));
    return isAll ? lastedWords(new Date(Math.max(...times)).toISOString(), incident, "incident.allAfter") : "";
}

function lastedWords(time, { startedAt, reopenedAt }, key) {
    const seconds = (Date.parse(time) - Date.parse(reopenedAt ?? startedAt)) / 1000;
    return seconds >= 0 ? t(key, { time: stopwatch(seconds) }) : "";
}

/** Who marked somebody, when, and as what, whatever their phone says; empty where nobody did. */
export function markWords({ mark, nameThen = called }, nowMs) {
    if (!mark) { return ""; }
    const key = { safe: "safe", offSite: "offSite", needsHelp: "needsHelp", sos: "needsHelp" }[mark.state];
    // What only a newer server knows is not told as "safe".
    if (!key) { return ""; }
    const words = t(`incident.mark.${key}`, { name: nameThen(mark.by), time: clockTime(mark.at, nowMs) });
    return mark.note ? t("text.noted", { words, note: legible(mark.note) }) : words;
}

/** What was said about somebody, as with an SOS: each text with who said it, and when. @returns {string[]} */
export function saidWords({ said, mark, nameThen = called }, nowMs) {
    return (said ?? []).filter(({ at, note }) => note && !(note === mark?.note && at === mark?.at)).map((one) => t(
        "text.noted", { words: listed([clockTime(one.at, nowMs), nameThen(one.by ?? "")]), note: legible(one.note) }));
}

/** All that is noted of somebody, for paper. */
export function remarkWords(member, nowMs) {
    const note = member.takenOff?.reason ?? member.note;
    const isOfMark = note !== undefined && note === member.mark?.note;
    const { isByLink, text } = writtenNote({ note, roll: member.roll });
    return listed([
        isByLink && t("roll.byLink"), !isOfMark && legible(text), markWords(member, nowMs),
        ...saidWords(member, nowMs),
    ]);
}

/**
 * Each all clear before the last one and each reopening, with day and time, by whom, the counts then and the reason.
 * @returns {string[]}
 */
export function earlierWords(incident) {
    const { open, closings = [] } = incident;
    const name = calledIn(incident);
    const noted = (words, note) => (note ? t("text.noted", { words, note: legible(note) }) : words);
    return closings.slice(0, open ? undefined : -1).flatMap((closing) => {
        const { closedAt, closedBy, reason, counts, reopenedAt, reopenedBy, reopenReason } = closing;
        const closed = listed([
            t("incident.calledBy", { time: wholeTime(Date.parse(closedAt)), name: closedBy ? name(closedBy) : "–" }),
            counts && t("groups.crew", { accounted: counts.accounted, people: counts.people }),
        ]);
        return [noted(closed, reason), reopenedAt && t("incident.reopened", {
            time: wholeTime(Date.parse(reopenedAt)), name: name(reopenedBy ?? ""),
            reason: legible(reopenReason ?? "") })].filter(Boolean);
    });
}

/** For the roll on the screen: what is on record of somebody beside their state and the note shown with it. */
export function recordWords(member, incident, nowMs) {
    const said = (member.said ?? []).filter(({ note }) => note !== (member.note ?? member.call?.note));
    return listed([
        afterWords(member, incident), member.source !== "marked" && markWords(member, nowMs),
        ...saidWords({ ...member, said }, nowMs),
    ]);
}
