/** "Notify me on this device": subscribes this browser to the server's pushes, and ends that. */

const worker = "push-worker.js";
const storageKey = "muster.push";

/**
 * Why this browser cannot be notified, in a sentence for whoever asked for it; undefined where it can. Pure.
 * @param {{isSecure: boolean, hasWorkers: boolean, hasPush: boolean, isApple: boolean, isInstalled: boolean,
 *     permission?: string}} browser
 */
export function whyNotNotified(browser) {
    if (!browser.isSecure) {
        return "A browser is notified only by a page over https. Ask whoever runs this server for its https address.";
    }
    if (browser.isApple && !browser.isInstalled && !browser.hasPush) {
        return "An iPhone or iPad is notified only by a page on its Home Screen: tap Share, then “Add to Home "
            + "Screen”, open Muster there and ask again.";
    }
    if (!browser.hasWorkers || !browser.hasPush) {
        return "This browser cannot be notified while the page is closed. Keep the page open, or use another browser.";
    }
    if (browser.permission === "denied") {
        return "Notifications of this page are blocked. Allow them in the browser’s settings for it, and ask again.";
    }
    return undefined;
}

/** What this browser can. */
function thisBrowser() {
    return {
        isSecure: globalThis.isSecureContext,
        hasWorkers: "serviceWorker" in navigator,
        hasPush: "PushManager" in globalThis && "Notification" in globalThis,
        isApple: /iPhone|iPad/.test(navigator.userAgent)
            || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1),
        isInstalled: navigator.standalone === true,
        permission: globalThis.Notification?.permission,
    };
}

/** The bytes of a text in base64url. */
function bytes(text) {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** The button, and the subscription behind it. */
export class PushButton {
    #button;
    #request;
    #tell;

    /**
     * @param {HTMLButtonElement} button
     * @param {(path: string, options?: object) => Promise<Response>} request asks the API as the user
     * @param {(words: string) => void} tell
     */
    constructor(button, request, tell) {
        this.#button = button;
        this.#request = request;
        this.#tell = tell;
        button.addEventListener("click", () => this.#toggle());
    }

    /** Someone signed in: where this browser is notified already, it is from now on for them. */
    async begin() {
        this.#button.hidden = false;
        const subscription = await this.#subscription().catch(() => undefined);
        this.#show(false);
        if (!subscription || Notification.permission !== "granted") { return; }
        await this.#register(subscription).catch(() => undefined);
    }

    /** Someone signs out: whoever uses this browser next hears nothing that is theirs. */
    async end() {
        const device = localStorage.getItem(storageKey);
        this.#button.hidden = true;
        if (device) { await this.#remove(device).catch(() => undefined); }
    }

    async #toggle() {
        this.#button.disabled = true;
        try {
            const device = localStorage.getItem(storageKey);
            if (device && this.#button.getAttribute("aria-pressed") === "true") {
                await this.#remove(device);
                this.#tell("This device is not notified any more.");
            } else {
                await this.#subscribe();
            }
        } catch (error) {
            this.#tell(`This device cannot be notified now: ${error.message}`);
        } finally {
            this.#button.disabled = false;
        }
    }

    async #subscribe() {
        const refusal = whyNotNotified(thisBrowser());
        if (refusal) { this.#tell(refusal); return; }
        const permission = await Notification.requestPermission();
        if (permission !== "granted") {
            this.#tell(whyNotNotified({ ...thisBrowser(), permission }) ?? "Nothing was changed.");
            return;
        }
        const registration = await navigator.serviceWorker.register(worker);
        await navigator.serviceWorker.ready;
        const { key } = await (await this.#request("push/key")).json();
        const former = await registration.pushManager.getSubscription();
        const subscription = former && this.#isFor(former, key) ? former : await this.#anew(registration, former, key);
        await this.#register(subscription);
        this.#tell("This device is notified of incidents and calls for help, also while this page is closed.");
    }

    #isFor(subscription, key) {
        const used = subscription.options.applicationServerKey;
        const wanted = bytes(key);
        return used?.byteLength === wanted.length
            && new Uint8Array(used).every((byte, index) => byte === wanted[index]);
    }

    async #anew(registration, former, key) {
        await former?.unsubscribe();
        return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
    }

    async #register(subscription) {
        const page = new URL(".", document.baseURI).href;
        const { endpoint, keys } = subscription.toJSON();
        // Without a worker a browser opens pages over https alone; on this machine the worker opens this one.
        const opened = page.startsWith("https:") ? { page } : {};
        const body = { platform: "webpush", subscription: { endpoint, keys }, ...opened };
        const { id } = await (await this.#request("push/devices", { method: "POST", body })).json();
        localStorage.setItem(storageKey, id);
        this.#show(true);
    }

    async #remove(device) {
        localStorage.removeItem(storageKey);
        this.#show(false);
        const subscription = await this.#subscription().catch(() => undefined);
        await this.#request(`push/devices/${encodeURIComponent(device)}`, { method: "DELETE" });
        await subscription?.unsubscribe();
    }

    async #subscription() {
        const registration = await navigator.serviceWorker?.getRegistration(new URL(".", document.baseURI).href);
        return await registration?.pushManager?.getSubscription();
    }

    #show(isNotified) {
        this.#button.setAttribute("aria-pressed", String(isNotified));
        this.#button.textContent = isNotified ? "Notified on this device" : "Notify me on this device";
    }
}
