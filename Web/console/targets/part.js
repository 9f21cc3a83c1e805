/** The targets: where rules send events, what waits for them, what did not arrive. For admins alone. */
import { Paged } from "../operations/paged.js";
import { useList } from "../shared/forms.js";
import { ReadingFoot, useReading } from "../shared/reading.js";
import { hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Failures } from "./failures.js";
import { NewTarget } from "./newtarget.js";
import { OneTarget } from "./target.js";
import { deliveryWords, kindWords } from "./targetwords.js";

const everyMs = 15_000;

/** @param {{rest: string[]}} properties `new`, or `of` and a target's name */
export function Part({ rest: [action, name] }) {
    if (action === "new") { return html`<${NewTarget} />`; }
    if (action === "of" && name) { return html`<${OneTarget} key=${name} name=${name} />`; }
    return html`<${Targets} />`;
}

function Targets() {
    const list = useList("targets?limit=100", "items");
    const reading = useReading("deliveries", (get) => get("deliveries"), everyMs);
    const counts = new Map((reading.value?.targets ?? []).map((each) => [each.target, each]));
    return html`<section class="part" aria-labelledby="targets-title">
        <h2 id="targets-title">${t("operations.part.targets")}</h2>
        <p class="quiet">${t("targets.about")}</p>
        <p class="bar"><a class="primary" href=${hrefOf("operations", "targets", "new")}>${t("targets.new")}</a></p>
        <${Paged} list=${list} label=${t("operations.part.targets")} empty=${t("targets.none")}
            row=${(target) => html`<${Target} key=${target.name} target=${target}
                counts=${counts.get(target.name)} />`} />
        <${ReadingFoot} reading=${reading} />
        ${reading.value && html`<${Failures} failures=${reading.value.failures} />`}
    </section>`;
}

function Target({ target, counts }) {
    const name = legible(target.name);
    return html`<li data-name=${target.name}>
        <p><strong>${name}</strong> <span class="quiet">${kindWords(target)}</span>${" "}
            <span class="badge" data-on=${String(target.enabled)}>${
        t(target.enabled ? "targets.on" : "targets.off")}</span></p>
        ${counts && html`<p class=${counts.failing || counts.deadLetters > 0 ? "fault" : "quiet"}>${
        deliveryWords(counts)}</p>`}
        <p class="bar"><a class="plain" href=${hrefOf("operations", "targets", "of", target.name)}
            aria-label=${t("targets.openWhat", { name })}>${t("targets.open")}</a></p>
    </li>`;
}
