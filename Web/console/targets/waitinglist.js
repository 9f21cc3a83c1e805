/** The list of what waits to be run by hand, each with a button. */
import { legible } from "../shared/text.js";
import { html, usePage, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { moreWords, targetsToRun, waitingWords } from "./waitingactions.js";

export function WaitingList() {
    const { targets, running } = useSlice(({ waiting }) => waiting);
    const { actions } = usePage();
    const shown = targetsToRun(targets);
    if (shown.length === 0) { return undefined; }
    const more = moreWords(targets);
    return html`<div id="actions" class="actions" role="group" aria-label=${t("waiting.label")}>
        ${shown.map((each) => html`<p key=${each.target} data-target=${each.target}><span>${waitingWords(each)}</span>
            <button type="button" aria-label=${t("waiting.runWhat", { target: legible(each.target) })}
                disabled=${running.has(each.target)}
                onClick=${({ detail }) => {
        // The line of a run that ended at once makes room for the next one, which the second click then meets.
        if (detail < 2) { actions.run(each.target); }
    }}>${t("waiting.runNow")}</button></p>`)}
        ${more && html`<p>${more}</p>`}
    </div>`;
}
