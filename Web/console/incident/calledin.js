/** What users are called in what an incident says. */
import { called, withSignIn } from "../shared/names.js";
import { legible } from "../shared/text.js";

/**
 * How an incident names users: a closed one as they were called then, with the sign-in name.
 * @param {{open?: boolean, displayNames?: Record<string, string>}} incident
 * @returns {(user: string|undefined) => string}
 */
export function calledIn({ open, displayNames = {} }) {
    if (open !== false) { return called; }
    return (user = "") => legible(withSignIn(Object.hasOwn(displayNames, user) ? displayNames[user] : undefined, user));
}
