/** Work that takes many requests, one after the other: how far it has come, what stopped it, and an end to it. */
import { faultWords, isTemporary } from "../shared/faults.js";
import { pause } from "../shared/pause.js";
import { html, useEffect, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/** How often a request is sent again that may go through later. */
const tries = 6;

/**
 * Sends one request of such a work; again while the server is busy, and where it did not answer and takes it twice for
 * one.
 * @param {(path: string, options: object) => Promise<Response>} request
 */
export async function persist(request, path, options, signal, wait = pause) {
    const isRepeatable = (options.method ?? "GET") !== "POST";
    for (let attempt = 1; ; attempt += 1) {
        try {
            return await request(path, { ...options, signal });
        } catch (error) {
            const mayRetry = isTemporary(error) && (isRepeatable || error.status !== undefined);
            if (signal.aborted || attempt === tries || !mayRetry) { throw error; }
            await wait(Math.max(1000 * attempt, (error.retryAfterSeconds ?? 0) * 1000), signal);
            signal.throwIfAborted();
        }
    }
}

/**
 * @returns {{isBusy: boolean, progress: object|undefined, fault: string, error: Error|undefined, isCancelled: boolean,
 *     begin: (act: (tools: {signal: AbortSignal, report: (progress: object) => void,
 *     request: Function}) => Promise<object>) => Promise<object|undefined>, cancel: () => void}} `begin` resolves to
 *     what the work made; undefined where it failed or was given up
 */
export function useWork() {
    const { request } = usePage();
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const ending = useRef();
    useEffect(() => () => ending.current?.abort(), []);
    const begin = async (act) => {
        const own = new AbortController();
        ending.current = own;
        setState({ isBusy: true, fault: "" });
        const report = (progress) => {
            if (!own.signal.aborted) { setState((old) => ({ ...old, progress })); }
        };
        try {
            const made = await act({ signal: own.signal, report, request });
            setState({ isBusy: false, fault: "" });
            return made;
        } catch (error) {
            setState(own.signal.aborted ? { isBusy: false, fault: "", isCancelled: true }
                : { isBusy: false, fault: faultWords(error), error });
            return undefined;
        }
    };
    return { ...state, begin, cancel: () => ending.current?.abort() };
}

/**
 * How far a work has come, with a way to give it up.
 * @param {{work: object, words: string, value: number, of: number}} properties
 */
export function Progress({ work, words, value, of }) {
    if (!work.isBusy) { return undefined; }
    return html`<div class="progress"><label>${words}<progress value=${value} max=${Math.max(1, of)} /></label>
        <button type="button" class="plain" onClick=${work.cancel}>${t("cancel")}</button></div>`;
}
