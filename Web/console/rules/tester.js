/** A pattern, and which events it matches: the newest that the server has, or one that is typed. */
import { faultWords } from "../shared/faults.js";
import { fieldFaults } from "../shared/fieldfaults.js";
import { TextField } from "../shared/fields.js";
import { Fault } from "../shared/forms.js";
import { Time } from "../shared/timeview.js";
import { html, useEffect, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { eventTitle } from "./eventtitle.js";
import { parsed, whereBroken } from "./ruleform.js";
import { patternText } from "./templates.js";

/** The number of newest events that are tried. */
const recent = 100;

/** @param {{pattern: string, change: (text: string) => void, fault?: string}} properties `fault` is the form's own */
export function Tester({ pattern, change, fault }) {
    const { request } = usePage();
    const [event, setEvent] = useState("");
    const [state, setState] = useState({});
    const run = useRef(0);
    useEffect(() => () => { run.current += 1; }, []);
    const test = async (question) => {
        const own = ++run.current;
        const show = (found) => { if (own === run.current) { setState(found); } };
        if (parsed(pattern) === undefined) {
            show({ fields: { pattern: t("rules.broken", { reason: whereBroken(pattern) }) } });
            return;
        }
        if (question.event === undefined && question.recent === undefined) {
            show({ fields: { event: t("rules.broken", { reason: whereBroken(event) }) } });
            return;
        }
        show({ isBusy: true });
        try {
            const body = { pattern: parsed(pattern), ...question };
            show({ found: await (await request("event-patterns/test", { method: "POST", body })).json() });
        } catch (error) {
            const { fields, rest } = fieldFaults(error, ["pattern", "event"]);
            const isNamed = Object.keys(fields).length > 0;
            show({ fields, fault: isNamed ? rest : [faultWords(error), rest].filter(Boolean).join(" ") });
        }
    };
    const { fields = {}, found } = state;
    return html`<${TextField} label=${t("rules.pattern")} hint=${t("rules.patternHint")} rows="10" spellcheck=${false}
            class="code" fault=${fields.pattern ?? fault} value=${pattern}
            onInput=${(text) => { run.current += 1; setState({}); change(text); }} />
        <p class="bar"><button type="button" class="plain" disabled=${state.isBusy} onClick=${() => test({ recent })}>${
        t("rules.testRecent", { count: recent })}</button></p>
        <details><summary>${t("rules.testOne")}</summary>
            <${TextField} label=${t("rules.event")} rows="6" spellcheck=${false} class="code" fault=${fields.event}
                value=${event} onInput=${setEvent} />
            <p class="bar"><button type="button" class="plain" disabled=${state.isBusy}
                onClick=${() => test({ event: parsed(event) })}>${t("rules.testThis")}</button></p>
        </details>
        <div role="status">${state.isBusy && t("list.loading")}${found && html`<${Found} found=${found} />`}</div>
        <${Fault} words=${state.fault} />`;
}

/** What matched. */
function Found({ found: { matches, matched, examined, isComplete } }) {
    if (!matched) { return html`<p class="verdict">${t(matches ? "rules.matches" : "rules.matchesNot")}</p>`; }
    if (examined === 0) { return html`<p class="verdict">${t("rules.noEvents")}</p>`; }
    return html`<p class="verdict">${t("rules.matched", { count: matched.length, of: examined })}</p>
        ${isComplete === false && html`<p class="quiet">${t("rules.incomplete")}</p>`}
        <ul class="rows" aria-label=${t("rules.matchedEvents")}>${matched.map((event, index) => html`<li
            key=${event.id ?? index}><details><summary>${eventTitle(event)} <${Time} at=${event.time} /></summary>
                <pre>${patternText(event)}</pre></details></li>`)}</ul>`;
}
