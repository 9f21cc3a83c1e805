/** The urgent times, in which each fix counts because somebody may be looking for this person. Pure. */

const calls = new Set(["sos", "needsHelp"]);

/** @param {import("../own.js").Own|undefined} own the store's part `own`: what the server last said */
export function isUrgent(own) {
    return (own?.incidents?.length ?? 0) > 0 || calls.has(own?.member?.state);
}
