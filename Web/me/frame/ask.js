/** The one dialog in which the app asks before an action that cannot be undone. */
import { Dialog } from "../../console/shared/dialog.js";
import { html, usePage, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";

/**
 * @typedef {object} Asked
 * @property {string} title
 * @property {string[]} lines
 * @property {string} button the words of the button that confirms
 * @property {() => void} act
 */

export function Ask() {
    const asked = useSlice(({ asked: question }) => question);
    const { ask } = usePage();
    if (!asked) { return undefined; }
    const close = () => ask(undefined);
    const go = () => { close(); asked.act(); };
    return html`<${Dialog} title=${asked.title} onClose=${close}>
        ${asked.lines.map((line) => html`<p key=${line}>${line}</p>`)}
        <div class="answers">
            <button type="button" class="primary" onClick=${go}>${asked.button}</button>
            <button type="button" class="plain" onClick=${close}>${t("cancel")}</button>
        </div>
    <//>`;
}
