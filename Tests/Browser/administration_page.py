"""The screen `administration` as somebody uses it: by the words of its labels and buttons."""

import pytest

from live_server import password, until



class Administration:
    """The screen on a page where somebody is signed in."""

    def __init__(self, page):
        self.page = page

    def open(self, *parts, user=None):
        """Opens a part of the screen, signed in already or as this user."""
        self.page.open(self.page.fragment("administration", *parts))
        if user:
            self.page.try_to_sign_in(*user)
        until(lambda: self.page.find(".administration").count() == 1)
        return self

    def go(self, *parts):
        """Goes to a part of the screen that is open; answers when the part before is gone."""
        self.page.script("""(hash) => {
            if (location.hash === hash) { return; }
            const shown = document.querySelectorAll(".administration > :not(.parts)");
            for (const each of shown) { each.dataset.former = ""; }
            location.hash = hash;
        }""", self.page.fragment("administration", *parts))
        until(lambda: self.page.find("[data-former]").count() == 0 and self.text != "")
        return self

    @property
    def text(self):
        return self.page.text(".administration")

    @property
    def dialog(self):
        """The text of the dialog that is open; empty where none is."""
        return self.page.text("dialog.dialog[open]")

    @property
    def parts(self):
        return self.page.texts(".administration > .parts a")

    @property
    def _has_dialog(self):
        return self.page.find("dialog.dialog[open]").count() > 0

    def _scope(self):
        return self.page.find("dialog.dialog[open]" if self._has_dialog else ".administration")

    def section(self, title):
        """The part of the page below a heading."""
        return self.page.find(".administration section").filter(
            has=self.page.tab.get_by_role("heading", name=title, exact=True)).last

    def field(self, label):
        return self._scope().get_by_label(label, exact=True)

    def press(self, name, within=None):
        """Presses a button of the dialog that is open, or of the page; one whose name ends in an ellipsis opens one."""
        opens = name.endswith("…") and not self._has_dialog
        (within or self._scope()).get_by_role("button", name=name, exact=True).click()
        if opens:
            until(lambda: self._has_dialog)
        if name == "Close":
            # What is shown only once asks before it is lost.
            lost = self.page.find("dialog[open] dialog[open]").get_by_role("button", name="Close it", exact=True)
            until(lambda: lost.count() > 0 or not self._has_dialog)
            if lost.count() > 0:
                lost.click()
            until(lambda: not self._has_dialog)
        return self

    def row(self, name):
        return self.page.find(".administration .rows li").filter(has_text=name)

    def rows(self, selector=".administration .rows strong"):
        return self.page.texts(selector)

    def shows(self, words, seconds=60):
        """Answers once the screen or its dialog has these words."""
        return until(lambda: words in self.text + self.page.text("dialog.dialog[open]"), seconds)

    def hides(self, words):
        return until(lambda: words not in self.text + self.page.text("dialog.dialog[open]"))

    def secret(self):
        """What is shown once."""
        field = self.page.find("dialog.dialog[open] #secret")
        field.wait_for()
        return field.input_value()

    def refused(self, *statuses):
        """Takes what the browser complained about: refusals with these statuses, and nothing else."""
        faults = self.page.faults()
        assert faults and all(any(f"status of {status}" in fault for status in statuses) for fault in faults), faults


@pytest.fixture
def screen(page):
    return Administration(page)


def two_teams(server, name):
    """Two teams with a leader each, and a member with a phone in each; answers the leaders."""
    leaders = []
    for side in ("east", "west"):
        team = f"{name}-{side}"
        server.ask("POST", "teams", {"name": team})
        server.make_user(f"{team}-lead", "leader", team)
        server.ask("POST", "users", {"name": f"{team}-ann", "role": "member", "team": team})
        server.ask("POST", f"users/{team}-ann/devices", {"name": "phone"})
        leaders.append((f"{team}-lead", password))
    return leaders
