/** Who sees the person who holds the phone: read from the server, and put into words. Pure, apart from the reading. */
import { Problem } from "../../console/shared/http.js";
import { called, withSignIn } from "../../console/shared/names.js";
import { byName, legible } from "../../console/shared/text.js";
import { minuteTime } from "../../console/shared/time.js";
import { listed, t } from "../../console/shared/words.js";

/** The order of the viewers' roles: the person's own leaders come first. */
export const roles = ["leader", "analyst", "admin"];
export const kinds = new Set(["person", "incident"]);

/**
 * @typedef {object} Viewer
 * @property {string} [name] the name of a user
 * @property {string} [displayName] what people call the user
 * @property {"leader"|"admin"|"analyst"} [role]
 * @property {string} [token] the name of a token that somebody else made for a device of the user
 * @property {string} [device] the device of the token
 * @property {string} [madeBy] who made the token, or the link
 * @property {string} [link] the name of a link: anyone who has the link sees the user, without an account
 * @property {string} [kind] `person` or `incident`
 * @property {string} [note] the purpose of the link
 * @property {string} [expires] RFC 3339
 * @property {string} [since] RFC 3339
 */

/**
 * Reads who sees a user.
 * @param {(path: string) => Promise<Response>} request
 * @returns {Promise<Viewer[]|undefined>} undefined if the server is too old to say
 * @throws {Problem|TypeError}
 */
export async function readViewers(request, user) {
    try {
        return (await (await request(`users/${encodeURIComponent(user)}/viewers?limit=1000`)).json()).items;
    } catch (error) {
        if (error instanceof Problem && (error.status === 404 || error.status === 405)) { return undefined; }
        throw error;
    }
}

/** Whether the team allows its people to pause. @returns {Promise<boolean>} false also if the server is too old */
export async function readAllowsPause(request, team) {
    if (!team) { return false; }
    try {
        return (await (await request(`teams/${encodeURIComponent(team)}`)).json()).allowsPause === true;
    } catch (error) {
        if (error instanceof Problem) { return false; }
        throw error;
    }
}

/** A line for each viewer: who it is, and what else is known. */
export function viewerLines(viewers, nowMs) {
    const rank = ({ link, token, role }) => (link ? roles.length + 1 : token ? roles.length : roles.indexOf(role));
    return [...viewers].sort((left, right) => rank(left) - rank(right) || byName(left.name ?? "", right.name ?? ""))
        .map((viewer, index) => ({
            key: `${viewer.link ?? viewer.token ?? viewer.name} ${index}`, who: whoWords(viewer),
            details: detailWords(viewer, nowMs),
        }));
}

function whoWords({ name, displayName, role, link, kind, token, device }) {
    if (token) { return t("me.visible.token", { device: legible(device) }); }
    if (link) { return t(kinds.has(kind) ? `me.visible.link.${kind}` : "me.visible.link"); }
    const who = legible(withSignIn(displayName, name));
    return roles.includes(role) ? t(`me.visible.${role}`, { name: who }) : who;
}

function detailWords({ note, since, expires, madeBy }, nowMs) {
    return listed([
        madeBy && t("me.visible.madeBy", { name: called(madeBy) }),
        note && t("text.quoted", { text: legible(note) }),
        since && t("row.since", { time: minuteTime(since, nowMs) }),
        expires && t("me.visible.until", { time: minuteTime(expires, nowMs) }),
    ]);
}

/** The lengths of the offered pauses, in minutes. */
export const pauseMinutes = Object.freeze([30, 60, 240]);

/** The pause that runs now; undefined if none does. */
export function runningPause(pause, nowMs) {
    return pause && Date.parse(pause.until) > nowMs ? pause : undefined;
}
