/**
 * Whose phone this is now. All tabs of the app show one person. Signing out waits until no tab writes any more, and
 * then erases everything. If the server ended the session, unsent messages and positions stay for the same person;
 * somebody else who signs in is warned before they are erased.
 */
import { browserStorage } from "../console/shared/browserstorage.js";
import { Problem } from "../console/shared/http.js";
import { legible } from "../console/shared/text.js";
import { t } from "../console/shared/words.js";
import { waitingCounts } from "./declarations/deliverylines.js";

const lockName = "muster.me.person";
const nameKey = "muster.me.person";
const unsentPrefix = "muster.unsent.";
/** The longest time that signing out waits for other tabs, in milliseconds. */
const othersMs = 3000;

/** Holds a lock as long as this tab has a person; all tabs may hold the lock together. */
export class OnePerson {
    #locks;
    #release = () => {};
    #held = Promise.resolve();

    /** @param {LockManager} [locks] replaced in tests */
    constructor(locks = globalThis.navigator?.locks) { this.#locks = locks; }

    begin() {
        if (!this.#locks) { return; }
        this.end();
        this.#held = this.#locks.request(lockName, { mode: "shared" },
            () => new Promise((release) => { this.#release = release; })).catch(() => {});
    }

    end() { this.#release(); }

    /** Settles once no tab has a person, or after `othersMs`: a frozen tab must not keep anybody from signing out. */
    async alone() {
        if (!this.#locks) { return; }
        this.end();
        await this.#locks.request(lockName, { signal: AbortSignal.timeout(othersMs) }, () => {}).catch(() => {});
    }
}

/** Stores the name of the signed-in person. */
export function rememberPerson(name, storage = browserStorage()) {
    try { storage.setItem(nameKey, name); } catch { /* If the name cannot be stored, nothing else is stored either. */ }
}

/**
 * Who was signed in here before somebody else, and how much of theirs was not sent.
 * @param {string} name the name of the person who signs in
 * @param {{storage?: Storage, countFixes?: (user: string) => Promise<number>}} [world] replaced in tests
 * @returns {Promise<{name: string, messages: number, fixes: number}|undefined>} undefined if nobody else was signed in
 */
export async function formerPerson(name, { storage = browserStorage(), countFixes = storedFixes } = {}) {
    const former = read(storage, nameKey);
    if (!former || former === name) { return undefined; }
    let messages = 0;
    try {
        messages = JSON.parse(read(storage, unsentPrefix + former) ?? "[]").length;
    } catch {
        // The stored messages cannot be read, so none of them could be sent.
    }
    return { name: former, messages, fixes: await countFixes(former).catch(() => 0) };
}

/** The warning before another person's unsent data is erased; undefined if there is none. */
export function formerProblem({ name, messages, fixes }) {
    const what = waitingCounts(messages, fixes);
    return what ? new Problem(409, { title: t("me.app.former", { name: legible(name), what }) }) : undefined;
}

function read(storage, key) {
    try { return storage.getItem(key) ?? undefined; } catch { return undefined; }
}

async function storedFixes(user) {
    const { openDatabase } = await import("./storage/database.js");
    return await openDatabase().read(["queue"], (transaction) => transaction.count("queue", user));
}
