/**
 * The secret of a link: it comes in the fragment of the page's address, which no browser sends to a server, leaves the
 * address bar and the history at once, and stays in this tab's sessionStorage, so that a reload shows the page again.
 */

/** The page for each kind of link: the name of its folder below the console's. */
const pages = { person: "share", incident: "share", visitors: "visit", invitation: "invite" };
const shape = /^#([\w-]{8,512})$/;

/**
 * Takes the secret that the page was opened with, or the one that it had before a reload.
 * @param {string} page a name that no other page has
 * @param {{location: Location, history: History, storage: Storage}} [world] replaced in tests
 * @returns {string|undefined}
 */
export function takeToken(page, { location, history, storage } = worldOf(window)) {
    const [, token] = shape.exec(location.hash) ?? [];
    if (location.hash !== "") { history.replaceState(null, "", location.pathname + location.search); }
    if (token) { keep(storage, page, token); }
    return token ?? kept(storage, page);
}

/** Forgets the secret: the link is over. */
export function forgetToken(page, { storage } = worldOf(window)) {
    try { storage.removeItem(name(page)); } catch { /* Nothing is kept where nothing may be. */ }
}

/**
 * Goes to the page for a kind of link, if that is another page than this one.
 * @param {string|undefined} kind
 * @param {string} page the name of this page
 * @returns {boolean} whether the browser leaves this page
 */
export function goToPageOf(kind, page, token) {
    const right = pages[kind];
    if (right === undefined || right === page) { return false; }
    forgetToken(page);
    location.replace(new URL(`../${right}/#${token}`, location.href).href);
    return true;
}

function worldOf({ location, history, sessionStorage }) {
    return { location, history, storage: sessionStorage };
}

function keep(storage, page, token) {
    try { storage.setItem(name(page), token); } catch { /* The page works, until it is loaded again. */ }
}

function kept(storage, page) {
    try { return storage.getItem(name(page)) ?? undefined; } catch { return undefined; }
}

function name(page) {
    return `muster.link.${page}`;
}
