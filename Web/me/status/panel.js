/** The person's state as the server knows it, and beside it the phone's own guess, marked as such. */
import { StateMark } from "../../console/shared/mark.js";
import { html, useEffect, useNow, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { statusOf } from "./statuswords.js";

export function Panel() {
    const known = useSlice(({ own, connection, guess, deliveries }) => (
        { own, isLive: connection.state === "live", guess, deliveries }));
    const now = useNow();
    // Marks the time until the person's own state is shown, for performance measurements.
    useEffect(() => { if (known.own) { performance.mark("muster.own"); } }, [known.own === undefined]);
    const { state, isOld, asOf, word, since, lines, guess } = statusOf(known, now);
    return html`<section id="status" class="card status" aria-label=${t("me.status.label")} data-state=${state}
        data-old=${isOld ? "" : undefined}>
        <p class="status-as-of">${asOf}</p>
        ${word && html`<p class="status-state" role="status"><${StateMark} state=${state} /><strong class="state">${
        word}</strong> <span class="quiet">${since}</span></p>`}
        ${lines.length > 0 && html`<ul class="status-lines">${lines.map((line) => html`<li key=${line}>${line}</li>`)}
        </ul>`}
        ${guess && html`<div class="status-guess"><h2>${t("me.status.guessTitle")}</h2>
            <p id="guess">${guess}</p></div>`}
    </section>`;
}
