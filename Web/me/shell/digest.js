/**
 * The version of the app: one digest of all files of its shell. Both the service worker and the page compute it. The
 * service worker loads no modules, so this file is a plain script, and the page loads it through `version.js`.
 */

/** The shape of an `ETag` that is the digest of a file; a proxy that compresses marks the tag as weak. */
const tagShape = /^(?:W\/)?"([\w-]{20})"$/;

globalThis.musterShell = Object.freeze({
    /**
     * The digest of a file in the form of the server's `ETag`: the first 15 bytes of its SHA-256, in base64url.
     * @param {ArrayBuffer} bytes
     * @returns {Promise<string>}
     */
    async digestOf(bytes) {
        const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).subarray(0, 15);
        return btoa(String.fromCharCode(...hash)).replaceAll("+", "-").replaceAll("/", "_");
    },

    /**
     * The version made up by these files, in any order.
     * @param {[path: string, digest: string][]} digests
     * @returns {Promise<string>}
     */
    async versionOf(digests) {
        const text = digests.map(([path, digest]) => `${path} ${digest}\n`).sort().join("");
        return musterShell.digestOf(new TextEncoder().encode(text).buffer);
    },

    /** All files of a list: those that the app opens with, and those that its map needs. */
    filesOf({ files, map = [] }) { return [...files, ...map]; },

    /**
     * The digests of files as the server has them: from the list if the server states them there, else from each file's
     * tag, else from the file itself, if a proxy removed the tag.
     * @param {(path: string, options?: object) => Promise<Response>} get throws if the request has no success
     * @param {{files: string[], map?: string[], digests?: Record<string, string>}} list the content of `me/shell.json`
     * @param {string[]} [wanted] the paths of the wanted files; by default all
     * @returns {Promise<[path: string, digest: string][]>}
     */
    async digestsOf(get, list, wanted = musterShell.filesOf(list)) {
        if (list.digests) { return wanted.map((path) => [path, list.digests[path]]); }
        return await musterShell.inTurn(wanted, async (path) => {
            const { headers } = await get(path, { method: "HEAD" });
            const [, tag] = tagShape.exec(headers.get("ETag") ?? "") ?? [];
            return [path, tag ?? await musterShell.digestOf(await (await get(path)).arrayBuffer())];
        });
    },

    /** Runs an action on each item, a few at a time; returns the results in order. */
    async inTurn(items, act, atOnce = 6) {
        const results = [];
        const rest = items.entries();
        await Promise.all(Array.from({ length: atOnce }, async () => {
            for (const [index, item] of rest) { results[index] = await act(item); }
        }));
        return results;
    },
});
