/** The dead letters of a target: what was given up, and why; sent again or discarded, one or all. */
import { LaterText } from "../operations/latertext.js";
import { Paged } from "../operations/paged.js";
import { Fault, useAskFirst, useList, useOrder } from "../shared/forms.js";
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html } from "../shared/view.js";
import { t } from "../shared/words.js";
import { lettersPath, madeByWords, reasonWords } from "./targetwords.js";

/**
 * @param {{target: object, rule: string, count: number, changed: () => void}} properties `rule` is empty for those of
 *     all rules; `count` is how many the target has
 */
export function DeadLetters({ target, rule, count, changed }) {
    const query = `target=${encodeURIComponent(target.name)}`;
    const list = useList(lettersPath(target.name, rule), "items");
    const { press, isBusy, fault } = useOrder();
    const name = legible(target.name);
    const askFirst = useAskFirst();
    const redrive = async () => {
        const words = t("targets.order.redriveAll", { name });
        if (await press({ path: `deadletters/redrive?${query}`, words })) { changed(); }
    };
    const discard = () => askFirst({
        title: t("targets.discardAll"), button: t("targets.discardAll"),
        lines: [t("targets.askDiscardAll", { name, count })],
        order: { path: `deadletters?${query}`, method: "DELETE", words: t("targets.order.discardAll", { name }) },
        done: changed,
    });
    // These concern all of the target's, and not those of one rule alone.
    return html`${!rule && list.items?.length > 0 && html`<p class="bar">
            <button type="button" class="plain" disabled=${isBusy} onClick=${redrive}>${
        t("targets.redriveAll")}</button>
            <button type="button" class="plain" disabled=${isBusy} onClick=${discard}>${
        t("targets.discardAll")}</button></p>`}
        <${Fault} words=${fault} />
        <${Paged} list=${list} label=${t("targets.letters")} empty=${t(rule ? "targets.noneSuch" : "targets.noLetters")}
            row=${(letter) => html`<${Letter} key=${letter.number} letter=${letter} changed=${changed} />`} />`;
}

function Letter({ letter: { number, target, rule, event, createdAt, diedAt, attempts, reason }, changed }) {
    const { press, isBusy, fault } = useOrder();
    const shown = String(number);
    const askFirst = useAskFirst();
    const redrive = async () => {
        const words = t("targets.order.redrive", { number: shown });
        if (await press({ path: `deadletters/${number}/redrive`, words })) { changed(); }
    };
    const discard = () => askFirst({
        title: t("targets.discardWhat", { number: shown }), button: t("targets.discard"),
        lines: [t("targets.askDiscard", { number: shown })],
        order: {
            path: `deadletters/${number}`, method: "DELETE", words: t("targets.order.discard", { number: shown }),
        },
        done: changed,
    });
    return html`<li data-number=${number}>
        <p><strong>${t("targets.letter", { number: shown })}</strong> <${Time} at=${createdAt} /></p>
        <p>${reasonWords(reason)}</p>
        <p class="quiet">${t("targets.givenUp", { count: attempts })} <${Time} at=${diedAt} />. ${
        madeByWords({ rule, event }, target)}</p>
        <${LaterText} summary=${t("targets.body")} path=${`deadletters/${number}`} />
        <p class="bar"><button type="button" class="plain" disabled=${isBusy} onClick=${redrive}
                aria-label=${t("targets.redriveWhat", { number: shown })}>${t("targets.redrive")}</button>
            <button type="button" class="plain" disabled=${isBusy} onClick=${discard}
                aria-label=${t("targets.discardWhat", { number: shown })}>${t("targets.discard")}</button></p>
        <${Fault} words=${fault} />
    </li>`;
}
