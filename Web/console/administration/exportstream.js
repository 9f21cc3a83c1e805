/**
 * The histories of many devices in one file, device by device, as they come: of each answer of the server what makes it
 * a file of its own is left out, but for the first beginning and the last end. At most one piece is in memory.
 */

/** The formats, each with the ending of its file and what the server writes around the positions. */
export const forms = Object.freeze({
    csv: { ending: "csv", type: "text/csv", begins: /^[^\n]*\n/, ends: "" },
    gpx: { ending: "gpx", type: "application/gpx+xml", begins: /^[^>]*>\s*<gpx[^>]*>\s*/, ends: "</gpx>\n" },
    geojson: {
        ending: "geojson", type: "application/geo+json", begins: /^\{"type":"FeatureCollection","features":\[/,
        ends: "]}",
    },
});

/** A beginning that is longer than this is no beginning. */
const longestBeginning = 4096;

/** An answer that does not begin or end as its format does: it was cut off. */
export class CutOff extends Error {}

/**
 * The body of one answer, without its beginning and its end.
 * @param {keyof forms} form
 */
export class Body {
    #begins;
    #ends;
    #held = "";
    #beginning;

    constructor(form) {
        this.#begins = forms[form].begins;
        this.#ends = forms[form].ends;
    }

    /** What the answer began with; undefined until that is here. */
    get beginning() { return this.#beginning; }

    /** What may be written of a piece, and of what was held back before it. */
    take(piece) {
        this.#held += piece;
        if (this.#beginning === undefined) {
            const match = this.#begins.exec(this.#held);
            if (!match) {
                if (this.#held.length > longestBeginning) { throw new CutOff(); }
                return "";
            }
            this.#beginning = match[0];
            this.#held = this.#held.slice(match[0].length);
        }
        const length = Math.max(0, this.#held.length - this.#ends.length);
        const sure = this.#held.slice(0, length);
        this.#held = this.#held.slice(length);
        return sure;
    }

    /** @throws {CutOff} where the answer did not end as its format does */
    finish() {
        if (this.#beginning === undefined || this.#held !== this.#ends) { throw new CutOff(); }
    }
}

/**
 * Writes the history of each device into a file.
 * @param {object} options
 * @param {keyof forms} options.form
 * @param {{user: string, name: string}[]} options.devices
 * @param {(device: object, signal: AbortSignal) => Promise<Response>} options.read asks the server for one history
 * @param {{write: (text: string) => Promise<void>, rewind: (bytes: number) => Promise<void>}} options.sink
 * @param {(done: {devices: number, bytes: number}) => void} options.report
 * @param {AbortSignal} options.signal
 * @param {(error: Error) => boolean} options.mayRetry whether the same request may go through later
 * @param {(ms: number, signal: AbortSignal) => Promise<void>} options.wait
 * @returns {Promise<{bytes: number, empty: number, gone: number}>} `empty`: devices without a position in that time;
 *     `gone`: devices that were removed meanwhile
 */
export async function exportAll({ form, devices, read, sink, report, signal, mayRetry, wait }) {
    const { ends } = forms[form];
    let [bytes, empty, gone, opening] = [0, 0, 0, undefined];
    let hasContent = false;
    const write = async (text) => {
        if (text === "") { return; }
        bytes += byteLength(text);
        await sink.write(text);
    };
    const one = async (device) => {
        const body = new Body(form);
        let isFirst = true;
        for await (const piece of pieces(await read(device, signal))) {
            const text = body.take(piece);
            if (opening === undefined && body.beginning !== undefined) {
                opening = body.beginning;
                await write(opening);
            }
            if (text === "") { continue; }
            await write(form === "geojson" && isFirst && hasContent ? `,${text}` : text);
            isFirst = false;
            report({ devices: devices.indexOf(device), bytes });
        }
        body.finish();
        if (isFirst) { empty += 1; } else { hasContent = true; }
    };
    for (const [index, device] of devices.entries()) {
        report({ devices: index, bytes });
        const before = { bytes, opening };
        for (let attempt = 1; ; attempt += 1) {
            try {
                await one(device);
                break;
            } catch (error) {
                if (signal.aborted) { throw error; }
                // The sink forgets what the broken answer brought, so that each position is there once.
                ({ bytes, opening } = before);
                await sink.rewind(bytes);
                if (error.status === 404) { gone += 1; break; }
                if (attempt === tries || !(error instanceof CutOff || mayRetry(error))) { throw error; }
                await wait(Math.max(1000 * attempt, (error.retryAfterSeconds ?? 0) * 1000), signal);
                signal.throwIfAborted();
            }
        }
    }
    if (opening !== undefined) { await write(ends); }
    report({ devices: devices.length, bytes });
    return { bytes, empty, gone };
}

/** How often one history is asked for before the export fails. */
const tries = 6;

async function* pieces(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) { return; }
            yield value;
        }
    } finally { reader.cancel().catch(() => {}); }
}

const encoder = new TextEncoder();
const byteLength = (text) => encoder.encode(text).length;

/**
 * A file that the browser writes as it comes, where it lets the page; it appears when it is whole.
 * @param {FileSystemFileHandle} handle
 */
export async function fileSink(handle) {
    const file = await handle.createWritable();
    return {
        write: (text) => file.write(text),
        rewind: async (bytes) => { await file.truncate(bytes); await file.seek(bytes); },
        close: () => file.close(),
        abort: () => file.abort().catch(() => {}),
    };
}

/** The most bytes that a browser collects where it cannot write a file piece by piece. */
const collectLimit = 512 * 1024 * 1024;

/** The file has become larger than this browser collects. */
export class TooLarge extends Error {}

/** What is offered as a download when it is whole; the browser keeps its parts, on its disk where they are large. */
export function collectedSink({ name, type }, offer) {
    let parts = [];
    let size = 0;
    return {
        async write(text) {
            const part = new Blob([text]);
            size += part.size;
            if (size > collectLimit) { throw new TooLarge(); }
            parts.push(part);
            // Many small parts become one, so that the page holds a few names of blobs.
            if (parts.length > 256) { parts = [new Blob(parts)]; }
        },
        async rewind(bytes) {
            parts = [new Blob(parts).slice(0, bytes)];
            size = bytes;
        },
        async close() { offer(new Blob(parts, { type }), name); },
        async abort() { parts = []; },
    };
}
