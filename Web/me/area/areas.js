/**
 * Keeps the store's part `area`: the downloaded areas of this phone, and the download under way. A download continues
 * while another tab of the app is shown.
 */
import { loadIndex } from "../../console/map/tileindex.js";
import { measureTiles } from "./estimate.js";
import { NoStorage } from "./folder.js";
import { levelsOf } from "./tiles.js";
import { versionOf } from "./version.js";

/** The largest number of tiles of an area. */
const mostTiles = 20_000;
/**
 * The largest size of an area in bytes; it is also at most half of the room that the browser has left for this page.
 */
export const mostBytes = 200 << 20;
const partOfRoom = 0.5;
/** The shortest time between two questions for the server's version, in milliseconds. */
const askEveryMs = 3_600_000;
/** The time after which a download that does not stop is ended by force, in milliseconds. */
const stopLimitMs = 2000;

/**
 * @typedef {object} AreaState
 * @property {import("./shelf.js").Area[]} [areas] undefined until the areas have been read
 * @property {"denied"|"failed"} [problem] why there are no areas
 * @property {{id: string, done: number, total: number, bytes: number, isWaiting: boolean}} [job] the download under way
 * @property {{outcome: string, missing?: number}} [ended] how the last download ended
 * @property {{box: number[], levels: object[], mostBytes: number, isMeasured: boolean, files: object[],
 *     style?: string}} [offer] what can be downloaded
 * @property {boolean} [isAsking] whether an offer is being prepared
 */
export class Areas {
    #store;
    #shelf;
    #root;
    #now;
    #newWorker;
    #worker;
    #askedMs = -Infinity;
    #isOver = false;
    /** Counts the readings of the list, so that an older one does not replace a newer one. */
    #looks = 0;
    /** Called when a download has stopped. */
    #stopped = () => {};

    /**
     * @param {object} options
     * @param {import("../../console/shared/store.js").Store} options.store
     * @param {import("./shelf.js").AreaShelf} options.shelf
     * @param {string} options.root the address below which the server's `tiles/` lies
     * @param {() => number} options.now
     * @param {() => Worker} [options.newWorker] replaced in tests
     */
    constructor({ store, shelf, root, now, newWorker = startWorker }) {
        this.#store = store;
        this.#shelf = shelf;
        this.#root = root;
        this.#now = now;
        this.#newWorker = newWorker;
    }

    get #area() { return this.#store.value.area ?? {}; }

    #set(parts) {
        if (!this.#isOver) { this.#store.set(({ area }) => ({ area: { ...area, ...parts } })); }
    }

    /** Reads the list of areas from the disk. */
    async look() {
        this.#looks += 1;
        const mine = this.#looks;
        let found;
        try {
            found = { areas: await this.#shelf.list(), problem: undefined };
        } catch (error) {
            found = { areas: [], problem: error instanceof NoStorage ? "denied" : "failed" };
        }
        if (mine === this.#looks) { this.#set(found); }
    }

    /** Asks the server whether its tiles have changed since the areas were downloaded, at most once an hour. */
    async askVersions() {
        const whole = (this.#area.areas ?? []).filter(({ isComplete, isOutdated }) => isComplete && !isOutdated);
        if (whole.length === 0 || this.#now() - this.#askedMs < askEveryMs) { return; }
        this.#askedMs = this.#now();
        const index = await loadIndex();
        // An empty list means that the server did not answer.
        if (index.tiles.length === 0) { this.#askedMs = -Infinity; return; }
        for (const area of whole) {
            const stored = (tile) => this.#shelf.stored(area.id, tile);
            const version = await versionOf(area, { index, stored, root: this.#root });
            if (version === "newer") { this.#shelf.markOutdated(area.id); }
            if (version === "unknown") { this.#askedMs = -Infinity; }
        }
        if (!this.#area.job) { await this.look(); }
    }

    /** Prepares an offer: how many tiles and bytes each level of a box would take. */
    async offer(box) {
        this.#set({ isAsking: true, ended: undefined, offer: undefined });
        const index = await loadIndex();
        const room = await roomLeft();
        const most = Math.floor(Math.min(mostBytes, room === undefined ? Infinity : room * partOfRoom));
        const files = index.tiles;
        const bytesPerTile = await measureTiles({ box, files, mostTiles, root: this.#root });
        const levels = levelsOf(box, files, { bytesPerTile, mostTiles, mostBytes: most });
        this.#set({ isAsking: false, offer: { box, levels, files, mostBytes: most, style: index.style } });
    }

    withdraw() { this.#set({ offer: undefined }); }

    /** Begins the download of the offer. @param {number} topZoom the deepest zoom of the chosen level */
    begin(topZoom) {
        const { box, levels, files, mostBytes: most } = this.#area.offer;
        const { tiles } = levels.find((level) => level.topZoom === topZoom);
        this.#set({ offer: undefined });
        this.#run({ id: this.#newID(), about: { version: 1, box, topZoom, files, tiles }, mostBytes: most });
    }

    /** Continues the download of an area that is not complete. */
    resume({ id }) { this.#run({ id, mostBytes }); }

    /** Downloads an area again in the server's present version; unchanged tiles are copied from the area. */
    async renew({ id, about }) {
        const { tiles: files } = await loadIndex();
        if (files.length === 0) { this.#set({ ended: { outcome: "unanswered" } }); return; }
        const levels = levelsOf(about.box, files, { bytesPerTile: () => 0, mostTiles: Infinity, mostBytes: Infinity });
        const level = levels.findLast(({ topZoom }) => topZoom <= about.topZoom);
        if (!level) { this.#set({ ended: { outcome: "gone" } }); return; }
        this.#run({
            id: this.#newID(), mostBytes,
            about: { version: 1, box: about.box, topZoom: about.topZoom, files, tiles: level.tiles, replaces: id },
        });
    }

    pause() { this.#worker?.postMessage({ type: "pause" }); }

    async remove(id) {
        try {
            await this.#shelf.remove(id);
            await this.look();
        } catch {
            this.#set({ ended: { outcome: "busy" } });
        }
    }

    /** Stops the download and keeps the tiles it has. Settles once nothing more is written. */
    async end() {
        if (this.#area.job && this.#worker) {
            const stopped = new Promise((resolve) => { this.#stopped = resolve; });
            this.pause();
            await Promise.race([stopped, new Promise((resolve) => { setTimeout(resolve, stopLimitMs); })]);
        }
        this.#isOver = true;
        this.#worker?.terminate();
        this.#worker = undefined;
        this.#store.set({ area: undefined });
    }

    #newID() { return Math.floor(this.#now()).toString(36); }

    #run({ id, about, mostBytes: most }) {
        if (this.#area.job) { return; }
        this.#set({ job: { id, done: 0, total: about?.tiles ?? 0, bytes: 0, isWaiting: false }, ended: undefined });
        this.#worker ??= this.#openWorker();
        this.#worker.postMessage({ type: "run", id, about, root: this.#root, mostBytes: most });
    }

    #openWorker() {
        const worker = this.#newWorker();
        worker.onmessage = ({ data }) => {
            if (worker !== this.#worker) { return; }
            if (data.type === "progress") { this.#set({ job: data }); } else { this.#finish(data); }
        };
        worker.onerror = (event) => {
            event.preventDefault?.();
            if (worker !== this.#worker) { return; }
            worker.terminate();
            this.#worker = undefined;
            this.#finish({ outcome: "failed" });
        };
        return worker;
    }

    async #finish({ outcome, missing, message }) {
        this.#stopped();
        if (message) { console.error(`The download of an area ended: ${message}`); }
        this.#set({ job: undefined });
        await this.look();
        this.#set({ ended: { outcome, missing } });
    }
}

/** The bytes that the browser has left for this page; undefined if it does not say. */
async function roomLeft() {
    try {
        const { usage, quota } = await navigator.storage.estimate();
        return quota > 0 ? Math.max(0, quota - usage) : undefined;
    } catch {
        return undefined;
    }
}

function startWorker() {
    return new Worker(new URL("area-worker.js", import.meta.url), { type: "module" });
}
