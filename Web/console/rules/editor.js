/** The form of a rule: its pattern, from a template or by hand, and what it sends to which targets. */
import { CheckField, SelectField, TextField } from "../shared/fields.js";
import { Fault, useDraft, useFormOrder } from "../shared/forms.js";
import { allPages } from "../shared/pages.js";
import { ReadingFoot, useReading } from "../shared/reading.js";
import { go, hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html, useEffect, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { builtIn, emptyForm, formOf, newEntry, requestOf } from "./ruleform.js";
import { makesSafe, SafetyQuestion, selectedRegions } from "./safetyquestion.js";
import { patternText, template, templateChoices } from "./templates.js";
import { Tester } from "./tester.js";

/** The time without an answer after which the server counts as unreachable, in milliseconds. */
const answerLimitMs = 30_000;
/** The most targets that a rule may have. */
const targetLimit = 5;
const inputKinds = ["event", "template", "path", "constant"];

export function NewRule() {
    return html`<${Editor} draft="rules new" first=${emptyForm()} />`;
}

/** The form of a rule that is there, as soon as it was read. It knows which state it was read in. */
export function ChangedRule({ name }) {
    const { request } = usePage();
    const path = `rules/${encodeURIComponent(name)}`;
    const reading = useReading(path, () => readForm(request, path));
    return reading.value
        ? html`<${Editor} draft=${`rules change ${name}`} first=${reading.value} name=${name} />`
        : html`<section class="part"><${Back} /><${ReadingFoot} reading=${reading} /></section>`;
}

/** The form of a rule as it is now, with the `ETag` of that state. */
async function readForm(request, path) {
    const response = await request(path, { signal: AbortSignal.timeout(answerLimitMs) });
    return { ...formOf(await response.json()), tag: response.headers.get("ETag") };
}

/** Whether somebody else changed the rule. What is typed stays, and is saved in the place of theirs when sent again. */
function useConflict(refusal, path, draft, change) {
    const { request, drafts } = usePage();
    const [isTold, setTold] = useState(false);
    useEffect(() => {
        setTold(false);
        if (refusal?.status !== 412) { return undefined; }
        let isEnded = false;
        readForm(request, path).then(({ tag }) => {
            const form = drafts.get(draft);
            if (isEnded || !form) { return; }
            change({ ...form, tag });
            setTold(true);
        }).catch(() => {});
        return () => { isEnded = true; };
    }, [refusal]);
    return isTold;
}

function Back() {
    return html`<p><a class="plain" href=${hrefOf("operations", "rules")}>${t("rules.back")}</a></p>`;
}

function Editor({ draft, first, name }) {
    const { request } = usePage();
    /** What the question says that stands open, with the request that waits for its answer. */
    const [asked, setAsked] = useState(undefined);
    const [isLooking, setLooking] = useState(false);
    const [form, change, empty] = useDraft(draft, first);
    const { press, isBusy, faults, fault, find, touch, refusal } = useFormOrder(
        ["name", "pattern", "description", "targets"]);
    const isNew = name === undefined;
    const path = `rules/${encodeURIComponent(name)}`;
    const isConflict = useConflict(refusal, path, draft, change);
    const set = (members) => { touch(...Object.keys(members)); change({ ...form, ...members }); };
    const submit = async (event) => {
        event.preventDefault();
        if (isLooking) { return; }
        const { body, faults: found } = requestOf(form, isNew);
        if (find(found)) { return; }
        if (!makesSafe(body)) { await send(body); return; }
        setLooking(true);
        const selected = await selectedRegions(request, body.pattern);
        setLooking(false);
        // What no such rule may ask for, the server says at the field.
        if (selected.error?.status === 422) { await send(body); } else { setAsked({ ...selected, body }); }
    };
    const send = async (body) => {
        setAsked(undefined);
        const done = await press(isNew
            ? { path: "rules", body, words: t("rules.order.make", { name: legible(body.name) }) }
            : { path, method: "PATCH", body,
                headers: form.tag ? { "If-Match": form.tag } : {},
                words: t("rules.order.change", { name: legible(name) }) });
        if (done) { empty(); go("operations", "rules"); }
    };
    const take = (key) => {
        const found = template(key);
        if (!found) { return; }
        set({
            pattern: patternText(found.pattern), description: t(`rules.template.${key}`),
            name: isNew && form.name === "" ? found.name : form.name,
        });
    };
    return html`<section class="part" aria-labelledby="rules-title">
        <${Back} />
        <h2 id="rules-title">${isNew ? t("rules.new") : t("rules.changeWhat", { name: legible(name) })}</h2>
        <form class="form" onSubmit=${submit} noValidate>
            ${isNew && html`<${TextField} label=${t("rules.name")} hint=${t("rules.nameHint")} fault=${faults.name}
                value=${form.name} onInput=${(text) => set({ name: text })} maxLength="64" />`}
            <${TextField} label=${t("rules.description")} fault=${faults.description} value=${form.description}
                onInput=${(text) => set({ description: text })} />
            <${SelectField} label=${t("rules.fromTemplate")} hint=${t("rules.fromTemplateHint")} value=""
                options=${[["", t("rules.choose")], ...templateChoices()]} onChange=${take} />
            <${Tester} pattern=${form.pattern} change=${(text) => set({ pattern: text })} fault=${faults.pattern} />
            <${Targets} entries=${form.entries} fault=${faults.targets}
                change=${(entries) => { touch("targets"); set({ entries }); }} />
            <${CheckField} label=${t("rules.isOn")} checked=${form.enabled}
                onChange=${(enabled) => set({ enabled })} />
            <${Fault} words=${fault} />
            ${isConflict && html`<p role="status">${t("rules.saveAgain")}</p>`}
            <p class="bar"><button type="submit" class="primary" disabled=${isBusy || isLooking}>${
        t("rules.save")}</button>
                <button type="button" class="plain" onClick=${() => { empty(); go("operations", "rules"); }}>${
        t("rules.discard")}</button></p>
        </form>
        ${asked && html`<${SafetyQuestion} found=${asked} yes=${() => send(asked.body)}
            close=${() => setAsked(undefined)} />`}
    </section>`;
}

/** Which targets receive the events, and as what. */
function Targets({ entries, fault, change }) {
    const reading = useReading("targets", async (get) => (await allPages(get, "targets")).items);
    const chosen = new Set(entries.map(({ target }) => target));
    // What makes people safe comes last: nobody chooses it because it is at the top.
    const names = [...(reading.value ?? []).map(({ name }) => name), builtIn].filter((each) => !chosen.has(each));
    const put = (entry) => change(entries.map((each) => (each.target === entry.target ? entry : each)));
    return html`<fieldset class="field"><legend>${t("rules.targets")}</legend>
        ${entries.length === 0 && html`<span class="hint">${t("rules.noTarget")}</span>`}
        ${entries.map((entry) => html`<${Entry} key=${entry.target} entry=${entry} change=${put}
            remove=${() => change(entries.filter((each) => each !== entry))} />`)}
        ${reading.value && entries.length < targetLimit && html`<${SelectField} label=${t("rules.addTarget")} value=""
            options=${[["", t("rules.choose")], ...names.map((each) => [each,
        each === builtIn ? t("rules.safety") : legible(each)])]}
            onChange=${(target) => target && change([...entries, newEntry(target)])} />`}
        <${ReadingFoot} reading=${reading} />
        ${fault && html`<span class="fault" role="alert">${fault}</span>`}
    </fieldset>`;
}

function Entry({ entry, change, remove }) {
    const { target, kind, text, paths } = entry;
    const name = target === builtIn ? t("rules.safety") : legible(target);
    return html`<div class="entry" role="group" aria-label=${name}>
        <p class="bar"><strong>${name}</strong>
            <button type="button" class="plain" onClick=${remove}
                aria-label=${t("rules.takeOutWhat", { name })}>${t("rules.takeOut")}</button></p>
        ${target === builtIn && html`<p class="hint">${t("rules.safetyDoes")}</p>`}
        ${target !== builtIn && html`<${SelectField} label=${t("rules.receives", { name })} value=${kind}
            options=${inputKinds.map((each) => [each, t(`rules.input.${each}`)])}
            onChange=${(chosen) => change({ ...entry, kind: chosen })} />`}
        ${kind !== "event" && html`<${TextField} label=${t(`rules.inputText.${kind}`)} rows="2" spellcheck=${false}
            value=${text} onInput=${(typed) => change({ ...entry, text: typed })} />`}
        ${kind === "template" && html`<${TextField} label=${t("rules.paths")} hint=${t("rules.pathsHint")} rows="2"
            spellcheck=${false} value=${paths} onInput=${(typed) => change({ ...entry, paths: typed })} />`}
    </div>`;
}
