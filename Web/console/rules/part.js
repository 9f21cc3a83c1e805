/** The rules: which there are, and what each sends where; an admin makes, changes and removes them. */
import { Paged } from "../operations/paged.js";
import { SelectField } from "../shared/fields.js";
import { Fault, useAskFirst, useDraft, useList, useOrder } from "../shared/forms.js";
import { hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html, usePage, useSlice, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { ChangedRule, NewRule } from "./editor.js";
import { makesSafe, SafetyQuestion, selectedRegions } from "./safetyquestion.js";
import { patternText, template, templateChoices } from "./templates.js";
import { Tester } from "./tester.js";

/** @param {{rest: string[]}} properties `new`, or `change` and a rule's name, or `test` and a rule's name */
export function Part({ rest: [action, name] }) {
    const isAdmin = useSlice(({ user }) => user?.role === "admin");
    if (isAdmin && action === "new") { return html`<${NewRule} />`; }
    if (isAdmin && action === "change" && name) { return html`<${ChangedRule} key=${name} name=${name} />`; }
    if (action === "test") { return html`<${Testing} />`; }
    return html`<${Rules} isAdmin=${isAdmin} />`;
}

/** The tester by itself: a pattern that is no rule. */
function Testing() {
    const [pattern, change] = useDraft("rules test", "");
    return html`<section class="part" aria-labelledby="rules-title">
        <p><a class="plain" href=${hrefOf("operations", "rules")}>${t("rules.back")}</a></p>
        <h2 id="rules-title">${t("rules.test")}</h2>
        <div class="form">
            <${SelectField} label=${t("rules.fromTemplate")} value=""
                options=${[["", t("rules.choose")], ...templateChoices()]}
                onChange=${(key) => key && change(patternText(template(key).pattern))} />
            <${Tester} pattern=${pattern} change=${change} />
        </div>
    </section>`;
}

function Rules({ isAdmin }) {
    const list = useList("rules?limit=100", "items");
    return html`<section class="part" aria-labelledby="rules-title">
        <h2 id="rules-title">${t("operations.part.rules")}</h2>
        <p class="quiet">${t("rules.about")}</p>
        <p class="bar">${isAdmin && html`<a class="primary" href=${hrefOf("operations", "rules", "new")}>${
        t("rules.new")}</a>`}
            <a class="plain" href=${hrefOf("operations", "rules", "test")}>${t("rules.test")}</a></p>
        <${Paged} list=${list} label=${t("operations.part.rules")} empty=${t("rules.none")}
            row=${(rule) => html`<${Rule} key=${rule.name} rule=${rule} isAdmin=${isAdmin}
                changed=${list.reload} />`} />
    </section>`;
}

function Rule({ rule: { name, description, pattern, enabled, targets, madeBy }, isAdmin, changed }) {
    const { press, isBusy, fault } = useOrder();
    const shown = legible(name);
    const path = `rules/${encodeURIComponent(name)}`;
    const askFirst = useAskFirst();
    const { request } = usePage();
    const [asked, setAsked] = useState(undefined);
    const toggle = async () => {
        if (makesSafe({ enabled: !enabled, targets })) {
            setAsked(await selectedRegions(request, pattern));
        } else {
            await send();
        }
    };
    const send = async () => {
        setAsked(undefined);
        const words = t(enabled ? "rules.order.disable" : "rules.order.enable", { name: shown });
        if (await press({ path, method: "PATCH", body: { enabled: !enabled }, words })) { changed(); }
    };
    const remove = () => askFirst({
        title: t("rules.removeWhat", { name: shown }), button: t("rules.remove"),
        lines: [t("rules.askRemove", { name: shown })],
        order: { path, method: "DELETE", words: t("rules.order.remove", { name: shown }) },
        done: changed,
    });
    const names = listed(targets.map(({ target }) => legible(target)));
    return html`<li data-name=${name}>
        <p><strong>${shown}</strong> <span class="badge" data-on=${String(enabled)}>${
        t(enabled ? "rules.on" : "rules.off")}</span></p>
        ${description && html`<p>${legible(description)}</p>`}
        <p class="quiet">${names ? t("rules.sendsTo", { names }) : t("rules.sendsNowhere")}
            ${madeBy && html` ${t("rules.madeBy", { name: legible(madeBy) })}`}</p>
        <details><summary>${t("rules.pattern")}</summary><pre>${patternText(pattern)}</pre></details>
        ${isAdmin && html`<p class="bar">
            <a class="plain" href=${hrefOf("operations", "rules", "change", name)}
                aria-label=${t("rules.changeWhat", { name: shown })}>${t("rules.change")}</a>
            <button type="button" class="plain" disabled=${isBusy} onClick=${toggle}
                aria-label=${t(enabled ? "rules.disableWhat" : "rules.enableWhat", { name: shown })}>${
        t(enabled ? "rules.disable" : "rules.enable")}</button>
            <button type="button" class="plain" onClick=${remove}
                aria-label=${t("rules.removeWhat", { name: shown })}>${t("rules.remove")}</button></p>`}
        <${Fault} words=${fault} />
        ${asked && html`<${SafetyQuestion} found=${asked} yes=${send} close=${() => setAsked(undefined)} />`}
    </li>`;
}
