/**
 * Gives the app's map its tiles: from a downloaded area, else from the server. Without a network the service worker
 * answers for the server with the tiles of the last days.
 */
import { tileAddress } from "./tileloading.js";

/** The beginning of the map's tile addresses, in place of the server's address. */
export const tileRoot = "mustertiles://app/";

/**
 * Teaches MapLibre to load addresses below `tileRoot`. Another call replaces the shelf of the first.
 * @param {object} maplibre the library
 * @param {object} options
 * @param {import("./shelf.js").AreaShelf} options.shelf
 * @param {string} options.root the address below which the server's `tiles/` lies
 * @param {typeof fetch} [options.fetch] replaced in tests
 */
export function offerTiles(maplibre, { shelf, root, fetch = (...request) => globalThis.fetch(...request) }) {
    maplibre.addProtocol("mustertiles", async ({ url }, { signal } = {}) => {
        const wanted = parseTileURL(url);
        if (!wanted) { throw new Error(`No tile has the address ${url}.`); }
        const kept = await shelf.read(wanted.name, wanted);
        if (kept && !kept.isOutdated) { return { data: bufferOf(kept.data) }; }
        try {
            return { data: await load(tileAddress(wanted.name, wanted, root), signal, fetch) };
        } catch (error) {
            if (!kept) { throw error; }
            return { data: bufferOf(kept.data) };
        }
    });
}

/** Reads which tile an address below `tileRoot` names; undefined for any other address. Pure. */
export function parseTileURL(url) {
    const found = /^mustertiles:\/\/app\/tiles\/([^/]+)\/(\d{1,2})\/(\d{1,8})\/(\d{1,8})$/.exec(url);
    if (!found) { return undefined; }
    const [zoom, column, row] = found.slice(2).map(Number);
    return { name: decodeURIComponent(found[1]), zoom, column, row };
}

async function load(address, signal, fetch) {
    const response = await fetch(address, { credentials: "omit", signal });
    if (!response.ok) { throw new Error(`${address}: ${response.status}`); }
    return response.arrayBuffer();
}

function bufferOf(bytes) {
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
