/** Reads which tile files the server has. */
import { root } from "../shared/http.js";

/** The longest time that a frozen server can hold up the map, in milliseconds. */
const answerLimitMs = 5000;

/** Reads `/tiles/index.json`. The list is empty if the server gives none: the map then works without a ground. */
export async function loadIndex() {
    try {
        const response = await fetch(new URL("tiles/index.json", root), {
            credentials: "omit", signal: AbortSignal.timeout?.(answerLimitMs),
        });
        if (response.ok) { return await response.json(); }
    } catch {
        // The empty list returned below says that there are no files.
    }
    return { tiles: [] };
}
