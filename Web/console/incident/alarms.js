/**
 * What must not be overlooked: open incidents, and calls for help; and for whoever leads, the buttons to start and
 * close the one and to answer the other. What a button does comes back through the feed like everything else.
 */
import { dueWords, overdueWords } from "../shared/timerwords.js";
import { screensFor } from "../screens.js";
import { isOnRollAlone } from "../shared/roll.js";
import { hrefOf } from "../shared/route.js";
import { calls, leads, leavingLines } from "../shared/safety.js";
import { teamsOf } from "../shared/teams.js";
import { html, useMemo, useNow, usePage, useRef, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { callWords, closedLately, closedWords, incidentWords, isWithMissing, lastSeenWords } from "./alarmwords.js";
import { handoverNews } from "./handover.js";
import { openQuestion, questionWords } from "./questions.js";

/** The largest number of calls for help that get a line of their own; of further calls only the number is shown. */
const callLimit = 20;

export function Alarms() {
    const { live, user, isLive, route, seen } = useSlice(({ live, user, connection, route, seenHandovers }) => (
        { live, user, isLive: connection.state === "live", route, seen: seenHandovers }));
    const page = usePage();
    const now = useNow();
    const lines = useMemo(() => [
        ...callLines(live, user, now, page), ...questionLines(live, user, now, page),
        ...leadLines(live, user, seen, route, page), ...timerLines(live, user, now, page),
        ...incidentLines(live, user, isLive, route, page),
    ], [live, user, isLive, route, seen, now]);
    const leaving = leavingLines(live, user?.name).map(({ key, words }) => ({ key, kind: "left", words, answers: [] }));
    const closed = isLive ? closedLately(live, now) : [];
    return html`
        <section id="alarms" class="alarms" role="alert" aria-label=${t("alarms.label")} hidden=${lines.length === 0}>
            ${lines.map((line) => html`<${Line} key=${line.key} line=${line} />`)}
        </section>
        <section id="leaving" class="alarms leaving" role="status" aria-live="polite" aria-label=${t("leaving.label")}>
            ${leaving.map((line) => html`<${Line} key=${line.key} line=${line} />`)}
        </section>
        <section id="closed" class="alarms closed" role="status" aria-label=${t("closed.label")}
            hidden=${closed.length === 0}>
            ${closed.map((incident) => html`<${Line} key=${incident.number} line=${{
        kind: "closed",
        words: isWithMissing(incident) ? t("closed.missing", { words: closedWords(incident) }) : closedWords(incident),
        href: isWithMissing(incident) ? hrefOf("incident", String(incident.number)) : undefined,
        answers: leads(user, incident.team) ? [["reopen", () => page.reopen(incident)]] : [],
    }} />`)}
        </section>`;
}

function Line({ line: { kind, words, answers, href } }) {
    return html`<p class="alarm" data-kind=${kind}><span class="what">${words}</span>
        ${href && html`<a class="to-roll" href=${href}>${t("alarm.roll")}</a>`}
        ${answers.map(([name, act]) => html`<button type="button" key=${name} onClick=${act}>${
        t(`answer.${name}`)}</button>`)}</p>`;
}

function callLines(live, user, now, page) {
    const all = calls(live);
    const more = all.length - callLimit;
    const lines = all.slice(0, callLimit).map((member) => {
        const isOwn = member.user === user?.name;
        const isLed = leads(user, member.team);
        const answers = isOnRollAlone(member) ? [] : [
            ...(!isOwn && isLed && !member.acknowledgedBy ? ["acknowledge"] : []),
            ...(isOwn || isLed ? ["clear"] : []),
        ];
        return {
            key: `call ${member.user}`, kind: member.state, words: callWords(member, live, now),
            answers: answers.map((kind) => [kind, () => page.declare(member, kind)]),
        };
    });
    const rest = { key: "more calls", kind: "needsHelp", words: t("alarm.more", { count: more }), answers: [] };
    return more > 0 ? [...lines, rest] : lines;
}

/** That a leader asks where the person who looks is. */
function questionLines(live, user, now, { whereabouts }) {
    const question = openQuestion(live, user?.name, now);
    if (!question) { return []; }
    const { canLocate } = whereabouts;
    return [{
        key: "asked", kind: "asked", words: questionWords(question, canLocate, now),
        answers: canLocate ? [["sendWhere", () => whereabouts.answer()]] : [],
    }];
}

/** Who leads now: told to them, and to who led until then. */
function leadLines(live, user, seen, route, page) {
    return handoverNews(live, user?.name, seen).map(({ key, incident, isMine, words }) => ({
        key: `lead ${key}`, kind: "lead", words, href: isMine ? rollOf(incident, user, route) : undefined,
        answers: [[isMine ? "leadTaken" : "leadSeen", () => page.seenHandovers.add(key)]],
    }));
}

/** The check-in that the person who looks owes, and for leaders the overdue ones; an SOS has its line above. */
function timerLines(live, user, now, page) {
    const lines = [];
    for (const member of live.members.values()) {
        const { timer, team, user: name } = member;
        if (!timer) { continue; }
        const isOwn = name === user?.name;
        if (isOwn && (timer.happened === "reminded" || timer.happened === "overdue")) {
            lines.push({
                key: `due ${name}`, kind: "overdue", words: dueWords(timer, now),
                answers: [["checkIn", page.checkIn]],
            });
        } else if (timer.happened === "overdue" && leads(user, team)) {
            lines.push({
                key: `overdue ${name}`, kind: "overdue",
                words: overdueWords(name, timer, lastSeenWords(member, live.regions, now), now),
                answers: [["heardFrom", () => page.heardFrom(name)]],
            });
        }
    }
    return lines;
}

function isScreenOf({ number }, { screen, rest }) {
    return screen === "incident" && rest[0] === String(number) && rest.length === 1;
}

/**
 * The link to an incident's roll; nothing for users who may not read the roll, and nothing where it is shown already.
 */
function rollOf({ number }, user, { screen, rest }) {
    const isThere = screen === "incident" && (rest.length === 0 || rest[0] === String(number));
    return isThere || !screensFor(user).some(({ name }) => name === "incident") ? undefined
        : hrefOf("incident", number);
}

function incidentLines(live, user, isLive, route, page) {
    return [...live.incidents.values()].map((incident) => ({
        key: `incident ${incident.number}`, kind: incident.kind, href: rollOf(incident, user, route),
        words: incidentWords(live, incident, user, isLive),
        // Its own screen has the same buttons.
        answers: leads(user, incident.team) && !isScreenOf(incident, route) ? [
            ["addVisitor", () => page.openVisitor(incident)],
            // Nobody ends an incident from what may be old.
            ...(isLive ? [["allClear", () => page.close(incident)]] : []),
        ] : [],
    }));
}

/** The teams that this user leads and that have no open incident: to evacuate, or to drill. */
export function OrderButtons({ id = "orders" }) {
    const { live, user } = useSlice(({ live, user }) => ({ live, user }));
    const page = usePage();
    const select = useRef();
    const teams = useMemo(() => {
        const open = new Set([...live.incidents.values()].map(({ team }) => team));
        return teamsOf(live.members).filter((team) => !open.has(team) && leads(user, team));
    }, [live.members, live.incidents, user]);
    if (teams.length === 0) { return undefined; }
    const start = (kind) => page.start(teams.length > 1 ? select.current.value : teams[0], kind);
    return html`<div id=${id} class="orders" role="group" aria-label=${t("orders.label")}>
        ${teams.length > 1 && html`<select aria-label=${t("orders.team")} ref=${select}>
            ${teams.map((team) => html`<option key=${team} value=${team}>${team}</option>`)}
        </select>`}
        <button type="button" onClick=${() => start("real")}>${t("orders.evacuate")}</button>
        <button type="button" onClick=${() => start("drill")}>${t("orders.drill")}</button>
    </div>`;
}
