/** Check-in timers in words. Pure. */
import { called } from "./names.js";
import { legible, shortened } from "./text.js";
import { minuteTime } from "./time.js";
import { t } from "./words.js";

/** The largest number of characters of a note in a banner. */
const noteLimit = 80;

/**
 * @typedef {object} Timer
 * @property {"started"|"checkedIn"|"reminded"|"overdue"|"sos"} happened the timer's latest event
 * @property {string} lastWord when the person last checked in, RFC 3339
 * @property {string} dueAt when the next check-in is due
 * @property {string} [note] what the person is doing, and where
 */

/** A timer's state in words; empty without a timer. */
export function timerWords(timer, nowMs) {
    if (!timer) { return ""; }
    switch (timer.happened) {
        case "reminded": return t("timer.due", { time: minuteTime(timer.dueAt, nowMs) });
        case "overdue": return t("timer.overdue", { time: minuteTime(timer.lastWord, nowMs) });
        case "sos": return t("timer.sos", { time: minuteTime(timer.lastWord, nowMs) });
        case "started": case "checkedIn": case undefined:
            return t("timer.next", { time: minuteTime(timer.dueAt, nowMs) });
        // What only a newer server knows is not taken for all being well.
        default: return t("timer.notUnderstood");
    }
}

/** The banner for a person whose check-in is due. */
export function dueWords({ happened, dueAt }, nowMs) {
    const time = minuteTime(dueAt, nowMs);
    return t(happened === "overdue" ? "timer.youAreOverdue" : "timer.youAreDue", { time });
}

/** The banner for a leader about a person who did not check in. */
export function overdueWords(user, { lastWord, note }, where, nowMs) {
    const parameters = { name: called(user), time: minuteTime(lastWord, nowMs), where };
    return note ? t("timer.noWordNote", { ...parameters, note: legible(shortened(note, noteLimit)) })
        : t("timer.noWord", parameters);
}
