/**
 * What people are called: a user by the display name, where an admin entered one, else by the sign-in name. The page
 * learns the names with the state; whoever shares a name with another is told apart by the sign-in name.
 */
import { legible, shortened } from "./text.js";

/** As much of a name that several share is shown, so that what tells them apart stays in sight. */
const sharedNameLimit = 24;

/** The display name of each user the page knows, by the sign-in name; undefined for a user without one. */
let names = new Map();
/** The users whose display name somebody else goes by, too. */
let sharing = new Set();
/** Rises whenever a name changes. */
let version = 0;

/**
 * A name as a person compares it: without capitals and invisible characters, and with spaces of any width alike. The
 * non-joiner is one of them, as a gap shows where it stands.
 */
function comparable(name) {
    return name.normalize("NFKC").replace(/(?!\u200c)\p{DI}/gu, "").replace(/[\u200c\s]+/gu, " ").trim().toLowerCase();
}

/**
 * Takes in names.
 * @param {Iterable<[string, string|undefined]>} told sign-in names, each with the display name
 * @param {boolean} [isWhole] whether these replace all that were known
 */
export function learnNames(told, isWhole) {
    const fresh = new Map(told);
    if ((!isWhole || fresh.size === names.size)
        && [...fresh].every(([user, name]) => names.has(user) && names.get(user) === name)) { return; }
    names = isWhole ? fresh : new Map([...names, ...fresh]);
    version += 1;
    sharing = sharingUsers([...names]);
}

/**
 * The users whose display name somebody else goes by, too, or signs in with.
 * @param {[string, string|undefined][]} people sign-in names, each with the display name
 * @returns {Set<string>} their sign-in names
 */
export function sharingUsers(people) {
    const counts = new Map();
    const compared = people.map(([user, name]) => [user, name, name === undefined ? undefined : comparable(name)]);
    for (const [user, , alike] of compared) {
        for (const each of new Set([comparable(user), alike ?? comparable(user)])) {
            counts.set(each, (counts.get(each) ?? 0) + 1);
        }
    }
    return new Set(compared.filter(([, , alike]) => counts.get(alike) > 1).map(([user]) => user));
}

/** Takes in the names that changes tell of beside what changed. */
export function learnNamesOf(changes) {
    learnNames(changes.flatMap(({ displayNames }) => Object.entries(displayNames ?? {})));
}

/** Rises whenever somebody's name changes, so that what was made by names can be made anew. */
export function namesVersion() {
    return version;
}

/** The display names of those of these users who have one, by their sign-in names. */
export function namesOfUsers(users) {
    return Object.fromEntries(users.filter((user) => names.get(user)).map((user) => [user, names.get(user)]));
}

/**
 * What a user is called: the display name, with the sign-in name where somebody else goes by it, too.
 * @param {number} [limit] of so many characters the sign-in name is shown whole, where it tells people apart
 */
export function nameOfUser(user, limit) {
    const name = names.get(user);
    return name !== undefined && sharing.has(user) ? shortWithSignIn(name, user, limit) : name ?? user;
}

/** `Ana Ruiz (aruiz)`. Pure. */
export function withSignIn(displayName, user) {
    return displayName === undefined ? user : `${displayName} (${user})`;
}

/** The same with the beginning of a long display name, so that all of it has at most `limit` characters. Pure. */
export function shortWithSignIn(displayName, user, limit = Infinity) {
    const left = limit - Array.from(`${user} ()`).length;
    if (displayName === undefined || left < 1) { return user; }
    return withSignIn(shortened(displayName, Math.min(sharedNameLimit, left)), user);
}

/** What a user is called, fit to stand in a sentence. */
export function called(user) {
    return legible(nameOfUser(user));
}

/** The display name and the sign-in name of a user, fit to stand in a sentence. */
export function fullName(user) {
    return legible(withSignIn(names.get(user), user));
}
