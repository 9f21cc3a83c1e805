/**
 * One downloaded area as one file: a head that describes it, the tiles one after the other, and an index at the end.
 *
 * It is not a PMTiles file, for three reasons. An area has tiles from several of the server's files, pictures and
 * vectors; a PMTiles file has tiles of one kind. A download that was interrupted continues where it ended, so the file
 * is only ever appended to; a PMTiles file has its directory in front. And each tile keeps its `ETag`, so that renewing
 * an area does not load unchanged tiles again.
 *
 * All numbers are little-endian. `CRC` is that of ISO 3309, as in gzip.
 *
 *     head   "MUSTERT1", length of the text (u32), CRC of the text (u32), the text: JSON
 *     tile   "TILE", file (u8), zoom (u8), flags (u8; 1: gzip), length of the tag (u8), column (u32), row (u32),
 *            length of the data (u32), CRC of all that follows "TILE" but itself (u32), the tag, the data
 *     index  for each tile its 16 bytes after "TILE", and where its record begins (u32)
 *     tail   where the index begins (u32), its length (u32), its CRC (u32), "ENDS"
 *
 * Without a whole tail, a reader finds the tiles by reading on from the head, up to the first that is not whole.
 */
import { crc32 } from "./crc32.js";

const headMark = "MUSTERT1";
const tileMark = 0x454c_4954;
const tailMark = 0x5344_4e45;
const headLength = 16;
const recordLength = 24;
const entryLength = 20;
const tailLength = 16;
/** The largest length of the head's text, in bytes; a head that claims more is damaged. */
const longestText = 1 << 20;
/** The size of the largest tile that the server sends, in bytes. */
export const largestTileBytes = 16 << 20;
/** The size of the largest file that an index can describe, in bytes. */
export const largestFileBytes = 2 ** 32 - 1;
const scanBytes = 1 << 20;

/** The file is no archive, or its bytes are not those that were written. */
export class DamagedArchive extends Error {}

/**
 * What an archive needs of a file to read it.
 * @typedef {{size: () => number | Promise<number>,
 *     read: (offset: number, length: number) => Uint8Array | Promise<Uint8Array>}} ReadableBytes
 *     `read` returns fewer bytes at the end of the file
 * @typedef {{file: number, zoom: number, column: number, row: number}} Tile
 */

export class ArchiveReader {
    #bytes;
    #entries;

    /** Called by `open` alone. */
    constructor(bytes, { about, entries, isComplete, end }) {
        this.#bytes = bytes;
        this.#entries = entries;
        /** What the head says: the JSON value given when the archive was begun. */
        this.about = about;
        /** Whether the download was completed. */
        this.isComplete = isComplete;
        /** The offset at which the next tile would be written. */
        this.end = end;
    }

    /**
     * @param {ReadableBytes} bytes
     * @throws {DamagedArchive} where the head is not whole
     */
    static async open(bytes) {
        const size = await bytes.size();
        const { about, end } = await readHead(bytes, size);
        const indexed = await readIndex(bytes, size, end);
        return new ArchiveReader(bytes, { about, ...indexed ?? await scan(bytes, size, end) });
    }

    /** The number of tiles in the archive, including those that are known to be empty. */
    get count() { return this.#entries.size; }

    has(tile) { return this.#entries.has(keyOf(tile)); }

    /**
     * Reads a tile as it was stored.
     * @param {Tile} tile
     * @returns {Promise<{data: Uint8Array, tag: string, isPacked: boolean} | undefined>} undefined if the archive does
     *     not have the tile; with empty data if the server's file has no such tile
     * @throws {DamagedArchive} if the tile's bytes are not those that were written
     */
    async read(tile) {
        const entry = this.#entries.get(keyOf(tile));
        if (!entry) { return undefined; }
        const record = await this.#bytes.read(entry.offset, recordLength + entry.tagLength + entry.length);
        const found = parseRecord(record, 0);
        if (!found || !isSame(found, tile)) {
            throw new DamagedArchive(`The tile ${keyOf(tile)} at byte ${entry.offset} is damaged.`);
        }
        return { data: found.data, tag: found.tag, isPacked: found.isPacked };
    }

    /** Called by `ArchiveWriter.resume` alone. */
    entries() { return [...this.#entries.values()].map(({ fixed, offset }) => ({ fixed, offset })); }
}

/**
 * Appends tiles to an archive, a whole record at a time. If it is interrupted, the file keeps all tiles added before.
 */
export class ArchiveWriter {
    #append;
    #entries = [];
    #offset;

    /**
     * @param {(bytes: Uint8Array, offset: number) => void} append writes bytes at an offset, always the end of the file
     * @param {number} offset the end of the file
     */
    constructor(append, offset) {
        this.#append = append;
        this.#offset = offset;
    }

    /** Begins an archive. @param {object} about the value for the head, written as JSON */
    static begin(append, about) {
        const text = new TextEncoder().encode(JSON.stringify(about));
        const head = new Uint8Array(headLength + text.length);
        head.set(new TextEncoder().encode(headMark));
        const view = new DataView(head.buffer);
        view.setUint32(8, text.length, true);
        view.setUint32(12, crc32(text), true);
        head.set(text, headLength);
        append(head, 0);
        return new ArchiveWriter(append, head.length);
    }

    /**
     * Continues an archive that was not completed. The caller must first cut off all bytes beyond `reader.end`.
     * @param {ArchiveReader} reader
     */
    static resume(append, reader) {
        const writer = new ArchiveWriter(append, reader.end);
        writer.#entries = reader.entries();
        return writer;
    }

    /** The number of bytes written. */
    get length() { return this.#offset; }

    /**
     * @param {Tile} tile
     * @param {{data: Uint8Array, tag?: string, isPacked?: boolean}} content
     * @throws {RangeError} if the archive would become larger than its index can describe; and whatever `append` throws
     */
    add(tile, { data, tag = "", isPacked = false }) {
        const tagBytes = new TextEncoder().encode(tag);
        const kept = tagBytes.length > 255 ? new Uint8Array() : tagBytes;
        const record = new Uint8Array(recordLength + kept.length + data.length);
        if (this.#offset + record.length > largestFileBytes) { throw new RangeError("The archive is full."); }
        const view = new DataView(record.buffer);
        view.setUint32(0, tileMark, true);
        record.set([tile.file, tile.zoom, isPacked ? 1 : 0, kept.length], 4);
        view.setUint32(8, tile.column, true);
        view.setUint32(12, tile.row, true);
        view.setUint32(16, data.length, true);
        record.set(kept, recordLength);
        record.set(data, recordLength + kept.length);
        view.setUint32(20, recordSum(record), true);
        this.#append(record, this.#offset);
        this.#entries.push({ fixed: record.slice(4, 20), offset: this.#offset });
        this.#offset += record.length;
    }

    /** Writes the index after the last tile. */
    complete() {
        const bytes = new Uint8Array(this.#entries.length * entryLength + tailLength);
        const view = new DataView(bytes.buffer);
        this.#entries.forEach(({ fixed, offset }, index) => {
            bytes.set(fixed, index * entryLength);
            view.setUint32(index * entryLength + 16, offset, true);
        });
        const length = bytes.length - tailLength;
        view.setUint32(length, this.#offset, true);
        view.setUint32(length + 4, length, true);
        view.setUint32(length + 8, crc32(bytes.subarray(0, length)), true);
        view.setUint32(length + 12, tailMark, true);
        this.#append(bytes, this.#offset);
        this.#offset += bytes.length;
    }
}

async function readHead(bytes, size) {
    const head = await bytes.read(0, Math.min(headLength, size));
    const text = new TextDecoder().decode(head.subarray(0, 8));
    if (head.length < headLength || text !== headMark) { throw new DamagedArchive("It is no downloaded area."); }
    const view = viewOf(head);
    const length = view.getUint32(8, true);
    if (length > longestText || headLength + length > size) { throw new DamagedArchive("Its head is cut off."); }
    const json = await bytes.read(headLength, length);
    if (crc32(json) !== view.getUint32(12, true)) { throw new DamagedArchive("Its head is damaged."); }
    return { about: JSON.parse(new TextDecoder().decode(json)), end: headLength + length };
}

/** Reads the index at the end of the file; undefined if there is none, or it is not whole. */
async function readIndex(bytes, size, begin) {
    if (size < begin + tailLength) { return undefined; }
    const tail = viewOf(await bytes.read(size - tailLength, tailLength));
    if (tail.byteLength < tailLength || tail.getUint32(12, true) !== tailMark) { return undefined; }
    const [offset, length] = [tail.getUint32(0, true), tail.getUint32(4, true)];
    if (offset < begin || offset + length + tailLength !== size || length % entryLength !== 0) { return undefined; }
    const index = await bytes.read(offset, length);
    if (index.length !== length || crc32(index) !== tail.getUint32(8, true)) { return undefined; }
    const view = viewOf(index);
    const entries = new Map();
    for (let at = 0; at < length; at += entryLength) {
        const entry = entryOf(index.slice(at, at + 16), view.getUint32(at + 16, true));
        if (entry.offset + recordLength + entry.tagLength + entry.length > offset) { return undefined; }
        entries.set(keyOf(entry), entry);
    }
    return { entries, isComplete: true, end: offset };
}

/** Reads the tiles one after the other, up to the first that is not whole. */
async function scan(bytes, size, begin) {
    const entries = new Map();
    let end = begin;
    let window = { offset: begin, bytes: new Uint8Array() };
    const load = async (offset, length) => {
        window = { offset, bytes: await bytes.read(offset, Math.min(Math.max(length, scanBytes), size - offset)) };
    };
    while (end + recordLength <= size) {
        const left = () => window.offset + window.bytes.length - end;
        if (left() < recordLength) { await load(end, recordLength); }
        const length = lengthAt(window.bytes, end - window.offset);
        if (length === undefined || end + length > size) { break; }
        if (left() < length) { await load(end, length); }
        const found = parseRecord(window.bytes, end - window.offset);
        if (!found) { break; }
        const entry = entryOf(window.bytes.slice(end - window.offset + 4, end - window.offset + 20), end);
        entries.set(keyOf(entry), entry);
        end += length;
    }
    return { entries, isComplete: false, end };
}

/** The length of the record that begins at an offset; undefined if none begins there. */
function lengthAt(bytes, at) {
    if (bytes.length - at < recordLength) { return undefined; }
    const view = viewOf(bytes);
    const length = view.getUint32(at + 16, true);
    if (view.getUint32(at, true) !== tileMark || length > largestTileBytes) { return undefined; }
    return recordLength + bytes[at + 7] + length;
}

/** The record that begins at an offset; undefined if none begins there, or the record is damaged. */
function parseRecord(bytes, at) {
    const length = lengthAt(bytes, at);
    if (length === undefined || bytes.length - at < length) { return undefined; }
    const record = bytes.subarray(at, at + length);
    if (recordSum(record) !== viewOf(record).getUint32(20, true)) { return undefined; }
    const { tagLength, ...entry } = entryOf(record.subarray(4, 20), at);
    return {
        ...entry,
        tag: new TextDecoder().decode(record.subarray(recordLength, recordLength + tagLength)),
        data: record.slice(recordLength + tagLength),
    };
}

function entryOf(fixed, offset) {
    const view = viewOf(fixed);
    return {
        file: fixed[0], zoom: fixed[1], isPacked: (fixed[2] & 1) === 1, tagLength: fixed[3],
        column: view.getUint32(4, true), row: view.getUint32(8, true), length: view.getUint32(12, true),
        fixed, offset,
    };
}

/** The check sum of a record: over everything but its mark and the sum itself. */
function recordSum(record) {
    return crc32(record.subarray(recordLength), crc32(record.subarray(4, 20)));
}

function isSame(found, wanted) {
    return keyOf(found) === keyOf(wanted);
}

function keyOf({ file, zoom, column, row }) {
    return `${file}/${zoom}/${column}/${row}`;
}

function viewOf(bytes) {
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
