/** A rule as a form has it, and as the API does. Pure. */
import { t } from "../shared/words.js";
import { patternText } from "./templates.js";

/** The target that is built in: what a rule names for it makes people safe. */
export const builtIn = "safety";

/**
 * @typedef {{target: string, id?: string, kind: "event"|"template"|"path"|"constant", text: string,
 *   paths: string}} Entry what a target receives: the event, or what `text` makes of it; `paths` are the variables of a
 *   template, one a line
 * @typedef {{name: string, description: string, enabled: boolean, pattern: string, entries: Entry[]}} RuleForm
 */

/** The form of a new rule. @returns {RuleForm} */
export function emptyForm() {
    return { name: "", description: "", enabled: true, pattern: "", entries: [] };
}

/** The form of a rule as the API has it. @returns {RuleForm} */
export function formOf({ name, description = "", enabled, pattern, targets = [] }) {
    return { name, description, enabled, pattern: patternText(pattern), entries: targets.map(entryOf) };
}

function entryOf({ target, id, input = {} }) {
    const entry = { target, id, kind: "event", text: "", paths: "" };
    if (input.constant !== undefined) { return { ...entry, kind: "constant", text: patternText(input.constant) }; }
    if (input.path !== undefined) { return { ...entry, kind: "path", text: input.path }; }
    if (input.template === undefined) { return entry; }
    const paths = Object.entries(input.paths ?? {}).map(([name, path]) => `${name} = ${path}`).join("\n");
    return { ...entry, kind: "template", text: input.template, paths };
}

/** An entry for a target that is chosen now. @returns {Entry} */
export function newEntry(target) {
    return { target, kind: "event", text: "", paths: "" };
}

/**
 * What the API is sent.
 * @param {RuleForm} form
 * @param {boolean} isNew whether the rule is made; the name of one that is there does not change
 * @returns {{body?: object, faults: Record<string, string>}} the body where nothing is wrong with the form
 */
export function requestOf(form, isNew) {
    const faults = {};
    if (isNew && form.name.trim() === "") { faults.name = t("rules.needsName"); }
    const pattern = parsed(form.pattern);
    if (pattern === undefined || pattern === null || typeof pattern !== "object" || Array.isArray(pattern)) {
        faults.pattern = t("rules.notJSON");
    }
    const targets = form.entries.map((entry) => targetOf(entry, faults));
    if (Object.keys(faults).length > 0) { return { faults }; }
    const body = { pattern, description: form.description.trim(), enabled: form.enabled, targets };
    return { faults, body: isNew ? { name: form.name.trim(), ...body } : body };
}

function targetOf({ target, id, kind, text, paths }, faults) {
    const named = id === undefined ? { target } : { target, id };
    switch (kind) {
        case "constant": {
            const constant = parsed(text);
            if (constant === undefined) { faults.targets = t("rules.constantNotJSON", { target }); }
            return { ...named, input: { constant } };
        }
        case "path": return { ...named, input: { path: text.trim() } };
        case "template": return { ...named, input: { template: text, paths: pathsOf(paths) } };
        default: return named;
    }
}

/** The variables of a template: lines such as `who = $.detail.DeviceId`. */
function pathsOf(text) {
    const lines = text.split("\n").map((line) => line.split("="));
    return Object.fromEntries(lines.filter(([, path]) => path !== undefined)
        .map(([name, ...path]) => [name.trim(), path.join("=").trim()]));
}

/** The value of a JSON text; undefined where the text is not JSON. */
export function parsed(text) {
    try { return JSON.parse(text); } catch { return undefined; }
}

/** Where a text that is no JSON breaks, as the browser tells it; empty where it is JSON. */
export function whereBroken(text) {
    try { JSON.parse(text); return ""; } catch (error) { return String(error.message); }
}
