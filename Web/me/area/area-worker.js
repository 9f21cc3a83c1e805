/**
 * Writes a downloaded area. In some browsers only a worker can write a file in place. Writing in place keeps every tile
 * that a download had when it was interrupted.
 */
import { ArchiveReader, ArchiveWriter } from "./archive.js";
import { downloadArea } from "./download.js";
import { areaFile, areaFolder, bytesOf, NoStorage } from "./folder.js";
import { tileLoader } from "./tileloading.js";

/** The name of the lock that allows one download at a time in all tabs. */
const lockName = "muster-area";
/** The number of writes after which the file is flushed to the disk. */
const flushEvery = 64;

let pausing = new AbortController();

addEventListener("message", async ({ data }) => {
    if (data.type === "pause") { pausing.abort(); return; }
    pausing = new AbortController();
    try {
        const answer = await withLock(() => run(data));
        postMessage({ type: "ended", ...answer ?? { outcome: "busy" } });
    } catch (error) {
        const outcome = error?.name === "QuotaExceededError" ? "full"
            : error?.name === "NoModificationAllowedError" ? "busy" : error instanceof NoStorage ? "denied" : "failed";
        postMessage({ type: "ended", outcome, message: String(error?.message ?? error) });
    }
});

async function withLock(act) {
    if (!navigator.locks) { return act(); }
    return navigator.locks.request(lockName, { ifAvailable: true }, (lock) => (lock ? act() : undefined));
}

/** Begins the download of an area, or continues one. */
async function run({ id, about, root, mostBytes, replaces }) {
    const folder = await areaFolder();
    const handle = await areaFile(folder, id, { create: Boolean(about) });
    let access;
    try {
        access = await handle.createSyncAccessHandle();
    } catch (error) {
        if (error?.name === "NoModificationAllowedError") { throw error; }
        throw new NoStorage("The browser lets no file be written in place.", { cause: error });
    }
    try {
        const append = appending(access);
        const begun = about ? { writer: ArchiveWriter.begin(append, about) } : await resume(access, append);
        const { writer, reader } = begun;
        const plan = about ?? reader.about;
        const previous = await previousArea(folder, replaces ?? plan.replaces, plan);
        return await downloadArea({
            plan, writer, mostBytes, signal: pausing.signal, wait,
            has: (tile) => reader?.has(tile) ?? false,
            load: tileLoader({ files: plan.files, root, previous }),
            report: (progress) => postMessage({ type: "progress", id, ...progress }),
        });
    } finally {
        access.flush();
        access.close();
    }
}

function appending(access) {
    let count = 0;
    return (bytes, offset) => {
        let written = 0;
        while (written < bytes.length) {
            const part = access.write(bytes.subarray(written), { at: offset + written });
            if (part === 0) { throw new DOMException("The disk is full.", "QuotaExceededError"); }
            written += part;
        }
        count += 1;
        if (count % flushEvery === 0) { access.flush(); }
    };
}

async function resume(access, append) {
    const reader = await ArchiveReader.open({
        size: () => access.getSize(),
        read: (offset, length) => {
            const bytes = new Uint8Array(Math.max(0, Math.min(length, access.getSize() - offset)));
            return bytes.subarray(0, access.read(bytes, { at: offset }));
        },
    });
    access.truncate(reader.end);
    return { reader, writer: ArchiveWriter.resume(append, reader) };
}

/** Reads tiles of the area that is being renewed, for those server files that both plans contain. */
async function previousArea(folder, id, plan) {
    if (!id) { return undefined; }
    try {
        const file = await (await areaFile(folder, id)).getFile();
        const reader = await ArchiveReader.open(bytesOf(file));
        const indexes = plan.files.map(({ name }) => reader.about.files.findIndex((other) => other.name === name));
        return async (tile) => (indexes[tile.file] < 0 ? undefined
            : reader.read({ ...tile, file: indexes[tile.file] }));
    } catch {
        // The former area is gone or damaged: every tile is loaded from the server.
        return undefined;
    }
}

function wait(ms, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
    });
}
