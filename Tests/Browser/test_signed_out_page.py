"""Of somebody who signed out nothing stays: not on the screen, not in the page's memory, not in the browser."""

from live_server import box, password, until

west, south = 10.7460, 59.7780
names = ["quarry-lead", "quarry-ann", "Quarry square", "quarry visitor", "+47 22 99 88 77", "my leg hurts"]

everything_stored = """async () => {
    const databases = await Promise.all((await indexedDB.databases()).map(({ name }) => name));
    return JSON.stringify({
        session: { ...sessionStorage }, local: { ...localStorage }, cookies: document.cookie, databases,
        caches: await globalThis.caches?.keys() ?? [], history: location.href, name: window.name,
    });
}"""


def fill_page(page, server):
    """A page on which everything that can be shown of people is shown."""
    server.make_team("quarry", [box("sq", "Quarry square", west, south, muster=True)])
    server.make_user("quarry-lead", "leader", "quarry")
    phone = server.make_member("quarry-ann", "quarry")
    server.ask("PATCH", "users/quarry-ann", {"phone": "+47 22 99 88 77"})
    number = server.ask("POST", "teams/quarry/incidents", {"kind": "drill"})["number"]
    server.ask("POST", f"incidents/{number}/roll", {"name": "quarry visitor", "state": "unaccounted"})
    phone.stay((west + 0.001, south + 0.0005))
    page.open().sign_in("quarry-lead", password)
    until(lambda: "Quarry square" in (page.row("quarry-ann") or ""))
    page.open_track("quarry-ann")
    until(lambda: "+47 22 99 88 77" in page.text("#person"))
    page.find("#my-help").click()
    until(lambda: page.is_shown("#my-note"))
    page.find("#my-note").fill("my leg hurts")
    page.find("#search").fill("quarry")
    return number


def assert_nothing_is_left(page):
    until(lambda: page.is_shown("#sign-in"))
    whole = page.script("() => document.documentElement.outerHTML + [...document.querySelectorAll('input')]"
                        ".map((input) => input.value).join() + document.title")
    stored = page.script(everything_stored)
    for name in [*names, "quarry"]:
        assert name not in whole, name
        assert name not in stored, name
    assert page.title == "Muster"
    assert page.script("() => muster.state.members.size + muster.state.regions.size + muster.state.events.length"
                       " + muster.state.incidents.size + muster.state.questions.size") == 0
    assert page.script("() => muster.track ?? muster.map ?? null") is None


def test_nothing_is_left_of_a_user_who_signed_out(page, server):
    number = fill_page(page, server)
    page.find("#sign-out").click()
    assert_nothing_is_left(page)
    # What comes late, and what happens on the server, changes nothing of that.
    server.ask("POST", "users/quarry-lead/declarations", {"kind": "clear"})
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    assert_nothing_is_left(page)
    page.tab.go_back()
    page.open()
    until(lambda: page.script("() => 'muster' in globalThis"))
    assert_nothing_is_left(page)
    # Whoever signs in next finds an empty search, and nobody selected.
    page.sign_in()
    until(lambda: page.row("quarry-ann"))
    assert page.find("#search").input_value() == "" and not page.is_shown("#person")
    assert page.text("#said") == "" and page.text("#notice") == ""


def test_nothing_is_left_of_a_user_whose_sessions_the_server_ended(page, server):
    server.make_user("quarry-gone", "admin")
    page.open().sign_in("quarry-gone", password)
    until(lambda: page.script("() => muster.state.members.size") > 0)
    server.ask("DELETE", "users/quarry-gone")
    until(lambda: page.is_shown("#sign-in") or page.text("#not-live").startswith("Not live: the server refused"))
    if not page.is_shown("#sign-in"):
        page.find("#sign-out").click()
    until(lambda: page.is_shown("#sign-in"))
    assert "quarry-gone" not in page.script("() => document.documentElement.outerHTML")
    assert "muster.session" not in page.script(everything_stored)
    page.faults()
