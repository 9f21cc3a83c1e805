/** Asks for the version of the app's shell on the server. */
import "./digest.js";
import { root } from "../../console/shared/http.js";

/**
 * Asks the server for its version.
 * @param {(address: string, options: object) => Promise<Response>} [get] replaced in tests
 * @returns {Promise<string>}
 * @throws {TypeError} if a file cannot be fetched
 */
export async function serverVersion(get = (address, options) => fetch(address, options)) {
    const { digestsOf, versionOf } = globalThis.musterShell;
    const asked = async (path, options = {}) => {
        const answer = await get(root + path, { cache: "no-store", credentials: "omit", ...options });
        if (!answer.ok) { throw new TypeError(`${path}: ${answer.status}`); }
        return answer;
    };
    return await versionOf(await digestsOf(asked, await (await asked("me/shell.json")).json()));
}
