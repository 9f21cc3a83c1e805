/** PAR, the personnel accountability report: each crew says how many of its people are with it. Pure. */
import { called } from "../shared/names.js";
import { legible } from "../shared/text.js";
import { clockTime, duration } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

/**
 * @typedef {object} CrewReport
 * @property {string} [crew] absent for the people who are in none, and for the visitors
 * @property {boolean} [visitors] whether it counts the visitors, who are in no crew
 * @property {number} people how many there were when it was asked
 * @property {number} [present] absent while it was not reported
 * @property {string} [reportedTime]
 * @property {string} [reportedBy]
 * @property {string} [note]
 * @property {string} [dueTime] of visitors who all came after the request: when they are overdue
 * @property {boolean} isOverdue
 * @property {boolean} isShort fewer than there should be
 * @property {boolean} [isOver] whether the round has ended, as `reportsAt` finds
 *
 * @typedef {{number: number, requestedTime: string, requestedBy: string|null, dueTime: string, endedTime?: string,
 *   isComplete: boolean, everySeconds: number|null, nextTime: string|null, crews: CrewReport[]}} PAR
 */

/** Whether a crew owes its report. Nobody waits for a crew of which nobody is on the roll any more. */
export function owesReport({ people, present }) {
    return present === undefined && people > 0;
}

/** Whether a crew's report is overdue, by the server's word or by the time; in a round that ended none is. */
export function isLate(report, par, nowMs) {
    return owesReport(report) && par.endedTime === undefined && (report.isOverdue || nowMs > dueMsOf(report, par));
}

/** When a crew's report is overdue: visitors who came after the request have a time of their own. */
function dueMsOf(report, { dueTime }) {
    return Date.parse(report.dueTime ?? dueTime);
}

/** The reports of a PAR as they are at this moment: those are overdue whose time is over. @returns {CrewReport[]} */
export function reportsAt(par, nowMs) {
    const isOver = par?.endedTime !== undefined;
    return (par?.crews ?? []).map((report) => ({ ...report, isOver, isOverdue: isLate(report, par, nowMs) }));
}

/** What a PAR adds up to. @param {PAR} par */
export function parSum(par, nowMs) {
    const sum = { crews: 0, reported: 0, overdue: 0, short: 0, people: 0, present: 0 };
    for (const report of par.crews) {
        if (report.people === 0 && report.present === undefined) { continue; }
        sum.crews += 1;
        sum.people += report.people;
        sum.present += report.present ?? 0;
        if (report.present !== undefined) { sum.reported += 1; }
        if (report.isShort) { sum.short += 1; }
        if (isLate(report, par, nowMs)) { sum.overdue += 1; }
    }
    return sum;
}

/** Who asked for a PAR, and when. @param {(user: string) => string} [name] what a user is called */
export function askedWords({ number, requestedTime, requestedBy, note }, nowMs, name = called) {
    const asked = { number, time: clockTime(requestedTime, nowMs) };
    const words = requestedBy ? t("incident.parAskedBy", { ...asked, name: name(requestedBy) })
        : t("incident.parAsked", asked);
    return note ? t("text.noted", { words, note: legible(note) }) : words;
}

/** How far a PAR is: how many reported, who is short, and until when the others have while the incident is open. */
export function courseWords(par, nowMs, isOpen = true) {
    const sum = parSum(par, nowMs);
    const waited = par.crews.filter((report) => owesReport(report) && !isLate(report, par, nowMs));
    const dueMs = Math.min(...waited.map((report) => dueMsOf(report, par)));
    const isOver = !isOpen || waited.length === 0 || dueMs <= nowMs;
    const until = isOver ? "" : t("incident.parDue", {
        time: clockTime(new Date(dueMs).toISOString(), nowMs), duration: duration((dueMs - nowMs) / 1000) });
    return listed([
        t("incident.parReported", { count: sum.reported, crews: sum.crews }),
        t("incident.parPresent", { count: sum.present, people: sum.people }),
        sum.short > 0 && t("incident.parShort", { count: sum.short }), until,
    ]);
}

/** The names of the overdue crews, at most `limit` of them; empty if no crew is overdue. */
export function overdueWords(par, nowMs, limit = 8) {
    const late = par.crews.filter((report) => isLate(report, par, nowMs));
    if (late.length === 0) { return ""; }
    const names = late.slice(0, limit).map(crewWords);
    const more = late.length - names.length;
    const sinceMs = Math.min(...late.map((report) => dueMsOf(report, par)));
    return t("incident.parOverdue", {
        count: late.length, time: clockTime(new Date(sinceMs).toISOString(), nowMs),
        crews: listed([...names, more > 0 && t("sos.more", { count: more })]),
    });
}

/** `PAR of 4`, and what came of it. @param {(user: string) => string} [name] what a user is called */
export function reportWords(report, nowMs, name = called) {
    const { people, present, reportedTime, reportedBy, note, isShort, isOverdue, isOver } = report;
    const of = t("incident.parOf", { count: people });
    if (present === undefined && people === 0) { return t("incident.parCrewGone"); }
    if (present === undefined) {
        const key = isOver ? "incident.parCrewNone" : isOverdue ? "incident.parCrewOverdue" : "incident.parCrewWaits";
        return listed([of, t(key)]);
    }
    const said = { time: clockTime(reportedTime, nowMs), name: name(reportedBy) };
    const how = isShort ? "Short" : present > people ? "More" : "Whole";
    const words = listed([of, t(`incident.parCrew${how}`, { count: present, ...said })]);
    return note ? t("text.noted", { words, note: legible(note) }) : words;
}

/** A crew's name in words; the visitors, and the people in no crew, have words, too. */
export function crewWords({ crew, visitors }) {
    if (visitors) { return t("incident.visitors"); }
    return crew === undefined ? t("incident.noCrew") : legible(crew);
}

/** What names a crew, the visitors, or the people in no crew among the others. */
export function crewKey({ crew, visitors }) {
    if (visitors) { return "visitors"; }
    return crew === undefined ? "none" : `crew ${crew}`;
}

/**
 * A PAR with a report that the feed told of, so that it shows before the incident is read again, which has its note.
 * @param {PAR|undefined} par
 * @param {{happened: string, parNumber?: number, crew?: string, visitors?: boolean, people?: number, present?: number,
 *   by?: string}} change its `note` is the incident's
 * @param {number} nowMs when the feed told of it
 */
export function withReport(par, { happened, parNumber, crew, visitors, people, present, by }, nowMs) {
    if (!par || happened !== "parReported" || present === undefined || parNumber !== par.number) { return par; }
    const key = crewKey({ crew, visitors });
    const isKnown = par.crews.some((report) => crewKey(report) === key);
    // Visitors may have come since the page read the round.
    const asked = isKnown || !visitors ? par.crews : [...par.crews, { visitors, people }];
    const crews = asked.map((report) => {
        // The answer to one's own report may be here already, and has more.
        if (crewKey(report) !== key || report.present === present) { return report; }
        const reportedTime = new Date(nowMs).toISOString();
        const isShort = present < report.people;
        return { ...report, present, reportedBy: by, reportedTime, note: undefined, isOverdue: false, isShort };
    });
    return { ...par, crews, isComplete: !crews.some(owesReport) };
}
