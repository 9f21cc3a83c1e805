/** The language that the user chose for the pages, kept in this browser. */
import { currentLanguage, languageFor, languages, setLanguage } from "./words.js";

const storageKey = "muster.language";

/** Starts in the language chosen here before, else in the browser's language; in English if its texts do not load. */
export async function beginLanguage() {
    const chosen = kept();
    await setLanguage(chosen in languages ? chosen : languageFor(navigator.languages)).catch(() => {});
    showLanguage();
}

/**
 * Changes the language, and stores the choice.
 * @param {keyof languages} wanted
 * @throws {TypeError} as `setLanguage` does; the language then stays as it was
 */
export async function chooseLanguage(wanted) {
    await setLanguage(wanted);
    try { localStorage.setItem(storageKey, wanted); } catch { /* The choice is lost with the page. */ }
    showLanguage();
}

function showLanguage() {
    document.documentElement.lang = currentLanguage();
}

function kept() {
    try { return localStorage.getItem(storageKey); } catch { return undefined; }
}
