/** What the forms and lists of the screens share. */
import { faultWords } from "./faults.js";
import { fieldFaults } from "./fieldfaults.js";
import { pagePath } from "./pages.js";
import { GivenUp } from "./pending.js";
import { clockTime } from "./time.js";
import { html, useEffect, useLayoutEffect, usePage, useRef, useState } from "./view.js";
import { t } from "./words.js";

/**
 * What is typed in a form, which a session that ends does not lose (`drafts.js`). Not for secrets.
 * @template Value
 * @param {string} form a name that no other form has, with what it is about: "region harbour/square"
 * @param {Value} first
 * @returns {[Value, (value: Value) => void, () => void]} the value, what changes it, and what empties the form
 */
export function useDraft(form, first) {
    const { drafts } = usePage();
    const [, draw] = useState(0);
    const change = (value) => { drafts.set(form, value); draw((count) => count + 1); };
    return [drafts.get(form, first), change, () => change(undefined)];
}

/** Makes the browser ask before the user leaves the page while a change on it is not saved. */
export function useUnsaved(isUnsaved) {
    useLayoutEffect(() => {
        if (!isUnsaved) { return undefined; }
        const ask = (event) => event.preventDefault();
        addEventListener("beforeunload", ask);
        return () => removeEventListener("beforeunload", ask);
    }, [isUnsaved]);
}

/**
 * An order of a form or a button: one at a time, sent until the server has answered (`pending.js`).
 * @returns {{press: (order: import("./pending.js").Order) => Promise<Response|undefined>, isBusy: boolean,
 *     fault: string, error: Error|undefined, clear: () => void}} `press` resolves to undefined when it was refused or
 *     given up; `fault` says then what went wrong, and stays until the next press
 */
export function useOrder() {
    const { pending, tell, serverNow } = usePage();
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const isHere = useRef(true);
    useEffect(() => () => { isHere.current = false; }, []);
    const show = (found) => { if (isHere.current) { setState(found); } };
    const press = async (order) => {
        if (state.isBusy) { return undefined; }
        show({ isBusy: true, fault: "" });
        try {
            const response = await pending.press(order);
            show({ isBusy: false, fault: "" });
            const time = clockTime(new Date(serverNow()).toISOString());
            tell(t("order.received", { time, words: order.words }));
            return response;
        } catch (error) {
            const fault = error instanceof GivenUp ? t("fault.givenUp") : faultWords(error);
            show({ isBusy: false, fault, error });
            return undefined;
        }
    };
    return { press, ...state, clear: () => show({ isBusy: false, fault: "" }) };
}

/**
 * Sends the order of a form, and collects what the server or the page finds wrong with each field.
 * @param {string[]} names the members of the request that have a field
 * @returns {{press: (order: import("./pending.js").Order) => Promise<Response|undefined>, isBusy: boolean,
 *     faults: Record<string, string>, fault: string, find: (fields: Record<string, string>, rest?: string) => boolean,
 *     touch: (...names: string[]) => void, refusal: object}}
 *     `faults` stand at the fields, `fault` stands beside the form; `find` takes the faults that the page found before
 *     sending, and returns whether there are any; `touch` says that the user changes these fields; `refusal` is another
 *     value after each refusal and each `find`
 */
export function useFormOrder(names) {
    const { press, isBusy, fault, error, clear } = useOrder();
    const [found, setFound] = useState({ fields: {} });
    const [touched, setTouched] = useState([]);
    const told = fieldFaults(error, names);
    const all = Object.entries({ ...told.fields, ...found.fields });
    const faults = Object.fromEntries(all.filter(([name]) => !touched.includes(name)));
    const beside = found.rest ?? told.rest;
    const look = Object.keys(faults).length > 0 ? t("field.look") : "";
    const find = (fields, rest) => {
        if (!isBusy) { clear(); }
        setFound({ fields, rest });
        setTouched([]);
        return Object.keys(fields).length > 0;
    };
    return {
        isBusy, faults, fault: all.length > 0 || beside ? beside || look : fault, find,
        press: async (order) => {
            if (isBusy) { return undefined; }
            find({});
            return await press(order);
        },
        refusal: error ?? found,
        touch: (...changed) => setTouched((before) => [...before, ...changed]),
    };
}

/**
 * Asks before an order that takes something away, in the page's one dialog for such questions (`frame/ask.js`).
 * @returns {(asked: {title: string, button: string, lines: string[] | (() => string[]),
 *     order: import("./pending.js").Order, done?: (response: Response, isHere: boolean) => void}) => void}
 *     `title` and `button` lose the ellipsis by which a button announces the question; `lines` say what would be taken
 *     away, and are read again while the dialog is open if they are a function; `isHere`: whether the user still looks
 *     at the part of the page that asked
 */
export function useAskFirst() {
    const page = usePage();
    const isHere = useRef(true);
    useEffect(() => () => { isHere.current = false; }, []);
    return ({ title, button, lines, order, done }) => {
        const method = order.method ?? "POST";
        page.ask(() => ({
            draft: `${method} ${order.path}`, title: title.replace(/…$/, ""), button: button.replace(/…$/, ""),
            lines: (typeof lines === "function" ? lines() : lines).filter(Boolean), fields: [], isDangerous: true,
            order: () => ({ isRepeatable: method !== "POST", ...order }),
            done: (response) => done?.(response, isHere.current),
        }));
    };
}

/**
 * A list of the API that comes in pages.
 * @param {string|undefined} path below `/api/v1/`, with its query, without `cursor`; undefined: nothing is asked
 * @param {string} member the member of an answer that holds the items
 * @returns {{items: object[]|undefined, hasMore: boolean, isBusy: boolean, fault: string, more: () => void,
 *     reload: () => void}} `items` is undefined until the first page is here
 */
export function useList(path, member) {
    const { request } = usePage();
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const run = useRef(0);
    const load = async (cursor, before) => {
        const own = ++run.current;
        setState((old) => ({ ...old, isBusy: true, fault: "" }));
        try {
            const found = await (await request(pagePath(path, { cursor }))).json();
            if (own !== run.current) { return; }
            setState({ items: [...before, ...found[member]], cursor: found.nextCursor, isBusy: false, fault: "" });
        } catch (error) {
            if (own === run.current) { setState((old) => ({ ...old, isBusy: false, fault: faultWords(error) })); }
        }
    };
    const reload = () => { if (path) { load(undefined, []); } };
    useEffect(() => {
        setState({ isBusy: false, fault: "" });
        reload();
        return () => { run.current += 1; };
    }, [path]);
    return {
        items: state.items, hasMore: Boolean(state.cursor), isBusy: state.isBusy, fault: state.fault,
        more: () => { if (!state.isBusy) { load(state.cursor, state.items); } }, reload,
    };
}

/** What a list says besides its items: that it loads, is empty, could not be loaded, or has more. */
export function ListFoot({ list, empty }) {
    const { items, hasMore, isBusy, fault, more, reload } = list;
    if (fault) {
        return html`<${Retry} words=${fault} again=${items ? more : reload} />`;
    }
    if (isBusy || !items) { return html`<p class="quiet" role="status">${t("list.loading")}</p>`; }
    if (items.length === 0) { return html`<p class="quiet">${empty}</p>`; }
    return hasMore && html`<button type="button" class="plain" onClick=${more}>${t("list.more")}</button>`;
}

/** What went wrong in a form. */
export function Fault({ words }) {
    return html`<p class="fault" role="alert" hidden=${!words}>${words}</p>`;
}

/** Shows what went wrong, and a button to try again. */
export function Retry({ words, again, isBusy = false }) {
    return html`<p class="fault" role="alert">${words} <button type="button" class="plain" disabled=${isBusy}
        onClick=${again}>${t("list.again")}</button></p>`;
}
