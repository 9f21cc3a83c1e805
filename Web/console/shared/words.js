/**
 * The words of the pages, in the user's language. A folder of the console has one plain table a language,
 * `words/*.js`, each complete: this folder has those that every page needs, the frame those that the console's pages
 * need besides (`frame/texts.js`), a screen has its own.
 *
 * A key names a text. `{name}` in a text is replaced by a parameter. A text that depends on a number is an object by
 * the plural category of `count`, as `Intl.PluralRules` names it: `{ one: "{count} point", other: "{count} points" }`.
 */
import sharedWords from "./words/en.js";

/** The languages there are, each by its own name. */
export const languages = Object.freeze({ en: "English", es: "Español", ja: "日本語", zh: "中文" });

/** The folders whose texts are loaded, and those texts in the language of the page, by key. */
const folders = ["shared"];
let table = sharedWords;
/** The English texts that stand in where those of the language of the page could not be loaded. */
let english = table;
let language = "en";
let plurals = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

/** The language of the page now: a BCP 47 tag. */
export function currentLanguage() {
    return language;
}

/** The locale by which times and numbers are written: the browser's own where its language is the page's. */
export function currentLocale() {
    const own = globalThis.navigator?.languages ?? [];
    return own.find((tag) => tag.split("-")[0] === language) ?? language;
}

/** The first of these BCP 47 tags that there is a table for; English where there is none. */
export function languageFor(tags) {
    for (const tag of tags) {
        const [primary] = String(tag).toLowerCase().split("-");
        if (primary in languages) { return primary; }
    }
    return "en";
}

/**
 * Changes the language of every text from now on.
 * @param {keyof languages} wanted
 * @throws {TypeError} when the table of that language cannot be loaded; the language stays what it was
 */
export async function setLanguage(wanted) {
    let known;
    let found;
    // A screen's folder may be added while the tables are on their way.
    do {
        known = folders.length;
        found = await Promise.all(folders.map((folder) => load(folder, wanted)));
    } while (folders.length > known);
    table = Object.assign({}, ...found);
    language = wanted;
    plurals = new Intl.PluralRules(wanted);
    numbers = new Intl.NumberFormat(currentLocale());
}

/**
 * Adds a folder whose English texts are at hand, before a language is chosen.
 * @param {string} folder below the console's, which has `words/`
 * @param {Record<string, string|object>} texts the folder's English table
 */
export function addEnglish(folder, texts) {
    folders.push(folder);
    english = { ...english, ...texts };
    table = { ...texts, ...table };
}

/**
 * Adds the texts of a screen's folder in the language of the page.
 * @param {string} folder below the console's, which has `words/`
 * @param {{isEnglishEnough?: boolean}} [options] `isEnglishEnough`: whether to add the English texts if those of the
 *     page's language cannot be loaded, as without a network
 * @throws {TypeError} when a table cannot be loaded; nothing is added then
 */
export async function addWords(folder, { isEnglishEnough = false } = {}) {
    if (folders.includes(folder)) { return; }
    const wanted = language;
    const own = await load(folder, wanted).catch((error) => { if (!isEnglishEnough) { throw error; } });
    if (!own) {
        const first = await load(folder, "en");
        english = { ...english, ...first };
    }
    if (!folders.includes(folder)) { folders.push(folder); }
    // The language may have been changed meanwhile.
    if (wanted === language) { table = { ...table, ...own }; } else { await setLanguage(language); }
}

async function load(folder, tag) {
    return (await import(`../${folder}/words/${tag}.js`)).default;
}

/**
 * The text of a key.
 * @param {string} key
 * @param {Record<string, string|number>} [parameters]
 * @throws {ReferenceError} when no table has the key: a fault of the page, found by its tests
 */
export function t(key, parameters = {}) {
    const found = table[key] ?? english[key];
    if (found === undefined) { throw new ReferenceError(`The tables of words have no ${key}.`); }
    const text = typeof found === "string" ? found : found[plurals.select(parameters.count)] ?? found.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => {
        const value = parameters[name];
        return typeof value === "number" ? numbers.format(value) : String(value ?? "");
    });
}

/**
 * The text of a key in two: before one of its parameters, and after it. For a parameter that is an element of the page,
 * or that is cut where there is no room.
 * @param {string} key
 * @param {string} name of that parameter
 * @param {Record<string, string|number>} [parameters] the others
 * @returns {[string, string]}
 */
export function around(key, name, parameters = {}) {
    const [before, after] = t(key, { ...parameters, [name]: "\u0000" }).split("\u0000");
    return [before, after ?? ""];
}

/** Texts in a row, as `12 safe, 1 unknown`; those that are empty are left out. */
export function listed(texts) {
    return texts.filter(Boolean).join(t("between.parts"));
}

/** Whole statements in a row; those that are empty are left out. */
export function listedClauses(texts) {
    return texts.filter(Boolean).join(t("between.clauses"));
}
