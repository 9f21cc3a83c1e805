/** Reports that the server could not read, and that their senders will not send again. For admins alone. */
import { TextField } from "../shared/fields.js";
import { useList } from "../shared/forms.js";
import { sizeWords } from "../shared/size.js";
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { LaterText } from "./latertext.js";
import { Paged } from "./paged.js";

export function Part() {
    const [wanted, setWanted] = useState("");
    const [user, setUser] = useState("");
    const list = useList(`refused-reports?limit=100${user ? `&user=${encodeURIComponent(user)}` : ""}`, "items");
    const find = (event) => { event.preventDefault(); setUser(wanted.trim()); };
    return html`<section class="part" aria-labelledby="reports-title">
        <h2 id="reports-title">${t("operations.part.reports")}</h2>
        <p class="quiet">${t("operations.reports.about")}</p>
        <form class="bar find" onSubmit=${find}>
            <${TextField} label=${t("operations.reports.whose")} hint=${t("operations.reports.whoseHint")}
                value=${wanted} onInput=${setWanted} />
            <button type="submit" class="plain">${t("operations.keys.find")}</button></form>
        <${Paged} list=${list} label=${t("operations.part.reports")} empty=${t("operations.reports.none")}
            row=${(each) => html`<${Report} key=${each.number} each=${each} />`} />
    </section>`;
}

function Report({ each: { number, receivedTime, user, device, topic, reason, bytes } }) {
    return html`<li data-number=${number}>
        <p><strong>${legible(device ?? user ?? t("operations.reports.nobody"))}</strong>${" "}
            <${Time} at=${receivedTime} /></p>
        <p>${legible(reason)}</p>
        <p class="quiet">${t("operations.reports.by", { topic: legible(topic), size: sizeWords(bytes) })}</p>
        <${LaterText} summary=${t("operations.reports.body")} path=${`refused-reports/${number}`} />
    </li>`;
}
