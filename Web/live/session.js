/**
 * Who is signed in here. The access token lives in memory alone; the refresh token in this tab's sessionStorage, so
 * that a reload does not sign out, and is exchanged for a new one at each use.
 */
import { Problem, send } from "./http.js";

const storageKey = "muster.session";
/** An access token is renewed this long before it ends, so that none ends on its way. */
const renewalMarginMs = 30_000;

export class Session {
    #storage;
    #send;
    #now;
    #locks;
    #accessToken;
    #expiresAt = 0;
    #refreshing;
    #releaseTab = () => {};

    /** Called with no argument when the session has ended: signed out here, or refused by the server. */
    onEnd = () => {};
    /** Who is signed in: `{name, role, team?}`; undefined when nobody is. */
    user;

    /** The arguments are the world outside, replaced in tests. */
    constructor({
        storage = globalThis.sessionStorage,
        request = send,
        now = Date.now,
        locks = globalThis.navigator?.locks,
    } = {}) {
        this.#storage = storage;
        this.#send = request;
        this.#now = now;
        this.#locks = locks;
    }

    /**
     * Takes up the session this tab had before a reload.
     * @returns {Promise<boolean>} whether there was one that still holds
     * @throws {TypeError} when the server cannot be reached; the session is kept for another try
     */
    async restore() {
        const stored = this.#stored();
        if (!stored) { return false; }
        if (!await this.#claimTab(stored.tab)) {
            // A duplicated tab brings a copy of this storage. Using its token would end the first tab's session.
            this.#storage.removeItem(storageKey);
            return false;
        }
        try {
            await this.#refresh();
            return true;
        } catch (error) {
            if (error instanceof Problem && this.#stored() === undefined) { return false; }
            throw error;
        }
    }

    /** Signs in with a name and a password. @throws {Problem} 401 when they are wrong, 429 after too many tries */
    async signIn(name, password) {
        await this.#begin({ name, password });
    }

    /** Signs in with a one-time code. @throws {Problem} 401 when it is wrong or was used */
    async signInWithCode(code) {
        await this.#begin({ code });
    }

    /** Ends the session here, and on the server when it can be reached. */
    async signOut() {
        const stored = this.#stored();
        const token = this.#accessToken;
        this.#end();
        if (!stored || !token) { return; }
        const body = { refreshToken: stored.refreshToken };
        await this.#send("session", { method: "DELETE", token, body }).catch(() => {});
    }

    /**
     * Sends a request as this user. A token that the server no longer takes is renewed, once.
     * @throws {Problem} the server's refusal; a 401 has also ended the session
     */
    async request(path, options = {}) {
        const token = await this.#token();
        try {
            return await this.#send(path, { ...options, token });
        } catch (error) {
            if (!(error instanceof Problem) || error.status !== 401) { throw error; }
            if (this.#accessToken === token) { await this.#refresh(); }
            return await this.#send(path, { ...options, token: await this.#token() });
        }
    }

    /** The JSON of a GET as this user. */
    async json(path, options) {
        const response = await this.request(path, options);
        return await response.json();
    }

    async #begin(body) {
        // With the cookie of an earlier sign-in on this browser, the password does not wait behind those of strangers.
        const response = await this.#send("session", { method: "POST", body, credentials: "same-origin" });
        const tab = randomName();
        this.#keep(await response.json(), tab);
        await this.#claimTab(tab);
    }

    async #token() {
        if (!this.#accessToken || this.#now() > this.#expiresAt - renewalMarginMs) { await this.#refresh(); }
        return this.#accessToken;
    }

    /** Renews the tokens; callers at the same time share one exchange, since a refresh token serves once. */
    #refresh() {
        this.#refreshing ??= this.#exchange().finally(() => { this.#refreshing = undefined; });
        return this.#refreshing;
    }

    async #exchange() {
        const stored = this.#stored();
        if (!stored) { throw new Problem(401, { title: "Nobody is signed in." }); }
        try {
            const body = { refreshToken: stored.refreshToken };
            const response = await this.#send("session/refresh", { method: "POST", body });
            const answer = await response.json();
            // Signed out while the answer was on its way: it must not sign in again.
            if (!this.#stored()) { throw new Problem(401, { title: "Nobody is signed in." }); }
            this.#keep(answer, stored.tab);
        } catch (error) {
            if (error instanceof Problem && (error.status === 400 || error.status === 401)) { this.#end(); }
            throw error;
        }
    }

    #keep(answer, tab) {
        this.#accessToken = answer.accessToken;
        this.#expiresAt = this.#now() + answer.expiresIn * 1000;
        this.user = answer.user;
        this.#storage.setItem(storageKey, JSON.stringify({ refreshToken: answer.refreshToken, tab }));
    }

    #end() {
        const wasSignedIn = this.user !== undefined;
        this.#storage.removeItem(storageKey);
        this.#accessToken = undefined;
        this.user = undefined;
        this.#releaseTab();
        if (wasSignedIn) { this.onEnd(); }
    }

    #stored() {
        try {
            const value = JSON.parse(this.#storage.getItem(storageKey) ?? "null");
            return typeof value?.refreshToken === "string" ? value : undefined;
        } catch {
            return undefined;
        }
    }

    /**
     * Holds the name of this tab's session for as long as the page lives.
     * @returns {Promise<boolean>} false when another tab holds it; true also where the browser has no locks
     */
    #claimTab(name) {
        if (!this.#locks || !name) { return Promise.resolve(true); }
        return new Promise((resolve) => {
            // After a reload the page before may still be closing: wait for it a moment.
            const giveUp = new AbortController();
            const timer = setTimeout(() => giveUp.abort(), 1000);
            this.#locks.request(`${storageKey}.${name}`, { signal: giveUp.signal }, () => {
                clearTimeout(timer);
                resolve(true);
                return new Promise((release) => { this.#releaseTab = release; });
            }).catch(() => resolve(false));
        });
    }
}

function randomName() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
