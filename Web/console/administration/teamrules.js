/** What the rules of a team share on this screen: their list, and their removal. */
import { Dialog } from "../shared/dialog.js";
import { useAskFirst } from "../shared/forms.js";
import { ReadingFoot } from "../shared/reading.js";
import { called } from "../shared/names.js";
import { legible } from "../shared/text.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { changed, presentMs, useOne } from "./reading.js";

/**
 * @param {{team: string, kind: "attendance"|"proximity", RuleForm: Function, ruleWords: (rule: object) => string,
 *     nowWords: (rule: object) => string}} properties
 */
export function TeamRules({ team, kind, RuleForm, ruleWords, nowWords }) {
    const path = `teams/${encodeURIComponent(team)}/${kind}-rules`;
    const one = useOne(path, presentMs);
    const [open, setOpen] = useState(undefined);
    const askFirst = useAskFirst();
    const close = () => setOpen(undefined);
    const remove = ({ name }) => askFirst({
        title: t("administration.rule.removeOf", { name }), button: t("administration.remove"),
        lines: [t("administration.rule.lost")],
        order: {
            path: `${path}/${encodeURIComponent(name)}`, method: "DELETE",
            words: t("administration.order.remove", { name }),
        },
        done: changed,
    });
    const items = one.value?.items ?? [];
    return html`<section aria-labelledby=${`${kind}-title`}>
        <h3 id=${`${kind}-title`}>${t(`administration.${kind}.title`)}</h3>
        <p>${t(`administration.${kind}.what`)}</p>
        <p class="answers"><button type="button" class="plain" onClick=${() => setOpen({ rule: undefined })}>${
        t("administration.rule.add")}</button></p>
        <${ReadingFoot} reading=${one} />
        ${one.value && items.length === 0 && html`<p class="quiet">${t("administration.rule.none")}</p>`}
        <ul class="rows">${items.map((rule) => html`<li key=${rule.name} class="with-actions">
            <span><strong>${rule.name}</strong> ${ruleWords(rule)}<br /><span class="quiet">${nowWords(rule)}${
        rule.note ? t("between.parts") + legible(rule.note) : ""}</span></span>
            <span class="answers"><button type="button" class="plain" aria-label=${t("administration.rule.changeOf", {
        name: rule.name })} onClick=${() => setOpen({ rule })}>${t("administration.change")}</button>
            <button type="button" class="plain danger" aria-label=${t("administration.rule.removeOf", {
        name: rule.name })} onClick=${() => remove(rule)}>${t("administration.remove")}</button></span>
        </li>`)}</ul>
        ${open && html`<${Dialog} title=${open.rule
        ? t("administration.rule.changeOf", { name: open.rule.name }) : t("administration.rule.add")} onClose=${close}>
            <${RuleForm} team=${team} path=${path} rule=${open.rule} done=${close} /><//>`}
    </section>`;
}

/** Whom a rule counts, as a choice of a form: everyone, a role, or one person. */
export function subjectFields(people) {
    return [
        {
            key: "counts", label: t("administration.rule.counts"), kind: "choice", choices: [
                ["everyone", t("administration.rule.everyone")], ["role", t("administration.rule.role")],
                ["person", t("administration.rule.person")],
            ],
        },
        {
            key: "who", label: t("administration.rule.who"), hint: t("administration.rule.whoHint"),
            suggestions: people, when: ({ counts }) => counts !== "everyone",
        },
    ];
}

/** Whom a rule counts, as a form has it. */
export function subjectForm(rule) {
    if (rule?.person) { return { counts: "person", who: rule.person }; }
    return rule?.role ? { counts: "role", who: rule.role } : { counts: "everyone", who: "" };
}

/** Whom a rule counts, as the API takes it. */
export function subjectBody({ counts, who }) {
    return counts === "everyone" ? {} : { [counts]: who.trim() };
}

/** Whom a rule counts, in words. */
export function subjectWords({ person, role }) {
    if (person) { return called(person); }
    return role ? t("administration.rule.withRole", { role: legible(role) }) : t("administration.rule.everyone");
}

/** A person or a role that is missing where one is counted, by field. */
export function subjectFaults({ counts, who }) {
    return counts !== "everyone" && who.trim() === "" ? { who: t("field.required") } : {};
}
