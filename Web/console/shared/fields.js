/** The fields of forms. The label, the hint and the fault of each are tied to its control. */
import { html, useId } from "./view.js";

/** A field of a form. `input` makes the control; its argument ties the control to the label, the hint and the fault. */
export function Field({ label, hint, fault, input, id: given }) {
    const made = useId();
    const id = given ?? made;
    const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
    return html`<div class="field"><label for=${id}>${label}</label>
        ${input({ id, "aria-describedby": described || undefined, "aria-invalid": fault ? "true" : undefined })}
        ${hint && html`<span class="hint" id=${`${id}-hint`}>${hint}</span>`}
        ${fault && html`<span class="fault" role="alert" id=${`${id}-fault`}>${fault}</span>`}
    </div>`;
}

/** A text field of one line, or of several if `rows` is given. */
export function TextField({ label, hint, fault, value, onInput, rows, ...others }) {
    const take = ({ currentTarget }) => onInput(currentTarget.value);
    return html`<${Field} label=${label} hint=${hint} fault=${fault} input=${(attributes) => (rows
        ? html`<textarea ...${attributes} ...${others} rows=${rows} value=${value} onInput=${take} />`
        : html`<input ...${attributes} autocomplete="off" ...${others} value=${value} onInput=${take} />`)} />`;
}

/** A choice among `options`, which are pairs of a value and its words. */
export function SelectField({ label, hint, fault, value, options, onChange }) {
    return html`<${Field} label=${label} hint=${hint} fault=${fault} input=${(attributes) => html`<select
        ...${attributes} value=${value} onChange=${({ currentTarget }) => onChange(currentTarget.value)}>
        ${options.map(([each, words]) => html`<option key=${each} value=${each}>${words}</option>`)}</select>`} />`;
}

/** A check box. */
export function CheckField({ label, fault, checked, onChange, id: given, ...others }) {
    const made = useId();
    const id = given ?? made;
    return html`<label class="check" for=${id}><input ...${others} id=${id} type="checkbox" checked=${checked}
            aria-describedby=${fault ? `${id}-fault` : undefined} aria-invalid=${fault ? "true" : undefined}
            onChange=${({ currentTarget }) => onChange(currentTarget.checked)} /> <span>${label}</span></label>
        ${fault && html`<span class="fault" role="alert" id=${`${id}-fault`}>${fault}</span>`}`;
}
