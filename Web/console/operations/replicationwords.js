/** A replication in words, and its form as the server takes it. Pure. */
import { legible } from "../shared/text.js";
import { t } from "../shared/words.js";

export const states = Object.freeze(["running", "pending", "crashing", "failed", "completed"]);
/** What a server adds to a document of a replication when it has ended. */
const resultPrefix = "_replication_";

/** The state of a replication. */
export function stateWords({ state, info }) {
    const words = states.includes(state) ? t(`operations.state.${state}`) : legible(state);
    return info?.error ? t("operations.state.because", { words, reason: legible(info.error) }) : words;
}

/** How far a replication came. */
export function progressWords({ info }) {
    if (!info || info.docs_read === undefined) { return ""; }
    const counts = { read: info.docs_read, written: info.docs_written ?? 0, pending: info.changes_pending ?? 0 };
    const words = t("operations.progress", counts);
    return info.doc_write_failures > 0
        ? t("operations.progressRefused", { words, count: info.doc_write_failures }) : words;
}

/** A peer as it is shown: a name, or an address without what stands before its host. */
export function peerWords(peer) {
    const text = typeof peer === "string" ? peer : peer?.url ?? "";
    return legible(text.replace(/\/\/[^/@]*@/, "//"));
}

/**
 * @typedef {{name: string, source: string, target: string, continuous: boolean, createTarget: boolean,
 *   sourceUser: string, targetUser: string}} ReplicationForm
 */

/**
 * The document that orders a replication.
 * @param {ReplicationForm} form
 * @param {{source: string, target: string}} passwords
 * @returns {{body?: object, faults: Record<string, string>}}
 */
export function documentOf(form, passwords) {
    const faults = {};
    if (form.name.trim() === "" || form.name.startsWith("_")) { faults.name = t("operations.replication.needsName"); }
    for (const side of ["source", "target"]) {
        const text = form[side].trim();
        if (text === "") { faults[side] = t("operations.replication.needsPeer"); }
        if (/^https?:\/\/[^/]*@/i.test(text)) { faults[side] = t("operations.replication.noPassword"); }
    }
    if (Object.keys(faults).length > 0) { return { faults }; }
    const body = {
        source: peerOf(form.source.trim(), form.sourceUser.trim(), passwords.source),
        target: peerOf(form.target.trim(), form.targetUser.trim(), passwords.target),
        continuous: form.continuous, create_target: form.createTarget,
    };
    return { body, faults };
}

function peerOf(address, username, password) {
    return isRemote(address) && username !== "" ? { url: address, auth: { basic: { username, password } } } : address;
}

/** Whether a peer is another server, and not a database here. */
export function isRemote(address) {
    return /^https?:\/\//i.test(address.trim());
}

/** The document without its result: the server runs it again. */
export function restarted(document) {
    return Object.fromEntries(Object.entries(document).filter(([key]) => !key.startsWith(resultPrefix)));
}
