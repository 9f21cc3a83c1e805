/** Removing a region: whom it would concern, and the way back. */
import { faultWords } from "../shared/faults.js";
import { Dialog } from "../shared/dialog.js";
import { Fault, useDraft, useOrder } from "../shared/forms.js";
import { legible } from "../shared/text.js";
import { html, useEffect, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { regionsPath } from "./addresses.js";
import { Outlook } from "./outcome.js";
import { conditionsOf, removeOrder, saveOrder } from "./regionrequests.js";

/** Where the region that was removed last is kept, so that it can be put back. */
const removedName = "regions removed";

/** @param {{collection: string, id: string, base: object, onClose: () => void, onRemoved: () => void,
 *     onChanged: (words: string) => void}} properties */
export function Removal({ collection, id, base, onClose, onRemoved, onChanged }) {
    const { request, drafts } = usePage();
    const order = useOrder();
    const [look, setLook] = useState({});
    useEffect(() => {
        // A server that gives no tag does not know what a removal would change, either: it would remove it.
        if (!base.etag) { setLook({ isDone: true }); return undefined; }
        const ending = new AbortController();
        request(`${regionsPath(collection, id)}?dryRun=true`,
            { method: "DELETE", headers: conditionsOf(base), signal: ending.signal })
            .then(async (response) => setLook({ isDone: true, outlook: await response.json() }))
            .catch((error) => {
                if (ending.signal.aborted) { return; }
                if (error.status === 412) { onChanged(error.message); return; }
                setLook({ isDone: true, words: faultWords(error) });
            });
        return () => ending.abort();
    }, []);
    useEffect(() => { if (order.error?.status === 412) { onChanged(order.error.message); } }, [order.error]);
    const remove = async () => {
        if (!await order.press(removeOrder(collection, id, base))) { return; }
        drafts.set(removedName, { collection, id, feature: base.feature });
        onRemoved();
    };
    const name = legible(base.feature.properties.name ?? id);
    return html`<${Dialog} title=${t("regions.remove.title", { name })} onClose=${onClose}>
        <div role="status">
            ${!look.isDone && html`<p class="quiet">${t("regions.outcome.checking")}</p>`}
            ${look.outlook && html`<${Outlook} outlook=${look.outlook} />`}
            ${look.words && html`<p class="fault">${t("regions.outcome.unknown", { reason: look.words })}</p>`}
        </div>
        <p>${t("regions.remove.undo")}</p>
        <${Fault} words=${order.fault} />
        <p class="answers"><button type="button" class="primary" disabled=${order.isBusy || !look.isDone}
                onClick=${remove}>${t("regions.remove.do")}</button>
            <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button></p>
    <//>`;
}

/** What was removed last, and the button that puts it back. */
export function Removed() {
    const { tell } = usePage();
    const [removed, , forget] = useDraft(removedName);
    const order = useOrder();
    if (!removed) { return undefined; }
    const { collection, id, feature } = removed;
    const name = legible(feature.properties.name ?? id);
    const putBack = async () => {
        if (!await order.press(saveOrder(collection, id, feature))) { return; }
        forget();
        tell(t("regions.removed.back", { name }));
    };
    return html`<div class="removed" role="status">
        <p>${t("regions.removed.done", { name })} <span class="quiet">${t("regions.removed.hint")}</span></p>
        <div class="buttons">
            <button type="button" class="plain" disabled=${order.isBusy} onClick=${putBack}>${
        t("regions.removed.undo")}</button>
            <button type="button" class="plain" onClick=${forget}>${t("close")}</button>
        </div>
        <${Fault} words=${order.fault} />
    </div>`;
}
