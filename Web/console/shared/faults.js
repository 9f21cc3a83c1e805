/** What went wrong with a request, in words that say what to do. Pure. */
import { Problem } from "./http.js";
import { t } from "./words.js";

/** The statuses that have words of their own. */
const known = new Set([401, 403, 404, 409, 412, 413, 429, 503, 507]);

/** Whether the server gave no answer: it may have the request or not. */
export function isUnanswered(error) {
    return !(error instanceof Problem);
}

/** Whether the same request may go through later without a change: no answer, too busy, too many, no room. */
export function isTemporary(error) {
    return isUnanswered(error) || [429, 502, 503, 504, 507].includes(error.status);
}

/** What went wrong, with the server's own sentence where it gave one. */
export function faultWords(error) {
    if (isUnanswered(error)) { return t("fault.unanswered"); }
    if (!known.has(error.status)) {
        return [error.message, ...(error.errors ?? []).map(({ detail }) => detail)].filter(Boolean).join(" ");
    }
    return t(`fault.${error.status}`, { reason: error.message, count: error.retryAfterSeconds ?? 60 });
}
