/** Reads which tile files the server has. */
import { root } from "../shared/http.js";

/** The time after which a server that does not answer counts as frozen. No map waits so long: see `ground.js`. */
const answerLimitMs = 60_000;

/** The list of a server that gave none. */
export const unanswered = Object.freeze({ tiles: Object.freeze([]), isUnanswered: true });

/**
 * Reads `/tiles/index.json`.
 * @returns {Promise<{tiles: object[], isUnanswered?: boolean}>} an empty list if the server gives none: the map then
 *     works without a ground
 */
export async function loadIndex() {
    try {
        const response = await fetch(new URL("tiles/index.json", root), {
            credentials: "omit", signal: AbortSignal.timeout?.(answerLimitMs),
        });
        if (response.ok) { return await response.json(); }
    } catch {
        // The list returned below says that there was no answer.
    }
    return unanswered;
}
