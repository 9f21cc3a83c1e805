/**
 * Loads the map around the team's regions before anybody looks at it, so that it can be drawn without a network. The
 * requests go through the service worker, which keeps the tiles.
 */
import { tileAddress } from "./tileloading.js";
import { bestLevel, levelsOf, tilesOf } from "./tiles.js";

/** The largest number of tiles loaded, some megabytes. */
const mostTiles = 160;
/** The margin around the regions that is loaded as well. */
const marginMetres = 400;
const metresPerDegree = 111_195;

/**
 * @param {object} options
 * @param {number[]} options.box the box of the regions: west, south, east, north
 * @param {{tiles: object[]}} options.index the server's files
 * @param {string} options.root
 * @param {AbortSignal} [options.signal]
 * @param {typeof fetch} [options.fetch]
 * @returns {Promise<number>} the number of tiles loaded; loading ends at the first tile that does not come
 */
export async function warmTiles({ box, index, root, signal, fetch = globalThis.fetch }) {
    const around = widened(box, marginMetres);
    const level = bestLevel(levelsOf(around, index.tiles, { bytesPerTile: () => 0, mostTiles, mostBytes: Infinity }));
    if (!level) { return 0; }
    let count = 0;
    for (const tile of tilesOf({ box: around, files: index.tiles, topZoom: level.topZoom })) {
        if (signal?.aborted) { return count; }
        try {
            const address = tileAddress(index.tiles[tile.file].name, tile, root);
            const response = await fetch(address, { credentials: "omit", signal });
            await response.arrayBuffer();
            if (!response.ok) { return count; }
        } catch {
            return count;
        }
        count += 1;
    }
    return count;
}

/** A box widened on all sides by a number of metres. Pure. */
export function widened([west, south, east, north], metres) {
    const high = metres / metresPerDegree;
    const wide = high / Math.max(0.01, Math.cos(Math.max(Math.abs(south), Math.abs(north)) * Math.PI / 180));
    return [west - wide, south - high, east + wide, north + high];
}
