/**
 * The live page's service worker: it shows pushed messages while no page is open. It stores and serves nothing. The
 * app's worker imports this script, and sets `musterWorker` to the address of its icon.
 */

/** What stays on the screen until someone looks at it. */
const urgent = new Set(["incident", "call", "locate"]);

/** The notification that a message asks for; undefined for one that people are not to see. */
function notificationOf(message) {
    const { notification, data } = message ?? {};
    if (!notification?.title) { return undefined; }
    return [notification.title, {
        body: notification.body ?? "",
        tag: notification.tag ?? "",
        // Of one incident the newest replaces the older, and is heard again.
        renotify: Boolean(notification.tag),
        requireInteraction: urgent.has(data?.kind) && data?.state !== "closed",
        icon: self.musterWorker?.icon ?? "muster.svg",
        data: { fragment: fragmentOf(data) },
    }];
}

/** The fragment of the page's address that shows the subject of a notification. */
function fragmentOf({ kind, incident, state } = {}) {
    return kind === "incident" && state === "open" && Number.isSafeInteger(incident) ? `#/call/${incident}` : "";
}

self.addEventListener("push", (event) => {
    let message;
    try {
        message = event.data?.json();
    } catch {
        return;
    }
    const notification = notificationOf(message);
    if (notification) { event.waitUntil(self.registration.showNotification(...notification)); }
});

self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    event.waitUntil(openPage(self.musterWorker ? event.notification.data?.fragment ?? "" : ""));
});

/** Brings the open page to the front and tells it which fragment to show, or opens a new page. */
async function openPage(fragment) {
    const scope = self.registration.scope;
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    // Pages in folders below the scope do not count: below the console's scope lie the member's app and the pages of
    // links.
    const addresses = [scope, `${scope}index.html`];
    const open = pages.find((page) => addresses.includes(page.url.split(/[?#]/)[0]));
    if (!open) { return self.clients.openWindow(scope + fragment); }
    if (fragment) { open.postMessage({ type: "open", fragment }); }
    return open.focus();
}
