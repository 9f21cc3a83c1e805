/**
 * The app's service worker. It keeps one version of the app's files, the shell, and answers requests from that version
 * alone, so that the app opens without a server and never mixes two versions. It also shows pushed messages.
 *
 * The version is part of the address with which the page registers the worker, `worker.js?v=…`: a digest of all files
 * of the shell as the server has them (`shell/version.js`). Another version is another worker with its own cache. The
 * installation fails as a whole unless every file came and all files together make that version; the former worker then
 * continues. A new worker waits until the page asks it to take over, or until no page is open. Then it controls all
 * pages of the app, also one that was loaded from the network, so that each of them notices the change.
 *
 * Some files are fetched only when they are first wanted: the texts of a language that somebody chooses here, and the
 * large icons, which the browser takes when the app is installed. They are part of the version nevertheless, and those
 * of another version are refused.
 */
self.musterWorker = { icon: "../muster.svg" };
importScripts("shell/digest.js", "area/tilecache.js", "../push-worker.js");

const prefix = "muster-me-shell-";
const version = versionOf({ scriptURL: self.location.href });
const cacheName = prefix + version;
/** The folder of all pages; the paths in the list of the shell are relative to it. */
const web = new URL("../", self.registration.scope);
const page = new URL("me/index.html", web).href;
/** The folder of the icons of the installed app. */
const icons = "me/icons/";
/** The address in the cache under which the digests of the files to fetch later are kept; no file has such a name. */
const othersAddress = new URL("me/-later", web).href;
/** The paths that the worker leaves to the browser: the API, and the version's own list, which shows a newer one. */
const passed = ["api/", "health", "me/shell.json", "me/worker.js"].map((path) => new URL(path, web).pathname);
/** The paths never answered from the cache. */
const live = [...passed, new URL("tiles/", web).pathname];

/**
 * How long the former version has to end what it waits for before it is replaced, how often it is asked again, and for
 * how long, in milliseconds.
 */
const giveWayFirstMs = 100;
const giveWayEveryMs = 10_000;
const giveWayLimitMs = 60_000;

/** Ends what this version still waits for from the server. */
let givingWay = new AbortController();
let isActivated = false;

const tiles = new musterTiles.TileCache({ root: web.href, fetch: asked });

self.addEventListener("install", (event) => {
    event.waitUntil(install());
    // A browser that knows such routes (https://www.w3.org/TR/service-workers/#register-router-method) asks the server
    // itself. Chromium does not replace a worker for minutes while the page's requests keep coming to it.
    const routes = passed.map((path) => ({ condition: { urlPattern: { pathname: `${path}*` } }, source: "network" }));
    event.addRoutes?.(routes).catch(() => undefined);
});
self.addEventListener("activate", (event) => {
    isActivated = true;
    event.waitUntil(dropOthers().then(() => self.clients.claim()));
});
self.addEventListener("message", (event) => {
    const { type, language } = event.data ?? {};
    if (type === "takeOver") { event.waitUntil(takeOver()); }
    if (type === "giveWay") { giveWay(); }
    if (type === "language") { event.waitUntil(keepWords(language)); }
});
self.addEventListener("fetch", (event) => {
    const { request } = event;
    if (tiles.isTile(request)) { event.respondWith(tiles.respond(request, event)); return; }
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== web.origin || !url.pathname.startsWith(web.pathname)) { return; }
    if (live.some((path) => url.pathname.startsWith(path))) { return; }
    if (request.mode === "navigate") { event.respondWith(answerPage(request)); return; }
    event.respondWith(answerFile(request, url));
});

/** Fetches the shell. Nothing is kept if a file is missing, or belongs to another version. */
async function install() {
    // The page registers the same version again where the former one did not give way: its files are kept already.
    if (await kept(othersAddress)) {
        const found = await musterShell.versionOf(
            await musterShell.digestsOf(fetched, await (await fetched("me/shell.json")).json()));
        if (found !== version) { throw new TypeError(`the server has version ${found}, and no longer ${version}`); }
        return;
    }
    try {
        const list = await (await fetched("me/shell.json")).json();
        const cache = await caches.open(cacheName);
        const languages = new Set(["en", ...navigator.languages.map((tag) => tag.toLowerCase().split("-")[0])]);
        const isLater = (path) => {
            const language = languageOf(path);
            return path.startsWith(icons) || (language !== undefined && !languages.has(language));
        };
        const files = musterShell.filesOf(list);
        const digests = await musterShell.inTurn(files.filter((path) => !isLater(path)), async (path) => {
            const answer = await fetched(path);
            const digest = await musterShell.digestOf(await answer.clone().arrayBuffer());
            await cache.put(new URL(path, web).href, answer);
            return [path, digest];
        });
        const others = await musterShell.digestsOf(fetched, list, files.filter(isLater));
        const found = await musterShell.versionOf([...digests, ...others]);
        if (found !== version) { throw new TypeError(`the files are of version ${found}, and not of ${version}`); }
        await cache.put(othersAddress, new Response(JSON.stringify(Object.fromEntries(others))));
    } catch (error) {
        const { active, waiting } = self.registration;
        // The files may be those of the version in use, of which a part was lost.
        const isUsed = [active, waiting].some((other) => other && versionOf(other) === version);
        if (!isUsed) { await caches.delete(cacheName); }
        throw error;
    }
}

/**
 * Replaces the version in use. The browser waits until that one has answered all requests, and a frozen server, or a
 * network that loses everything, lets it wait for minutes: so it is asked to give up what it waits for, and this before
 * the browser ends it, because Chromium starts it again for a message that comes while it ends.
 */
async function takeOver() {
    askToGiveWay();
    await sleep(giveWayFirstMs);
    self.skipWaiting();
    for (let waitedMs = 0; !isActivated && waitedMs < giveWayLimitMs; waitedMs += giveWayEveryMs) {
        await sleep(giveWayEveryMs);
        askToGiveWay();
    }
}

function askToGiveWay() {
    const { active } = self.registration;
    // A worker that was ended since it took over does not know that it did: it must not end its own requests.
    if (active && versionOf(active) !== version) { active.postMessage({ type: "giveWay" }); }
}

function versionOf({ scriptURL }) {
    return new URL(scriptURL).searchParams.get("v") ?? "";
}

function sleep(ms) {
    return new Promise((resolve) => { setTimeout(resolve, ms); });
}

function giveWay() {
    givingWay.abort();
    // The newer version may be lost before it takes over: then this one continues.
    givingWay = new AbortController();
}

/** Asks the server, until this version has to give way. */
function asked(request, options = {}) {
    return fetch(request, { ...options, signal: givingWay.signal });
}

/** The language whose texts a file has; undefined for all other files. */
function languageOf(path) {
    return /\/words\/(?:\w+\/)?(\w+)\.js$/.exec(path)?.[1];
}

async function fetched(path, options = {}) {
    // The browser's own cache may be older than the server's files.
    const answer = await asked(new URL(path, web), { cache: "no-cache", credentials: "omit", ...options });
    if (!answer.ok || answer.redirected) { throw new TypeError(`${path}: ${answer.status}`); }
    return answer;
}

/** Fetches the texts of a language that the person chose here. */
async function keepWords(language) {
    const others = await otherFiles();
    await musterShell.inTurn(Object.keys(others).filter((path) => languageOf(path) === language),
        (path) => keptLater(path, others).catch(() => undefined));
}

/**
 * Fetches a file of this version when it is first wanted.
 * @throws {TypeError} if the server's file is of another version
 */
async function keptLater(path, others) {
    const address = new URL(path, web).href;
    const there = await kept(address);
    if (there) { return there; }
    const answer = await fetched(path);
    const digest = await musterShell.digestOf(await answer.clone().arrayBuffer());
    if (digest !== others[path]) { throw new TypeError(`${path} is of another version`); }
    await (await caches.open(cacheName)).put(address, answer.clone());
    return answer;
}

async function otherFiles() {
    return await (await kept(othersAddress))?.json() ?? {};
}

async function dropOthers() {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(prefix) && name !== cacheName)
        .map((name) => caches.delete(name)));
}

/** Answers each address of the app with its one page: what the page shows is in the address's fragment. */
async function answerPage(request) {
    return await kept(page) ?? await asked(request);
}

async function answerFile(request, url) {
    const there = await kept(url.origin + url.pathname);
    if (there) { return there; }
    const others = await otherFiles();
    const path = url.href.slice(web.href.length).split(/[?#]/)[0];
    if (path in others) { return await keptLater(path, others).catch(() => Response.error()); }
    return await asked(request);
}

async function kept(address) {
    try {
        return await (await caches.open(cacheName)).match(address);
    } catch {
        return undefined;
    }
}
