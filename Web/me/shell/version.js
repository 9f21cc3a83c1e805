/** Asks for the version of the app's shell on the server, and compares what this page has loaded with it. */
import "./digest.js";
import { root } from "../../console/shared/http.js";

/**
 * Asks the server for its version.
 * @param {(address: string, options: object) => Promise<Response>} [get] replaced in tests
 * @returns {Promise<{version: string, digests: Map<string, string>}>} `digests`: of each file, by its path
 * @throws {TypeError} if a file cannot be fetched
 */
export async function serverShell(get = (address, options) => fetch(address, options)) {
    const { digestsOf, versionOf } = globalThis.musterShell;
    const asked = async (path, options = {}) => {
        const answer = await get(root + path, { cache: "no-store", credentials: "omit", ...options });
        if (!answer.ok) { throw new TypeError(`${path}: ${answer.status}`); }
        return answer;
    };
    const digests = await digestsOf(asked, await (await asked("me/shell.json")).json());
    return { version: await versionOf(digests), digests: new Map(digests) };
}

/**
 * Whether each file that this page has loaded is the one that the server has now. The server names the digest of a file
 * in the answer's `Server-Timing`, the one field of an answer that a page can read of whatever it loaded
 * (https://www.w3.org/TR/server-timing/). A file without that field, for example behind a proxy, counts as the same.
 * @param {Map<string, string>} digests as `serverShell` returns them
 * @param {{name: string, serverTiming?: {name: string, description: string}[]}[]} [loaded] replaced in tests
 */
export function isLoadedFrom(digests, loaded = loadedFiles()) {
    return loaded.every(({ name, serverTiming }) => {
        const path = name.split(/[?#]/)[0].slice(root.length);
        const wanted = digests.get(path.endsWith("/") ? `${path}index.html` : path);
        const found = serverTiming?.find((each) => each.name === "file")?.description;
        return !name.startsWith(root) || !wanted || !found || found === wanted;
    });
}

function loadedFiles() {
    return ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
}
