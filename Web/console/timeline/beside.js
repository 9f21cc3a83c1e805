/** What stands beside the map of a replay: how many were how, what happened lately, and the person who was chosen. */
import { StateMark } from "../shared/mark.js";
import { stateWords } from "../shared/rowwords.js";
import { placeWords } from "../roster/where.js";
import { markOrder, usualMarks } from "../shared/marks.js";
import { called } from "../shared/names.js";
import { counts, shownState } from "../shared/safety.js";
import { emptyState, latestPosition } from "../shared/state.js";
import { age, clockTime } from "../shared/time.js";
import { Time } from "../shared/timeview.js";
import { html, useMemo, useSlice } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { isNobodyYet, openAt } from "./moment.js";

/**
 * How many were in each state.
 * @param {{live: object, visitors: object[], onRoll: Set<string>, isSure: boolean}} properties `visitors`: those on the
 *     roll at the moment; the others as of `knownPeople`
 */
export function Counts({ live, visitors, onRoll, isSure }) {
    const known = useMemo(() => knownPeople(live ?? emptyState, onRoll, isSure), [live, onRoll, isSure]);
    const found = useMemo(() => counts({ ...known.live, members: new Map([
        ...known.live.members, ...visitors.map((visitor) => [visitor.user, visitor])]) }), [known, visitors]);
    return html`<ul id="replay-counts" class="replay-counts" aria-label=${t("timeline.counts")}>${markOrder
        .filter((state) => found[state] > 0 || usualMarks.has(state))
        .map((state) => html`<li key=${state} data-state=${state}><${StateMark} state=${state} />
            <strong>${found[state]}</strong> ${t(`state.${state}`)}</li>`)}</ul>
        <p id="replay-counted" class="quiet">${listed([
        visitors.length > 0 && t("timeline.withVisitors", { count: visitors.length }),
        known.left > 0 && t("timeline.nobodyYet", { count: known.left }),
    ])}</p>`;
}

/**
 * A moment without those who were not in the team yet, and how many those are. Pure.
 * @param {object} live
 * @param {Set<string>} onRoll who was on the roll of the incident that is replayed: they count, also where nobody ever
 *     heard of them
 * @param {boolean} isSure whether all is known of the moment; otherwise nobody is left out
 */
export function knownPeople(live, onRoll = new Set(), isSure = true) {
    const isCounted = ([user, member]) => !isSure || onRoll.has(user) || !isNobodyYet(member);
    const members = new Map([...live.members].filter(isCounted));
    return { live: { ...live, members }, left: live.members.size - members.size };
}

/** Where the chosen person was, and how long before this moment that was known. */
export function Picked({ live, user, ms }) {
    const member = user !== undefined && live?.members.get(user);
    if (!member) { return undefined; }
    const position = latestPosition(member);
    const state = shownState(live, member);
    return html`<div id="replay-picked" class="replay-picked" data-state=${state}>
        <h3><${StateMark} state=${state} /> ${called(user)}</h3>
        <p class="state">${stateWords({ ...member, source: undefined }, state).join("")}</p>
        <p>${position ? t("timeline.lastFix", {
            place: placeWords(position), time: clockTime(position.sampleTime), age: age(position.sampleTime, ms) })
            : t("timeline.noFix")}</p>
    </div>`;
}

/** What happened up to the moment, the latest first. */
export function Beside({ shown, team, incidents, range, goTo }) {
    const alwaysShown = useSlice(({ live }) => live.alwaysShown);
    const lines = useMemo(() => linesOf(shown, { team, incidents, alwaysShown, range }),
        [shown?.happened.length, shown?.happened[0], shown?.ms >= 0 && Math.floor(shown.ms / 1000), incidents]);
    return html`<div class="replay-happened"><h3 id="replay-happened-title">${t("timeline.happened")}</h3>
        ${lines.length === 0 && html`<p class="quiet">${t("timeline.nothingYet")}</p>`}
        <ol id="replay-happened" aria-labelledby="replay-happened-title">${lines.map((line) => html`
            <${Happened} key=${line.key} line=${line} goTo=${goTo} />`)}</ol>
        <p id="replay-earlier" class="quiet">${earlierWords(shown, range)}</p></div>`;
}

/** What the list does not have; empty where it has all since the replay's beginning. Pure. */
export function earlierWords(shown, range) {
    if (!shown) { return ""; }
    if (shown.isCut) { return t("timeline.onlyNewest", { count: shown.happened.length }); }
    return shown.happenedFromMs > range.fromMs
        ? t("timeline.onlySince", { time: clockTime(new Date(shown.happenedFromMs).toISOString()) }) : "";
}

function Happened({ line: { ms, user, mark, words }, goTo }) {
    const at = new Date(ms).toISOString();
    return html`<li data-kind=${mark}><button type="button" onClick=${() => goTo(ms, user)}>
        ${mark && html`<${StateMark} state=${mark} />`}<span class="what">${words}</span>
        <${Time} at=${at} /></button></li>`;
}

/** The changes of people's states, and the beginnings and ends of incidents, in one order. Pure. */
function linesOf(shown, { team, incidents, alwaysShown, range }) {
    if (!shown) { return []; }
    const own = incidents.filter((incident) => incident.team === team);
    const people = shown.happened.map(({ ms, user, state, doubt, source }) => {
        const mark = shownState({ incidents: openAt(own, ms), alwaysShown }, { state, doubt, source, team });
        const words = t("timeline.became", { name: called(user), state: t(`state.${mark}`) });
        return { key: `${ms} ${user} ${mark}`, ms, user, mark, words };
    });
    const turns = own.flatMap(({ number, kind, startedAt, closedAt }) => {
        const what = t(kind === "drill" ? "event.drill" : "event.evacuation");
        return [
            { key: `start ${number}`, ms: Date.parse(startedAt), words: t("event.incident.started", { what }) },
            { key: `end ${number}`, ms: Date.parse(closedAt ?? NaN), words: t("event.ended.byHand", { what }) },
        ];
    }).filter(({ ms }) => ms >= range.fromMs && ms <= shown.ms);
    return [...people, ...turns].sort((left, right) => right.ms - left.ms);
}
