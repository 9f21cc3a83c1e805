/** What is asked before a PAR, a report that is short, and a handover. Pure. */
import { called } from "../shared/names.js";
import { legible } from "../shared/text.js";
import { t } from "../shared/words.js";
import { given, namesWords, noteField } from "./askings.js";
import { crewKey, crewWords } from "./par.js";

/** @typedef {import("../frame/ask.js").Ask} Ask */

const note = () => noteField(t("incident.note"));
const minutes = { min: 1, max: 1440 };

/** Asks for a PAR now. @returns {import("../shared/pending.js").Order} */
export function requestPAR({ number, team }, id) {
    return { path: `incidents/${number}/par`, body: { id }, words: t("incident.orderPAR", { team: legible(team) }) };
}

/** Says that a crew is complete. @returns {import("../shared/pending.js").Order} */
export function reportPAR({ number, par }, report, { present, note: words, id }) {
    const { crew, visitors } = report;
    const about = visitors ? { visitors } : crew === undefined ? {} : { crew };
    return {
        path: `incidents/${number}/par/reports`,
        body: { ...about, present, number: par.number, id, ...given("note", words) },
        words: t("incident.orderReport", { crew: crewWords(report), count: present }),
    };
}

/** @returns {import("../shared/pending.js").Order} */
export function setTimer({ number }, everySeconds) {
    return {
        path: `incidents/${number}/par`, method: "PUT", body: { everySeconds },
        words: everySeconds === null ? t("incident.orderByHand")
            : t("incident.orderEvery", { count: Math.round(everySeconds / 60) }),
    };
}

/**
 * @param {object[]} missing those of the crew who are not accounted for
 * @returns {Ask} whether a crew is complete although the roll misses some of it
 */
export function askComplete(incident, report, missing, done) {
    const { people } = report;
    return ({ live }) => (live.incidents.has(incident.number) ? {
        draft: `complete ${incident.number} ${incident.par.number} ${crewKey(report)}`,
        title: t("incident.completeTitle", { crew: crewWords(report), count: people }),
        lines: [t("incident.completeMissing", { names: namesWords(missing) })],
        fields: [note()], button: t("incident.completeAll", { count: people }),
        order: (values, id) => reportPAR(incident, report, { ...values, present: people, id }),
        done,
    } : undefined);
}

/** @returns {Ask} how many of a crew are there, where it is not all */
export function askFewer(incident, report, done) {
    return ({ live }) => (live.incidents.has(incident.number) ? {
        draft: `par ${incident.number} ${incident.par.number} ${crewKey(report)}`,
        title: t("incident.fewerTitle", { crew: crewWords(report), count: report.people }),
        lines: [t("incident.fewerDoes")],
        fields: [{
            name: "present", label: t("incident.present"), type: "number", missing: t("incident.needsPresent"),
            range: { min: 0, max: report.people }, limit: 6,
        }, { ...note(), hint: t("incident.fewerHint") }],
        button: t("incident.report"),
        order: (values, id) => reportPAR(incident, report, { ...values, present: Number(values.present), id }),
        done,
    } : undefined);
}

/** @returns {Ask} every how many minutes a PAR is asked by itself */
export function askEvery(incident, done) {
    return ({ live }) => (live.incidents.has(incident.number) ? {
        draft: `every ${incident.number}`, title: t("incident.everyTitle"), lines: [],
        fields: [{
            name: "minutes", label: t("incident.minutes"), type: "number", missing: t("incident.needsMinutes"),
            range: minutes, limit: 4,
        }],
        button: t("incident.set"),
        order: ({ minutes: count }) => setTimer(incident, Number(count) * 60),
        done,
    } : undefined);
}

/**
 * @param {{value: string, words: string}[]} leaders the leaders that the page knows; the user can type another name
 * @returns {Ask} who leads from now on
 */
export function askHandover({ number, team }, leaders, done) {
    return ({ live }) => (live.incidents.has(number) ? {
        draft: `handover ${number}`, title: t("incident.handoverTitle", { team: legible(team) }),
        lines: [t("incident.handoverDoes")],
        fields: [{
            name: "to", label: t("incident.to"), hint: t("incident.toHint"), missing: t("incident.needsTo"),
            options: leaders, limit: 64,
        }, note()],
        button: t("incident.handover"),
        order: ({ to, note: words }, id) => ({
            path: `incidents/${number}/handover`, body: { to, id, ...given("note", words) },
            words: t("incident.orderHandover", { team: legible(team), name: called(to) }),
        }),
        done,
    } : undefined);
}
