/** PAR: asked now or by a timer, how far it is, what is overdue, and the rounds before. */
import { faultWords } from "../shared/faults.js";
import { Fault } from "../shared/forms.js";
import { newID } from "../shared/id.js";
import { clockTime } from "../shared/time.js";
import { html, useNow, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { calledIn, calledInReport } from "./calledin.js";
import { askedWords, courseWords, crewKey, crewWords, overdueWords, reportWords } from "./par.js";
import { askEvery, requestPAR, setTimer } from "./parasking.js";
import { usePress } from "./usepress.js";

/** The intervals that are one press away, in seconds. */
const intervals = [900, 1800];

export function PARPanel({ incident, isLed, take }) {
    const now = useNow();
    const { press, isBusy, fault } = usePress(take);
    const { par } = incident;
    if (!par && !isLed) { return undefined; }
    const overdue = par && incident.open ? overdueWords(par, now) : "";
    return html`<section class="par" aria-labelledby="par-title">
        <h3 id="par-title">${t("incident.par")}</h3>
        <p class="par-overdue" role="alert" hidden=${overdue === ""}>${overdue}</p>
        ${par ? html`<p>${askedWords(par, now, calledIn(incident))}</p><p class="par-course" role="status">${
        courseWords(par, now, incident.open)}</p>`
        : html`<p class="quiet">${t("incident.parNone")}</p>`}
        ${isLed && html`<p class="deeds">
            <button type="button" class=${par && !par.isComplete ? "plain" : "primary"} aria-disabled=${isBusy}
                onClick=${() => press(requestPAR(incident, newID()))}>${t("incident.parNow")}</button>
            <${Timer} incident=${incident} press=${press} take=${take} />
        </p>`}
        <${Fault} words=${fault} />
        ${par && html`<${Rounds} key=${`${incident.number} ${par.number}`} incident=${incident} />`}
    </section>`;
}

/** Every how many minutes it is asked by itself. */
function Timer({ incident, press, take }) {
    const page = usePage();
    const now = useNow();
    const { everySeconds, nextTime } = incident.parTimer ?? incident.par ?? {};
    const chosen = everySeconds ?? null;
    const choices = [null, ...intervals];
    const isOwn = !choices.includes(chosen);
    return html`<span class="par-timer" role="group" aria-label=${t("incident.every")}>
        ${choices.map((seconds) => html`<button type="button" class="plain" key=${seconds ?? 0}
            aria-pressed=${String(seconds === chosen)} onClick=${() => press(setTimer(incident, seconds))}>${
        everyWords(seconds)}</button>`)}
        <button type="button" class="plain" aria-pressed=${String(isOwn)}
            onClick=${() => page.ask(askEvery(incident, take))}>${
        isOwn ? t("incident.otherIs", { words: everyWords(chosen) }) : t("incident.other")}</button>
        ${nextTime && html`<span class="quiet">${t("incident.parNext", { time: clockTime(nextTime, now) })}</span>`}
    </span>`;
}

function everyWords(seconds) {
    return seconds === null ? t("incident.byHand") : t("incident.everyMinutes", { count: Math.round(seconds / 60) });
}

/** The rounds of PAR so far, read from the report when somebody wants them. */
function Rounds({ incident }) {
    const { request } = usePage();
    const now = useNow();
    const [state, setState] = useState({ fault: "" });
    const load = async () => {
        setState({ fault: "", isBusy: true });
        try {
            const report = await (await request(`incidents/${incident.number}/report?format=json`)).json();
            setState({ fault: "", rounds: roundsOf(report), name: calledInReport(report) });
        } catch (error) {
            setState({ fault: faultWords(error) });
        }
    };
    return html`<details class="par-rounds" onToggle=${({ currentTarget }) => { if (currentTarget.open) { load(); } }}>
        <summary>${t("incident.rounds")}</summary>
        <${Fault} words=${state.fault} />
        ${state.isBusy && html`<p class="quiet" role="status">${t("list.loading")}</p>`}
        ${state.rounds?.map((par) => html`<div key=${par.number}>
            <h4>${askedWords(par, now, state.name)}</h4>
            <ul>${par.crews.map((report) => html`<li key=${crewKey(report)}>${
        t("incident.crewLine", { crew: crewWords(report), words: reportWords(report, now, state.name) })}</li>`)}</ul>
        </div>`)}
    </details>`;
}

/** The rounds of a report, the newest first. */
function roundsOf(report) {
    return (report.parRounds ?? []).toSorted((left, right) => right.number - left.number);
}
