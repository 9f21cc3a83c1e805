/** What users are called in what an incident says. */
import { called, withSignIn } from "../shared/names.js";
import { legible } from "../shared/text.js";

/**
 * How an incident names users: an open one as they are called now, and a closed one by its `displayNames`, with the
 * sign-in name. Of an incident with its roll, those are the names that users had when it closed; of one in a list, and
 * of one that the feed tells of, those that they have now.
 * @param {{open?: boolean, displayNames?: Record<string, string>}} incident
 * @returns {(user: string|undefined) => string}
 */
export function calledIn({ open, displayNames = {} }) {
    if (open !== false) { return called; }
    return (user = "") => legible(withSignIn(Object.hasOwn(displayNames, user) ? displayNames[user] : undefined, user));
}

/**
 * The same for a whole report: `displayNames` has who is named beside the people on the roll. Who was removed during
 * the incident is not looked up, as another user may have that sign-in name since.
 * @param {{open?: boolean, displayNames?: Record<string, string>, roll?: object[]}} report
 */
export function calledInReport({ open, displayNames, roll = [] }) {
    const users = roll.filter(({ visitor, removed, displayName }) => !visitor && !removed && displayName);
    const ofRoll = Object.fromEntries(users.map(({ user, displayName }) => [user, displayName]));
    return calledIn({ open, displayNames: { ...ofRoll, ...displayNames } });
}
