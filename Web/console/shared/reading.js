/** Reads paths of the API for a component, once or repeatedly. */
import { faultWords } from "./faults.js";
import { Retry } from "./forms.js";
import { html, useEffect, usePage, useRef, useState } from "./view.js";
import { t } from "./words.js";

/** The time without an answer after which the server counts as unreachable, in milliseconds. */
const answerLimitMs = 30_000;

/**
 * The answer of one path of the API, or of several paths read together.
 * @template Value
 * @param {string|undefined} name identifies what is read: another name starts another reading; undefined reads nothing
 * @param {(get: (path: string) => Promise<any>) => Promise<Value>} read
 * @param {number} [everyMs] the time between two readings
 * @returns {{value: Value|undefined, fault: string, error?: Error, isBusy: boolean, atMs: number|undefined,
 *     reload: () => void}} when a later reading fails, `value` stays what was read last, at `atMs`
 */
export function useReading(name, read, everyMs) {
    const { request, serverNow } = usePage();
    const [state, setState] = useState({ fault: "", isBusy: name !== undefined });
    const run = useRef(0);
    const get = async (path) => (await request(path, { signal: AbortSignal.timeout(answerLimitMs) })).json();
    const load = async () => {
        if (name === undefined) { return; }
        const own = ++run.current;
        setState((old) => ({ ...old, isBusy: true }));
        try {
            const value = await read(get);
            if (own === run.current) { setState({ value, fault: "", isBusy: false, atMs: serverNow() }); }
        } catch (error) {
            if (own !== run.current) { return; }
            setState((old) => ({ ...old, fault: faultWords(error), error, isBusy: false }));
        }
    };
    useEffect(() => {
        setState({ fault: "", isBusy: name !== undefined });
        load();
        const timer = everyMs && setInterval(() => { if (!document.hidden) { load(); } }, everyMs);
        return () => { run.current += 1; clearInterval(timer); };
    }, [name]);
    return { ...state, reload: load };
}

/** Says that a reading is under way, or that it failed. */
export function ReadingFoot({ reading: { value, fault, isBusy, reload } }) {
    if (fault) {
        return html`<${Retry} words=${fault} again=${reload} isBusy=${isBusy} />`;
    }
    return value === undefined && html`<p class="quiet" role="status">${t("list.loading")}</p>`;
}
