/**
 * The one dialog in which an order is confirmed, with what it needs to know. What it says is worked out anew while it
 * stands open, so that its numbers are those of now. What was typed stays until the server has it.
 */
import { faultWords } from "../shared/faults.js";
import { Dialog } from "../shared/dialog.js";
import { Fault } from "../shared/forms.js";
import { newID } from "../shared/id.js";
import { GivenUp } from "../shared/pending.js";
import { html, useEffect, useNow, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {"text"|"number"|"select"} [type]
 * @property {string} [hint]
 * @property {{value: string, words: string}[]} [options] of a select, or offered beside what is typed
 * @property {string} [missing] what is said where it is empty; without it, it may be
 * @property {number} [limit] characters
 * @property {{min: number, max: number}} [range] of a number
 * @property {string} [first] what stands there at first
 *
 * @typedef {object} Question what is asked before an order
 * @property {string} draft names what is typed, as of `useDraft`
 * @property {string} title
 * @property {"real"|"drill"} [tone]
 * @property {string[]} lines what the order does
 * @property {string} [warning]
 * @property {{words: string, button: string, press: () => Promise<void>}} [aside] what should be seen to before the
 *   order, with one press that does so; the order does not wait for it
 * @property {Field[]} fields
 * @property {string} button
 * @property {boolean} [isDangerous] whether the order takes something away
 * @property {boolean} [isBlocked] whether it cannot be ordered now; `warning` says why
 * @property {(values: object, id: string) => import("../shared/pending.js").Order} order
 * @property {(response: Response) => void} [done]
 *
 * @typedef {{live: object, isLive: boolean, now: number, user: object}} Known
 * @typedef {(known: Known) => Question|undefined} Ask undefined where there is nothing to ask any more
 */

/** The dialog, where something is asked: `page.ask(ask)` sets it. */
export function AskDialog() {
    const asked = useSlice(({ asked }) => asked);
    return asked && html`<${Asking} key=${asked.number} ask=${asked.ask} />`;
}

function Asking({ ask }) {
    const { live, user, isLive } = useSlice(({ live, user, connection }) => (
        { live, user, isLive: connection.state === "live" }));
    const page = usePage();
    const now = useNow(1000);
    const asked = ask({ live, isLive, now, user });
    const last = useRef();
    if (asked) { last.current = asked; }
    const isNothing = last.current === undefined;
    useEffect(() => { if (isNothing) { page.ask(undefined); } }, [isNothing]);
    // What it was about may be over meanwhile: that is said, and what was typed stays in sight.
    const question = asked ?? (last.current && { ...last.current, isBlocked: true, warning: t("ask.over") });
    return question && html`<${Form} question=${question} />`;
}

function Form({ question }) {
    const page = usePage();
    const { draft, title, tone, lines, aside, warning, fields, button, isBlocked, isDangerous } = question;
    const [values, setValues] = useState(() => ({
        ...Object.fromEntries(fields.map(({ name, first = "" }) => [name, first])), ...page.drafts.get(draft, {}),
    }));
    const [fault, setFault] = useState("");
    const [isBusy, setBusy] = useState(false);
    const form = useRef();
    const close = () => page.ask(undefined);
    const keep = (next) => { setValues(next); page.drafts.set(draft, next); };
    const submit = async (event) => {
        event.preventDefault();
        if (isBusy || isBlocked) { return; }
        const lacking = fields.find((field) => faultOf(field, values[field.name]));
        if (lacking) {
            setFault(faultOf(lacking, values[lacking.name]));
            form.current.elements[lacking.name].focus();
            return;
        }
        // Pressed again after no answer, it is still the same order.
        const id = values.id ?? newID();
        keep({ ...values, id });
        setBusy(true);
        setFault("");
        const end = startSending({ page, question, draft, id, values, close });
        const failed = await end;
        setBusy(false);
        if (failed) { setFault(failed); }
    };
    return html`<${Dialog} title=${title} tone=${tone} onClose=${close}>
        <form method="dialog" class="ask" noValidate ref=${form} onSubmit=${submit}>
            ${lines.map((words) => html`<p key=${words}>${words}</p>`)}
            ${fields.map((field) => html`<${Input} key=${field.name} field=${field} value=${values[field.name]}
                change=${(value) => keep({ ...values, [field.name]: value, id: undefined })} />`)}
            ${aside && html`<${Aside} ...${aside} />`}
            ${warning && html`<p class="fault" role="status">${warning}</p>`}
            <${Fault} words=${fault} />
            <p class="answers">
                <button type="submit" class=${isDangerous ? "primary danger" : "primary"}
                    aria-disabled=${isBusy || isBlocked ? "true" : undefined}>${
        isBusy ? t("ask.sending") : button}</button>
                <button type="button" class="plain" onClick=${close}>${
        t(isBusy ? "close" : "cancel")}</button>
            </p>
        </form>
    <//>`;
}

/** What should be seen to before the order. It goes once it is seen to. */
function Aside({ words, button, press }) {
    const [isBusy, setBusy] = useState(false);
    const see = async () => {
        if (isBusy) { return; }
        setBusy(true);
        try { await press(); } finally { setBusy(false); }
    };
    return html`<div class="aside"><p>${words}</p>
        <button type="button" class="plain" aria-disabled=${isBusy ? "true" : undefined} onClick=${see}>${
    isBusy ? t("ask.sending") : button}</button></div>`;
}

/**
 * Sends it, and closes the dialog once it is done, or waits because no answer came: the page then says what waits. A
 * slow answer finds the dialog open, so that it can say what the server refused.
 * @returns {Promise<string>} what went wrong
 */
async function startSending({ page, question, draft, id, values, close }) {
    const mine = page.store.value.asked;
    const isHere = () => page.store.value.asked === mine;
    const waits = () => { if (isHere()) { close(); } };
    try {
        const response = await page.orders.press({ ...question.order(trimmed(values), id), waits });
        if (page.drafts.get(draft, {}).id === id) { page.drafts.set(draft, undefined); }
        if (isHere()) { close(); }
        question.done?.(response);
        return "";
    } catch (error) {
        if (!isHere()) { return ""; }
        page.notice("");
        return error instanceof GivenUp ? t("fault.givenUp") : faultWords(error);
    }
}

function trimmed(values) {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value ?? "").trim()]));
}

/** What is wrong with what was typed; empty where nothing is. Pure. @param {Field} field */
export function faultOf({ missing, range }, value) {
    const text = String(value ?? "").trim();
    if (text === "") { return missing ?? ""; }
    const number = Number(text);
    if (range && !(Number.isInteger(number) && number >= range.min && number <= range.max)) {
        return t("ask.range", { least: range.min, most: range.max });
    }
    return "";
}

function Input({ field: { name, label, type = "text", hint, options, limit = 500, range }, value, change }) {
    const id = `ask-${name}`;
    const listed = options && type !== "select" ? `${id}-list` : undefined;
    const onInput = ({ currentTarget }) => change(currentTarget.value);
    return html`<div class="field">
        <label for=${id}>${label}</label>
        ${type === "select"
        ? html`<select id=${id} name=${name} value=${value} onChange=${onInput}>
            ${options.map((option) => html`<option key=${option.value} value=${option.value}>${option.words}</option>`)}
        </select>`
        : html`<input id=${id} name=${name} autocomplete="off" value=${value} maxlength=${limit} list=${listed}
            inputmode=${type === "number" ? "numeric" : undefined} type="text" onInput=${onInput}
            aria-describedby=${hint ? `${id}-hint` : undefined} min=${range?.min} max=${range?.max} />`}
        ${listed && html`<datalist id=${listed}>
            ${options.map((option) => html`<option key=${option.value} value=${option.value}>${option.words}</option>`)}
        </datalist>`}
        ${hint && html`<p id=${`${id}-hint`} class="hint">${hint}</p>`}
    </div>`;
}
