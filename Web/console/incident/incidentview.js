/** One incident: its time, its numbers, who leads it, PAR, the roll by crew, and the report. */
import { Fault } from "../shared/forms.js";
import { go, hrefOf } from "../shared/route.js";
import { isAccounted, isChecking, leads } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { clockTime, stopwatch } from "../shared/time.js";
import { html, useEffect, useMemo, useNow, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { currentLocale, listed, t } from "../shared/words.js";
import { closedWords, whatWords } from "./alarmwords.js";
import { calledIn } from "./calledin.js";
import { peopleOf } from "./crewroll.js";
import { musterTime } from "./mustertime.js";
import { earlierWords, isReopenable } from "./onrecord.js";
import { askHandover } from "./parasking.js";
import { PARPanel } from "./parpanel.js";
import { Report } from "./report.js";
import { Roll } from "./rollview.js";
import { useIncident } from "./useincident.js";

export function Incident({ number }) {
    const { live, user, isLive } = useSlice(({ live, user, connection }) => (
        { live, user, isLive: connection.state === "live" }));
    const found = useIncident(number);
    const { incident } = found;
    const holdsSeconds = useHolds(incident?.open ? incident.team : undefined);
    const people = useMemo(() => (incident ? peopleOf(live, incident, incident.roll) : []),
        [live.members, incident?.open, incident?.roll]);
    useReplacement(incident, live.incidents);
    const back = html`<p class="back"><a href=${hrefOf("incident", "all")}>${t("incident.all")}</a></p>`;
    if (!incident) {
        return html`${back}<${Fault} words=${found.fault} />
            ${found.fault
        ? html`<button type="button" class="plain" onClick=${found.reload}>${t("list.again")}</button>`
        : html`<p class="quiet" role="status">${t("list.loading")}</p>`}`;
    }
    const isLed = leads(user, incident.team);
    return html`<article class="incident" data-kind=${incident.kind} data-open=${incident.open ? "" : undefined}>
        ${back}
        <${Head} incident=${incident} people=${people} isLive=${isLive} />
        <${Deeds} incident=${incident} isLed=${isLed} isLive=${isLive} user=${user} take=${found.take} />
        <${Fault} words=${found.fault} />
        <${PARPanel} incident=${incident} isLed=${isLed && incident.open} take=${found.take} />
        <${Roll} incident=${incident} people=${people} isLed=${isLed && incident.open} take=${found.take}
            holdsSeconds=${holdsSeconds} />
        <${Report} incident=${incident} />
    </article>`;
}

/** Goes over to the real incident that takes the place of the drill that somebody looks at. */
function useReplacement(incident, incidents) {
    const wasOpen = useRef(false);
    wasOpen.current ||= incident?.open === true;
    const isReplaced = wasOpen.current && incident?.closedHow === "takenOver";
    const replacing = isReplaced && [...incidents.values()].find(({ team }) => team === incident.team)?.number;
    useEffect(() => { if (replacing) { go("incident", String(replacing)); } }, [replacing]);
}

/** For how long a word that somebody is safe counts in a team. */
function useHolds(team) {
    const { request } = usePage();
    const [seconds, setSeconds] = useState();
    useEffect(() => {
        let isGone = false;
        if (team === undefined) { return undefined; }
        request(`teams/${encodeURIComponent(team)}`).then((response) => response.json())
            // Without it the words are the same, but for when they end.
            .then((found) => { if (!isGone) { setSeconds(found.declaredHoldsSeconds); } }, () => {});
        return () => { isGone = true; };
    }, [team]);
    return seconds;
}

function Head({ incident, people, isLive }) {
    const wasLiveMs = useSlice(({ connection }) => connection.wasLiveMs);
    const counts = useMemo(() => countsOf(people), [people]);
    return html`<div class="incident-head">
        <h2>${whatWords(incident)}</h2>
        ${incident.kind === "drill" && html`<p class="drill-mark">${t("incident.isDrill")}</p>`}
        <${Clock} incident=${incident} isKnown=${!incident.open || isLive} />
        <dl class="incident-counts">
            ${["accounted", "checking", "unaccounted", "people"].map((name) => html`<div key=${name} data-name=${name}>
                <dt>${t(`incident.count.${name}`)}</dt><dd>${
        counts[name].toLocaleString(currentLocale())}</dd></div>`)}
        </dl>
        ${incident.open && !isLive && wasLiveMs !== undefined && html`<p class="fault">${t("incident.asOf", {
        time: clockTime(new Date(wasLiveMs).toISOString()) })}</p>`}
        <${Course} incident=${incident} />
    </div>`;
}

function countsOf(people) {
    const counts = { accounted: 0, checking: 0, unaccounted: 0, people: 0 };
    for (const member of people) {
        if (member.takenOff) { continue; }
        counts.people += 1;
        counts[isAccounted(member) ? "accounted" : isChecking(member) ? "checking" : "unaccounted"] += 1;
    }
    return counts;
}

/**
 * The muster time: from the call to the last person. By the server's clock, whatever this device's says. While the page
 * is not live nobody says that all are accounted for.
 */
function Clock({ incident, isKnown }) {
    const now = useNow(1000);
    const { seconds, isRunning, isWhole } = musterTime(incident, now);
    const state = isRunning ? "running" : isWhole ? "whole" : "never";
    const words = { running: "incident.runs", whole: "incident.whole", never: "incident.never" }[state];
    return html`<div class="muster-time" data-state=${isKnown ? state : "unknown"}>
        <p id="muster-time" role="timer" aria-label=${t("incident.musterTime")}>${stopwatch(seconds)}</p>
        ${isKnown && html`<p>${t(words, { time: clockTime(incident.allAccountedAt) })}</p>`}
    </div>`;
}

/** Who called and leads it, why, and how it ended. */
function Course({ incident }) {
    const { startedAt, startedBy, note, leader, reopenedAt, reopenedBy, reopenReason } = incident;
    const name = calledIn(incident);
    const lines = [
        t("incident.called", { time: clockTime(startedAt), name: name(startedBy) }),
        note && t("text.quoted", { text: legible(note) }),
        leader && t("incident.ledBy", { name: name(leader) }),
        incident.open && leader === null && t("incident.ledByNobody"),
        reopenedAt && !incident.closings && t("incident.reopened", {
            time: clockTime(reopenedAt), name: name(reopenedBy), reason: legible(reopenReason ?? "") }),
        ...earlierWords(incident),
        !incident.open && t("text.sentence", { words: closedWords(incident) }),
    ].filter(Boolean);
    return html`<ul class="incident-course">${lines.map((words) => html`<li key=${words}>${words}</li>`)}</ul>`;
}

/** What a leader does about it. */
function Deeds({ incident, isLed, isLive, user, take }) {
    const page = usePage();
    const { number, team, kind, open } = incident;
    const isTeamFree = useSlice(({ live }) => ![...live.incidents.values()].some((one) => one.team === team));
    if (!isLed) { return undefined; }
    const handOver = async () => page.ask(askHandover(incident, await leadersOf(page, team, user), take));
    return html`<p class="deeds" role="group" aria-label=${t("incident.deeds")}>
        ${open && html`
            ${isLive && html`<button type="button" class="primary" onClick=${() => page.close(incident)}>${
        t("answer.allClear")}</button>`}
            <button type="button" class="plain" onClick=${() => page.openVisitor({ number, team })}>${
        t("answer.addVisitor")}</button>
            ${incident.leader !== undefined && html`<button type="button" class="plain" onClick=${handOver}>${
        t("incident.handOver")}</button>`}
            <button type="button" class="plain" onClick=${
        () => page.share({ kind: "incident", incident: number, team })}>${t("sharing.one")}</button>
            <button type="button" class="plain" onClick=${() => page.share({ kind: "visitors", team })}>${
        t("incident.kiosk")}</button>
            ${kind === "drill" && html`<button type="button" class="plain danger" onClick=${
        () => page.start(team, "real")}>${t("incident.forReal")}</button>`}`}
        ${isTeamFree && isReopenable(incident, page.serverNow()) && html`<button type="button" class="plain"
            onClick=${() => page.reopen(incident)}>${t("answer.reopen")}</button>`}
    </p>`;
}

/** The leaders of a team and the admins, as far as this user may see them; none where they cannot be asked for. */
async function leadersOf({ request }, team, user) {
    try {
        const { items } = await (await request("users?limit=1000", { signal: AbortSignal.timeout(3000) })).json();
        return items.filter(({ name, role, team: its }) => name !== user?.name
            && (role === "admin" || (role === "leader" && its === team)))
            .map(({ name, displayName, role }) => ({
                value: name, words: listed([displayName && legible(displayName), t(`incident.role.${role}`)]) }));
    } catch {
        return [];
    }
}
