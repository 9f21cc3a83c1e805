/** Requests to Muster's own API, and the one error they fail with. */

/** An answer that is not a success: what the server said in its problem details (RFC 9457), or its status alone. */
export class Problem extends Error {
    /**
     * @param {number} status the HTTP status
     * @param {{title?: string, detail?: string}} details the body of the answer
     * @param {number} [retryAfterSeconds] what the server asked for
     */
    constructor(status, details = {}, retryAfterSeconds) {
        super(details.detail ?? details.title ?? `The server answered ${status}.`);
        this.name = "Problem";
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
    }
}

/** The address of an API path, whatever prefix a proxy serves this page under. */
export function address(path) {
    return new URL(`api/v1/${path}`, globalThis.document?.baseURI ?? "http://localhost/").href;
}

/**
 * Sends one request.
 * @param {string} path below `/api/v1/`
 * @param {{method?: string, body?: object, token?: string, headers?: object, signal?: AbortSignal,
 *     credentials?: string}} options `credentials`: whether this server's cookies take part, as of `fetch`; no request
 *     is authorized by one
 * @returns {Promise<Response>} a success
 * @throws {Problem} for any status but 2xx
 * @throws {TypeError} when no answer came
 */
export async function send(
    path, { method = "GET", body, token, headers = {}, signal, credentials = "omit" } = {},
) {
    const response = await fetch(address(path), {
        method,
        signal,
        cache: "no-store",
        credentials,
        headers: {
            ...(token ? { Authorization: `Bearer ${token}` } : {}),
            ...(body ? { "Content-Type": "application/json" } : {}),
            ...headers,
        },
        body: body ? JSON.stringify(body) : undefined,
    });
    if (response.ok) { return response; }
    const details = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After"));
    throw new Problem(response.status, details ?? {}, wait > 0 ? wait : undefined);
}
