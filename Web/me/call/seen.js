/** Stores which calls each user has seen on this phone, so that a reload does not show a seen call again. */
import { browserStorage } from "../../console/shared/browserstorage.js";

const prefix = "muster.me.seen.";
/** The number of seen calls that are kept; the oldest go first. */
const limit = 20;

/** @returns {Record<string, string>} the time at which each call was seen, by the key of the call */
export function readSeen(user, storage = browserStorage()) {
    try {
        const found = JSON.parse(storage.getItem(prefix + user) ?? "{}");
        return found && typeof found === "object" && !Array.isArray(found) ? found : {};
    } catch {
        return {};
    }
}

/** Adds a call seen now. @returns {Record<string, string>} all seen calls */
export function writeSeen(user, seen, key, at, storage = browserStorage()) {
    const others = Object.entries(seen).filter(([known]) => known !== key);
    const all = Object.fromEntries([...others, [key, at]].slice(-limit));
    try { storage.setItem(prefix + user, JSON.stringify(all)); } catch { /* Full: the call is shown again later. */ }
    return all;
}
