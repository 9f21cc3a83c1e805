/** What this screen reads of the server, and reads again after each change that it made. */
import { useReading } from "../shared/reading.js";
import { useEffect, useRef } from "../shared/view.js";

/** How often is read again who is where. */
export const presentMs = 10_000;

const listeners = new Set();

/** What this screen shows has changed on the server: what is shown is read again. Settles once it is. */
export function changed() {
    return Promise.all([...listeners].map((listener) => listener()));
}

/** Calls `read` after each change that this screen made. */
export function useChanges(read) {
    const newest = useRef();
    newest.current = read;
    useEffect(() => {
        const listener = () => newest.current();
        listeners.add(listener);
        return () => listeners.delete(listener);
    }, []);
}

/**
 * One thing of the API.
 * @param {string|undefined} path below `/api/v1/`; undefined: nothing is asked
 * @param {number} [everyMs] how often it is read again while the page is seen; by default after changes alone
 * @returns {ReturnType<typeof useReading>}
 */
export function useOne(path, everyMs) {
    const reading = useReading(path, (get) => get(path), everyMs);
    useChanges(reading.reload);
    const { error } = reading;
    // What is gone, and what is said of this moment, is not shown any longer; a form stays.
    const isOver = error && (error.status === 404 || everyMs !== undefined);
    return isOver ? { ...reading, value: undefined } : reading;
}
