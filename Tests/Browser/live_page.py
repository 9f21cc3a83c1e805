"""The live page in a real browser, as a person would use it."""

import base64
import json
import shutil

from selenium import webdriver
from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from live_server import until

chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
driver = shutil.which("chromedriver")


def open_browser(with_webgl=True):
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,800",
                 # A quarter of the pixels, because the browser draws them without a graphics card.
                 "--force-device-scale-factor=0.5"]
    if with_webgl:
        arguments += ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    else:
        arguments += ["--disable-gpu", "--disable-3d-apis"]
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


class LivePage:
    """One tab."""

    def __init__(self, browser, server):
        self.browser = browser
        self.server = server
        browser.switch_to.new_window("tab")

    def open(self, fragment=""):
        self.browser.get(f"{self.server.address}/{fragment}")
        return self

    def sign_in(self, name=None, password=None):
        """Signs in; answers when the page is live."""
        self.try_to_sign_in(name or self.server.admin[0], password or self.server.admin[1])
        until(self.is_live)
        return self

    def try_to_sign_in(self, name, password):
        until(lambda: self.find("#sign-in").is_displayed())
        self.find("#name").send_keys(name)
        self.find("#password").send_keys(password)
        self.find("#sign-in-form button").click()

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def is_live(self):
        return self.find("#connection").text == "Live"

    def row(self, user):
        """What the list says of someone, as text; none when they are not on it."""
        rows = self.browser.find_elements(By.CSS_SELECTOR, f'#list li[data-user="{user}"]')
        return rows[0].text if rows else None

    def open_track(self, user):
        """Clicks someone in the list. While the list is drawn anew, the click may miss its row, and is made again."""
        def is_clicked():
            try:
                self.find(f'#list li[data-user="{user}"] button').click()
            except (ElementClickInterceptedException, StaleElementReferenceException):
                return False
            return True
        until(is_clicked)

    def counts(self):
        """How many are in each state, also where nobody is and the button is hidden."""
        return self.browser.execute_script(
            "return Object.fromEntries([...document.querySelectorAll('#counts button')].map((button) => "
            "[button.dataset.state, Number(button.querySelector('.number').textContent)]))")

    def events(self):
        """The event lines with their sequences, the latest first."""
        return self.browser.execute_script(
            "return [...document.querySelectorAll('#events li')].map((line) => "
            "[Number(line.dataset.sequence), line.querySelector('.what').textContent])")

    def drawn(self, user):
        """Where the map draws someone's devices, and as what."""
        return self.browser.execute_script("return muster.drawn(arguments[0])", user)

    def set_view(self, width, height, dark=False, is_phone=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def save_picture(self, path):
        picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {})
        path.write_bytes(base64.b64decode(picture["data"]))

    def faults(self):
        """What the browser's console calls an error since it was last asked."""
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]

    def foreign_requests(self):
        """The addresses of other hosts that the browser asked since it was last asked."""
        asked = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        assert asked, "the browser told of no request at all"
        own = (self.server.address, "data:", "blob:", "about:", "chrome:")
        return [address for address in asked if not address.startswith(own)]

    def close(self):
        self.browser.close()
        self.browser.switch_to.window(self.browser.window_handles[0])
