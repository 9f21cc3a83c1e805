/**
 * Keeps the app on this phone in the server's version: registers a service worker for that version, and reports when a
 * newer one is ready. The page changes to the newer version when the person wishes, or when it is next opened with no
 * other page of the app open; it never changes by itself while somebody looks at it. Only a page that came from the
 * network, whose server was replaced by another version meanwhile, is loaded anew at once, because what it loads next
 * would be of the other version.
 */
import { browserStorage } from "../../console/shared/browserstorage.js";
import { isLoadedFrom, serverShell } from "./version.js";

/** The time between two questions for the server's version while the page is visible, in milliseconds. */
const askEveryMs = 3_600_000;
/** The time after a first failure until the next attempt, in milliseconds; it doubles with each further failure. */
const firstWaitMs = 2000;
/** The longest wait after a question without an answer. After a version that could not be kept it is `askEveryMs`. */
const longestWaitMs = 60_000;
/** How long a version that was asked to take over may wait until it is registered anew, in milliseconds, how often. */
const insistAfterMs = 5000;
const insistLimit = 20;
/** The entry in the tab's storage with the version for which the page was last loaded anew. */
const anewKey = "muster.me.anew";

/**
 * @typedef {object} Version
 * @property {"none"|"kept"|"ready"|"failed"|"unsupported"} state `kept`: the app opens without a server; `ready`: so it
 *     does, and a newer version waits; `none`: it does not yet; `failed`: it could not be fetched; `unsupported`: this
 *     browser cannot keep it
 */

export class ShellUpdate {
    #report;
    #container;
    #find;
    #reload;
    #now;
    #isTyping;
    #reloadLater;
    #mayAsk;
    #schedule;
    #isLoadedFrom;
    #memory;
    /** The failures since the last success. */
    #failedQuestions = 0;
    #failedInstallations = 0;
    #cancelAttempt = () => {};
    #followed = new WeakSet();
    #nextAt = -Infinity;
    #isAsking = false;
    #isWanted = false;

    /**
     * @param {object} options
     * @param {(version: Version) => void} options.report
     * @param {ServiceWorkerContainer} [options.container] this option and the following ones are replaced in tests
     * @param {() => Promise<{version: string, digests: Map<string, string>}>} [options.find] the server's version
     * @param {() => void} [options.reload]
     * @param {() => number} [options.now]
     * @param {() => boolean} [options.isTyping] whether the page holds something typed that a reload would lose
     * @param {() => void} [options.reloadLater] reloads once nobody looks at the page
     * @param {() => boolean} [options.mayAsk] whether the server is heard: else a further attempt waits for `look`
     * @param {(act: () => void, ms: number) => () => void} [options.schedule] returns what cancels it
     * @param {(digests: Map<string, string>) => boolean} [options.isLoaded] whether the page is of these files
     * @param {Storage} [options.memory] for the versions for which this tab was loaded anew
     */
    constructor({
        report, container = globalThis.navigator?.serviceWorker, find = serverShell,
        reload = () => location.reload(), now = Date.now, isTyping = isSomethingTyped, reloadLater = reloadWhenHidden,
        mayAsk = () => true, schedule = scheduled, isLoaded = isLoadedFrom,
        memory = browserStorage("sessionStorage"),
    }) {
        this.#report = report;
        this.#container = container;
        this.#find = find;
        this.#reload = reload;
        this.#now = now;
        this.#isTyping = isTyping;
        this.#reloadLater = reloadLater;
        this.#mayAsk = mayAsk;
        this.#schedule = schedule;
        this.#isLoadedFrom = isLoaded;
        this.#memory = memory;
    }

    /**
     * Begins to follow the service worker, also when another tab changes the version. Sends no request to the server
     * yet.
     */
    async begin() {
        if (!this.#container) { this.#report({ state: "unsupported" }); return; }
        let isControlled = Boolean(this.#container.controller);
        this.#container.addEventListener("controllerchange", () => {
            // A page that came from the network, and is then taken under control, is already of that version: `look`
            // has compared them.
            if (this.#isWanted) { this.#reload(); } else if (isControlled) { this.#reloadUnlessTyping(); }
            isControlled = true;
        });
        const registration = await this.#container.getRegistration();
        this.#report({ state: registration?.active ? "kept" : "none" });
        if (registration) { this.#follow(registration); }
    }

    /** Asks the server for its version, unless it was asked lately, and fetches a version that differs. */
    async look() {
        if (!this.#container || this.#isAsking || this.#now() < this.#nextAt) { return; }
        this.#isAsking = true;
        try {
            const { version, digests } = await this.#find();
            if (!this.#container.controller && !this.#isLoadedFrom(digests)) { this.#loadAnew(version); }
            const known = await this.#container.getRegistration();
            const newest = known?.installing ?? known?.waiting ?? known?.active;
            const registration = newest && versionOf(newest) === version ? known : await this.#register(`v=${version}`);
            this.#nextAt = this.#now() + askEveryMs;
            this.#failedQuestions = 0;
            this.#follow(registration);
        } catch {
            this.#failedQuestions += 1;
            this.#askAgain(this.#failedQuestions, longestWaitMs);
            const registration = await this.#container.getRegistration().catch(() => undefined);
            if (!registration?.active) { this.#report({ state: "failed" }); }
        } finally {
            this.#isAsking = false;
        }
    }

    /** Reloads a page that came from the network, and is not of the server's version, once for each version. */
    #loadAnew(version) {
        // Behind a proxy that answers with old files, a reload does not help.
        if (this.#memory.getItem(anewKey) === version) { return; }
        try { this.#memory.setItem(anewKey, version); } catch { return; }
        this.#reloadUnlessTyping();
    }

    /** Reloads the page, later if somebody writes here: a call for help may have a note. */
    #reloadUnlessTyping() {
        if (this.#isTyping()) { this.#reloadLater(); } else { this.#reload(); }
    }

    /** Asks again after a failure, each time after a longer wait. */
    #askAgain(failures, mostMs) {
        const waitMs = Math.min(mostMs, firstWaitMs * 2 ** (failures - 1));
        this.#nextAt = this.#now() + waitMs;
        this.#cancelAttempt();
        this.#cancelAttempt = this.#schedule(() => {
            // The browser's timer and its clock may differ a little.
            this.#nextAt = -Infinity;
            if (this.#mayAsk()) { this.look(); }
        }, waitMs);
    }

    /** Makes the worker fetch the texts of a language that is read here. */
    async keepLanguage(language) {
        const registration = await this.#container?.getRegistration();
        registration?.active?.postMessage({ type: "language", language });
    }

    /** Changes to the version that is ready, and reloads the page. */
    async takeOver() {
        this.#isWanted = true;
        const registration = await this.#container?.getRegistration();
        // Another tab may have changed the version already: then the next one waits for its own wish.
        if (!registration?.waiting && !registration?.installing) { this.#isWanted = false; return; }
        registration.waiting?.postMessage({ type: "takeOver" });
        this.#insist(registration, 1);
    }

    /**
     * Registers the version that takes over once more, at another address, as long as it waits. Chromium ends the one
     * in use in order to replace it, but starts it again for a request that comes in that moment, and then lets it run
     * for minutes; only another registration makes it try anew.
     */
    #insist(registration, times) {
        if (times > insistLimit) { return; }
        this.#schedule(() => {
            const { waiting, installing } = registration;
            if (!waiting && !installing) { return; }
            // A server that does not answer holds up no further attempt.
            if (!installing) { this.#register(`v=${versionOf(waiting)}&again=${times}`).catch(() => undefined); }
            this.#insist(registration, times + 1);
        }, insistAfterMs);
    }

    #register(query) {
        return this.#container.register(`worker.js?${query}`, { updateViaCache: "none" });
    }

    #follow(registration) {
        const show = () => {
            const { waiting, active } = registration;
            if (waiting && active && versionOf(waiting) !== versionOf(active)) {
                this.#report({ state: "ready" });
                // A still newer version came after the person had asked for the change.
                if (this.#isWanted) { waiting.postMessage({ type: "takeOver" }); }
                return;
            }
            if (active) { this.#report({ state: "kept" }); }
        };
        const follow = (worker) => {
            if (!worker || this.#followed.has(worker)) { return; }
            this.#followed.add(worker);
            let isInstalled = worker.state !== "installing";
            worker.addEventListener("statechange", () => {
                // A worker that was never installed lacked a file, or found another version at the server.
                const hasFailed = worker.state === "redundant" && !isInstalled;
                this.#failedInstallations = hasFailed ? this.#failedInstallations + 1 : 0;
                if (hasFailed) { this.#askAgain(this.#failedInstallations, askEveryMs); }
                isInstalled = true;
                if (worker.state === "redundant" && !registration.active) { this.#report({ state: "failed" }); return; }
                show();
            });
        };
        follow(registration.installing);
        if (!this.#followed.has(registration)) {
            this.#followed.add(registration);
            registration.addEventListener("updatefound", () => follow(registration.installing));
        }
        show();
    }
}

/** The version of a worker, in its address. */
function versionOf({ scriptURL }) {
    return /[?&]v=([^&]*)/.exec(scriptURL)?.[1];
}

function scheduled(act, ms) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
}

function isSomethingTyped() {
    return [...document.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
}

function reloadWhenHidden() {
    document.addEventListener("visibilitychange", () => { if (document.hidden) { location.reload(); } });
}
