/** What is said of a target, and its form as the API takes it. Pure. */
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

/** The kinds that a form makes. A target that sends texts is made by the command line (docs/sms.md). */
export const kinds = Object.freeze(["webhook", "slack", "log"]);
const namedKinds = Object.freeze([...kinds, "sms"]);
/** The states by which deliveries are listed: `new` and `retrying` are those among `waiting`. */
export const deliveryStates = Object.freeze(["waiting", "new", "retrying", "dead"]);
/** How many of a list are asked for at once. */
const pageSize = 100;

/** What a target is, which server it calls, and to whom it sends texts. */
export function kindWords({ kind, server, to = [], byHand }) {
    const name = namedKinds.includes(kind) ? t(`targets.kind.${kind}`) : legible(kind);
    return listed([name, server && legible(server), ...to.map(legible), byHand && t("targets.byHand")]);
}

/** What waits for a target, and what was given up. */
export function deliveryWords({ failing, pending, deadLetters }) {
    return listed([
        failing && t("targets.failing"),
        pending > 0 ? t("targets.pending", { count: pending }) : t("targets.nothingPending"),
        deadLetters > 0 && t("targets.deadLetters", { count: deadLetters }),
    ]);
}

/** The path of the deliveries that wait for a target. @param {{rule: string, state: string}} wanted */
export function waitingPath(name, { rule, state }) {
    const query = queryOf({ rule, state: state === "waiting" ? "" : state });
    return `targets/${encodeURIComponent(name)}/deliveries/waiting?${query}`;
}

/** The path of the deliveries of a target that were given up. */
export function lettersPath(name, rule) {
    return `deadletters?${queryOf({ target: name, rule })}`;
}

/** A query of those parameters that are not empty. To the server a plus sign is no space. */
function queryOf(parameters) {
    return Object.entries({ limit: String(pageSize), ...parameters }).filter(([, value]) => value !== "")
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** Why an attempt failed. The server says it in English; what the target answered is said in the page's language. */
export function reasonWords(reason) {
    const status = /^answered (\d{3})$/.exec(reason)?.[1];
    return status ? t("targets.answered", { status }) : legible(reason);
}

/**
 * Which rule made a delivery, and of what event. The server names the entry of the rule, too; most entries are called
 * as their target, which the reader sees already.
 */
export function madeByWords({ rule, event }, target) {
    const end = `/${target}`;
    const name = rule.endsWith(end) ? rule.slice(0, -end.length) : rule;
    return t("targets.byRule", { rule: legible(name), event: legible(event) });
}

/** How often a waiting delivery was attempted, and what came of the last attempt. */
export function triedWords({ attempts, reason }) {
    return attempts === 0 ? t("targets.notTried")
        : t("targets.tried", { count: attempts, reason: reasonWords(reason) });
}

/** When the next attempt may be; or what it waits for. */
export function nextWords({ nextAttemptAt }, { enabled, byHand }, nowMs) {
    if (!enabled) { return t("targets.next.paused"); }
    if (byHand) { return t("targets.next.byHand"); }
    return Date.parse(nextAttemptAt) > nowMs ? t("targets.next.at", { time: clockTime(nextAttemptAt, nowMs) })
        : t("targets.next.soon");
}

/** @typedef {{name: string, kind: string, byHand: boolean}} TargetForm without what is secret */

/**
 * What the API is sent for a new target.
 * @param {TargetForm} form
 * @param {{url: string, headers: string, secret: string}} secrets `headers`: a line each, `Name: value`
 * @returns {{body?: object, faults: Record<string, string>}}
 */
export function requestOf({ name, kind, byHand }, { url, headers, secret }) {
    const faults = {};
    if (name.trim() === "") { faults.name = t("targets.needsName"); }
    if (kind !== "log" && url.trim() === "") { faults.url = t("targets.needsURL"); }
    const fields = headersOf(headers);
    if (!fields) { faults.headers = t("targets.headersWrong"); }
    if (Object.keys(faults).length > 0) { return { faults }; }
    const body = { name: name.trim(), kind, byHand };
    if (kind !== "log") { body.url = url.trim(); }
    if (kind !== "log" && Object.keys(fields).length > 0) { body.headers = fields; }
    if (kind === "webhook" && secret.trim() !== "") { body.secret = secret.trim(); }
    return { body, faults };
}

/** The header fields of lines such as `X-Tenant: seven`; undefined where a line is not a header field. */
export function headersOf(text) {
    const fields = {};
    for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
        const colon = line.indexOf(":");
        if (colon < 1) { return undefined; }
        fields[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
    }
    return fields;
}
