/** The report of an incident: printed to be signed, or taken away as a page, a table or JSON. */
import { offerFile } from "../shared/download.js";
import { faultWords } from "../shared/faults.js";
import { Fault } from "../shared/forms.js";
import { hrefOf } from "../shared/route.js";
import { html, useNow, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { keptWords } from "./onrecord.js";

export function Report({ incident }) {
    const { number, open } = incident;
    const { request } = usePage();
    const kept = keptWords(incident, useNow());
    const [state, setState] = useState({ fault: "" });
    const save = async (format) => {
        setState({ fault: "", busy: format });
        try {
            // The address alone would come without the session's token.
            const file = await (await request(`incidents/${number}/report?format=${format}`)).blob();
            offerFile(file, `incident-${number}.${format}`);
            setState({ fault: "" });
        } catch (error) {
            setState({ fault: faultWords(error) });
        }
    };
    return html`<section class="report" aria-labelledby="report-title">
        <h3 id="report-title">${t("incident.reportTitle")}</h3>
        ${open && html`<p class="quiet">${t("incident.reportOpen")}</p>`}
        ${kept && html`<p id="kept" class=${kept.isWarning ? "fault" : "quiet"}>${kept.words}</p>`}
        <p class="deeds">
            <a class="plain" href=${hrefOf("incident", number, "print")}>${t("incident.print")}</a>
            ${["html", "csv", "json"].map((format) => html`<button type="button" class="plain" key=${format}
                aria-disabled=${state.busy === format ? "true" : undefined}
                onClick=${() => { if (!state.busy) { save(format); } }}>${t(`incident.save.${format}`)}</button>`)}
        </p>
        <${Fault} words=${state.fault} />
    </section>`;
}
