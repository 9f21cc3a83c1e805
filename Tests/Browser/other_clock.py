"""A page whose computer has another clock than the server, by scripts that its page and its worker run first."""

from datetime import datetime, timezone

worker_path = "**/shared/live-worker.js"

# A clock that is off by some milliseconds; `setClock` sets it again.
clock_script = """{
    const Real = Date;
    let offset = %d;
    globalThis.Date = class extends Real {
        constructor(...parts) { if (parts.length > 0) { super(...parts); } else { super(Real.now() + offset); } }
        static now() { return Real.now() + offset; }
    };
    globalThis.setClock = (ms) => { offset = ms; };
}
"""


def noon_zone():
    """A time zone in which it is about noon, so that an hour more or less is the same day."""
    ahead = 12 - datetime.now(timezone.utc).hour
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"


def begin_workers_with(context, script):
    """Makes the worker that reads the server run a script before its own."""
    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, body=script + response.text())
    context.route(worker_path, answer)


def shift_clock(context, milliseconds):
    """Sets the clock of a profile whose pages are opened next; answers nothing."""
    script = clock_script % milliseconds
    context.add_init_script(script)
    begin_workers_with(context, script)


def set_clock(page, milliseconds):
    """Sets the clock of a page that is open, as somebody does in the settings of a computer."""
    page.script("(ms) => setClock(ms)", milliseconds)
    for worker in page.tab.workers:
        if worker.url.endswith("live-worker.js"):
            worker.evaluate("(ms) => setClock(ms)", milliseconds)
