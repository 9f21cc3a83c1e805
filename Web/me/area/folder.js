/**
 * The folder of the downloaded areas in the origin's private file system, with one file for each area. The functions
 * work in a page and in a worker.
 */

const folderName = "muster-areas";
const ending = ".tiles";

/** The browser does not let this page store files. */
export class NoStorage extends Error {}

/**
 * Opens the folder, and makes it if there is none.
 * @param {StorageManager} [storage] replaced in tests
 * @throws {NoStorage}
 */
export async function areaFolder(storage = globalThis.navigator?.storage) {
    try {
        const root = await storage.getDirectory();
        return await root.getDirectoryHandle(folderName, { create: true });
    } catch (error) {
        throw new NoStorage("The browser keeps no files for this page.", { cause: error });
    }
}

/** The handle of an area's file. */
export function areaFile(folder, id, options) {
    return folder.getFileHandle(`${id}${ending}`, options);
}

/** The ids of all areas, the newest last. */
export async function areaIds(folder) {
    const names = [];
    for await (const name of folder.keys()) {
        if (name.endsWith(ending)) { names.push(name.slice(0, -ending.length)); }
    }
    return names.sort();
}

/** Removes an area; if it is gone already, that is no error. */
export async function removeArea(folder, id) {
    try {
        await folder.removeEntry(`${id}${ending}`);
    } catch (error) {
        if (error?.name !== "NotFoundError") { throw error; }
    }
}

/** A file of the page in the form that an archive reads. @returns {import("./archive.js").ReadableBytes} */
export function bytesOf(file) {
    return {
        size: () => file.size,
        read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
    };
}
