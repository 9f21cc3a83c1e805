/** A list of the operations, a page at a time. */
import { ListFoot } from "../shared/forms.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/** The most rows of a list that are drawn at once. */
const pageSize = 50;

/**
 * A list, a page at a time, so that no more than a page is drawn of ten thousand items.
 * @param {{list: object, items?: object[], row: (item: object) => object, empty: string, label: string}} properties
 *   `list` is what `useList` gives, `items` those of its items that are shown
 */
export function Paged({ list, items = list.items ?? [], row, empty, label }) {
    const [wanted, setWanted] = useState(0);
    const first = Math.max(0, Math.min(wanted, Math.floor((items.length - 1) / pageSize) * pageSize));
    const end = Math.min(first + pageSize, items.length);
    const isLast = end === items.length;
    const next = () => {
        if (isLast) { list.more(); }
        setWanted(first + pageSize);
    };
    const isFoot = list.fault || list.isBusy || !list.items || items.length === 0;
    return html`<ul class="rows" aria-label=${label}>${items.slice(first, end).map(row)}</ul>
        ${isFoot && html`<${ListFoot} list=${{ ...list, hasMore: false }} empty=${empty} />`}
        ${items.length === 0 && list.items?.length > 0 && html`<p class="quiet">${empty}</p>`}
        ${(items.length > pageSize || list.hasMore) && html`<div class="pages">
            <button type="button" class="plain" disabled=${first === 0}
                onClick=${() => setWanted(first - pageSize)}>${t("operations.previous")}</button>
            <span role="status">${t("operations.shown", { first: first + 1, last: end, count: items.length })}</span>
            <button type="button" class="plain" disabled=${list.isBusy || isLast && !list.hasMore}
                onClick=${next}>${t("operations.next")}</button></div>`}`;
}
