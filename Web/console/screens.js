/**
 * The screens of the console, besides the people that it opens with. Each is a folder: `screen.js`, whose `Screen` is
 * the component, `screen.css`, and `words/`, one table a language. They are loaded when somebody first goes there.
 */
import { addWords } from "./shared/words.js";

/** @typedef {{name: string, folder: string, roles: string[]}} ScreenPlace */

/** @type {ScreenPlace[]} in the order of the navigation; `roles` are those that find anything to do there */
export const screens = Object.freeze([
    { name: "incident", folder: "incident", roles: ["admin", "leader", "analyst"] },
    { name: "timeline", folder: "timeline", roles: ["admin", "leader", "analyst"] },
    { name: "regions", folder: "regions", roles: ["admin", "leader"] },
    { name: "administration", folder: "administration", roles: ["admin", "leader"] },
    { name: "operations", folder: "operations", roles: ["admin", "leader", "analyst"] },
]);

/** The screens for a user. Pure. */
export function screensFor(user) {
    return screens.filter(({ roles }) => roles.includes(user?.role));
}

const loaded = new Map();

/**
 * Loads a screen: its words, its style and its component.
 * @param {ScreenPlace} place
 * @returns {Promise<Function>} the component, the same for everybody who asks; after a failure the next one tries again
 */
export function loadScreen({ folder }) {
    if (!loaded.has(folder)) {
        const coming = Promise.all([import(`./${folder}/screen.js`), addWords(folder), loadStyle(folder)])
            .then(([{ Screen }]) => Screen);
        coming.catch(() => loaded.delete(folder));
        loaded.set(folder, coming);
    }
    return loaded.get(folder);
}

function loadStyle(folder) {
    const href = new URL(`./${folder}/screen.css`, import.meta.url).href;
    return new Promise((resolve, reject) => {
        const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
        link.onload = resolve;
        link.onerror = () => { link.remove(); reject(new TypeError(`${href} was not loaded`)); };
        document.head.append(link);
    });
}
