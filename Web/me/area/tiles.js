/** The tiles of a box: which ones, how many, and how deep a download can go within a limit. Pure. */

/** The latitude at which Web Mercator ends, in degrees. */
const highestLatitude = 85.051129;
/** The deepest zoom of any tile file. */
export const deepestZoom = 24;

/**
 * The rows and columns of a box at a zoom. A box across the antimeridian has an east beyond 180, and gives two ranges.
 * @param {Box} box
 * @param {number} zoom
 * @returns {{west: number, east: number, north: number, south: number}[]} both ends included
 *
 * @typedef {[number, number, number, number]} Box west, south, east, north in degrees, west ≤ east
 */
export function rangesOf([west, south, east, north], zoom) {
    const size = 2 ** zoom;
    const [top, bottom] = [rowAt(north, size), rowAt(south, size)];
    const first = Math.floor(columnAt(west, size));
    // A box that ends on the edge of a tile does not reach into the next tile.
    const last = Math.max(first, Math.ceil(columnAt(east, size)) - 1);
    if (last - first + 1 >= size) { return [{ west: 0, east: size - 1, north: top, south: bottom }]; }
    const [from, to] = [modulo(first, size), modulo(last, size)];
    const rows = { north: top, south: bottom };
    return from <= to ? [{ west: from, east: to, ...rows }]
        : [{ west: from, east: size - 1, ...rows }, { west: 0, east: to, ...rows }];
}

/** The number of tiles of a file in a box at a zoom, within the file's bounds. */
export function countAt(box, zoom, file) {
    return rangesWithin(box, zoom, file).reduce((sum, range) =>
        sum + (range.east - range.west + 1) * (range.south - range.north + 1), 0);
}

/**
 * The tiles of a box, the coarse ones first, so that a part of a download already shows the whole box.
 * @param {{box: Box, files: TileFile[], topZoom: number}} plan
 * @returns {Generator<{file: number, zoom: number, column: number, row: number}>} `file` is an index into `files`
 *
 * @typedef {{name: string, kind: string, minZoom: number, maxZoom: number, bounds: Box}} TileFile
 */
export function* tilesOf({ box, files, topZoom }) {
    for (let zoom = 0; zoom <= topZoom; zoom += 1) {
        for (const [file, tileFile] of files.entries()) {
            for (const { west, east, north, south } of rangesWithin(box, zoom, tileFile)) {
                for (let row = north; row <= south; row += 1) {
                    for (let column = west; column <= east; column += 1) { yield { file, zoom, column, row }; }
                }
            }
        }
    }
}

/**
 * The levels to which a box can be downloaded, each with its number of tiles and its size, the deepest last.
 * @param {Box} box
 * @param {TileFile[]} files
 * @param {{bytesPerTile: (file: TileFile, zoom: number) => number, mostTiles: number, mostBytes: number}} limits
 * @returns {{topZoom: number, tiles: number, bytes: number, isWithin: boolean}[]} no two levels have the same tiles
 */
export function levelsOf(box, files, { bytesPerTile, mostTiles, mostBytes }) {
    const deepest = Math.min(deepestZoom, Math.max(...files.map(({ maxZoom }) => maxZoom), -1));
    const levels = [];
    let [tiles, bytes] = [0, 0];
    for (let zoom = 0; zoom <= deepest; zoom += 1) {
        let added = 0;
        for (const file of files) {
            const count = countAt(box, zoom, file);
            added += count;
            bytes += count * bytesPerTile(file, zoom);
        }
        tiles += added;
        if (added > 0) {
            levels.push({ topZoom: zoom, tiles, bytes, isWithin: tiles <= mostTiles && bytes <= mostBytes });
        }
    }
    return levels;
}

/** The deepest level within the limits; undefined if not even the first is, or the box has no tiles. */
export function bestLevel(levels) {
    return levels.findLast(({ isWithin }) => isWithin);
}

/** The tile that contains a place at a zoom. */
export function tileAt([longitude, latitude], zoom) {
    const size = 2 ** zoom;
    return { zoom, column: modulo(Math.floor(columnAt(longitude, size)), size), row: rowAt(latitude, size) };
}

/** The ranges of a file's tiles in a box; no two ranges overlap. */
function rangesWithin(box, zoom, { minZoom, maxZoom, bounds }) {
    if (zoom < minZoom || zoom > maxZoom) { return []; }
    const ranges = common(box, bounds).flatMap((part) => rangesOf(part, zoom))
        .sort((left, right) => left.west - right.west);
    // All ranges have the same rows. Parts on both sides of the antimeridian may share a tile at a coarse zoom.
    return ranges.reduce((apart, range) => {
        const last = apart.at(-1);
        if (!last || range.west > last.east) { return [...apart, range]; }
        return [...apart.slice(0, -1), { ...last, east: Math.max(last.east, range.east) }];
    }, []);
}

/** The parts of a box that lie within another; two parts if one of the boxes goes around the antimeridian. */
function common([west, south, east, north], bounds) {
    const [lowest, highest] = [Math.max(south, bounds[1]), Math.min(north, bounds[3])];
    if (lowest > highest) { return []; }
    const parts = [];
    for (const turn of [-360, 0, 360]) {
        const [from, to] = [Math.max(west, bounds[0] + turn), Math.min(east, bounds[2] + turn)];
        // A box that only touches another shares nothing with it.
        if (from < to || (from === to && (west === east || bounds[0] === bounds[2]))) {
            parts.push([from, lowest, to, highest]);
        }
    }
    return parts;
}

function columnAt(longitude, size) {
    return (longitude + 180) / 360 * size;
}

function rowAt(latitude, size) {
    const angle = Math.max(-highestLatitude, Math.min(highestLatitude, latitude)) * Math.PI / 180;
    const row = Math.floor((1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2 * size);
    return Math.min(size - 1, Math.max(0, row));
}

function modulo(number, size) {
    return ((number % size) + size) % size;
}
