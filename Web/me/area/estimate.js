/** Estimates the size of the tiles of a box from a few of them. */
import { countAt, tileAt } from "./tiles.js";
import { tileAddress } from "./tileloading.js";

/** The size assumed for a tile if none could be measured, in bytes. */
const typicalBytes = { vector: 15_000, raster: 25_000 };
/** The size of a stored vector tile, as a part of its unpacked size in the browser. */
const packedPart = 0.55;
/** The number of zooms measured per file: the deepest ones, which have the most tiles. */
const zoomsMeasured = 3;
/** The largest number of tiles measured in all. */
const mostMeasured = 12;

/**
 * Measures a tile in the middle of a box at the deepest zooms of each file.
 * @param {object} options
 * @param {number[]} options.box
 * @param {object[]} options.files
 * @param {number} options.mostTiles zooms at which the box has more tiles than this are not measured
 * @param {string} options.root
 * @param {typeof fetch} [options.fetch]
 * @returns {Promise<(file: object, zoom: number) => number>} returns the bytes of a stored tile
 */
export async function measureTiles({ box, files, mostTiles, root, fetch = globalThis.fetch }) {
    const wanted = files.flatMap((file) => {
        const zooms = [];
        for (let zoom = file.maxZoom; zoom >= file.minZoom && zooms.length < zoomsMeasured; zoom -= 1) {
            const count = countAt(box, zoom, file);
            if (count > 0 && count <= mostTiles) { zooms.push({ file, zoom }); }
        }
        return zooms;
    }).slice(0, mostMeasured);
    const measured = new Map();
    await Promise.all(wanted.map(async ({ file, zoom }) => {
        const bytes = await sizeOf(file, tileAt(middleOf(box, file.bounds), zoom), root, fetch).catch(() => undefined);
        if (bytes === undefined) { return; }
        if (!measured.has(file.name)) { measured.set(file.name, new Map()); }
        measured.get(file.name).set(zoom, bytes);
    }));
    return (file, zoom) => {
        const known = measured.get(file.name);
        if (!known) { return typicalBytes[file.kind] ?? typicalBytes.vector; }
        const nearest = [...known.keys()].sort((left, right) => Math.abs(left - zoom) - Math.abs(right - zoom))[0];
        return known.get(nearest);
    };
}

/** The middle of the part of a box that a file covers. */
function middleOf([west, south, east, north], bounds) {
    const turn = 360 * Math.round(((west + east) - (bounds[0] + bounds[2])) / 720);
    const [from, to] = [Math.max(west, bounds[0] + turn), Math.min(east, bounds[2] + turn)];
    return [(from + to) / 2, (Math.max(south, bounds[1]) + Math.min(north, bounds[3])) / 2];
}

async function sizeOf(file, tile, root, fetch) {
    const response = await fetch(tileAddress(file.name, tile, root), { credentials: "omit" });
    if (!response.ok) { return undefined; }
    const bytes = (await response.arrayBuffer()).byteLength;
    return file.kind === "vector" ? Math.ceil(bytes * packedPart) : bytes;
}
