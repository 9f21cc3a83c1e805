/** The single deliveries of a target: those that wait, with their attempts, and those that were given up. */
import { Paged } from "../operations/paged.js";
import { SelectField, TextField } from "../shared/fields.js";
import { useList } from "../shared/forms.js";
import { Time } from "../shared/timeview.js";
import { html, useEffect, useNow, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { DeadLetters } from "./deadletters.js";
import { deliveryStates, madeByWords, nextWords, triedWords, waitingPath } from "./targetwords.js";

/**
 * @param {{target: object, count: number, turn: number, changed: () => void}} properties `count` is that of the dead
 *     letters; with another `turn` the list is read again
 */
export function DeliveryList({ target, count, turn, changed }) {
    const [typed, setTyped] = useState({ state: count > 0 ? "dead" : "waiting", rule: "" });
    const [wanted, setWanted] = useState({ ...typed, number: 0 });
    const show = (parts) => {
        const next = { ...typed, ...parts };
        setTyped(next);
        setWanted(({ number }) => ({ state: next.state, rule: next.rule.trim(), number: number + 1 }));
    };
    const find = (event) => { event.preventDefault(); show({}); };
    const List = wanted.state === "dead" ? DeadLetters : WaitingDeliveries;
    return html`<section aria-labelledby="deliveries-title">
        <h3 id="deliveries-title">${t("targets.deliveries")}</h3>
        <p class="quiet">${t("targets.aboutDeliveries")}</p>
        <form class="bar find" role="search" onSubmit=${find}>
            <${SelectField} label=${t("targets.state")} value=${typed.state}
                options=${deliveryStates.map((state) => [state, t(`targets.state.${state}`)])}
                onChange=${(state) => show({ state })} />
            <${TextField} label=${t("targets.ofRule")} hint=${t("targets.ofRuleHint")} value=${typed.rule}
                onInput=${(rule) => setTyped({ ...typed, rule })} />
            <button type="submit" class="plain">${t("operations.keys.find")}</button></form>
        <${List} key=${`${wanted.number} ${wanted.state} ${turn}`} target=${target} rule=${wanted.rule}
            state=${wanted.state} count=${count} changed=${changed} />
    </section>`;
}

function WaitingDeliveries({ target, rule, state }) {
    const list = useList(waitingPath(target.name, { rule, state }), "items");
    const now = useNow();
    const isMoreToLook = list.items?.length === 0 && list.hasMore && !list.isBusy && !list.fault;
    // The server looks at some thousands of deliveries for a page: the first that is wanted may come later.
    useEffect(() => { if (isMoreToLook) { list.more(); } }, [isMoreToLook]);
    return html`<${Paged} list=${list} label=${t("targets.deliveries")}
        empty=${t(rule || state !== "waiting" ? "targets.noneSuch" : "targets.noneWaiting")}
        row=${(each) => html`<${Delivery} key=${each.number} each=${each} target=${target} now=${now} />`} />`;
}

function Delivery({ each, target, now }) {
    const { number, rule, event, createdAt, attempts } = each;
    return html`<li data-number=${number}>
        <p><strong>${t("targets.letter", { number: String(number) })}</strong> <${Time} at=${createdAt} /></p>
        <p class=${attempts > 0 ? "fault" : undefined}>${triedWords(each)}</p>
        <p>${nextWords(each, target, now)}</p>
        <p class="quiet">${madeByWords({ rule, event }, target.name)}</p>
    </li>`;
}
