/** Incidents and drills: the roll by crew, its time, PAR, who leads, the report, and what ends them. */
import { useList, ListFoot } from "../shared/forms.js";
import { hrefOf } from "../shared/route.js";
import { leads, tally, tallyWords } from "../shared/safety.js";
import { teamsOf } from "../shared/teams.js";
import { legible } from "../shared/text.js";
import { clockTime, stopwatch } from "../shared/time.js";
import { html, useMemo, useNow, useRef, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { OrderButtons } from "./alarms.js";
import { closedWords, whatWords } from "./alarmwords.js";
import { Incident } from "./incidentview.js";
import { musterTime } from "./mustertime.js";
import { keptWords } from "./onrecord.js";
import { Sheet } from "./sheet.js";

/** @param {{rest: string[]}} properties the incident's number, and "print" for the sheet to print; or "all" */
export function Screen({ rest: [which, what] }) {
    const { incidents, user } = useSlice(({ live, user }) => ({ incidents: live.incidents, user }));
    const led = [...incidents.values()].filter(({ team }) => leads(user, team));
    // What was shown here stays once it is closed.
    const shown = useRef();
    if (led.length === 1) { shown.current = led[0].number; }
    const only = which === undefined && led.length <= 1 ? shown.current : undefined;
    if (/^[1-9]\d{0,9}$/.test(which ?? "")) {
        const number = Number(which);
        return what === "print" ? html`<${Sheet} key=${number} number=${number} />`
            : html`<${Incident} key=${number} number=${number} />`;
    }
    return only ? html`<${Incident} key=${only} number=${only} />` : html`<${All} />`;
}

/** The incidents: open ones first, then those that a team had, the newest first. */
function All() {
    const { live, user } = useSlice(({ live, user }) => ({ live, user }));
    const teams = useMemo(() => teamsOf(live.members), [live.members]);
    const [chosen, setChosen] = useState();
    const team = chosen ?? user?.team ?? teams[0];
    const open = [...live.incidents.values()].sort((left, right) => right.number - left.number);
    const list = useList(team && `teams/${encodeURIComponent(team)}/incidents?limit=20`, "items");
    const closed = list.items?.filter((incident) => !incident.open && !live.incidents.has(incident.number));
    return html`<div class="incidents">
        <h2>${t("incident.open")}</h2>
        ${open.length === 0 && html`<p class="quiet">${t("incident.none")}</p>`}
        <ul class="cards">${open.map((incident) => html`<li key=${incident.number} data-kind=${incident.kind}>
            <a href=${hrefOf("incident", incident.number)}>${whatWords(incident)}</a>
            <span>${t("incident.summary", {
        time: clockTime(incident.startedAt), tally: tallyWords(tally(live, incident)) })}</span>
        </li>`)}</ul>
        <${OrderButtons} id="incident-orders" />
        <h2>${t("incident.past")}</h2>
        ${teams.length > 1 && html`<p class="field"><label for="incident-team">${t("orders.team")}</label>
            <select id="incident-team" value=${team} onChange=${({ currentTarget }) => setChosen(currentTarget.value)}>
                ${teams.map((name) => html`<option key=${name} value=${name}>${legible(name)}</option>`)}
            </select></p>`}
        <ul class="cards">${(closed ?? []).map((incident) => html`<${Past} key=${incident.number}
            incident=${incident} />`)}</ul>
        <${ListFoot} list=${closed?.length === 0 && !list.hasMore && list.items.length > 0
        ? { ...list, items: [] } : list} empty=${t("incident.nonePast")} />
    </div>`;
}

function Past({ incident }) {
    const kept = keptWords(incident, useNow());
    const time = musterTime(incident, Date.parse(incident.closedAt));
    return html`<li data-kind=${incident.kind}>
        <a href=${hrefOf("incident", incident.number)}>${closedWords(incident)}</a>
        <span>${t(time.isWhole ? "incident.wasWhole" : "incident.wasNotWhole",
        { time: stopwatch(time.seconds) })}</span>
        ${kept && html`<span class="kept">${kept.shortWords}</span>`}
    </li>`;
}
