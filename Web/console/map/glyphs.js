/**
 * Letters for the map's labels, drawn from the page's own fonts. MapLibre wants glyphs as ranges of 256 signed-distance
 * fields from a server; here a worker draws each range when a label first needs it. So labels need no font files, and
 * have every script that the browser has a font for.
 */

/** The `glyphs` of a style. Its font stacks are `["regular"]` and `["bold"]`. */
export const glyphsURL = "glyphs://{fontstack}/{range}";

/** How many ranges are kept, of about 200 kB each: two stacks of the Latin, Greek, Cyrillic and a few more ranges. */
const mostRanges = 32;

/**
 * Teaches MapLibre the addresses of `glyphsURL`. Call it once, before the first map; calling it again changes nothing.
 * @param {object} maplibre the library
 * @param {() => Worker} [startWorker] starts the worker `glyphs-worker.js`; a page with a service worker of its own
 *     starts a copy from its own folder
 */
export function offerGlyphs(maplibre, startWorker = startGlyphsWorker) {
    if (isOffered) { return; }
    isOffered = true;
    const drawing = new GlyphDrawing(getComputedStyle(document.body).fontFamily, startWorker);
    maplibre.addProtocol("glyphs", async ({ url }) => ({ data: await drawing.range(url) }));
}

let isOffered = false;

function startGlyphsWorker() {
    return new Worker(new URL("glyphs-worker.js", import.meta.url), { type: "module" });
}

/** The worker that draws, and the ranges it drew last. */
export class GlyphDrawing {
    #fontFamily;
    #startWorker;
    #worker;
    #ranges = new Map();
    #waiting = new Map();
    #nextRequest = 0;

    /**
     * @param {string} fontFamily as CSS has it
     * @param {() => Worker} startWorker starts what `glyphs-worker.js` is
     */
    constructor(fontFamily, startWorker) {
        this.#fontFamily = fontFamily;
        this.#startWorker = startWorker;
    }

    /**
     * The glyphs of a range, as MapLibre reads them.
     * @param {string} url of the form `glyphs://bold/256-511`
     * @returns {Promise<ArrayBuffer>} a copy, which the caller may hand on
     * @throws {Error} for another address, and where the browser cannot draw in a worker
     */
    async range(url) {
        const wanted = parseGlyphsURL(url);
        if (!wanted) { throw new Error(`No range of glyphs has the address ${url}.`); }
        const drawn = this.#ranges.get(url) ?? this.#draw(wanted);
        // What was used last stands last, and what stands first goes first.
        this.#ranges.delete(url);
        this.#ranges.set(url, drawn);
        if (this.#ranges.size > mostRanges) { this.#ranges.delete(this.#ranges.keys().next().value); }
        try {
            return (await drawn).slice(0);
        } catch (error) {
            if (this.#ranges.get(url) === drawn) { this.#ranges.delete(url); }
            throw error;
        }
    }

    #draw({ isBold, first, last }) {
        this.#worker ??= this.#openWorker();
        const request = this.#nextRequest++;
        return new Promise((resolve, reject) => {
            this.#waiting.set(request, { resolve, reject });
            this.#worker.postMessage({ request, isBold, first, last, fontFamily: this.#fontFamily });
        });
    }

    #openWorker() {
        const worker = this.#startWorker();
        worker.onmessage = ({ data: { request, glyphs, failure } }) => {
            const { resolve, reject } = this.#waiting.get(request);
            this.#waiting.delete(request);
            if (failure) { reject(new Error(failure)); } else { resolve(glyphs); }
        };
        worker.onerror = (event) => {
            event.preventDefault?.();
            for (const { reject } of this.#waiting.values()) {
                reject(new Error(`The map’s letters cannot be drawn here: ${event.message || "no worker"}.`));
            }
            this.#waiting.clear();
            worker.terminate();
            this.#worker = undefined;
        };
        return worker;
    }
}

/**
 * What an address of `glyphsURL` asks for; nothing for any other.
 * @param {string} url
 * @returns {{isBold: boolean, first: number, last: number} | undefined} code points, both included
 */
export function parseGlyphsURL(url) {
    const [, stack, from, to] = /^glyphs:\/\/([^/]+)\/(\d{1,5})-(\d{1,5})$/.exec(url) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (!stack || first % 256 !== 0 || last !== first + 255 || last > 0xffff) { return undefined; }
    return { isBold: /bold/i.test(decodeURIComponent(stack)), first, last };
}
