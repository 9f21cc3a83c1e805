/** The mark of a state, coloured by the style sheet; hidden from screen readers, which have the word beside it. */
import { marks } from "./marks.js";
import { html } from "./view.js";

export function StateMark({ state }) {
    const { shape, sign } = marks[state];
    return html`<svg viewBox="0 0 24 24" class="mark" aria-hidden="true">
        <path class="shape" d=${shape} /><path class="sign" d=${sign} />
    </svg>`;
}
