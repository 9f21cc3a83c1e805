/** The server's own look at an edit, while one draws and before it is saved. */
import { faultWords } from "../shared/faults.js";
import { Problem } from "../shared/http.js";
import { useLayoutEffect, usePage, useRef, useState } from "../shared/view.js";
import { regionsPath } from "./addresses.js";
import { shownFaults } from "./faults.js";
import { conditionsOf } from "./regionrequests.js";
import { featureOf } from "./settings.js";

/** The time after the last change at which the server is asked. */
const idleMs = 500;

/**
 * @typedef {object} Check
 * @property {"sound"|"faulty"|"changed"|"unknown"} result `changed`: somebody else changed the region meanwhile;
 *   `unknown`: the server cannot tell now
 * @property {import("./faults.js").ShownFault[]} faults
 * @property {object} [outlook] what the edit would change for the people who stand there; absent where the server
 *   cannot tell
 * @property {string} [words] why not
 */

/**
 * Asks the server.
 * @param {(path: string, options: object) => Promise<Response>} request
 * @param {{collection: string, id: string, shape: object, settings: object, base?: object}} edited
 * @param {AbortSignal} [signal]
 * @returns {Promise<Check>}
 * @throws {DOMException} when it is aborted
 */
export async function checkEdit(request, { collection, id, shape, settings, base }, signal) {
    const body = featureOf(id, shape, settings);
    const found = (errors) => ({ result: "faulty", faults: shownFaults(errors, shape) });
    try {
        const seen = await request(`${regionsPath(collection)}?dryRun=true`, { method: "POST", body, signal });
        const { faults = [], regions } = await seen.json();
        if (faults.length > 0) { return found(faults); }
        // A server that does not count them does not know what an edit would change, either: it would store it.
        if (regions === undefined) { return { result: "sound", faults: [] }; }
        const answer = await request(`${regionsPath(collection, id)}?dryRun=true`,
            { method: "PUT", body, headers: conditionsOf(base), signal });
        return { result: "sound", faults: [], outlook: await answer.json() };
    } catch (error) {
        if (signal?.aborted) { throw error; }
        if (error instanceof Problem && error.status === 412) {
            return { result: "changed", faults: [], words: error.message };
        }
        if (error instanceof Problem && error.errors.length > 0) { return found(error.errors); }
        return { result: "unknown", faults: [], words: faultWords(error) };
    }
}

/**
 * The newest look of the server at an edit.
 * @param {object|undefined} edited as of `checkEdit`; undefined: there is nothing to look at
 * @returns {{check: Check|undefined, isChecking: boolean, now: () => Promise<Check>}} `check` is that of an older edit
 *   while `isChecking`; `now` asks at once
 */
export function useCheck(edited) {
    const { request } = usePage();
    const [state, setState] = useState({});
    const run = useRef();
    const timer = useRef();
    const ask = async () => {
        // A check that is still due would end this one.
        clearTimeout(timer.current);
        run.current?.abort();
        const own = run.current = new AbortController();
        setState((old) => ({ ...old, isChecking: true }));
        const check = await checkEdit(request, edited, own.signal);
        if (!own.signal.aborted) { setState({ check, isChecking: false }); }
        return check;
    };
    const { id, shape, settings, base } = edited ?? {};
    // At once, not a frame later: what is asked meanwhile is asked of the newest.
    useLayoutEffect(() => {
        if (!edited) { setState({}); return undefined; }
        setState((old) => ({ ...old, isChecking: true }));
        timer.current = setTimeout(() => { ask().catch(() => {}); }, idleMs);
        return () => { clearTimeout(timer.current); run.current?.abort(); };
    }, [id, shape, settings, base]);
    return { check: state.check, isChecking: Boolean(state.isChecking), now: ask };
}
