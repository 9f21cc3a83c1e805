/**
 * The depth of the map's ground without a network. MapLibre draws a coarser tile in place of a missing one only if it
 * has the coarser one in memory; so each source is told to end at the deepest zoom that is kept on this phone.
 */
import { tileAt } from "../area/tiles.js";

export class Reach {
    #map;
    #shelf;
    #cache;
    /** The names of the sources that were cut short. */
    #cut = new Set();
    #isLooking = new Set();

    /**
     * @param {object} map MapLibre's map
     * @param {{shelf: {deepest: Function}, cache: {has: (path: string) => Promise<boolean>}}} kept the kept tiles
     */
    constructor(map, { shelf, cache }) {
        this.#map = map;
        this.#shelf = shelf;
        this.#cache = cache;
        map.on("error", ({ sourceId, tile }) => { if (sourceId && tile) { this.#look(sourceId); } });
    }

    /** Restores the sources when the server answers again; `GroundTiles` requests the missing tiles. */
    restore() {
        for (const name of this.#cut) {
            const source = this.#map.getSource(name);
            // This also restores the source's own zooms.
            if (source?.tiles) { source.setTiles(source.tiles); }
        }
        this.#cut.clear();
    }

    /** Called when a tile of a source did not come: finds out how deep the ground is kept in the middle of the view. */
    async #look(name) {
        const source = this.#map.getSource(name);
        if (!source?.tiles || this.#isLooking.has(name)) { return; }
        this.#isLooking.add(name);
        try {
            const file = name.replace(/^basemap:/, "");
            const { lng, lat } = this.#map.getCenter();
            const from = Math.min(source.maxzoom, Math.floor(this.#map.getZoom() + (source.tileSize === 256 ? 1 : 0)));
            const zoom = await deepestKept(file, [lng, lat], from, this.#shelf, this.#cache);
            if (zoom === undefined || zoom >= source.maxzoom || zoom < source.minzoom) { return; }
            source.maxzoom = zoom;
            this.#cut.add(name);
            // The map works out which tiles it needs only when it moves.
            this.#map.jumpTo({ center: this.#map.getCenter() });
        } catch {
            // The kept tiles cannot be read: the ground stays as it is.
        } finally {
            this.#isLooking.delete(name);
            // MapLibre draws no frame for a tile that failed, and so does not notice that no other tile is under way.
            this.#map.triggerRepaint();
        }
    }
}

/** The deepest zoom at which the tile that contains a place is kept. */
export async function deepestKept(file, place, from, shelf, cache) {
    const inArea = await shelf.deepest(file, place, from);
    for (let zoom = from; zoom > (inArea ?? -1); zoom -= 1) {
        const { column, row } = tileAt(place, zoom);
        if (await cache.has(`${encodeURIComponent(file)}/${zoom}/${column}/${row}`)) { return zoom; }
    }
    return inArea;
}
