/**
 * The parts of the app, each a folder with `panel.js` and `words/`. Each part is loaded on its own: if one fails, the
 * others are shown, and the app says which part is missing. The app opens with the parts of its first tab. A part of
 * another tab is loaded when that tab is opened (`partloader.js`), except for what works before.
 */
import { addWords } from "../console/shared/words.js";

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} [folder] the folder of the part's words, if it differs from the name; empty for a part without
 *     words
 * @property {"now"|"way"|"seen"|"phone"} [tab] the tab of the part; left out for a part that shows nothing
 * @property {() => Promise<object>} load loads the part's module: `Panel`, a component, and for a part that works by
 *     itself `start(page) → stop()`, called once somebody is signed in; the panel finds the value that `start` returned
 *     under the part's name
 * @property {() => Promise<object>} [begin] loads the module of `start` alone, for a part that works also while its tab
 *     was never opened
 * @property {(state: object) => boolean} [isWanted] whether a part that shows nothing is to be loaded
 */

/** @type {Part[]} in the order in which the parts stand in their tab */
export const parts = Object.freeze([
    { name: "call", tab: "now", load: () => import("./call/panel.js") },
    // The buttons to call for help come first, so that they are visible on the smallest phone.
    { name: "declarations", tab: "now", load: () => import("./declarations/panel.js") },
    { name: "status", tab: "now", load: () => import("./status/panel.js") },
    { name: "tracking-summary", folder: "tracking", tab: "now", load: () => import("./tracking/summary.js") },
    { name: "timer", tab: "now", load: () => import("./timer/panel.js") },
    { name: "way", tab: "way", begin: () => import("./way/start.js"), load: () => import("./way/panel.js") },
    { name: "area", tab: "way", load: () => import("./area/panel.js") },
    {
        name: "guess", folder: "", isWanted: ({ tracking, fix }) => tracking?.isOn === true || fix !== undefined,
        load: () => import("./guess/part.js"),
    },
    {
        name: "tracking", tab: "phone", begin: () => import("./tracking/start.js"),
        load: () => import("./tracking/panel.js"),
    },
    {
        name: "visible", tab: "seen", begin: () => import("./visible/start.js"),
        load: () => import("./visible/panel.js"),
    },
]);

/** The parts of the tab that the app opens with; the app waits for no other parts. */
export const firstParts = Object.freeze(parts.filter(({ tab }) => tab === "now"));
export const otherParts = Object.freeze(parts.filter(({ tab }) => tab !== "now"));

/** @typedef {Part & {Panel?: Function, start?: Function, isMissing?: boolean}} LoadedPart */

/**
 * Loads a part and its words.
 * @param {Part & {start?: Function}} part
 * @returns {Promise<LoadedPart>} `isMissing` for a part that could not be loaded
 */
export async function loadPart(part) {
    try {
        const { folder = part.name } = part;
        const words = folder && addWords(`../me/${folder}`, { isEnglishEnough: true });
        const begun = part.start ? part : part.begin?.();
        const [{ Panel, start }, beginning] = await Promise.all([part.load(), begun, words]);
        return { ...part, Panel, start: beginning?.start ?? start, isMissing: false };
    } catch (error) {
        console.error(`The part ${part.name} could not be loaded.`, error);
        return { ...part, isMissing: true };
    }
}

/** Loads what of a part works before its tab is opened. @returns {Promise<LoadedPart>} */
export async function loadBeginning(part) {
    try {
        return part.begin ? { ...part, start: (await part.begin()).start } : part;
    } catch (error) {
        console.error(`The part ${part.name} could not be loaded.`, error);
        return { ...part, isMissing: true };
    }
}
