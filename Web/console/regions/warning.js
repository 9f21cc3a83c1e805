/** What an official warning says: on its row, and at its region (docs/warnings.md). */
import { clockTime } from "../shared/time.js";
import { legible } from "../shared/text.js";
import { html, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";

const severities = new Set(["minor", "moderate", "severe", "extreme"]);

/**
 * The warning that a region's properties have; undefined where it is none. A service wrote the texts. Pure.
 * @returns {{headline: string, severity: string, sender: string, area: string, onset?: string, expires: string,
 *     description: string, instruction: string}|undefined}
 */
export function warningOf(properties) {
    const found = properties?.warning;
    if (typeof found !== "object" || found === null || !isTime(found.expires)) { return undefined; }
    const text = (value) => typeof value === "string" ? value : "";
    return {
        headline: text(found.headline), sender: text(found.sender), area: text(found.area), expires: found.expires,
        severity: severities.has(found.severity) ? found.severity : "unknown",
        onset: isTime(found.onset) ? found.onset : undefined,
        description: text(found.description), instruction: text(found.instruction),
    };
}

function isTime(text) { return typeof text === "string" && Number.isFinite(Date.parse(text)); }

/** How bad, and until when. @param {{warning: object}} properties */
export function WarningTag({ warning }) {
    // On another day the time is shown with its day.
    useSlice(({ day }) => day);
    return html`<span class="tag">${t(`regions.severity.${warning.severity}`)}</span>${" "}
        <span class="quiet">${t("regions.warning.until", { time: clockTime(warning.expires) })}</span>`;
}

/** All that a warning says. @param {{warning: object}} properties */
export function WarningView({ warning }) {
    const { headline, area, onset, sender, description, instruction } = warning;
    return html`<section class="warning">
        <p><strong>${legible(headline)}</strong></p>
        <p><${WarningTag} warning=${warning} /></p>
        ${onset && html`<p class="quiet">${t("regions.warning.from", { time: clockTime(onset) })}</p>`}
        ${area && html`<p>${legible(area)}</p>`}
        ${lines(description)}${lines(instruction)}
        <p class="quiet">${t("regions.warning.sender", { sender: legible(sender) })}</p>
        <p class="quiet">${t("regions.warning.readOnly")}</p>
    </section>`;
}

function lines(text) {
    const filled = text.split("\n").filter((line) => line.trim());
    return filled.map((line, index) => html`<p key=${index}>${legible(line)}</p>`);
}
