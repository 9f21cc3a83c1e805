/** Tracking in a line or two for the first tab: what is wrong, and the way to turn tracking on. */
import { html, useNow, usePage, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { fixWords, placeless, problemWords, stateWords, troubled, waitingWords } from "./trackingwords.js";

export function Panel() {
    const { tracking, fix } = useSlice(({ tracking, fix }) => ({ tracking, fix }));
    const page = usePage();
    const now = useNow();
    const problem = problemWords(tracking);
    const isTroubled = troubled.has(tracking.state);
    return html`<section id="tracking-summary" class="card tracking" aria-label=${t("me.tracking.title")}
        data-state=${tracking.state}>
        <p role="status" class=${isTroubled ? "warning" : undefined}>${stateWords(tracking, now)}</p>
        ${!isTroubled && !placeless.has(tracking.state) && fix && html`<p class="quiet">${fixWords(fix, now)}</p>`}
        ${tracking.waiting > 0 && html`<p class="quiet">${waitingWords(tracking, now)}</p>`}
        ${problem && html`<p class="warning">${problem}</p>`}
        ${tracking.state === "off" && page.tracking && html`<p><button type="button" class="primary tracking-on"
            onClick=${() => page.tracking.turnOn()}>${t("me.tracking.turnOn")}</button></p>`}
    </section>`;
}
