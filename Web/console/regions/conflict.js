/** Somebody else changed the region that is edited here: who and when, both shapes on the map, and what to do. */
import { html, useLayoutEffect, useRef } from "../shared/view.js";
import { t } from "../shared/words.js";

/**
 * @param {object} properties
 * @param {string} properties.words the server's: who changed it, and when
 * @param {object|undefined} properties.theirs the region as it is now; undefined where it was removed
 * @param {() => void} properties.onLook shows both on the map
 */
export function Conflict({ words, theirs, hasMap, onLook, onTheirs, onMine, onCancel }) {
    const section = useRef();
    useLayoutEffect(() => { section.current.focus(); }, []);
    return html`<section class="conflict" role="alert" tabindex="-1" ref=${section} aria-labelledby="conflict-title">
        <h3 id="conflict-title">${t(theirs ? "regions.conflict.title" : "regions.conflict.removed")}</h3>
        <p>${words}</p>
        ${theirs && hasMap && html`<p><span class="sample theirs" aria-hidden="true"></span> ${
        t("regions.conflict.legend")}</p>`}
        <p class="quiet">${t("regions.conflict.kept")}</p>
        <div class="buttons">
            ${theirs && hasMap && html`<button type="button" class="plain" onClick=${onLook}>${
        t("regions.conflict.look")}</button>`}
            <button type="button" class="plain" onClick=${onTheirs}>${
    t(theirs ? "regions.conflict.theirs" : "regions.conflict.theirsGone")}</button>
            <button type="button" class="plain" onClick=${onMine}>${
    t(theirs ? "regions.conflict.mine" : "regions.conflict.mineGone")}</button>
            <button type="button" class="plain" onClick=${onCancel}>${t("cancel")}</button>
        </div>
    </section>`;
}
