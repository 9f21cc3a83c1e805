/** Reads a device's track from the history, page by page, the latest part first. */
import { pointLimit, spans } from "./track.js";

const pageSize = 1000;
/** The part that is read first; further back the parts grow while there is little in them. */
const firstPartMs = 3_600_000;

/**
 * The latest positions of a device within a span.
 * @param {(path: string) => Promise<object>} get answers the JSON of an API path
 * @param {{device: string, span: keyof spans}} track what is asked for
 * @param {number} newestMs about when its latest position was sampled: the span is counted from there
 * @param {number} [limit] as many positions as are wanted
 * @returns {Promise<{positions: object[], isWhole: boolean}>} ascending; whether there are no older ones in the span
 * @throws {Problem} when the server refuses
 */
export async function loadTrack(get, { device, span }, newestMs, limit = pointLimit) {
    const begin = Math.max(0, newestMs - spans[span]);
    let positions = [];
    let partMs = firstPartMs;
    let from = newestMs;
    /** Before when the next part ends; the first has no end, as what is newest may just have come. */
    let to;
    while (from > begin && positions.length <= limit) {
        const partBegin = Math.max(begin, from - partMs);
        const part = await readPart(get, device, partBegin, to, limit);
        if (!part && partMs > 1) {
            // More than is wanted, and its end is: a shorter one.
            partMs = Math.ceil(partMs / 8);
            continue;
        }
        if (!part) { return { positions, isWhole: false }; }
        positions = [...part, ...positions];
        from = partBegin;
        to = partBegin;
        if (part.length < pageSize) { partMs *= 4; }
    }
    return { positions: positions.slice(-limit), isWhole: from <= begin && positions.length <= limit };
}

/** The positions from a moment to before another; undefined where they are more than the limit. */
async function readPart(get, device, fromMs, toMs, limit) {
    const [user, name] = device.split("/", 2).map(encodeURIComponent);
    const range = new URLSearchParams({ from: new Date(fromMs).toISOString(), limit: String(pageSize) });
    if (toMs !== undefined) { range.set("to", new Date(toMs).toISOString()); }
    const positions = [];
    do {
        const page = await get(`users/${user}/devices/${name}/positions?${range}`);
        positions.push(...page.items);
        if (positions.length > limit) { return undefined; }
        if (!page.nextCursor) { return positions; }
        range.set("cursor", page.nextCursor);
    } while (true);
}
