/** The codes that people wait for who sign up or forgot their password: an admin hands them over. */
import { faultWords } from "../shared/faults.js";
import { Fault } from "../shared/forms.js";
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

export const purposes = Object.freeze(["sign-up", "password"]);

/** A button reads the codes, and not the page by itself, because the audit log names each user who reads one. */
export function Codes() {
    const { request } = usePage();
    const [state, setState] = useState({});
    const read = async () => {
        setState({ isBusy: true });
        try {
            setState({ codes: (await (await request("codes")).json()).items });
        } catch (error) {
            setState({ fault: faultWords(error) });
        }
    };
    const { codes, fault, isBusy } = state;
    return html`<details><summary>${t("operations.codes.title")}</summary>
        <p class="quiet">${t("operations.codes.about")}</p>
        <p class="bar"><button type="button" class="plain" disabled=${isBusy} onClick=${read}>${
        t("operations.codes.read")}</button></p>
        <${Fault} words=${fault} />
        <div role="status">${codes?.length === 0 && html`<p>${t("operations.codes.none")}</p>`}</div>
        ${codes?.length > 0 && html`<ul class="rows codes" aria-label=${t("operations.codes.title")}>${
        codes.map((each) => html`<${Code} key=${`${each.user} ${each.purpose}`} each=${each} />`)}</ul>`}
    </details>`;
}

function Code({ each: { purpose, user, code, expiresAt, wasSent } }) {
    return html`<li data-user=${user}>
        <p><strong>${legible(user)}</strong> ${purposes.includes(purpose)
            ? t(`operations.codes.for.${purpose}`) : legible(purpose)}</p>
        <p><code>${legible(code)}</code> <span class="quiet">${
        t("operations.codes.until")} <${Time} at=${expiresAt} />${
        wasSent && html`. ${t("operations.codes.sent")}`}</span></p>
    </li>`;
}
