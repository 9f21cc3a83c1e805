/** "Notify me on this device": subscribes this browser to the server's pushes, and ends that. */
import { t } from "./words.js";

const storageKey = "muster.push";

/**
 * Why this browser cannot be notified, in a sentence for whoever asked for it; undefined where it can. Pure.
 * @param {{isSecure: boolean, hasWorkers: boolean, hasPush: boolean, isApple: boolean, isInstalled: boolean,
 *     permission?: string}} browser
 */
export function whyNotNotified(browser) {
    if (!browser.isSecure) {
        return t("push.needsHTTPS");
    }
    if (browser.isApple && !browser.isInstalled && !browser.hasPush) {
        return t("push.needsHomeScreen");
    }
    if (!browser.hasWorkers || !browser.hasPush) {
        return t("push.cannot");
    }
    if (browser.permission === "denied") {
        return t("push.blocked");
    }
    return undefined;
}

/** What this browser can. */
export function thisBrowser() {
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

/** This browser's subscription to the server's pushes. */
export class PushSubscription {
    #request;
    #tell;
    #report;
    #key;
    #worker;
    #isNotified = false;
    #pressed = Promise.resolve();

    /**
     * @param {object} options
     * @param {(path: string, options?: object) => Promise<Response>} options.request asks the API as the user
     * @param {(words: string) => void} options.tell says what came of a wish
     * @param {(isNotified: boolean) => void} options.report called when this device is notified, or is not any more
     * @param {string} [options.key] the key under which the browser stores the device's id
     * @param {() => Promise<ServiceWorkerRegistration>} [options.worker] the worker that shows the notifications
     */
    constructor({ request, tell, report, key = storageKey, worker = registerWorker }) {
        this.#key = key;
        this.#worker = worker;
        this.#request = request;
        this.#tell = tell;
        this.#report = report;
    }

    /** Someone signed in: where this browser is notified already, it is from now on for them. */
    async begin() {
        const subscription = await this.#subscription().catch(() => undefined);
        this.#show(false);
        if (!subscription || Notification.permission !== "granted") { return; }
        await this.#register(subscription).catch(() => undefined);
    }

    /** Someone signs out: whoever uses this browser next hears nothing that is theirs. */
    async end() {
        const device = localStorage.getItem(this.#key);
        if (device) { await this.#remove(device).catch(() => undefined); }
    }

    /** Begins to notify this device, or ends it, after what was pressed before. Says what came of it, never rejects. */
    toggle() {
        this.#pressed = this.#pressed.then(() => this.#change());
        return this.#pressed;
    }

    async #change() {
        try {
            const device = localStorage.getItem(this.#key);
            if (device && this.#isNotified) {
                await this.#remove(device);
                this.#tell(t("push.ended"));
            } else {
                await this.#subscribe();
            }
        } catch (error) {
            this.#tell(t("push.failed", { reason: error.message }));
        }
    }

    async #subscribe() {
        const refusal = whyNotNotified(thisBrowser());
        if (refusal) { this.#tell(refusal); return; }
        const permission = await Notification.requestPermission();
        if (permission !== "granted") {
            this.#tell(whyNotNotified({ ...thisBrowser(), permission }) ?? t("push.unchanged"));
            return;
        }
        const registration = await this.#worker();
        const { key } = await (await this.#request("push/key")).json();
        const former = await registration.pushManager.getSubscription();
        const subscription = former && this.#isFor(former, key) ? former : await this.#anew(registration, former, key);
        await this.#register(subscription);
        this.#tell(t("push.begun"));
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
        localStorage.setItem(this.#key, id);
        this.#show(true);
    }

    async #remove(device) {
        localStorage.removeItem(this.#key);
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
        this.#isNotified = isNotified;
        this.#report(isNotified);
    }
}

async function registerWorker() {
    await navigator.serviceWorker.register("push-worker.js");
    return await navigator.serviceWorker.ready;
}
