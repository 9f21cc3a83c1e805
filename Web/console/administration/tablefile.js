/** What a file that was chosen as a table is, and which teams the table names. Pure. */
import { parseTable } from "../shared/csv.js";
import { legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";

/** How files that are often taken for a table begin: packed ones, as Excel's, and old ones of Excel. */
const spreadsheets = [[0x50, 0x4b, 0x03, 0x04], [0xd0, 0xcf, 0x11, 0xe0]];
/** How texts in UTF-16 begin, which have zeros in them. */
const wideTexts = [[0xff, 0xfe], [0xfe, 0xff]];
/** How many bytes of a file are looked at. */
export const lookedAtBytes = 512;
/** The most teams that are named. */
const namedTeams = 20;

const beginsWith = (bytes, beginnings) => beginnings.some((each) => each.every((byte, index) => bytes[index] === byte));

/** Why the beginning of a file is none of a CSV; undefined where it may be one. @param {Uint8Array} bytes */
export function notTable(bytes) {
    if (beginsWith(bytes, spreadsheets)) { return t("administration.import.spreadsheet"); }
    const isWide = beginsWith(bytes, wideTexts);
    // A text has no zeros, and no picture or PDF begins as one.
    const others = [[0xff, 0xd8, 0xff], [0x25, 0x50, 0x44, 0x46]];
    const isBinary = (!isWide && bytes.includes(0)) || beginsWith(bytes, others);
    return isBinary ? t("administration.import.notText") : undefined;
}

/** Why nothing can be imported of a table, whatever its columns are; undefined where it has rows. */
export function rowless(text) {
    const rows = parseTable(text, 2).length;
    return rows === 0 ? t("administration.import.empty") : rows === 1 ? t("administration.import.noRows") : undefined;
}

/** The names in a column of a table, in its order, each once. */
export function namesOfColumn(text, column, limit = Infinity) {
    const [header, ...rows] = parseTable(text, limit === Infinity ? Infinity : limit + 1);
    const place = header?.findIndex((cell) => cell.trim().toLowerCase() === column) ?? -1;
    if (place < 0) { return []; }
    return [...new Set(rows.map((row) => (row[place] ?? "").trim()).filter((name) => name !== ""))];
}

/**
 * The teams that a table would create, in words; one that differs only in capitals from another asks whether that is
 * meant.
 * @param {string[]} named the teams of the table
 * @param {string[]} existing the teams of the server
 */
export function newTeamsWords(named, existing) {
    const isThere = new Set(existing);
    const made = named.filter((name) => !isThere.has(name));
    if (made.length === 0) { return ""; }
    const byLowerCase = new Map([...made, ...existing].map((name) => [name.toLowerCase(), name]));
    const alike = (name) => (byLowerCase.get(name.toLowerCase()) === name ? undefined
        : byLowerCase.get(name.toLowerCase()));
    // Those in doubt first: they are why somebody reads this.
    const sorted = [...made.filter(alike), ...made.filter((name) => !alike(name))];
    const words = sorted.slice(0, namedTeams).map((name) => (alike(name)
        ? t("administration.import.teamAlike", { name: legible(name), other: legible(alike(name)) }) : legible(name)));
    const more = sorted.length - words.length;
    return t("administration.import.newTeams", {
        names: listed([...words, more > 0 && t("administration.import.teams", { count: more })]) });
}
