/** Lines that say where each of a person's declarations is: on this phone, at the server, or seen by somebody. Pure. */
import { waitingOf } from "../../console/shared/deliveries.js";
import { called } from "../../console/shared/names.js";
import { legible } from "../../console/shared/text.js";
import { clockTime } from "../../console/shared/time.js";
import { listed, t } from "../../console/shared/words.js";

/** The kinds of declarations listed here. That a call was seen is shown beside that call. */
const told = new Set(["safe", "needsHelp", "sos", "clear", "checkIn"]);

/**
 * @typedef {object} Line
 * @property {string} key
 * @property {"phone"|"server"|"seen"|"refused"|"cancelled"} place where the declaration is: the mark beside the line
 * @property {string} words
 */

/**
 * @param {import("../../console/shared/outbox.js").Delivery[]} deliveries
 * @param {object} known
 * @param {import("../own.js").Own|undefined} known.own
 * @param {boolean} known.isLive whether the server is heard
 * @param {number} nowMs the server's time
 * @returns {Line[]} in the order in which the declarations were made
 */
export function deliveryLines(deliveries, { own, isLive }, nowMs) {
    const call = callLine(own, nowMs);
    // A call that stands at the server has a line of its own, which says who has seen it.
    const isTold = ({ declaration: { kind, note }, state }) => told.has(kind) && state !== "counting"
        && !(call && state === "received" && kind === own.member.state && !note);
    const lines = deliveries.filter(isTold).map((delivery) => lineOf(delivery, isLive, nowMs));
    return call ? [...lines, call] : lines;
}

function lineOf(delivery, isLive, nowMs) {
    const { declaration, state, reason, isLate, at } = delivery;
    const what = whatWords(declaration);
    const key = declaration.id;
    const time = clockTime(new Date(at).toISOString(), nowMs);
    switch (state) {
        case "received": {
            const words = t(isLate ? "me.declarations.late" : "me.declarations.server", { what, time });
            return { key, place: "server", words };
        }
        case "refused": return { key, place: "refused", words: t("me.declarations.refused", { what, reason }) };
        case "cancelled": return { key, place: "cancelled", words: t("me.declarations.cancelled", { what }) };
        default: return { key, place: "phone", words: waitWords(delivery, what, isLive, nowMs) };
    }
}

/** Says that a declaration is on this phone. Without a connection it is not "being sent", although that is tried. */
function waitWords({ declaration: { kind, sampleTime }, state, reason, isUnkept }, what, isLive, nowMs) {
    if (state !== "failed" && isLive) { return t("me.declarations.sending", { what }); }
    const time = sampleTime ? clockTime(sampleTime, nowMs) : "";
    return [
        state === "failed"
            ? t("me.declarations.waits", { what, time, reason: reason ?? t("problem.noConnection") })
            : t("me.declarations.kept", { what, time }),
        isUnkept && t("me.declarations.unkept"),
        isCallKind(kind) && t("me.declarations.emergency"),
    ].filter(Boolean).join(" ");
}

/** The line for the person's call for help as the server has it, which says whether somebody has seen it. */
function callLine(own, nowMs) {
    const member = own?.member;
    if (!isCalling(member)) { return undefined; }
    const what = t(`spoken.${member.state}`);
    const words = member.acknowledgedBy
        ? t("me.declarations.seen", { what, name: called(member.acknowledgedBy) })
        : t("me.declarations.unseen", { what, time: clockTime(member.since, nowMs) });
    return { key: "call", place: member.acknowledgedBy ? "seen" : "server", words };
}

/** Whether a person calls for help, as the server knows it. */
export function isCalling(member) {
    return isCallKind(member?.state);
}

function isCallKind(kind) {
    return kind === "sos" || kind === "needsHelp";
}

/** The kinds of declarations that begin or end a call for help. */
const turning = new Set(["safe", "clear", "sos", "needsHelp"]);

/** The kind of the call for help that stands, as far as this phone knows. */
export function callKind(deliveries, own) {
    return callStanding(deliveries, own)?.kind;
}

/** Whether the call for help that stands is still on this phone, so that the server's state does not have it. */
export function isCallUnsent(deliveries, own) {
    return callStanding(deliveries, own)?.isUnsent === true;
}

/**
 * The call for help that stands: the server's, changed by what was declared here since the server was last heard, by
 * the rules of docs/safety.md. An SOS lasts until somebody clears it: "I am safe" and "I need help" do not end it.
 */
function callStanding(deliveries, own) {
    const pending = deliveries.filter(({ declaration: { kind }, state, isLate, at }) => turning.has(kind)
        && (state === "sending" || state === "failed"
            || (state === "received" && !isLate && at > (own?.heardAt ?? 0))));
    let call = isCalling(own?.member) ? { kind: own.member.state, isUnsent: false } : undefined;
    for (const { declaration: { kind }, state } of pending) {
        const isSOS = call?.kind === "sos";
        if (kind === "clear" || (kind === "safe" && !isSOS)) { call = undefined; }
        if (kind === "sos" || (kind === "needsHelp" && !isSOS)) { call = { kind, isUnsent: state !== "received" }; }
    }
    return call;
}

function whatWords({ kind, note }) {
    const spoken = kind === "clear" ? t("me.declarations.clear") : t(`spoken.${kind}`);
    return note ? `${spoken} (${legible(note)})` : spoken;
}

/** How many messages and positions wait on this phone, in words; empty if none do. */
export function waitingWords(deliveries, fixes = 0) {
    return waitingCounts(waitingOf(deliveries).length, fixes);
}

/** A number of messages and positions in words; empty if both are 0. */
export function waitingCounts(messages, fixes) {
    return listed([
        messages > 0 && t("me.declarations.messages", { count: messages }),
        fixes > 0 && t("me.declarations.positions", { count: fixes }),
    ]);
}
