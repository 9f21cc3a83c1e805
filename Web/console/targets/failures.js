/** The last attempts to deliver that failed. */
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html } from "../shared/view.js";
import { t } from "../shared/words.js";
import { madeByWords, reasonWords } from "./targetwords.js";

/** The last attempts that failed, the newest first, of one target or of all. */
export function Failures({ failures, isOfOne = false }) {
    return html`<h3>${t("targets.failures")}</h3>
        ${failures.length === 0 && html`<p class="quiet">${t("targets.noFailures")}</p>`}
        <ul class="rows" aria-label=${t("targets.failures")}>${failures.map((each) => html`<li
            key=${`${each.event} ${each.at} ${each.rule}`}>
            <p>${!isOfOne && html`<strong>${legible(each.target)}</strong> `}<${Time} at=${each.at} /> ${
        t("targets.attempts", { count: each.attempts })}</p>
            <p>${reasonWords(each.reason)}</p>
            <p class="quiet">${madeByWords(each, each.target)}</p>
        </li>`)}</ul>`;
}
