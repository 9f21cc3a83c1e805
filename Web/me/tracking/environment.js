/** The functions of the browser that tracking uses; tests replace them. */
import { openDatabase } from "../storage/database.js";
import { storageState } from "../storage/persistence.js";

/** The clocks of this device. The wall clock can be set by a person, and may be wrong. */
const systemClock = Object.freeze({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    /** @returns {() => void} cancels the call */
    schedule(act, ms) {
        const timer = setTimeout(act, ms);
        return () => clearTimeout(timer);
    },
});

/** The browser's functions; one that this browser lacks is undefined. */
export function browserEnvironment() {
    const { navigator, document } = globalThis;
    return {
        clock: systemClock,
        database: openDatabase(),
        geolocation: globalThis.isSecureContext ? navigator.geolocation : undefined,
        permissions: navigator.permissions,
        locks: navigator.locks,
        wakeLock: navigator.wakeLock,
        getBattery: navigator.getBattery?.bind(navigator),
        storageState,
        localStorage: namesOfThisBrowser(),
        openChannel,
        isHidden: () => document.hidden,
        listen,
    };
}

/** The storage of the device's name; undefined if the browser does not let this page store anything. */
function namesOfThisBrowser() {
    try { return globalThis.localStorage; } catch { return undefined; }
}

/** The channel to the other tabs. */
function openChannel(name, hear) {
    if (!globalThis.BroadcastChannel) { return { post() {}, close() {} }; }
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => hear(data);
    return { post: (message) => channel.postMessage(message), close: () => channel.close() };
}

/** @returns {() => void} stops listening */
function listen({ seen, online }) {
    const pairs = [
        [document, "visibilitychange", seen], [globalThis, "pageshow", seen], [document, "resume", seen],
        [globalThis, "online", online],
    ];
    for (const [target, name, act] of pairs) { target.addEventListener(name, act); }
    return () => { for (const [target, name, act] of pairs) { target.removeEventListener(name, act); } };
}

const deviceKey = "muster-device";
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * The name of this browser as a device. The name says nothing about a person. It stays when somebody signs out, so that
 * the next sign-in does not make a new device.
 */
export function deviceName(storage, random = (bytes) => crypto.getRandomValues(bytes)) {
    let known;
    try { known = storage?.getItem(deviceKey); } catch { /* The page may store nothing. */ }
    if (/^web-[a-z0-9]{6}$/.test(known ?? "")) { return known; }
    const name = `web-${[...random(new Uint8Array(6))].map((byte) => letters[byte % letters.length]).join("")}`;
    try { storage?.setItem(deviceKey, name); } catch { /* The name holds for this start alone. */ }
    return name;
}
