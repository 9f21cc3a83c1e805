/** What to replay: an hour or a day, or an incident. */
import { whatWords } from "../incident/alarmwords.js";
import { go, hrefOf } from "../shared/route.js";
import { teamsOf } from "../shared/teams.js";
import { legible } from "../shared/text.js";
import { clockTime, duration, localText } from "../shared/time.js";
import { html, useMemo, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { restOf, spans } from "./range.js";
import { useDirectory } from "./usedirectory.js";

/** The most incidents that are offered. */
const incidentLimit = 50;

export function ReplayChoice({ incidents }) {
    return html`<div class="replay-choice"><h2>${t("timeline.replay")}</h2>
        <p class="quiet">${t("timeline.replayWhat")}</p>
        <${TimeChoice} />
        <h3>${t("timeline.replayIncident")}</h3>
        ${incidents?.length === 0 && html`<p class="quiet">${t("timeline.noIncident")}</p>`}
        <ul class="replay-incidents">${(incidents ?? []).slice(0, incidentLimit).map((incident) => html`
            <li key=${incident.number}><a href=${hrefOf("timeline", "incident", incident.number)}>${
            incidentWords(incident)}</a></li>`)}</ul>
    </div>`;
}

/** `DRILL – evacuation of North, 21 Nov 12:03, 14 min`. */
export function incidentWords({ startedAt, closedAt, ...incident }) {
    const words = { what: whatWords(incident), time: clockTime(startedAt) };
    if (!closedAt) { return t("timeline.openSince", words); }
    const seconds = (Date.parse(closedAt) - Date.parse(startedAt)) / 1000;
    return t("timeline.lasted", { ...words, duration: duration(seconds) });
}

/** The teams that this user may replay. */
export function useTeams() {
    const members = useDirectory();
    return useMemo(() => teamsOf(members), [members]);
}

/** A form that goes to a time. @param {{ms?: number, span?: string, team?: string}} properties what is chosen first */
export function TimeChoice({ ms, span = "hour", team }) {
    const { serverNow } = usePage();
    const teams = useTeams();
    const [value, setValue] = useState({ time: localText(ms ?? serverNow() - 3_600_000), span, team });
    const chosen = value.team ?? teams[0];
    const set = (part) => ({ currentTarget }) => setValue({ ...value, [part]: currentTarget.value });
    const submit = (event) => {
        event.preventDefault();
        const time = new Date(value.time).getTime();
        if (!Number.isNaN(time) && chosen) {
            go("timeline", ...restOf({ kind: "at", ms: time, span: value.span, team: chosen }));
        }
    };
    return html`<form class="time-choice" onSubmit=${submit}>
        <div class="field"><label for="replay-time">${t("timeline.time")}</label>
            <input id="replay-time" type="datetime-local" step="1" required value=${value.time}
                max=${localText(serverNow())} onChange=${set("time")} /></div>
        <div class="field"><label for="replay-span">${t("timeline.span")}</label>
            <select id="replay-span" value=${value.span} onChange=${set("span")}>${spans.map((name) => html`
                <option key=${name} value=${name}>${t(`timeline.span.${name}`)}</option>`)}</select></div>
        ${teams.length > 1 && html`<div class="field"><label for="replay-team">${t("timeline.team")}</label>
            <select id="replay-team" value=${chosen} onChange=${set("team")}>${teams.map((name) => html`
                <option key=${name} value=${name}>${legible(name)}</option>`)}</select></div>`}
        <button type="submit" class="primary" disabled=${!chosen}>${t("timeline.goTo")}</button>
    </form>`;
}
