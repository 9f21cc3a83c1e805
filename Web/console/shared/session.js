/**
 * Who is signed in here. The access token lives in memory alone; the refresh token in this tab's sessionStorage, so
 * that a reload does not sign out, and is exchanged for a new one at each use.
 *
 * All tabs of a browser can share a session, for a page that opens signed in without a server. The user and both tokens
 * are then stored, and one tab at a time exchanges the tokens.
 */
import { Problem, send } from "./http.js";
import { t } from "./words.js";

const storageKey = "muster.session";
/** An access token is renewed this long before it ends, so that none ends on its way. */
const renewalMarginMs = 30_000;
/** The longest time that signing out waits for the server, in milliseconds. */
const farewellMs = 4000;

export class Session {
    #storage;
    #send;
    #now;
    #locks;
    #key;
    #isShared;
    #accessToken;
    #expiresAt = 0;
    #refreshing;
    #releaseTab = () => {};

    /** Called with no argument when the session has ended: signed out here, or refused by the server. */
    onEnd = () => {};
    /** Who is signed in: `{name, role, team?}`; undefined when nobody is. */
    user;
    /**
     * The milliseconds by which the server's clock was ahead of this device's when it last gave tokens, to about a
     * second; undefined before.
     */
    clockAheadMs;

    /**
     * @param {object} options
     * @param {string} [options.key] the name of the session in the storage
     * @param {boolean} [options.isShared] whether all tabs of the browser share the session; `storage` is then
     *     localStorage
     * @param {Storage} [options.storage] this option and the following ones are replaced in tests
     */
    constructor({
        key = storageKey,
        isShared = false,
        storage = globalThis.sessionStorage,
        request = send,
        now = Date.now,
        locks = globalThis.navigator?.locks,
    } = {}) {
        this.#key = key;
        this.#isShared = isShared;
        this.#storage = storage;
        this.#send = request;
        this.#now = now;
        this.#locks = locks;
    }

    /**
     * Resumes the session that this tab had before a reload. A session shared by tabs is resumed without asking the
     * server.
     * @returns {Promise<boolean>} whether there was one that still holds
     * @throws {TypeError} when the server cannot be reached; the session is kept for another try
     */
    async restore() {
        const stored = this.#stored();
        if (!stored) { return false; }
        if (this.#isShared) { this.#adopt(stored); return this.user !== undefined; }
        if (!await this.#claimTab(stored.tab)) {
            // A duplicated tab brings a copy of this storage. Using its token would end the first tab's session.
            this.#storage.removeItem(this.#key);
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

    /** Whether there was a session before a reload. */
    get isStored() { return this.#stored() !== undefined; }

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
        const token = this.#isShared ? await inTime(this.token(), farewellMs) : this.#accessToken;
        // Reading the access token may have renewed both tokens.
        const shared = this.#isShared ? this.#stored() : undefined;
        this.#end();
        if (!stored || !token) { return; }
        const body = { refreshToken: (shared ?? stored).refreshToken };
        const goodbye = this.#send("session", { method: "DELETE", token, body }).catch(() => {});
        await (this.#isShared ? inTime(goodbye, farewellMs) : goodbye);
    }

    /** Adopts what another tab stored: it may have signed out, or signed in another user. */
    look() {
        if (!this.#isShared || this.user === undefined) { return; }
        const stored = this.#stored();
        if (stored?.user?.name !== this.user.name) { this.#end({ isStored: stored !== undefined }); return; }
        this.#adopt(stored);
    }

    /**
     * Sends a request as this user. A token that the server no longer takes is renewed, once.
     * @throws {Problem} the server's refusal; a 401 has also ended the session
     */
    async request(path, options = {}) {
        const token = await unless(options.signal, this.token());
        try {
            return await this.#send(path, { ...options, token });
        } catch (error) {
            if (!(error instanceof Problem) || error.status !== 401) { throw error; }
            return await this.#send(path, { ...options, token: await unless(options.signal, this.token(token)) });
        }
    }

    /**
     * An access token that holds for a while.
     * @param {string} [refused] one that the server does not take any more
     * @throws {Problem} when nobody is signed in, or the server refuses to renew
     */
    async token(refused) {
        const isOld = !this.#accessToken || this.#now() > this.#expiresAt - renewalMarginMs;
        if (isOld || this.#accessToken === refused) { await this.#refresh(); }
        return this.#accessToken;
    }

    /** The JSON of a GET as this user. */
    async json(path, options) {
        const response = await this.request(path, options);
        return await response.json();
    }

    /** Adopts both tokens and the user as a tab of this browser stored them. */
    #adopt({ accessToken, expiresAt, user }) {
        this.#accessToken = accessToken;
        this.#expiresAt = Number(expiresAt) || 0;
        this.user = user;
    }

    async #begin(body) {
        // With the cookie of an earlier sign-in on this browser, the password does not wait behind those of strangers.
        const response = await this.#send("session", { method: "POST", body, credentials: "same-origin" });
        const tab = randomName();
        this.#hearClock(response);
        this.#keep(await response.json(), tab);
        await this.#claimTab(tab);
    }

    /** Renews the tokens; callers at the same time share one exchange, since a refresh token serves once. */
    #refresh() {
        this.#refreshing ??= (this.#isShared ? this.#exchangeAlone() : this.#exchange())
            .finally(() => { this.#refreshing = undefined; });
        return this.#refreshing;
    }

    /** Exchanges the tokens unless another tab just did: a used refresh token is not accepted again. */
    #exchangeAlone() {
        const refused = this.#accessToken;
        const exchange = async () => {
            const stored = this.#stored();
            if (stored && stored.accessToken !== refused && this.#now() < stored.expiresAt - renewalMarginMs) {
                this.#adopt(stored);
                return;
            }
            await this.#exchange();
        };
        return this.#locks ? this.#locks.request(`${this.#key}.renewal`, exchange) : exchange();
    }

    async #exchange() {
        const stored = this.#stored();
        if (!stored) { throw new Problem(401, { title: t("problem.signedOut") }); }
        try {
            const body = { refreshToken: stored.refreshToken };
            const response = await this.#send("session/refresh", { method: "POST", body });
            this.#hearClock(response);
            const answer = await response.json();
            // Signed out while the answer was on its way: it must not sign in again.
            if (!this.#stored()) { throw new Problem(401, { title: t("problem.signedOut") }); }
            this.#keep(answer, stored.tab);
        } catch (error) {
            if (error instanceof Problem && (error.status === 400 || error.status === 401)) { this.#end(); }
            throw error;
        }
    }

    #hearClock({ headers }) {
        // The header has whole seconds.
        const aheadMs = Date.parse(headers?.get("Date") ?? "") + 500 - this.#now();
        if (!Number.isNaN(aheadMs)) { this.clockAheadMs = aheadMs; }
    }

    #keep(answer, tab) {
        this.#accessToken = answer.accessToken;
        this.#expiresAt = this.#now() + answer.expiresIn * 1000;
        this.user = answer.user;
        const { refreshToken, user } = answer;
        const shared = { accessToken: this.#accessToken, expiresAt: this.#expiresAt, user };
        this.#storage.setItem(this.#key, JSON.stringify({ refreshToken, tab, ...(this.#isShared ? shared : {}) }));
    }

    #end({ isStored = false } = {}) {
        const wasSignedIn = this.user !== undefined;
        if (!isStored) { this.#storage.removeItem(this.#key); }
        this.#accessToken = undefined;
        this.user = undefined;
        this.#releaseTab();
        if (wasSignedIn) { this.onEnd(); }
    }

    #stored() {
        try {
            const value = JSON.parse(this.#storage.getItem(this.#key) ?? "null");
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
        if (!this.#locks || !name || this.#isShared) { return Promise.resolve(true); }
        return new Promise((resolve) => {
            // After a reload the page before may still be closing: wait for it a moment.
            const giveUp = new AbortController();
            const timer = setTimeout(() => giveUp.abort(), 1000);
            this.#locks.request(`${this.#key}.${name}`, { signal: giveUp.signal }, () => {
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

/** The promise's value; undefined if it fails, or has not settled after `limitMs`. */
function inTime(promise, limitMs) {
    const late = new Promise((resolve) => { setTimeout(resolve, limitMs); });
    return Promise.race([promise, late]).catch(() => undefined);
}

/** The promise's value. The signal ends only the wait: the renewal of a token goes on for the next caller. */
async function unless(signal, promise) {
    if (!signal) { return await promise; }
    promise.catch(() => {});
    signal.throwIfAborted();
    let stop;
    const ended = new Promise((_, reject) => {
        stop = () => reject(signal.reason);
        signal.addEventListener("abort", stop, { once: true });
    });
    try { return await Promise.race([promise, ended]); } finally { signal.removeEventListener("abort", stop); }
}
