/** An entry of the audit log in words. Pure. */
import { legible } from "../shared/text.js";
import { duration } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

export const entities = Object.freeze([
    "user", "team", "crew", "device", "tracker", "collection", "rule", "target", "database",
]);
export const actions = Object.freeze([
    "passwordSet", "keyMade", "keyEnded", "amazonKeyMade", "amazonKeyEnded", "deviceTokenMade", "deviceTokenEnded",
    "encryptionKeySet", "encryptionKeyEnded", "historyDeleted", "lettersRedriven", "lettersDiscarded", "testSent",
    "documentsPurged", "indexMade", "indexRemoved", "databaseCompacted", "locationAsked", "poolChanged", "codeRead",
    "signingKeyRotated", "linkMade", "linkEnded", "linkUsed",
]);
export const declarations = Object.freeze(["safe", "needsHelp", "sos", "offSite", "clear", "acknowledge"]);
export const timers = Object.freeze(["started", "checkedIn", "ended"]);
export const incidents = Object.freeze([
    "started", "closed", "reopened", "parRequested", "parReported", "parTimerSet", "handedOver",
]);
export const rolls = Object.freeze([
    "visitor", "takenOff", "changed", "removed", "moved", "joinedTo", "parRequested", "parReported", "handedOver",
]);
export const ruleTurns = Object.freeze(["made", "changed", "removed"]);
/** The fields of what is edited that have words of their own; of others the API's name is shown. */
export const fields = Object.freeze([
    "name", "geometry", "muster", "radius", "crossingMode", "dwell",
    "exitDelay", "beacon", "role", "team", "crew", "databaseRoles",
    "email", "phone", "displayName", "silenceSeconds", "closesDrills", "closesRealIncidents", "closesAfterSeconds",
    "declaredHoldsSeconds", "showsSafetyAlways", "parEverySeconds", "allowsPause", "filter", "collections",
    "worksAtZero", "policy", "description", "pattern", "enabled", "targets",
    "input",
    "properties", "tags", "positionEvents",
]);
/** The longest value that is shown whole, in characters. */
const shownLength = 120;

/** The groups by which the log is filtered, each with the types of changes in it. */
const groups = {
    people: ["user", "team", "crew", "device"], places: ["region", "collection", "tracker"],
    safety: ["declaration", "checkInTimer", "incident", "roll", "attendance", "proximity"],
    outgoing: ["rule", "target", "posted"], secrets: ["action"], data: ["database", "document", "dataset"],
};
export const groupKeys = Object.freeze(Object.keys(groups));

/** What a change is about, as the filter sees it: of the directory the kind of entity, of others their type. */
function subjectKind({ type, kind }) {
    return type === "directory" ? kind : type;
}

/** Whether an entry belongs to a group; every entry belongs to "". */
export function isOfGroup({ change }, group) {
    return group === "" || (groups[group] ?? []).includes(subjectKind(change));
}

/** The words of a code that has some; of another, which a newer server may have, the code itself. */
function known(list, code, words, what = "") {
    return list.includes(code) ? words(code) : t("audit.other", { kind: legible(code ?? ""), what });
}

/** A name as it is shown; a dash where the log has none. */
function name(value) {
    return legible(value ?? "–");
}

/** What was done. */
export function changeWords(change) {
    switch (change.type) {
        case "directory": {
            const what = known(entities, change.kind,
                (kind) => t(`audit.entity.${kind}`, { name: name(change.name) }), name(change.name));
            return t(change.removed ? "audit.removed" : "audit.stored", { what });
        }
        case "region": {
            const what = t("audit.entity.region", { name: name(change.id), collection: name(change.collection) });
            return t(change.removed ? "audit.removed" : "audit.stored", { what });
        }
        case "declaration": return declarationWords(change);
        case "checkInTimer": return timerWords(change);
        case "incident": return incidentWords(change);
        case "roll": return rollWords(change);
        case "attendance": case "proximity": return ruleWords(change);
        case "action": return actionWords(change);
        case "posted": return t("audit.posted", { source: name(change.source), kind: name(change.detailType) });
        case "document": return t(change.deleted ? "audit.documentRemoved" : "audit.documentStored",
            { name: name(change.id), database: name(change.database) });
        case "dataset": return t(change.deleted ? "audit.datasetRemoved" : "audit.datasetStored",
            { name: name(change.dataset), user: name(change.user) });
        default: return t("audit.other", { kind: name(change.type), what: name(change.user ?? change.device ?? "") });
    }
}

/**
 * What an edit changed, a line a field: its value before and after, where the log has them.
 * @param {{field: string, before?: any, after?: any}[]} [details]
 * @returns {string[]}
 */
export function detailWords(details = []) {
    return details.map(({ field, before, after }) => {
        const named = fields.includes(field) ? t(`audit.field.${field}`) : legible(field);
        const [old, now] = [valueWords(before), valueWords(after)];
        // Two shapes of as many vertices are told alike.
        return old === now ? t("audit.changed", { field: named })
            : t("audit.fromTo", { field: named, before: old, after: now });
    });
}

function valueWords(value) {
    if (value === undefined || value === null || value === "") { return t("audit.none.value"); }
    if (typeof value === "boolean") { return t(value ? "audit.on" : "audit.off"); }
    if (typeof value === "number") { return String(value); }
    if (typeof value.type === "string" && ("vertices" in value || "coordinates" in value)) { return shapeWords(value); }
    const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
    if (isList && value.length === 0) { return t("audit.none.value"); }
    const text = isList ? listed(value) : typeof value === "string" ? value : JSON.stringify(value);
    return legible(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
}

/** A geometry as the log has it: whole, or with the number of its vertices. */
function shapeWords({ type, vertices, coordinates }) {
    if (type === "Point") { return [...coordinates].reverse().join(", "); }
    return t("audit.shape", { type: legible(type), count: vertices ?? countVertices(coordinates) });
}

/** How many vertices there are, without each ring's closing one. */
function countVertices([first, ...rest]) {
    if (typeof first?.[0] === "number") { return rest.length; }
    return [first, ...rest].reduce((sum, each) => sum + (each ? countVertices(each) : 0), 0);
}

function declarationWords({ kind, user, repeated, note }) {
    const parameters = { name: name(user) };
    // Of one call the log has one entry as a call: what is sent later repeats it, or adds words to it.
    return withNote(repeated ? t("audit.declaration.more", parameters)
        : known(declarations, kind, (own) => t(`audit.declaration.${own}`, parameters), name(user)), note);
}

function incidentWords(change) {
    const { happened, kind, number, team, to, reason, reopenReason, note, present, people, parNumber } = change;
    const what = t(kind === "drill" ? "audit.drill" : "audit.evacuation");
    const parameters = {
        what, number: String(number ?? "–"), team: name(team), to: name(to), par: String(parNumber ?? "–"),
        crew: crewWords(change), present: String(present ?? "–"),
        people: String(people ?? "–"),
    };
    const words = known(incidents, happened, (turn) => t(`audit.incident.${turn}`, parameters), name(team));
    // The note is the incident's own: only its start is explained by it.
    return withNote(words, { started: note, closed: reason, reopened: reopenReason }[happened]);
}

function crewWords({ crew, visitors }) {
    if (visitors) { return t("audit.visitors"); }
    return crew === undefined ? t("audit.noCrew") : legible(crew);
}

function rollWords({ event, incident, user, crew, reason, note }) {
    const parameters = { number: String(incident ?? "–"), name: name(user ?? crew) };
    const words = known(rolls, event, (turn) => t(`audit.roll.${turn}`, parameters), name(user ?? crew));
    return withNote(words, reason ?? note);
}

function timerWords({ happened, user, intervalSeconds, note }) {
    const every = duration(intervalSeconds ?? 0);
    return withNote(known(timers, happened,
        (turn) => t(`audit.timer.${turn}`, { name: name(user), every }), name(user)), note);
}

function ruleWords({ type, happened, rule, team, note }) {
    const what = t(`audit.entity.${type}`, { name: name(rule), team: name(team) });
    return withNote(known(ruleTurns, happened, (turn) => t(`audit.turn.${turn}`, { what }), what), note);
}

function actionWords({ kind, user, device, label }) {
    const of = device ?? user;
    const what = listed([label && legible(label), of !== undefined && t("audit.of", { name: name(of) })]);
    return known(actions, kind, (own) => t(`audit.action.${own}`, { what: what || "–" }), what);
}

function withNote(words, note) {
    return note ? t("audit.withNote", { words, note: legible(note) }) : words;
}

/** Who did it: a user, with the device or the command line by which they did. */
export function authorWords({ author, device, by }) {
    const who = legible(author ?? t("audit.nobody"));
    return listed([who, device && t("audit.byDevice", { name: legible(device) }), by && t("audit.byCommand")]);
}

/**
 * @typedef {{who: string, what: string, group: string, from: string, to: string}} AuditFilter `from` and `to` are days
 *   of the browser's calendar, both within; empty fields leave nothing out
 */

/** The entries that a filter leaves. @param {object[]} entries @param {AuditFilter} filter */
export function filtered(entries, { who, what, group, from, to }) {
    const [person, words] = [who, what].map((text) => text.trim().toLocaleLowerCase());
    const start = firstMs({ from });
    const end = to ? new Date(`${to}T00:00`).getTime() + 86_400_000 : Infinity;
    return entries.filter((entry) => {
        const at = Date.parse(entry.change.at);
        return at >= start && at < end && isOfGroup(entry, group)
            && (person === "" || `${entry.author ?? ""} ${entry.device ?? ""}`.toLocaleLowerCase().includes(person))
            && (words === "" || entryText(entry).toLocaleLowerCase().includes(words));
    });
}

/** When the first day of a filter begins, in the reader's time zone; before all times where it names none. */
export function firstMs({ from }) {
    return from ? new Date(`${from}T00:00`).getTime() : -Infinity;
}

/** All that an entry says was done. */
export function entryText({ change, details }) {
    return [changeWords(change), ...detailWords(details)].join("; ");
}
