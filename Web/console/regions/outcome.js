/** What the server says of an edit: its faults, each with a way to it, and whom the edit would concern. */
import { nameOfUser } from "../shared/names.js";
import { nameOf } from "../shared/roll.js";
import { legible } from "../shared/text.js";
import { html, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { isGrave, outlookSentences } from "./outlook.js";
import { inputOf } from "./settingsform.js";

/** The most faults that are drawn; the others are counted. */
const mostShown = 50;

/** @param {{check: object, isChecking: boolean, isEmpty: boolean, onFault: (fault: object) => void}} properties */
export function Outcome({ check, isChecking, isEmpty, onFault }) {
    const { faults = [], outlook, result, words } = check ?? {};
    return html`<section class="outcome" aria-labelledby="outcome-title">
        <h3 id="outcome-title">${t("regions.outcome.title")}</h3>
        <div role="status">
            ${isEmpty && html`<p>${t("regions.outcome.empty")}</p>`}
            ${!isEmpty && isChecking && html`<p class="quiet">${t("regions.outcome.checking")}</p>`}
            ${!isEmpty && !isChecking && result === "sound" && html`<p>${t("regions.outcome.sound")}</p>`}
            ${!isEmpty && !isChecking && result === "unknown" && html`<p class="fault">${
        t("regions.outcome.unknown", { reason: words })}</p>`}
            ${!isEmpty && faults.length > 0 && html`<p class="fault">${
        t("regions.outcome.faults", { count: faults.length })}</p>`}
            ${!isEmpty && !isChecking && outlook && html`<${Outlook} outlook=${outlook} />`}
        </div>
        ${!isEmpty && html`<ol class="faults">${faults.slice(0, mostShown).map((fault, index) => html`<li key=${index}>
            ${fault.at || fault.place || inputOf(fault)
        ? html`<button type="button" class="plain" onClick=${() => onFault(fault)}>${
            t("regions.faults.go", { detail: fault.detail })}</button>`
        : html`<span class="fault">${fault.detail}</span>`}</li>`)}</ol>`}
        ${faults.length > mostShown && html`<p>${t("regions.faults.more", { count: faults.length - mostShown })}</p>`}
    </section>`;
}

/** The people whom an edit would concern. */
export function Outlook({ outlook }) {
    const called = useNames();
    return html`<ul class="outlook">${outlookSentences(outlook, called).map((words, index) =>
        html`<li key=${index}>${words}</li>`)}</ul>`;
}

/** The same in short, beside the button that saves: only to see, because `Outcome` is read aloud. */
export function Summary({ check, isChecking }) {
    const called = useNames();
    const { faults = [], outlook } = check ?? {};
    const words = isChecking ? "" : faults.length > 0 ? t("regions.outcome.faults", { count: faults.length })
        : outlook && isGrave(outlook) ? outlookSentences(outlook, called)[0] : "";
    return html`<p class=${faults.length > 0 ? "summary fault" : "summary"} aria-hidden="true" hidden=${!words}>${
        words}</p>`;
}

/** What a person is called. */
function useNames() {
    const members = useSlice(({ live }) => live.members);
    return (user) => legible(members.has(user) ? nameOf(members.get(user)) : nameOfUser(user));
}
