"""The console in a real browser, as a person would use it."""

import contextlib
import shutil
from datetime import datetime, timezone
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from live_server import until


def installed(*programs):
    """The first of these programs that this machine has; None where it has none."""
    return next(filter(None, map(shutil.which, programs)), None)


whole_chromium = installed(
    "chromium", "chromium-browser", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
# Chromium without its windows and menus, which nobody sees in a test: a page takes half of the processor time. It
# shows no notifications.
chromium = installed("chromium-headless-shell") or whole_chromium
view = {"width": 1280, "height": 800}


class Browsers:
    """Chromium with and without WebGL, whole or not, each started when a test first wants it, and anew where it died.
    From then on Playwright runs an event loop in this thread until the browsers are closed."""

    def __init__(self):
        self._playwright = None
        self._started = {}

    @property
    def playwright(self):
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        return self._playwright

    def context(self, with_webgl=True, is_whole=False, **options):
        """A profile of its own: storage, cookies and permissions of one test."""
        context = self._browser(whole_chromium if is_whole else chromium, with_webgl).new_context(
            **{"viewport": view, "locale": "en-GB", "device_scale_factor": 0.5, **options})
        context.set_default_timeout(60_000)
        return context

    def _browser(self, program, with_webgl):
        started = self._started.get((program, with_webgl))
        if started is None or not started.is_connected():
            arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
            arguments += (["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
                          if with_webgl else ["--disable-gpu", "--disable-3d-apis"])
            started = self.playwright.chromium.launch(executable_path=program, args=arguments)
            self._started[program, with_webgl] = started
        return started

    def close(self):
        for browser in self._started.values():
            browser.close()
        self._started = {}
        if self._playwright is not None:
            self._playwright.stop()
            self._playwright = None


class LivePage:
    """One tab."""

    def __init__(self, context, server):
        self.context = context
        self.server = server
        self._faults = []
        self._asked = []
        self._open_tab()

    def _open_tab(self):
        self.tab = self.context.new_page()
        self.tab.on("console", self._note)
        self.tab.on("pageerror", lambda error: self._faults.append(f"page error: {error}"))
        self.tab.on("request", lambda request: self._asked.append(request.url))

    def _note(self, message):
        # A busy machine without a graphics card is told so by its driver.
        if message.type == "error" and "GPU stall" not in message.text:
            self._faults.append(f"{message.text} ({message.location.get('url', '')})")

    def open(self, fragment=""):
        self.tab.goto(f"{self.server.address}/{fragment}")
        return self

    def go(self, *parts):
        """Goes to a screen, as a link does: `go("regions", "site", "new")`."""
        self.script("(hash) => { location.hash = hash; }", self.fragment(*parts))

    @staticmethod
    def fragment(*parts):
        """The end of the address of a screen."""
        return "#/" + "/".join(quote(str(part), safe="") for part in parts)

    def reload(self):
        self.tab.reload()

    def sign_in(self, name=None, password=None):
        """Signs in; answers when the page is live."""
        self.try_to_sign_in(name or self.server.admin[0], password or self.server.admin[1])
        until(self.is_live)
        return self

    def try_to_sign_in(self, name, password):
        self.find("#name").fill(name)
        self.find("#password").fill(password)
        self.find("#sign-in-form button[type=submit]").click()

    def find(self, selector):
        """Whatever the selector finds, as it is each time that it is used."""
        return self.tab.locator(selector)

    def text(self, selector):
        """The text of the element as a person sees it; empty where there is none, or it is hidden."""
        found = self.script(
            "(selector) => document.querySelector(selector)?.checkVisibility()"
            " ? document.querySelector(selector).innerText : ''", selector)
        return found

    def texts(self, selector):
        """The texts of all that the selector finds, at one moment."""
        return self.script(
            "(selector) => [...document.querySelectorAll(selector)].map((each) => each.textContent)", selector)

    def is_shown(self, selector):
        return self.find(selector).is_visible()

    def script(self, function, argument=None):
        """What a JavaScript function in the page answers."""
        return self.tab.evaluate(function, argument)

    @property
    def title(self):
        return self.tab.title()

    @contextlib.contextmanager
    def answering(self, answer=None):
        """Confirms the question that a dialog of the page asks meanwhile, with a reason or a note where it wants one;
        yields what it was."""
        asked = []
        open_before = self.find("dialog[open]").count()
        yield asked
        until(lambda: self.find("dialog[open]").count() > open_before)
        # Of two open dialogs the upper one has the keyboard focus.
        dialog = self.find("dialog[open]:focus-within")
        asked.append(dialog.inner_text())
        if answer is not None:
            dialog.locator("input").first.fill(answer)
        dialog.locator(".primary").click()
        until(lambda: self.find("dialog[open]").count() <= open_before)

    def press(self, scope, name, answer=None):
        """Presses the button of that name, and answers the question it asks where its name ends in an ellipsis."""
        button = self.find(scope).get_by_role("button", name=name, exact=True).first
        if answer is None and not name.endswith("…"):
            button.click()
            return ""
        with self.answering(answer or None) as asked:
            button.click()
        return asked[0]

    def is_live(self):
        return self.text("#connection") == "Live"

    def count_until_cut(self):
        """Has the page count the tenths of a second from now until it says that it is not live. It counts by a timer of
        its own: what a busy machine does not let it do is not counted."""
        self.script("""() => {
            let tenths = 0;
            globalThis.tenthsUntilCut = -1;
            const timer = setInterval(() => { tenths += 1; }, 100);
            new MutationObserver((_, observer) => {
                if (!document.querySelector("#not-live")?.checkVisibility()) { return; }
                globalThis.tenthsUntilCut = tenths;
                clearInterval(timer);
                observer.disconnect();
            }).observe(document, { attributes: true, childList: true, subtree: true });
        }""")

    def seconds_until_cut(self):
        """Waits until the page says that it is not live; how long that took by what it counted."""
        count = "() => globalThis.tenthsUntilCut"
        until(lambda: self.script(count) >= 0)
        return self.script(count) / 10

    def speak(self, language):
        """Chooses a language where it is offered; answers when the whole page is drawn anew in it."""
        if self.script("() => document.documentElement.lang") == language:
            return
        self.script("() => { document.querySelector('#app > *').dataset.former = ''; }")
        self.find("#language").select_option(language)
        until(lambda: self.script("(language) => document.documentElement.lang === language"
                                  " && !document.querySelector('[data-former]')", language))

    def stop_clock(self):
        """Lets the clock of a page that is opened next stand, while its timers go on: no countdown ends."""
        self.tab.clock.set_fixed_time(datetime.now(timezone.utc))

    def start_clock(self):
        self.tab.clock.set_system_time(datetime.now(timezone.utc))

    def hold_sos(self):
        """Holds the SOS button until its countdown is there, however long a busy machine takes for that second."""
        self.find("#my-sos").hover()
        self.tab.mouse.down()
        until(lambda: self.is_shown("#my-countdown"))
        self.tab.mouse.up()

    def end_countdown(self):
        """Presses the button that sends a held SOS now. After five seconds the countdown has ended by itself, which a
        busy machine may let pass: then there is nothing to press."""
        self.script("() => { document.querySelector('#my-now')?.click(); }")
        until(lambda: not self.is_shown("#my-countdown"))

    def row(self, user, part=None):
        """What the list says of someone, or a part of it, as text; none when they are not on it. Only the rows in sight
        are drawn, so that the list is scrolled to theirs."""
        return self.script("""async ([user, part]) => {
            const list = document.querySelector("#list");
            if (!list || !muster.state.members.has(user)) { return null; }
            const find = () => {
                const row = list.querySelector(`[data-user="${CSS.escape(user)}"]`);
                return row && (part ? row.querySelector(part)?.textContent ?? "" : row.innerText);
            };
            const frame = () => new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)));
            let found = find();
            for (let top = 0; found === null && top < list.scrollHeight; top += list.clientHeight) {
                list.scrollTop = top;
                // The scroll is noticed in one frame, and its rows are drawn by the next.
                await frame();
                await frame();
                found = find();
            }
            return found;
        }""", [user, part])

    def row_has(self, user, *words):
        """Whether the list says all of this of someone, at one moment."""
        row = self.row(user) or ""
        return all(each in row for each in words)

    def row_of(self, user):
        return self.find(f'#list [data-user="{user}"]')

    def open_track(self, user):
        """Clicks someone in the list."""
        until(lambda: self.row(user))
        self.row_of(user).locator(".person").click()

    def counts(self):
        """How many are in each state, also where nobody is and the button is hidden."""
        return self.script(
            "() => Object.fromEntries([...document.querySelectorAll('#counts button')].map((button) => "
            "[button.dataset.state, Number(button.querySelector('.number').textContent)]))")

    def events(self):
        """The event lines with their sequences, the latest first."""
        return self.script(
            "() => [...document.querySelectorAll('#events li')].map((line) => "
            "[Number(line.dataset.sequence), line.querySelector('.what').textContent])")

    def drawn(self, user):
        """Where the map draws someone's devices, and as what. Those who are drawn as a number together with others
        are drawn apart from near by: the next look finds them."""
        return self.script(
            "(user) => { const drawn = muster.drawn(user);"
            " if (drawn.length === 0 && !muster.map?.isMoving()) { muster.lookAt(user); } return drawn; }", user)

    def set_view(self, width, height, dark=False):
        self.tab.set_viewport_size({"width": width, "height": height})
        self.tab.emulate_media(color_scheme="dark" if dark else "light")

    def save_picture(self, path):
        self.tab.screenshot(path=path)

    def faults(self):
        """What the browser's console calls an error, and what nobody caught, since it was last asked."""
        found, self._faults = self._faults, []
        return found

    def foreign_requests(self):
        """The addresses of other hosts that the browser asked since it was last asked."""
        asked, self._asked = self._asked, []
        own = (self.server.address, "data:", "blob:", "about:", "chrome:")
        return [address for address in asked if not address.startswith(own)]

    def close(self):
        self.tab.close()
