/** What a visitor enters. Pure, but for the id. */
import { newID } from "../shared/id.js";

/** The most that the server takes, in bytes of UTF-8. */
const nameLimitBytes = 200;
const noteLimitBytes = 500;

/** The key of what keeps an entry from being sent; undefined where nothing does. */
export function whyNot(name, note) {
    if (name.trim() === "") { return "visit.noName"; }
    if (bytes(name.trim()) > nameLimitBytes) { return "visit.longName"; }
    return bytes(note.trim()) > noteLimitBytes ? "visit.longNote" : undefined;
}

/** The entry as it is sent. Its id makes one of it, however often it is sent. */
export function newVisit({ name, note }, id = newID()) {
    return { id, name: name.trim().replace(/\s+/g, " "), ...(note.trim() ? { note: note.trim() } : {}) };
}

function bytes(text) {
    return new TextEncoder().encode(text).length;
}
