/**
 * What people are called: a user by the display name, where an admin entered one, else by the sign-in name. The page
 * learns the names with the state; whoever shares a name with another is told apart by the sign-in name.
 */
import { legible, shortened } from "./text.js";

/** As much of a name that several share is shown, so that what tells them apart stays in sight. */
const sharedNameLimit = 24;

/** The display name of each user the page knows, by the sign-in name; undefined for a user without one. */
let names = new Map();
/** Who goes by each name, made comparable; undefined where several do. */
let owners = new Map();
/** Rises whenever a name changes. */
let version = 0;

/** As a person compares names: without capitals, and with invisible characters and spaces of any width alike. */
function comparable(name) {
    return name.normalize("NFKC").replace(/[\p{DI}\s]+/gu, " ").trim().toLowerCase();
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
    owners = new Map();
    for (const [user, name] of names) {
        for (const each of new Set([user, name ?? user].map(comparable))) {
            owners.set(each, owners.has(each) ? undefined : user);
        }
    }
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

/** What a user is called: the display name, with the sign-in name where somebody else goes by it, too. */
export function nameOfUser(user) {
    const name = names.get(user);
    if (name === undefined || owners.get(comparable(name)) === user) { return name ?? user; }
    return withSignIn(shortened(name, sharedNameLimit), user);
}

/** `Ana Ruiz (aruiz)`. Pure. */
export function withSignIn(displayName, user) {
    return displayName === undefined ? user : `${displayName} (${user})`;
}

/** What a user is called, fit to stand in a sentence. */
export function called(user) {
    return legible(nameOfUser(user));
}

/** The display name and the sign-in name of a user, fit to stand in a sentence. */
export function fullName(user) {
    return legible(withSignIn(names.get(user), user));
}
