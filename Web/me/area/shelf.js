/** The downloaded areas on this phone, and the tiles in them. */
import { ArchiveReader } from "./archive.js";
import { areaFile, areaFolder, areaIds, bytesOf, NoStorage, removeArea } from "./folder.js";
import { tileAt } from "./tiles.js";
import { unpacked } from "./tileloading.js";

/**
 * @typedef {{id: string, about: object, isComplete: boolean, isDamaged: boolean, count: number, bytes: number,
 *     changedMs: number, isOutdated: boolean}} Area
 */
export class AreaShelf {
    #openFolder;
    #opening;
    /** The areas and their readers, the newest first. */
    #areas = [];
    #outdated = new Set();

    /** @param {() => Promise<FileSystemDirectoryHandle>} [openFolder] replaced in tests */
    constructor(openFolder = areaFolder) { this.#openFolder = openFolder; }

    /**
     * Reads the areas from the disk.
     * @returns {Promise<Area[]>} the newest first
     * @throws {import("./folder.js").NoStorage}
     */
    async list() {
        const folder = await this.#openFolder();
        const found = [];
        for (const id of await areaIds(folder)) { found.unshift(await this.#look(folder, id)); }
        // A renewed area goes as soon as its replacement is complete, even if the page was closed in between.
        const replaced = new Set(found.filter(({ isComplete }) => isComplete).map(({ about }) => about.replaces));
        for (const { id } of found.filter((area) => replaced.has(area.id))) { await removeArea(folder, id); }
        this.#areas = found.filter(({ id }) => !replaced.has(id));
        return this.#areas.map(({ reader, ...area }) => ({ ...area, isOutdated: this.#outdated.has(area.id) }));
    }

    async #look(folder, id) {
        const none = { id, about: {}, isComplete: false, isDamaged: true, count: 0, bytes: 0, changedMs: 0 };
        try {
            const file = await (await areaFile(folder, id)).getFile();
            const bytes = { bytes: file.size, changedMs: file.lastModified };
            const reader = await ArchiveReader.open(bytesOf(file)).catch(() => undefined);
            if (!reader) { return { ...none, ...bytes }; }
            const { about, isComplete, count } = reader;
            return { id, about, isComplete, isDamaged: false, count, ...bytes, reader };
        } catch {
            // The area is being written, or was removed meanwhile.
            return { ...none, isDamaged: false };
        }
    }

    async remove(id) {
        await removeArea(await this.#openFolder(), id);
        this.#areas = this.#areas.filter((area) => area.id !== id);
        this.#outdated.delete(id);
    }

    /** Notes that the server's tiles have changed since the area was downloaded: the map then asks the server first. */
    markOutdated(id) { this.#outdated.add(id); }

    /** A tile of an area as it was stored, with its tag. */
    async stored(id, tile) { return this.#areas.find((area) => area.id === id)?.reader?.read(tile); }

    /**
     * Reads a tile in the form that the map wants.
     * @param {string} name the name of the server's file
     * @param {{zoom: number, column: number, row: number}} tile
     * @returns {Promise<{data: Uint8Array, isOutdated: boolean} | undefined>} undefined if no area has the tile, or the
     *     tile is damaged; empty data for a place without a tile
     */
    async read(name, tile) {
        for (const area of await this.#opened()) {
            const file = area.about.files?.findIndex((each) => each.name === name) ?? -1;
            if (file < 0 || !area.reader?.has({ ...tile, file })) { continue; }
            try {
                const data = await unpacked(await area.reader.read({ ...tile, file }));
                return { data, isOutdated: this.#outdated.has(area.id) };
            } catch {
                // The area is damaged or its file is gone: another area, or the server, may have the tile.
            }
        }
        return undefined;
    }

    /** The deepest zoom at which an area has the tile that contains a place; undefined if no area has one. */
    async deepest(name, place, fromZoom) {
        const areas = await this.#opened();
        for (let zoom = fromZoom; zoom >= 0; zoom -= 1) {
            const isThere = areas.some(({ about, reader }) => {
                const file = about.files?.findIndex((each) => each.name === name) ?? -1;
                return file >= 0 && reader?.has({ ...tileAt(place, zoom), file });
            });
            if (isThere) { return zoom; }
        }
        return undefined;
    }

    /** The tile files that the areas know, as the server listed them; used when the server's list cannot be had. */
    async files() {
        const known = new Map();
        for (const { about } of [...await this.#opened()].reverse()) {
            for (const file of about.files ?? []) { known.set(file.name, file); }
        }
        return [...known.values()];
    }

    async #opened() {
        this.#opening ??= this.list().catch((error) => { if (!(error instanceof NoStorage)) { throw error; } });
        await this.#opening;
        return this.#areas;
    }
}

/** This page's shelf, shared by the map and by the part that downloads. */
export const shelf = new AreaShelf();
