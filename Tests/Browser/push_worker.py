"""The pushes of a page's service worker: given as its browser would hand them over, and what they show."""

from live_server import until

watch = """() => {
    const show = ServiceWorkerRegistration.prototype.showNotification;
    self.pushes = 0;
    self.showing = [];
    ServiceWorkerRegistration.prototype.showNotification = function (...details) {
        const shown = show.apply(this, details);
        self.showing.push(shown);
        return shown;
    };
    // This listener comes after the worker's own.
    self.addEventListener("push", () => { self.pushes += 1; });
}"""
handled = "async () => { await Promise.all(self.showing); return self.pushes; }"


class PushWorker:
    """The service worker of a page whose registration is complete."""

    def __init__(self, page):
        self.page = page
        self._registrations = {}
        self._protocol = page.context.new_cdp_session(page.tab)
        self._protocol.on("ServiceWorker.workerRegistrationUpdated", self._note)
        self._protocol.send("ServiceWorker.enable")
        self.scope = page.script("async () => (await navigator.serviceWorker.ready).scope")
        # Playwright tells of workers and registrations only while the page is asked.
        self.worker = until(lambda: page.title and next(iter(page.context.service_workers), None))
        self.worker.evaluate(watch)
        self._count = 0

    def _note(self, event):
        for each in event["registrations"]:
            self._registrations[each["scopeURL"]] = each["registrationId"]

    def deliver(self, text):
        """Gives the worker what its browser would have decrypted; answers once the worker has shown it."""
        until(lambda: self.page.title and self.scope in self._registrations)
        self._protocol.send("ServiceWorker.deliverPushMessage", {
            "origin": self.page.server.address, "registrationId": self._registrations[self.scope], "data": text})
        self._count += 1
        # Chromium forgets a notification if a page asks for the list while the notification is on its way to the
        # screen. So the worker says when it is there.
        until(lambda: self.worker.evaluate(handled) == self._count)

    def shown(self):
        """The notifications on the screen."""
        return self.page.script("""async () => {
            const registration = await navigator.serviceWorker.ready;
            return (await registration.getNotifications()).map(({ title, body, data, icon }) => (
                { title, body, icon, fragment: data.fragment }));
        }""")
