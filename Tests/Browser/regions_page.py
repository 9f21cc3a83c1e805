"""The screen of regions as a person uses it, and a site whose leaders may change it."""

from live_server import password, until



def make_site(server, team, regions):
    """A team with two leaders, `TEAM-lena` and `TEAM-omar`, and its collection `TEAM-site`; answers lena's token."""
    server.ask("POST", "teams", {"name": team})
    for name in ("lena", "omar"):
        server.make_user(f"{team}-{name}", "leader", team)
    # A leader's own collection: an admin's would be linked to every team's tracker, and a leader could not change it.
    token = server.ask("POST", "session", {"name": f"{team}-lena", "password": password})["accessToken"]
    server.ask("POST", "collections", {"name": f"{team}-site"}, token)
    features = {"type": "FeatureCollection", "features": regions}
    server.ask("POST", f"collections/{team}-site/regions", features, token)
    return token


def open_regions(page, *parts, user):
    """Signs in, goes to an address of the screen, and waits for its map."""
    page.open().sign_in(user, password)
    page.go("regions", *parts)
    until(lambda: page.find(".regions-screen :is(.maplibregl-canvas, .map-message)").count() > 0)
    until(lambda: page.find(".panel h2").count() > 0)
    return page


def at(page, longitude, latitude):
    """Where a place is on the screen."""
    found = page.script("(at) => muster.map.project(at)", [longitude, latitude])
    frame = page.find(".regions-screen .map").bounding_box()
    return frame["x"] + found["x"], frame["y"] + found["y"]


def look_at(page, longitude, latitude, zoom=17):
    page.script("([at, zoom]) => { muster.map.jumpTo({ center: at, zoom }); }", [[longitude, latitude], zoom])
    until(lambda: page.script("() => muster.map.loaded() && !muster.map.isMoving()"))


def click_at(page, longitude, latitude):
    page.tab.mouse.click(*at(page, longitude, latitude))


def drag(page, start, end):
    """Drags from one place to another, as a hand does: with some stops on the way."""
    (x, y), (to_x, to_y) = at(page, *start), at(page, *end)
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()
    page.tab.mouse.move(to_x, to_y, steps=6)
    page.tab.mouse.up()


def press(page, name):
    page.find(".panel").get_by_role("button", name=name, exact=True).click()


def vertices(page):
    return page.script("""() => [...document.querySelectorAll(".vertex button[data-keys] .quiet")]
        .map((each) => each.textContent.split(", ").map(Number).reverse())""")


def is_sound(page):
    return "no fault" in page.text(".outcome")


def save(page):
    """Saves, and says so where somebody would feel it; answers when the server has it."""
    until(lambda: page.find(".save .primary").is_enabled() and is_sound(page))
    page.find(".save .primary").click()
    until(lambda: page.is_shown("dialog[open]") or saved(page))
    if page.is_shown("dialog[open]"):
        page.find("dialog[open] .primary").click()
    until(lambda: saved(page))


def saved(page):
    return page.script("""() => { const button = document.querySelector(".save .primary");
        return button?.textContent === "Save" && button.disabled; }""")
