/**
 * Loads the parts of the tabs after the first one when they are wanted. Where the browser keeps no version of the app,
 * or a newer version is about to replace the kept one, all parts are loaded at once: later the server may be away, or
 * the rest of this version gone. A version that is not kept soon after somebody has signed in counts as none.
 */
import { loadBeginning, loadPart, otherParts } from "./parts.js";
import { tabOf } from "./frame/tabs.js";

/** The states of the kept version in which a part can be loaded later: it is kept, or soon will be. */
const lasting = new Set([undefined, "none", "kept"]);
/** So long a version may take to be kept. */
const keepingMs = 20_000;

export class PartLoader {
    #store;
    #loaded;
    #list;
    /** The route at which a part was last tried, by its name: one that failed is tried again at another route. */
    #tried = new Map();
    #later;
    #isWaiting = false;
    #isLate = false;

    /**
     * @param {object} options
     * @param {import("../console/shared/store.js").Store} options.store its `parts` are kept
     * @param {() => void} options.loaded called when parts were loaded
     * @param {readonly import("./parts.js").Part[]} [options.list] replaced in tests
     * @param {(act: () => void, ms: number) => void} [options.later] replaced in tests
     */
    constructor({ store, loaded, list = otherParts, later = (act, ms) => { setTimeout(act, ms); } }) {
        this.#store = store;
        this.#loaded = loaded;
        this.#list = list;
        this.#later = later;
    }

    /** Adds the parts, with what of them works by itself, and loads the rest as it is wanted from now on. */
    async begin() {
        const others = await Promise.all(this.#list.map(loadBeginning));
        this.#store.set(({ parts }) => ({ parts: [...parts, ...others] }));
        this.#loaded();
        this.#store.subscribe((state) => this.#look(state));
        this.#look(this.#store.value);
    }

    #look(state) {
        const { parts, route, version, user } = state;
        const tab = tabOf(route);
        if (user && !this.#isWaiting) {
            this.#isWaiting = true;
            this.#later(() => { this.#isLate = true; this.#look(this.#store.value); }, keepingMs);
        }
        const isAllWanted = !lasting.has(version?.state) || (this.#isLate && version?.state !== "kept");
        for (const part of parts) {
            const isLoaded = part.isMissing === false;
            const isWanted = isAllWanted || part.tab === tab || part.isWanted?.(state) === true;
            if (!isLoaded && isWanted && this.#tried.get(part.name) !== route) { this.#load(part, route); }
        }
    }

    async #load(part, route) {
        this.#tried.set(part.name, route);
        const loaded = await loadPart(part);
        this.#store.set(({ parts }) => ({ parts: parts.map((each) => (each.name === part.name ? loaded : each)) }));
        this.#loaded();
    }
}
