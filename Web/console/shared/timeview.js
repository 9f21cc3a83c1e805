/** Shows a moment on the page. */
import { clockTime, timeAttributes } from "./time.js";
import { html, useSlice } from "./view.js";

/**
 * A moment in words, with its machine-readable time.
 * @param {{at?: string}} properties RFC 3339; without a time, a dash
 */
export function Time({ at }) {
    // On another day the time is shown with its day.
    useSlice(({ day }) => day);
    return html`<time ...${timeAttributes(at)}>${clockTime(at)}</time>`;
}
