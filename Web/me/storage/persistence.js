/**
 * Whether the browser may erase what the app keeps, how much that is, and whether Safari erases it after a week. The
 * browser is asked once for persistent storage, and the page shows its answer.
 */

/** The used part of the quota from which on the page warns. */
const fullPart = 0.9;
/** The number of days without a visit after which Safari erases a page's data, unless it is on the Home Screen. */
export const safariDays = 7;

/**
 * Asks for persistent storage, and measures the storage in use.
 * @param {{storage?: StorageManager, asks?: boolean}} [options] `asks`: whether to ask the browser for persistent
 *     storage; some browsers then ask the person
 * @returns {Promise<{isPersistent: boolean|undefined, usedBytes: number|undefined, quotaBytes: number|undefined,
 *     problem: "unknown"|"erasable"|"nearlyFull"|undefined}>}
 */
export async function storageState({ storage = globalThis.navigator?.storage, asks = false } = {}) {
    const isPersistent = await answer(async () => (await storage.persisted()) || (asks && await storage.persist()));
    const { usage, quota } = await answer(() => storage.estimate()) ?? {};
    return {
        isPersistent, usedBytes: usage, quotaBytes: quota, problem: problemOf({ isPersistent, usage, quota }),
    };
}

function problemOf({ isPersistent, usage, quota }) {
    if (quota > 0 && usage > quota * fullPart) { return "nearlyFull"; }
    if (isPersistent === undefined) { return "unknown"; }
    return isPersistent ? undefined : "erasable";
}

async function answer(ask) {
    try { return await ask(); } catch { return undefined; }
}

/**
 * Whether Safari erases what this page keeps a week after it was last opened. Pure.
 * @param {{userAgent: string, isInstalled: boolean, isPersistent?: boolean}} browser
 */
export function isErasedAfterAWeek({ userAgent, isInstalled, isPersistent }) {
    // On an iPhone every browser is Safari inside. Elsewhere other browsers also name Safari, and then themselves.
    const isPhone = /iPhone|iPad|iPod/.test(userAgent);
    const isSafari = /Safari\//.test(userAgent) && /Version\//.test(userAgent)
        && !/Chrom(e|ium)|Android|Edg|OPR/.test(userAgent);
    return (isPhone || isSafari) && !isInstalled && isPersistent !== true;
}

/** The facts about this browser that `isErasedAfterAWeek` needs. */
export function thisBrowser() {
    return {
        userAgent: globalThis.navigator?.userAgent ?? "",
        isInstalled: globalThis.navigator?.standalone === true
            || globalThis.matchMedia?.("(display-mode: standalone)").matches === true,
    };
}
