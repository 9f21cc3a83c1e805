"""A week of a console that nobody closes: what the page keeps is bounded, however much happens. `week.test.mjs` holds
its reducers to that in node; here it is the whole page, with its worker, its components, its map and its DOM."""

from datetime import datetime, timedelta, timezone

from live_server import box, circle, stamp, until

needs_map = True

west, south = 10.7460, 59.7180
people = 100
# How many fixes of each person come at once: a request has up to 1,000.
fixes = 10
# As many parts as the week has; each is some 2,400 changes.
parts = 16
assembly, tank, street = (west + 0.001, south + 0.0005), (west + 0.009, south + 0.0005), (west + 0.004, south - 0.0005)
# What the heap may grow by from the fourth to the end, in bytes: machine code that the browser makes meanwhile. Each of
# the 29,000 changes in between would be some hundreds, were it kept.
most_growth = 3 * 2**20
screens = ["timeline", "incident", "regions", "people"]


class Week:
    """A team whose people walk for a week, and whatever befalls a team meanwhile."""

    def __init__(self, server):
        self.server = server
        self.clock = datetime.now(timezone.utc) - timedelta(days=7)
        server.make_team("week", [
            circle("a", "Assembly point A", *assembly, 60, muster=True), box("tank", "Tank farm", west + 0.008, south)])
        self.people = [f"week-{number}" for number in range(people)]
        for name in self.people:
            server.ask("POST", "users", {"name": name, "role": "member", "team": "week"})
            server.ask("POST", f"users/{name}/devices", {"name": "phone"})
        self.step = timedelta(days=7) / (parts * fixes + 1)

    def pass_part(self, number):
        """A part of the week: everybody walks from the street to a region and back, a drill is held, somebody calls."""
        reports = []
        for fix in range(fixes):
            self.clock += self.step
            for index, name in enumerate(self.people):
                longitude, latitude = (assembly, street, tank, street)[(fix + index + number) % 4]
                reports.append({
                    "device": f"{name}/phone", "longitude": longitude + index * 1e-6,
                    "latitude": latitude + (fix + number) * 1e-6, "accuracy": 5, "battery": 80 - index % 50,
                    "sampleTime": stamp(self.clock)})
        self.server.ask("POST", "positions", reports)
        incident = self.server.ask("POST", "teams/week/incidents", {"kind": "drill"})["number"]
        caller = self.people[number % people]
        self.say(caller, "sos", note=f"note {number}")
        self.say(caller, "acknowledge")
        self.say(caller, "clear")
        for name in self.people[:10]:
            self.say(name, "safe")
        self.server.ask("POST", f"incidents/{incident}/close", {"reason": f"over {number}"})

    def say(self, user, kind, **more):
        self.server.ask("POST", f"users/{user}/declarations", {"kind": kind, **more})

    @property
    def sequence(self):
        """The number of the newest change."""
        return self.server.ask("GET", "teams/week/safety")["sequence"]


class Meter:
    """What a tab keeps, as the browser counts it."""

    def __init__(self, page):
        self.page = page
        self.session = page.context.new_cdp_session(page.tab)
        self.session.send("Performance.enable")

    def read(self):
        """The bytes of the heap, the nodes and the listeners that are still held, and the elements on the page."""
        for _ in range(2):
            self.session.send("HeapProfiler.collectGarbage")
        metrics = {each["name"]: each["value"] for each in self.session.send("Performance.getMetrics")["metrics"]}
        elements = self.page.script("() => document.querySelectorAll('*').length")
        return {"heap": metrics["JSHeapUsedSize"], "nodes": metrics["Nodes"], "elements": elements,
                "listeners": metrics["JSEventListeners"], "documents": metrics["Documents"]}


def take_in(page, week):
    """Waits until the page has taken and drawn all that happened."""
    sequence = week.sequence
    until(lambda: page.script("() => muster.state.sequence") >= sequence)
    page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")


def look_around(page):
    """Goes to each of the screens that show what happened, as somebody who looks in does."""
    for screen in screens:
        page.go(screen)
        until(lambda: page.script("(screen) => document.querySelector(`nav [aria-current=page]`)?.hash"
                                  " === `#/${screen}`", screen))
        page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")


def test_a_page_that_is_left_open_for_a_week_keeps_no_more_than_after_a_fourth_of_it(page, server):
    week = Week(server)
    page.open().sign_in()
    page.open_track(week.people[0])
    page.script("() => { window.isTheSamePage = true; }")
    meter = Meter(page)
    began = week.sequence
    read = []
    for number in range(parts):
        week.pass_part(number)
        take_in(page, week)
        if number % 2 == 1:
            look_around(page)
        if number + 1 in (parts // 4, parts):
            read.append(meter.read())
    changes = week.sequence - began
    print(f"after a fourth of {changes} changes {read[0]}, at the end {read[1]}")
    assert changes > 30_000 and page.script("() => window.isTheSamePage"), "one page took all of it"
    fourth, end = read
    assert end["heap"] < fourth["heap"] + most_growth, read
    # Of the lines and rows that are drawn some more may be in sight.
    assert end["nodes"] < fourth["nodes"] + 300 and end["elements"] < fourth["elements"] + 100, read
    assert end["listeners"] < fourth["listeners"] + 30 and end["documents"] <= fourth["documents"] + 1, read
