/** The live page's service worker: it shows what arrives by push while no page is open. It keeps and serves nothing. */

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
        icon: "muster.svg",
    }];
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
    event.waitUntil(openPage());
});

/** Shows the page: the one that is open, or a new one. */
async function openPage() {
    const scope = self.registration.scope;
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = pages.find((page) => page.url.startsWith(scope));
    return open ? open.focus() : self.clients.openWindow(scope);
}
