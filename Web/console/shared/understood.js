/**
 * What a newer server says and this version of the page does not know: it is taken as in doubt, and never as safe. A
 * page may be older than its server: one that is left open while the server is upgraded, or the member's app from its
 * cache. Pure.
 */

const states = new Set(["safe", "unsafe", "unknown", "needsHelp", "sos", "offSite"]);
const doubts = new Set(["checking", "stale", "poorAccuracy"]);
const standings = new Set(["inside", "outside", "unknown"]);
/** The doubt that stands for whatever this version does not know. */
export const notUnderstood = "notUnderstood";

/**
 * Safety as this page understands it. Of a state that it does not know nothing is known but that the server says more.
 * @template {{state: string, doubt?: string}} Safety
 * @param {Safety} safety
 * @returns {Safety} the same value where all of it is known
 */
export function understood(safety) {
    if (states.has(safety.state)) { return withKnownDoubt(safety); }
    return { ...safety, state: "unknown", source: undefined, doubt: notUnderstood };
}

/** A presence as this page understands it: what it does not know puts nobody inside. */
export function understoodPresence(presence) {
    if (standings.has(presence.standing)) { return withKnownDoubt(presence); }
    return { ...presence, standing: "unknown", probability: undefined, doubt: notUnderstood };
}

function withKnownDoubt(said) {
    const { doubt } = said;
    if (doubt === undefined || doubts.has(doubt)) { return said; }
    return { ...said, doubt: doubt === null ? undefined : notUnderstood };
}
