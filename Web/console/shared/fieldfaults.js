/** Puts into words what the server finds wrong with the fields of a form or the cells of a table. Pure. */
import { t } from "./words.js";

/** The server's sentences that the pages translate; all other sentences are shown as the server wrote them. */
const sentences = [
    [/^is required$/, () => t("field.required")],
    [/^must be 1 to 64 letters/, () => t("field.name")],
    [/^must be 1 to \d+ visible characters/, () => t("field.crewName")],
    [/^must be one e-mail address/, () => t("field.email")],
    [/^must be \d+ to \d+ of the characters \+/, () => t("field.phone")],
    [/^must be 1 to (\d+) characters on one line/, ([, most]) => t("field.displayName", { most })],
    [/^must be one of (.+)$/, ([, names]) => t("field.oneOf", { names })],
    [/^there is no such team$/, () => t("field.noTeam")],
    [/^there is no team (.+)$/, ([, name]) => t("field.noTeamNamed", { name })],
    [/^there is no such user$/, () => t("field.noUser")],
    [/^is not a person in the team$/, () => t("field.notInTeam")],
    [/^there is no such crew in the team$/, () => t("field.noCrew")],
    [/^needs a team, because/, () => t("field.crewNeedsTeam")],
    [/^there is a user (.+) already$/, ([, name]) => t("field.userExists", { name })],
    [/^repeats the name of line (\d+)$/, ([, line]) => t("field.repeats", { line })],
    [/^is not a column: they are (.+)$/, ([, names]) => t("field.notColumn", { names })],
    [/^there is no column name; the columns are (.+)$/, ([, names]) => t("field.noName", { names })],
    [/^is there twice$/, () => t("field.twice")],
    [/^the row has (\d+) cells, and the header (\d+)$/,
        ([, cells, columns]) => t("field.cells", { cells, columns })],
    [/^must be (-?[\d.]+) to (-?[\d.]+)$/, ([, least, most]) => t("field.range", { least, most })],
    [/^is not the current password$/, () => t("field.currentPassword")],
];

/** Puts one fault into words. @param {string} detail the server's sentence */
export function detailWords(detail) {
    for (const [pattern, words] of sentences) {
        const match = pattern.exec(detail);
        if (match) { return words(match); }
    }
    return detail;
}

/**
 * Sorts the faults that a refusal names: those of the form's fields by field, and the rest in one text.
 * @param {Error|undefined} error
 * @param {string[]} names the members of the request that have a field in the form
 * @returns {{fields: Record<string, string>, rest: string}} both are empty if the refusal names no member
 */
export function fieldFaults(error, names) {
    const fields = {};
    const rest = [];
    for (const { pointer = "", detail = "" } of error?.errors ?? []) {
        const [name, ...within] = pointer.replace(/^[/?]/, "").split("/");
        const isField = names.includes(name);
        const place = isField ? within.map((part) => `/${part}`).join("") : pointer;
        const words = place === "" ? detailWords(detail) : `${place}: ${detailWords(detail)}`;
        if (isField) { fields[name] = [fields[name], words].filter(Boolean).join(" "); } else { rest.push(words); }
    }
    return { fields, rest: rest.join(" ") };
}
