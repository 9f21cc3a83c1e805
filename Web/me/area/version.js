/**
 * Whether the server has another version of the files that an area was made of. A server's list that states the
 * `version` of each file tells this exactly. For other lists, the file's entry is compared, and a few tiles are checked
 * by their tags; a change in few places may then go unnoticed.
 */
import { tileAddress } from "./tileloading.js";
import { tilesOf } from "./tiles.js";

/** The number of tiles checked in each file. */
const samples = 6;
/** The members of a file's entry that differ between versions. */
const compared = ["kind", "type", "minZoom", "maxZoom", "bounds", "version"];

/**
 * @param {import("./shelf.js").Area} area
 * @param {object} options
 * @param {{tiles: object[]}} options.index what the server lists now
 * @param {(tile: object) => Promise<{tag: string} | undefined>} options.stored reads a tile of the area
 * @param {string} options.root
 * @param {typeof fetch} [options.fetch]
 * @returns {Promise<"same"|"newer"|"unknown">} `unknown` if the server did not answer
 */
export async function versionOf({ about }, { index, stored, root, fetch = globalThis.fetch }) {
    if (about.files.some((file) => isOther(file, index.tiles))) { return "newer"; }
    // A file that the server has added since would be drawn in the area, too.
    const isAdded = ({ name, bounds }) => !about.files.some((file) => file.name === name) && meets(bounds, about.box);
    if (index.tiles.some(isAdded)) { return "newer"; }
    for (const tile of sampled(about)) {
        const kept = await stored(tile).catch(() => undefined);
        if (!kept) { continue; }
        try {
            const { status } = await fetch(tileAddress(about.files[tile.file].name, tile, root), {
                credentials: "omit", cache: "no-store", headers: kept.tag ? { "If-None-Match": kept.tag } : {},
            });
            const wasEmpty = kept.data.length === 0 && kept.tag === "";
            if (status === 204 ? !wasEmpty : status === 200) { return "newer"; }
        } catch {
            return "unknown";
        }
    }
    return "same";
}

function isOther(file, files) {
    const now = files.find(({ name }) => name === file.name);
    return !now || compared.some((field) => JSON.stringify(now[field]) !== JSON.stringify(file[field]));
}

/** Tiles of each file, spread over the area; none of a file whose version is stated. */
function sampled(about) {
    return about.files.flatMap(({ version }, file) => {
        if (version !== undefined) { return []; }
        const of = [...tilesOf(about)].filter((tile) => tile.file === file);
        const step = Math.max(1, Math.floor(of.length / samples));
        // The deepest tiles are most likely to differ.
        return of.reverse().filter((_, index) => index % step === 0).slice(0, samples);
    });
}

function meets([west, south, east, north], box) {
    return south <= box[3] && north >= box[1]
        && [-360, 0, 360].some((turn) => west + turn <= box[2] && east + turn >= box[0]);
}
