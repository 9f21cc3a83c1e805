/** The sheet of an incident to print and to sign: who was accounted for, how, and what was not known. */
import { placesOf } from "../roster/order.js";
import { stateWords } from "../shared/rowwords.js";
import { Fault } from "../shared/forms.js";
import { nameOf } from "../shared/roll.js";
import { hrefOf } from "../shared/route.js";
import { isAccounted } from "../shared/safety.js";
import { emptyState } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { clockTime, stopwatch, wholeTime, zoneWords } from "../shared/time.js";
import { html, useMemo, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { closedWords, whatWords } from "./alarmwords.js";
import { calledIn } from "./calledin.js";
import { byNeed, crewsOfRoll, peopleOfRoll, stateThen } from "./crewroll.js";
import { seenOnPaper, withDevices } from "./lastseen.js";
import { musterTime } from "./mustertime.js";
import { afterWords, allAfterWords, earlierWords, remarkWords, sinceWords } from "./onrecord.js";
import { askedWords, courseWords, crewWords, reportsAt, reportWords } from "./par.js";
import { useIncident } from "./useincident.js";

export function Sheet({ number }) {
    const { incident: newest, fault } = useIncident(number);
    const { serverNow, store } = usePage();
    const isLoaded = useSlice(({ live }) => live !== emptyState);
    // As it was when it was opened: what changes meanwhile is not on the paper.
    const [madeMs] = useState(serverNow);
    const kept = useRef();
    if (newest && isLoaded) { kept.current ??= { incident: newest, live: store.value.live }; }
    const { incident, live } = kept.current ?? {};
    const sheet = useMemo(() => incident && sheetOf(incident, madeMs), [incident]);
    const back = html`<p class="back no-print"><a href=${hrefOf("incident", number)}>${t("incident.back")}</a>
        <button type="button" class="primary" disabled=${!sheet} onClick=${() => print()}>${
    t("incident.print")}</button></p>`;
    if (!sheet) {
        return html`${back}<${Fault} words=${fault} /><p class="quiet" role="status">${t("list.loading")}</p>`;
    }
    return html`${back}<article class="sheet" data-kind=${incident.kind}>
        ${incident.kind === "drill" && html`<p class="sheet-drill">${t("incident.isDrill")}</p>`}
        <h2>${whatWords(incident)} · ${t("incident.number", { number: String(number) })}</h2>
        <${Facts} incident=${incident} sheet=${sheet} madeMs=${madeMs} />
        <${Missing} incident=${incident} people=${sheet.missing} live=${live} madeMs=${madeMs} />
        ${sheet.crews.map((crew) => html`<${Crew} key=${crew.key} crew=${crew} incident=${incident}
            madeMs=${madeMs} />`)}
        <${Signatures} />
    </article>`;
}

/** What is on the sheet: all of it as the server told it, at one moment. */
function sheetOf(incident, madeMs) {
    const people = peopleOfRoll(incident, incident.roll);
    const places = placesOf(new Map(people.map((member) => [member.user, member])));
    const crews = crewsOfRoll(people, reportsAt(incident.par, madeMs), stateThen, places);
    const on = byNeed(people.filter(({ takenOff }) => !takenOff), stateThen, places);
    return { crews, people: on.length, missing: on.filter((member) => !isAccounted(member)) };
}

function Facts({ incident, sheet, madeMs }) {
    const { startedAt, startedBy, leader, note, allAccountedTimes = [], par } = incident;
    const name = calledIn(incident);
    const whole = allAccountedTimes.map(({ from, until }) => (until
        ? t("incident.wholeUntil", { from: clockTime(from, madeMs), until: clockTime(until, madeMs) })
        : clockTime(from, madeMs)));
    const earlier = earlierWords(incident);
    const facts = [
        ["incident.fact.called", t("incident.calledBy", { time: when(startedAt), name: name(startedBy) })],
        ["incident.fact.leader", leader && name(leader)],
        ["incident.fact.note", note && legible(note)],
        ["incident.fact.whole", whole.length > 0 ? listed(whole) : t("incident.atNoTime")],
        ["incident.musterTime", musterWords(musterTime(incident, madeMs))],
        ["incident.fact.people", t("groups.crew", {
            accounted: sheet.people - sheet.missing.length, people: sheet.people })],
        ["incident.fact.earlier", earlier.length > 0
            && earlier.map((words) => html`<span key=${words}>${words}<br /></span>`)],
        ["incident.fact.closed", incident.open ? t("incident.stillOpen") : closedWords(incident)],
        ["incident.par", par && listed([askedWords(par, madeMs, name), courseWords(par, madeMs, incident.open)])],
        ["incident.fact.made", when(new Date(madeMs).toISOString())],
        ["incident.fact.zone", zonesWords(Date.parse(startedAt), madeMs)],
    ];
    return html`<dl class="sheet-facts">${facts.filter(([, words]) => words).map(([key, words]) => html`
        <div key=${key}><dt>${t(key)}</dt><dd>${words}</dd></div>`)}</dl>`;
}

/**
 * The time zone of the times on a sheet; both where its distance from UTC changed since the call, as each time is by
 * the zone of its day. Pure.
 */
export function zonesWords(calledMs, madeMs) {
    const [first, last] = [zoneWords(calledMs), zoneWords(madeMs)];
    return first === last ? first : t("incident.zones", { first, last });
}

function musterWords({ seconds, isRunning, isWhole }) {
    if (isRunning) { return listed([stopwatch(seconds), t("incident.stillOpen")]); }
    return isWhole ? stopwatch(seconds) : t("incident.never");
}

/** A day and a time, for paper that is read another day. */
function when(text) {
    return wholeTime(Date.parse(text));
}

/** The people who are not accounted for: a fire officer asks for them first. */
function Missing({ incident, people, live, madeMs }) {
    return html`<section class="sheet-missing">
        <h3>${t("incident.missing", { count: people.length })}</h3>
        ${people.length === 0 ? html`<p>${t("incident.missingNobody")}</p>` : html`<table>
            <thead><tr><th>${t("incident.column.name")}</th><th>${t("incident.column.crew")}</th>
                <th>${t("incident.column.state")}</th><th>${t("incident.column.seen")}</th>
                <th>${t("incident.column.remark")}</th></tr></thead>
            <tbody>${people.map((member) => html`<tr key=${member.user}>
                <td>${legible(nameOf(member))}</td><td>${crewOrNone(member)}</td>
                <td>${stateOf(member)}</td>
                <td>${seenOnPaper(withDevices(member, incident, live), live.regions, madeMs)}</td>
                <td>${remarkWords(member, madeMs)}</td>
            </tr>`)}</tbody>
        </table>`}
    </section>`;
}

function Crew({ crew: { crew, visitors, isOff, people, report, waiting, checking }, incident, madeMs }) {
    const name = isOff ? t("incident.takenOff") : crewWords({ crew, visitors });
    const counts = isOff ? String(people.length)
        : t("groups.crew", { accounted: people.length - waiting - checking, people: people.length });
    return html`<section class="sheet-crew">
        <h3>${name} <span>${listed([counts, !isOff && allAfterWords(people, incident),
        report && reportWords(report, madeMs, calledIn(incident))])}</span></h3>
        <table>
            <thead><tr><th>${t("incident.column.mark")}</th><th>${t("incident.column.name")}</th>
                <th>${t("incident.column.state")}</th><th>${t("incident.column.since")}</th>
                <th>${t("incident.column.remark")}</th></tr></thead>
            <tbody>${people.map((member) => html`<tr key=${member.user}>
                <td class="box">☐</td><td>${legible(nameOf(member))}</td>
                <td>${stateOf(member)}</td><td>${listed([
        sinceWords(member, incident, madeMs), afterWords(member, incident)])}</td>
                <td>${remarkWords(member, madeMs)}</td>
            </tr>`)}</tbody>
        </table>
    </section>`;
}

function crewOrNone({ crew }) {
    return crew === undefined ? "" : legible(crew);
}

function stateOf(member) {
    return stateWords(member, stateThen(member)).join("");
}

/** Empty lines, for those who answer for it. */
function Signatures() {
    return html`<section class="sheet-sign">
        <h3>${t("incident.signed")}</h3>
        ${["leader", "officer", "witness"].map((who) => html`<p key=${who}><span>${t(`incident.sign.${who}`)}</span>
            <span class="line">${t("incident.sign.name")}</span>
            <span class="line">${t("incident.sign.signature")}</span>
            <span class="line short">${t("incident.sign.time")}</span></p>`)}
    </section>`;
}
