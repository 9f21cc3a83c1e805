/** The tracker by itself, for the tests in a browser: the app around it is not in the way of what is tested. */
import { Session } from "../console/shared/session.js";
import { Store } from "../console/shared/store.js";
import { html, PageContext, render } from "../console/shared/view.js";
import { addWords, currentLanguage, setLanguage } from "../console/shared/words.js";
import { openDatabase } from "../me/storage/database.js";
import { browserEnvironment } from "../me/tracking/environment.js";
import { Panel } from "../me/tracking/panel.js";
import { start } from "../me/tracking/tracking.js";

const everything = { accuracyMetres: Infinity, distanceMetres: 0, seconds: -Infinity };
const choice = new URLSearchParams(location.search);

const store = new Store({
    user: undefined, fix: undefined, tracking: { state: "off", waiting: 0 }, storage: undefined,
});
const session = new Session({ key: "muster.trial.session", isShared: true, storage: localStorage });
const page = {
    store, serverNow: Date.now, request: (path, options) => session.request(path, options), tracking: undefined,
};

/** The milliseconds that the test has added to the monotonic clock. */
let skippedMs = 0;

/** The browser's clock with the error and the speed of timers that the page's address names (`off`, `speed`). */
function clock() {
    const { clock: own } = browserEnvironment();
    const offMs = Number(choice.get("off") ?? 0) * 1000;
    const speed = Number(choice.get("speed") ?? 1);
    return {
        now: () => own.now() + offMs,
        monotonic: () => own.monotonic() + skippedMs,
        schedule: (act, ms) => own.schedule(act, ms / speed),
    };
}

async function begin() {
    store.set({ user: session.user });
    page.tracking = start({
        store, request: page.request, user: session.user.name,
        filters: choice.has("all") ? { foreground: everything, background: everything } : undefined,
        silenceSeconds: choice.has("all") ? Infinity : undefined,
        environment: { ...browserEnvironment(), clock: clock() },
    });
    await page.tracking.started;
}

globalThis.trial = {
    get state() { return store.value; },
    database: openDatabase(),
    session,
    /** Lets time pass for the tracker. */
    skip(ms) { skippedMs += ms; },
    get tracking() { return page.tracking; },
    async speak(language) {
        await setLanguage(language);
        document.documentElement.lang = language;
        draw();
    },
    async signIn(name, password) {
        await session.signIn(name, password);
        await begin();
    },
};

function draw() {
    const app = document.getElementById("app");
    render(html`<${PageContext.Provider} value=${page}><${Panel} key=${currentLanguage()} /><//>`, app);
}

await addWords("../me/tracking");
draw();
if (await session.restore()) { await begin(); }
globalThis.trial.isReady = true;
