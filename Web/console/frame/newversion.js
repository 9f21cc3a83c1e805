/**
 * Whether the server has another version of this page than the one that runs here. A page that is left open goes on
 * with the files that it has loaded, and loads the screens that it has not shown yet from the server as it is by then.
 */
import { root } from "../shared/http.js";

/** The wait until the first look, in milliseconds: what a leader came to see is loaded first. */
const firstLookMs = 20_000;
/** The shortest wait after the server was gone, and by how much the pages of a server differ, in milliseconds. */
const leastWaitMs = 2000;
const spreadMs = 20_000;
/** How many files are asked for at once. */
const atOnce = 4;
/** The server's list of the files of the member's app, with their digests: most of this page's files are among them. */
const listPath = "me/shell.json";
/** What a proxy that compresses puts before a tag. */
const weakMark = /^W\//;

export class VersionWatch {
    #report;
    #files;
    #get;
    #schedule;
    /** The tag of each file that was asked for, by its path. */
    #tags = new Map();
    #isPlanned = false;
    #isLooking = false;
    #isOther = false;
    #isLive = false;

    /**
     * @param {object} options
     * @param {() => void} options.report called once, when the server has another version
     * @param {() => string[]} [options.files] the paths of the files that this page has loaded; this and the following
     *     are replaced in tests
     * @param {(path: string, options: object) => Promise<Response>} [options.get]
     * @param {(act: () => void, ms: number) => void} [options.schedule]
     */
    constructor({ report, files = loadedFiles, get = getFile, schedule = setTimeout.bind(globalThis) }) {
        this.#report = report;
        this.#files = files;
        this.#get = get;
        this.#schedule = schedule;
    }

    /** Takes the state of the live feed: a server that was upgraded was gone for a moment. */
    follow({ state }) {
        const isBack = state === "live" && !this.#isLive;
        this.#isLive = state === "live";
        if (!isBack || this.#isPlanned) { return; }
        this.#isPlanned = true;
        const waitMs = this.#tags.size === 0 ? firstLookMs : leastWaitMs + Math.random() * spreadMs;
        this.#schedule(() => { this.#isPlanned = false; this.look(); }, waitMs);
    }

    /** Asks the server for the tags of the files. The first answer is the version that runs here. */
    async look() {
        if (this.#isLooking || this.#isOther) { return; }
        this.#isLooking = true;
        try {
            const list = await (await this.#get(listPath, {})).json().catch(() => ({}));
            const paths = new Set([...this.#tags.keys(), ...this.#files()]);
            await eachOf(paths, atOnce, async (path) => this.#compare(path, await this.#tagOf(path, list.digests)));
        } catch {
            // The server does not answer: the page looks again when it is back.
        } finally {
            this.#isLooking = false;
        }
        if (this.#isOther) { this.#report(); }
    }

    #compare(path, tag) {
        if (!this.#tags.has(path)) { this.#tags.set(path, tag); }
        if (this.#tags.get(path) !== tag) { this.#isOther = true; }
    }

    async #tagOf(path, digests) {
        const digest = digests?.[path];
        if (digest) { return `"${digest}"`; }
        const { headers } = await this.#get(path, { method: "HEAD" });
        // A file that is gone has no tag.
        return (headers.get("ETag") ?? "").replace(weakMark, "");
    }
}

/** Does something with each item, some at a time. */
async function eachOf(items, limit, act) {
    const rest = items.values();
    await Promise.all(Array.from({ length: limit }, async () => {
        for (const item of rest) { await act(item); }
    }));
}

/** The scripts and styles that the browser has loaded of this server. */
function loadedFiles() {
    return performance.getEntriesByType("resource").map(({ name }) => name.split(/[?#]/)[0])
        .filter((name) => name.startsWith(root) && /\.(?:js|css)$/.test(name))
        .map((name) => name.slice(root.length));
}

async function getFile(path, options) {
    return await fetch(root + path, { cache: "no-store", credentials: "omit", ...options });
}
