/**
 * Erases everything in this browser that belongs to the person who signs out: what the app stored, recorded and
 * downloaded. The app itself and the chosen language stay.
 */
import { browserStorage } from "../console/shared/browserstorage.js";

/** The prefix of the caches with the app's own files, which contain nothing of a person. */
const shellPrefix = "muster-me-shell-";
/** The keys of the browser's storage that belong to the device and not to a person. */
const kept = new Set(["muster.language"]);

/**
 * @param {object} [world] replaced in tests, except `keeps`: the further keys of the storage that stay
 * @returns {Promise<string[]>} what could not be erased: `database`, `caches`, `files`, `storage`; empty if nothing
 *     failed
 */
export async function eraseEverything({
    storages = [browserStorage(), browserStorage("sessionStorage")], caches = globalThis.caches,
    files = () => globalThis.navigator?.storage?.getDirectory?.(), database = eraseDatabase,
    notifications = shownNotifications, keeps = [],
} = {}) {
    const faults = [];
    const attempt = async (name, act) => {
        try { await act(); } catch (error) {
            console.error(`Signing out left something in ${name}.`, error);
            faults.push(name);
        }
    };
    await attempt("database", database);
    await attempt("caches", () => eraseCaches(caches));
    await attempt("files", async () => eraseFiles(await files()));
    await attempt("notifications", notifications);
    // The storage comes last: the steps above may still write to it.
    await attempt("storage", () => storages.forEach((storage) => eraseStorage(storage, keeps)));
    return faults;
}

async function eraseDatabase() {
    const { erase } = await import("./storage/database.js");
    await erase();
}

async function eraseCaches(caches) {
    if (!caches) { return; }
    const names = await caches.keys();
    await Promise.all(names.filter((name) => !name.startsWith(shellPrefix)).map((name) => caches.delete(name)));
}

async function eraseFiles(folder) {
    if (!folder) { return; }
    const names = [];
    for await (const name of folder.keys()) { names.push(name); }
    await Promise.all(names.map((name) => folder.removeEntry(name, { recursive: true })));
}

async function shownNotifications() {
    const registration = await globalThis.navigator?.serviceWorker?.getRegistration();
    for (const notification of await registration?.getNotifications?.() ?? []) { notification.close(); }
}

function eraseStorage(storage, keeps) {
    const names = Array.from({ length: storage.length }, (_, index) => storage.key(index));
    for (const name of names) {
        if (name.startsWith("muster") && !kept.has(name) && !keeps.includes(name)) { storage.removeItem(name); }
    }
}
