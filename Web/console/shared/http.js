/** Requests to Muster's own API, and the one error they fail with. */
import { t } from "./words.js";

/** An answer that is not a success: what the server said in its problem details (RFC 9457), or its status alone. */
export class Problem extends Error {
    /**
     * @param {number} status the HTTP status
     * @param {{title?: string, detail?: string, errors?: object[], errorCount?: number,
     *   reason?: string}} details the body of the answer; `reason` is what CouchDB's paths say
     * @param {number} [retryAfterSeconds] what the server asked for
     */
    constructor(status, details = {}, retryAfterSeconds) {
        super(details.detail ?? details.title ?? details.reason ?? t("problem.status", { status: String(status) }));
        this.name = "Problem";
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
        this.details = details;
        /** Each fault with its place: `{pointer, detail}`, of a table also `line` and `column`. */
        this.errors = Array.isArray(details.errors) ? details.errors : [];
        /** How many faults there are; the server may list fewer. */
        this.errorCount = details.errorCount ?? this.errors.length;
    }
}

/**
 * Where the server's pages lie, whatever prefix a proxy serves them under: this file lies two folders below. A page of
 * its own, as of a link, lies deeper than the console, and a worker has no document.
 */
export const root = import.meta.url.startsWith("http") ? new URL("../../", import.meta.url).href : "http://localhost/";

/** The address of an API path. */
export function address(path) {
    return new URL(`api/v1/${path}`, root).href;
}

/**
 * Sends one request.
 * @param {string} path below `/api/v1/`
 * @param {{method?: string, body?: object|string|Blob, token?: string, headers?: object, signal?: AbortSignal,
 *     credentials?: string}} options `body`: an object goes as JSON, a text or a file as it is, with the `Content-Type`
 *     of `headers`; `credentials`: whether this server's cookies take part, as of `fetch`; no request is authorized by
 *     one
 * @returns {Promise<Response>} a success
 * @throws {Problem} for any status but 2xx
 * @throws {TypeError} when no answer came
 */
export async function send(
    path, { method = "GET", body, token, headers = {}, signal, credentials = "omit" } = {},
) {
    const isRaw = typeof body === "string" || (globalThis.Blob && body instanceof Blob);
    const response = await fetch(address(path), {
        method,
        signal,
        cache: "no-store",
        credentials,
        headers: {
            ...(token ? { Authorization: `Bearer ${token}` } : {}),
            ...(body && !isRaw ? { "Content-Type": "application/json" } : {}),
            ...headers,
        },
        body: body && !isRaw ? JSON.stringify(body) : body,
    });
    if (response.ok) { return response; }
    const details = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After"));
    throw new Problem(response.status, details ?? {}, wait > 0 ? wait : undefined);
}
