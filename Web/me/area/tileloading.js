/** Requests tiles for a download: past all caches, and only if a tile has changed. */
import { FileGone, Unanswered } from "./download.js";

/** The time after which a frozen server counts as not answering, in milliseconds. */
const answerLimitMs = 20_000;
const gzip = "gzip";

/**
 * Makes the function that loads a tile of a plan.
 * @param {object} options
 * @param {object[]} options.files the files of the plan
 * @param {string} options.root the address below which `tiles/` lies
 * @param {(tile: object) => Promise<{data: Uint8Array, tag: string, isPacked: boolean} | undefined>}
 *     [options.previous] reads a tile of the former area: a tile is sent only if it has changed
 * @param {typeof fetch} [options.fetch] replaced in tests
 */
export function tileLoader({ files, root, previous = async () => undefined, fetch = globalThis.fetch }) {
    return async (tile, signal) => {
        const before = await previous(tile).catch(() => undefined);
        const response = await ask(tileAddress(files[tile.file].name, tile, root), before?.tag, signal, fetch);
        if (response.status === 304) { return before; }
        if (response.status === 204) { return {}; }
        if (response.status === 404) { throw new FileGone(); }
        if ([429, 502, 503, 504].includes(response.status)) { throw new Unanswered(waitOf(response)); }
        // A tile that is damaged in the server's file stays damaged, so it is not requested again.
        if (!response.ok) { return { isMissing: true }; }
        const tag = response.headers.get("ETag") ?? "";
        let data;
        try {
            data = new Uint8Array(await response.arrayBuffer());
        } catch {
            throw new Unanswered();
        }
        // The browser has unpacked the tile. A vector tile is packed again, which halves its size.
        if (files[tile.file].kind !== "vector" || !globalThis.CompressionStream) { return { data, tag }; }
        return { data: await through(new CompressionStream(gzip), data), tag, isPacked: true };
    };
}

/** Unpacks a tile's bytes for the map. */
export async function unpacked({ data, isPacked }) {
    return isPacked ? through(new DecompressionStream(gzip), data) : data;
}

/** The address of a tile. */
export function tileAddress(name, { zoom, column, row }, root) {
    return new URL(`tiles/${encodeURIComponent(name)}/${zoom}/${column}/${row}`, root).href;
}

async function ask(address, tag, signal, fetch) {
    const limit = AbortSignal.timeout(answerLimitMs);
    try {
        return await fetch(address, {
            credentials: "omit", cache: "no-store", signal: AbortSignal.any ? AbortSignal.any([signal, limit]) : signal,
            headers: tag ? { "If-None-Match": tag } : {},
        });
    } catch {
        throw new Unanswered();
    }
}

function waitOf(response) {
    const seconds = Number(response.headers.get("Retry-After"));
    return seconds > 0 ? seconds : undefined;
}

async function through(stream, data) {
    return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}
