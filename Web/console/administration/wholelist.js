/** Lists of the API that are searched here, and so are read whole, page by page. */
import { faultWords } from "../shared/faults.js";
import { Retry } from "../shared/forms.js";
import { pagesOf } from "../shared/pages.js";
import { html, useEffect, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { useChanges } from "./reading.js";

/** The most items that are read before the page asks whether to go on. */
const readLimit = 20_000;
/** The time without an answer after which the server counts as gone. */
const answerLimitMs = 30_000;
/** The number of rows that are drawn at first, and with each further press. */
const shownStep = 100;

/**
 * A list, read whole.
 * @param {string|undefined} path below `/api/v1/`, with its query; undefined: nothing is asked
 * @returns {{items: object[]|undefined, isWhole: boolean, isBusy: boolean, fault: string, more: () => void,
 *     reload: () => void}}
 */
export function useWhole(path) {
    const { request } = usePage();
    const [state, setState] = useState({ isBusy: Boolean(path), fault: "" });
    const run = useRef(0);
    const get = async (page) => (await request(page, { signal: AbortSignal.timeout(answerLimitMs) })).json();
    const read = async (cursor, before, limit) => {
        const own = ++run.current;
        let items = before;
        setState((old) => ({ ...old, isBusy: true, fault: "" }));
        try {
            for await (const { items: more, cursor: next } of pagesOf(get, path, { cursor })) {
                if (own !== run.current) { return; }
                items = [...items, ...more];
                setState((old) => ({
                    items: old.items && old.items.length > items.length && next ? old.items : items, cursor: next,
                    isBusy: Boolean(next) && items.length < limit, fault: "",
                }));
                if (items.length >= limit) { return; }
            }
        } catch (error) {
            if (own === run.current) {
                setState((old) => ({ ...old, isBusy: false, fault: faultWords(error), error }));
            }
        }
    };
    const reload = async () => { if (path) { await read(undefined, [], readLimit); } };
    useEffect(() => {
        setState({ isBusy: Boolean(path), fault: "" });
        reload();
        return () => { run.current += 1; };
    }, [path]);
    useChanges(reload);
    return {
        items: state.items, isWhole: Boolean(state.items) && !state.cursor, isBusy: state.isBusy, fault: state.fault,
        error: state.error, reload,
        more: () => { if (!state.isBusy) { read(state.cursor, state.items, state.items.length + readLimit); } },
    };
}

/**
 * The rows of a list that was read whole: a hundred at first, and what else there is to say.
 * @param {{list: object, rows: object[], row: (item: object) => object, empty: string, of?: string}} properties `rows`:
 *     those of its items that are shown; `of`: whatever chose them, so that another choice begins at the top
 */
export function Rows({ list, rows, row, empty, of = "" }) {
    const [shown, setShown] = useState({ of, count: shownStep });
    const count = shown.of === of ? shown.count : shownStep;
    const { items, isBusy, isWhole, fault, more, reload } = list;
    return html`
        ${items && rows.length > 0 && html`<p class="quiet" role="status">${t("administration.shown",
        { count: rows.length, shown: Math.min(count, rows.length) })}</p>`}
        <ul class="rows">${rows.slice(0, count).map(row)}</ul>
        ${rows.length > count && html`<p><button type="button" class="plain"
            onClick=${() => setShown({ of, count: count + shownStep })}>${t("list.more")}</button></p>`}
        ${fault && html`<${Retry} words=${fault} again=${reload} />`}
        ${isBusy && html`<p class="quiet" role="status">${t("list.loading")}</p>`}
        ${!isBusy && items && !isWhole && html`<p>${t("administration.notAll", { count: items.length })}
            <button type="button" class="plain" onClick=${more}>${t("administration.readOn")}</button></p>`}
        ${!isBusy && !fault && items && rows.length === 0 && html`<p class="quiet">${empty}</p>`}`;
}
