/** A form of this screen, made from a list of its fields: labels, hints, faults at the field, and what was typed. */
import { CheckField, Field } from "../shared/fields.js";
import { Fault, useDraft, useFormOrder } from "../shared/forms.js";
import { html, useId, useLayoutEffect, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { changed } from "./reading.js";

/**
 * @typedef {object} FormField
 * @property {string} key its name in what is sent, and in the server's faults
 * @property {string} label
 * @property {"text"|"number"|"choice"|"check"|"area"|"password"|"email"|"tel"|"datetime-local"|"time"} [kind]
 * @property {string} [hint]
 * @property {[string, string][]} [choices] values and their words
 * @property {string[]} [suggestions] what may be typed
 * @property {boolean} [isRequired]
 * @property {(values: object) => boolean} [when] whether it is shown, by what the others say
 * @property {number} [least]
 * @property {number} [most]
 */

/**
 * @param {object} properties
 * @param {string} properties.name a name that no other form has, with what it is about; it keeps what is typed
 * @param {Record<string, string|boolean>} properties.first
 * @param {FormField[]} properties.fields
 * @param {string} properties.submit the words of its button
 * @param {(values: object, differing: object) => import("../shared/pending.js").Order} properties.order `differing`:
 *     only what is not as it was when somebody began to type
 * @param {(response: Response, values: object) => void | boolean | Promise<void | boolean>} [properties.done] false:
 *     what was typed stays, because a second order that belongs to it was refused
 * @param {(values: object) => Record<string, string>} [properties.faultsOf] what the page itself finds, by field
 * @param {() => Promise<object>} [properties.current] the values that the server has now: nobody's change is lost
 * @param {() => void} [properties.onCancel] closes the dialog that the form is in; what was typed is kept
 * @param {boolean} [properties.isSecret] nothing of it is kept
 * @param {object | ((values: object) => object)} [properties.children] what stands below the fields
 * @param {boolean} [properties.isLast] what the page is about is gone afterwards, and `done` leaves it
 */
export function Form({
    name, first, fields, submit, order, done, onCancel, faultsOf, current, isSecret = false, isDangerous = false,
    isLast = false, children,
}) {
    const own = useState(undefined);
    const drafted = useDraft(`administration ${name}`, undefined);
    const [kept, keep] = isSecret ? own : drafted;
    const { base, values } = kept ?? { base: first, values: first };
    /** What is typed now, for what waits for an answer: somebody may type on meanwhile. */
    const newest = useRef();
    newest.current = kept;
    const [isAsking, setAsking] = useState(false);
    const form = useRef();
    const prefix = useId();
    const shown = fields.filter(({ when }) => !when || when(values));
    const keys = shown.map(({ key }) => key);
    const { press, isBusy, faults, fault, find, touch, refusal } = useFormOrder(keys);
    const isFaulty = Object.keys(faults).length > 0;
    // At once: a moment later the keyboard would be taken from who types in another field already.
    useLayoutEffect(() => {
        if (isFaulty && !isBusy) { form.current?.querySelector("[aria-invalid=true]")?.focus(); }
    }, [refusal]);
    const change = (key, value) => {
        keep({ base, values: { ...values, [key]: value } });
        touch(key);
    };
    const send = async (event) => {
        event.preventDefault();
        if (find({ ...missing(shown, values), ...faultsOf?.(values) })) { return; }
        const differing = Object.fromEntries(keys.filter((key) => values[key] !== base[key])
            .map((key) => [key, values[key]]));
        if (current) {
            setAsking(true);
            const others = await othersChanges(current, base, differing, fields).finally(() => setAsking(false));
            if (others) {
                keep({ base: { ...base, ...others.now }, values: newest.current?.values ?? values });
                find(others.faults, t("administration.fault.changed"));
                return;
            }
        }
        const response = await press(order(values, differing));
        if (!response) { return; }
        if (current) {
            // What was sent stays in sight until it is read: the page would show what there was before.
            setAsking(true);
            await changed().finally(() => setAsking(false));
        } else if (!isLast) { changed(); }
        let staysTyped = false;
        try {
            staysTyped = await done?.(response, values) === false;
        } finally {
            // What the server took is not sent twice, also where what follows fails.
            const isTypedOn = current && newest.current && newest.current !== kept;
            if (!staysTyped) {
                keep(isTypedOn ? { base: { ...base, ...values }, values: newest.current.values } : undefined);
            }
        }
    };
    return html`<form ref=${form} class="form" onSubmit=${send} noValidate>
        ${shown.map((field) => html`<${FormInput} key=${field.key} ...${field} name=${field.key}
            id=${`${prefix}-${field.key}`} value=${values[field.key]} fault=${faults[field.key]} change=${change}
            isSecret=${isSecret} />`)}
        ${typeof children === "function" ? children(values) : children}
        <${Fault} words=${fault} />
        <p class="answers"><button type="submit" class=${isDangerous ? "primary danger" : "primary"}
            disabled=${isBusy || isAsking}>${submit}</button>
            ${onCancel && html`<button type="button" class="plain" onClick=${onCancel}>${t("cancel")}</button>`}
            ${kept && !isSecret && html`<button type="button" class="plain" onClick=${() => {
        keep(undefined);
        find({});
    }}>${t("administration.discard")}</button>`}</p>
    </form>`;
}

/** What must be there and is not, by field. */
function missing(fields, values) {
    return Object.fromEntries(fields
        .filter(({ key, isRequired }) => isRequired && String(values[key] ?? "").trim() === "")
        .map(({ key }) => [key, t("field.required")]));
}

/** Numbers outside their ranges, by field; a field that is empty has no fault. */
export function rangeFaults(values, ranges) {
    return Object.fromEntries(Object.entries(ranges).filter(([key, [least, most]]) => {
        const text = String(values[key] ?? "").trim();
        return text !== "" && !(Number(text) >= least && Number(text) <= most);
    }).map(([key, [least, most]]) => [key, t("field.range", {
        least: String(Math.round(least * 100) / 100), most: String(most) })]));
}

/** What somebody else changed meanwhile of the fields that this form would change; undefined where nothing. */
async function othersChanges(current, base, differing, fields) {
    let now;
    try { now = await current(); } catch { return undefined; }
    const keys = Object.keys(differing).filter((key) => now[key] !== base[key] && now[key] !== differing[key]);
    if (keys.length === 0) { return undefined; }
    const faults = Object.fromEntries(keys.map((key) => [key, t("administration.fault.changedTo", {
        value: wordsOf(fields.find((field) => field.key === key), now[key]),
    })]));
    return { now, faults };
}

function wordsOf({ kind, choices }, value) {
    if (kind === "check") { return t(value ? "administration.yes" : "administration.no"); }
    const words = choices?.find(([each]) => each === value)?.[1] ?? value;
    return words === "" ? t("administration.nothing") : words;
}

function FormInput({ name, id, kind = "text", label, hint, value, fault, change, isSecret, ...field }) {
    const more = { name, "aria-required": field.isRequired ? "true" : undefined };
    if (kind === "check") {
        return html`<div class="field"><${CheckField} ...${more} id=${id} label=${label} fault=${fault}
            checked=${Boolean(value)} onChange=${(isChecked) => change(name, isChecked)} /></div>`;
    }
    return html`<${Field} id=${id} label=${label} hint=${hint} fault=${fault} input=${(attributes) => html`<${Control}
        common=${{ ...attributes, ...more }} kind=${kind} value=${value ?? ""} isSecret=${isSecret}
        change=${(text) => change(name, text)} ...${field} />`} />`;
}

function Control({ common, kind, value, change, isSecret, choices, suggestions, least, most }) {
    const take = ({ currentTarget }) => change(currentTarget.value);
    if (kind === "choice") {
        return html`<select ...${common} value=${value} onChange=${take}>
            ${choices.map(([each, words]) => html`<option key=${each} value=${each}
                selected=${each === value}>${words}</option>`)}
        </select>`;
    }
    if (kind === "area") { return html`<textarea ...${common} rows="3" value=${value} onInput=${take} />`; }
    const list = suggestions ? `${common.id}-list` : undefined;
    return html`<input ...${common} type=${kind} value=${value} onInput=${take} list=${list} min=${least} max=${most}
            step=${kind === "number" ? "any" : undefined} autocapitalize="none" spellcheck=${false}
            autocomplete=${isSecret ? "new-password" : "off"} />
        ${suggestions && html`<datalist id=${list}>${suggestions.slice(0, 500).map((each) =>
        html`<option key=${each} value=${each} />`)}</datalist>`}`;
}
