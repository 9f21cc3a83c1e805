/** A long text, read when somebody wants to see it. */
import { faultWords } from "../shared/faults.js";
import { Fault } from "../shared/forms.js";
import { shortened } from "../shared/text.js";
import { html, usePage, useState } from "../shared/view.js";

/** As much of it as is shown. */
const textLimit = 20_000;

/** Whatever is long, read when somebody wants to see it: the member of an answer, as text. */
export function LaterText({ summary, path, member = "body" }) {
    const { request } = usePage();
    const [state, setState] = useState({});
    const open = async ({ currentTarget }) => {
        if (!currentTarget.open || state.text !== undefined) { return; }
        try {
            setState({ text: (await (await request(path)).json())[member] });
        } catch (error) {
            setState({ fault: faultWords(error) });
        }
    };
    return html`<details onToggle=${open}><summary>${summary}</summary>
        <${Fault} words=${state.fault} />
        ${state.text !== undefined && html`<pre>${shortened(state.text, textLimit)}</pre>`}
    </details>`;
}
