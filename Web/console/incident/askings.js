/** What is asked before an order about an incident, or about a person on its roll. Pure. */
import { called } from "../shared/names.js";
import { nameOf } from "../shared/roll.js";
import { calls, isAccounted, leavingLines, tally, tallyWords } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";
import { callWords } from "./alarmwords.js";
import { lastSeenOnRoll } from "./lastseen.js";
import { orderOf } from "./orders.js";

/** @typedef {import("../frame/ask.js").Ask} Ask */

/** As many people are named in a question. */
const mostNames = 12;

const reasonField = () => ({ name: "reason", label: t("ask.reason"), missing: t("ask.needsReason") });
/** The field for a note, which may be left empty. */
export const noteField = (label) => ({ name: "note", label });
/** The names of people on a roll, not all of many. */
export function namesWords(members) {
    const names = members.slice(0, mostNames).map((member) => legible(nameOf(member)));
    const more = members.length - names.length;
    return listed([...names, more > 0 && t("ask.more", { count: more })]);
}

/** A member of a body, where it was filled in. */
export const given = (name, value) => (value === "" || value === undefined ? {} : { [name]: value });

/** @returns {Ask} before an evacuation (`real`) or a drill of a team */
export function askStart(team, kind) {
    return ({ live }) => {
        const name = legible(team);
        const open = [...live.incidents.values()].find((incident) => incident.team === team);
        // A real one takes the place of a drill, and of nothing else.
        if (open && (kind === "drill" || open.kind === "real")) { return undefined; }
        const { people } = tally(live, { team });
        const isDrill = kind === "drill";
        return {
            draft: `${kind} ${team}`, tone: kind,
            title: t(isDrill ? "ask.drillTitle" : "ask.realTitle", { team: name }),
            lines: [
                t(isDrill ? "ask.isDrill" : "ask.isReal"), t("ask.startDoes", { count: people }),
                ...(open ? [t("ask.endsDrill")] : []),
            ],
            fields: [noteField(t("ask.startNote"))],
            button: t(isDrill ? "ask.drill" : "ask.evacuate", { count: people }),
            order: ({ note }, id) => ({
                path: `teams/${encodeURIComponent(team)}/incidents`, body: { kind, id, ...given("note", note) },
                words: t(isDrill ? "order.drill" : "order.real", { team: name }),
            }),
        };
    };
}

/** @returns {Ask} before the all clear, with the counts of now */
export function askClose({ number, team }) {
    return ({ live, isLive, now }) => {
        const incident = live.incidents.get(number);
        // While the page is not live it may be over without the page knowing.
        if (!incident) { return undefined; }
        const counts = tally(live, { team });
        const isWhole = counts.people > 0 && counts.accounted === counts.people;
        const calling = calls(live).filter((member) => member.team === team)
            .map((member) => callWords(member, live, now));
        const missing = [...live.members.values()].filter((member) => member.team === team && !member.takenOff
            && !isAccounted(member));
        const left = leavingLines(live, undefined, team).map(({ words }) => t("text.sentence", { words }));
        return {
            draft: `close ${number}`, tone: incident.kind, title: t("ask.closeTitle", { team: legible(team) }),
            lines: [
                t("text.sentence", { words: tallyWords(counts) }),
                ...(missing.length > 0 ? [t("ask.missing", { names: namesWords(missing) })] : []),
                ...calling.map((words) => t("text.sentence", { words })), ...left, t("ask.closeDoes"),
            ],
            warning: isLive ? (isWhole ? undefined : t("ask.closeMissing")) : t("ask.notLive"), isBlocked: !isLive,
            fields: [reasonField()], button: t("ask.close"),
            order: ({ reason }, id) => ({
                path: `incidents/${number}/close`, body: { reason, id },
                words: t("order.close", { team: legible(team) }),
            }),
        };
    };
}

/** @returns {Ask} before a closed incident is opened again */
export function askReopen({ number, team }) {
    return ({ live }) => (live.incidents.has(number) ? undefined : {
        draft: `reopen ${number}`, title: t("ask.reopenTitle", { team: legible(team) }),
        lines: [t("ask.reopenDoes")], fields: [reasonField()], button: t("ask.reopen"),
        order: ({ reason }, id) => ({
            path: `incidents/${number}/reopen`, body: { reason, id },
            words: t("order.reopen", { team: legible(team) }),
        }),
    });
}

/**
 * @param {string} user the person who is marked, as the state names them
 * @returns {Ask} before somebody is said to be so, or is taken off the roll
 */
export function askOf(user, kind) {
    return ({ live, now }) => {
        const member = live.members.get(user);
        if (!member) { return undefined; }
        const name = legible(nameOf(member));
        const isTaken = kind === "takeOff";
        const endsSOS = kind === "clear" && member.state === "sos";
        return {
            draft: `${kind} ${user}`, title: isTaken ? t("ask.takeOffTitle", { name }) : t("row.sayOf", { name }),
            lines: [isTaken ? t("ask.takeOffDoes", { name })
                : endsSOS ? t("ask.clearSOS", { name }) : t(`ask.${kind}`, { name }),
            // What the phone says may contradict the word: whoever gives it knows.
            ...(accounting.has(kind) && member.positions?.size > 0 && !isAccounted(member)
                ? [t("ask.phoneSays", { words: lastSeenOnRoll(member, live.regions, now) })] : [])],
            fields: isTaken ? [reasonField()] : [],
            button: isTaken ? t("ask.takeOff") : t(`say.${kind}`),
            order: ({ reason }, id) => orderOf(member, kind, { id, nowMs: now, reason }),
        };
    };
}

/** The words that account for somebody. */
const accounting = new Set(["safe", "offSite"]);

/** Whether something is said of somebody without a question: a call is heard, or help is asked for, at once. */
export function needsQuestion(kind) {
    return kind !== "acknowledge" && kind !== "needsHelp";
}

/** @returns {Ask} before somebody checks in for another */
export function askHeardFrom(user) {
    return ({ now }) => {
        const name = called(user);
        return {
            draft: `heard ${user}`, title: t("ask.heardFromTitle", { name }), lines: [t("ask.heardFromDoes", { name })],
            fields: [], button: t("answer.heardFrom"),
            // It has no id: a check-in of the same time as the one before changes nothing.
            order: () => ({
                path: `users/${encodeURIComponent(user)}/check-ins`,
                body: { sampleTime: new Date(now).toISOString() }, words: t("order.checkedIn", { name }),
            }),
        };
    };
}

const visitorStates = ["unaccounted", "safe", "needsHelp", "offSite"];

/** @returns {Ask} who the visitor is that goes on the roll */
export function askVisitor({ number, team }) {
    return ({ live }) => (live.incidents.has(number) ? {
        draft: `visitor ${number}`, title: t("visitor.title", { team: legible(team) }), lines: [],
        fields: [
            { name: "name", label: t("visitor.name"), missing: t("visitor.needsName"), limit: 200 },
            {
                name: "state", label: t("visitor.state"), type: "select", first: "unaccounted",
                options: visitorStates.map((value) => ({ value, words: t(`visitor.${value}`) })),
            },
            noteField(t("visitor.note")),
        ],
        button: t("visitor.add"),
        order: ({ name, state, note }, id) => ({
            path: `incidents/${number}/roll`, body: { name, state, id, ...given("note", note) },
            words: t("order.visitor", { name: legible(name) }),
        }),
    } : undefined);
}

