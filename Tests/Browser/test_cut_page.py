"""A server that is killed, or stands still, while somebody watches: the console says so, and what it says is true."""

import re
import signal
from datetime import datetime

from live_page import LivePage
from live_server import box, password, until

west, south = 10.7460, 59.7880
inside = (west + 0.001, south + 0.0005)


def make_pier(server, team):
    """A team with a leader, and one who is safe."""
    server.make_team(team, [box("sq", "Pier", west, south, muster=True)])
    server.make_user(f"{team}-lead", "leader", team)
    phone = server.make_member(f"{team}-ann", team)
    phone.stay(inside)
    return phone


def banner_time(page):
    """The time of `Not live since 12:03:07. …`, of today, which the connection in the head says as well."""
    # At one moment: what the server said before it stood still may arrive later than that.
    banner, connection = page.script(
        "() => ['#not-live', '#connection'].map((name) => document.querySelector(name).innerText)")
    words = re.fullmatch(r"Not live since (\d\d):(\d\d):(\d\d)\. What is shown here may be old\.", banner)
    assert words, banner
    assert banner.startswith(f"{connection}. ")
    return datetime.now().replace(hour=int(words[1]), minute=int(words[2]), second=int(words[3]), microsecond=0)


def assert_it_is_said_that_the_page_is_old(page, cut_at):
    """Since when is that of the last word of the server, not that of when the page noticed."""
    told = banner_time(page)
    # The server says something every 5 s; after 9.5 s of silence the page would not have been live at the cut. The page
    # tells whole seconds.
    assert -10.5 <= (told - cut_at).total_seconds() < 4
    until(lambda: page.title.startswith("Not live · "))
    assert page.find("#not-live").get_attribute("role") == "alert"


def test_a_killed_server_is_noticed_at_once_and_what_was_known_stays(page, server):
    make_pier(server, "pier-k")
    page.open().sign_in("pier-k-lead", password)
    until(lambda: "Safe" in (page.row("pier-k-ann") or ""))
    page.count_until_cut()
    cut_at = datetime.now()
    server.kill()
    try:
        until(lambda: page.is_shown("#not-live"))
        assert page.seconds_until_cut() < 8
        assert_it_is_said_that_the_page_is_old(page, cut_at)
        assert "Safe" in page.row("pier-k-ann")
        said = page.text("#not-live")
        # An order that nobody takes is not said to be done, and the time does not creep on.
        with page.answering():
            page.find("#orders button").first.click()
        until(lambda: "Evacuation of pier-k" in page.text(".pending"))
        assert "The server has it" not in page.text("#said") and page.text("#not-live") == said
        assert page.text("#notice") == ""
    finally:
        server.start()
    until(lambda: page.is_live() and not page.is_shown("#not-live"), seconds=60)
    # It goes through once the server is there, and once.
    until(lambda: "Evacuation of pier-k" in page.text("#alarms") and not page.is_shown(".pending"), seconds=60)
    assert len(server.ask("GET", "teams/pier-k/incidents")["items"]) == 1
    until(lambda: not page.title.startswith("Not live"))
    assert all("ERR_" in fault for fault in page.faults())


def test_a_frozen_server_is_noticed_though_its_connections_stay(page, server):
    phone = make_pier(server, "pier-f")
    page.open().sign_in("pier-f-lead", password)
    until(lambda: "Safe" in (page.row("pier-f-ann") or ""))
    cut_at = datetime.now()
    server.process.send_signal(signal.SIGSTOP)
    try:
        until(lambda: page.is_shown("#not-live"))
        assert_it_is_said_that_the_page_is_old(page, cut_at)
    finally:
        server.process.send_signal(signal.SIGCONT)
    until(page.is_live, seconds=60)
    phone.stay((west + 0.01, south))
    until(lambda: "Located" in (page.row("pier-f-ann") or ""))
    until(lambda: page.is_live() and not page.is_shown("#not-live"))
    page.faults()


def test_a_network_that_is_gone_is_said_at_once_and_its_return_only_when_the_server_is_heard(page, server):
    make_pier(server, "pier-o")
    page.open().sign_in("pier-o-lead", password)
    until(page.is_live)
    # The server stands still, so that nothing but the browser's word can change what the page says.
    server.process.send_signal(signal.SIGSTOP)
    try:
        page.count_until_cut()
        cut_at = datetime.now()
        page.script("() => dispatchEvent(new Event('offline'))")
        assert page.seconds_until_cut() < 4
        assert_it_is_said_that_the_page_is_old(page, cut_at)
        page.script("() => dispatchEvent(new Event('online'))")
        until(lambda: "Not live since" in page.text("#connection") and page.is_shown("#not-live"))
    finally:
        server.process.send_signal(signal.SIGCONT)
    until(lambda: page.is_live() and not page.is_shown("#not-live"))
    page.faults()


def test_what_did_not_come_of_the_maps_ground_in_a_cut_comes_after_it(browsers, server):
    make_pier(server, "pier-g")
    context = browsers.context(with_webgl=True)
    try:
        page = LivePage(context, server)
        refused, came = [], []
        context.route("**/tiles/world/**", lambda route: (refused.append(route.request.url), route.abort()))
        page.open().sign_in("pier-g-lead", password)
        # The page must be live first, because a page that becomes live requests the tiles of its map again.
        until(lambda: page.is_live() and any("/world/6/" in url for url in refused))
        until(lambda: page.script("() => muster.map.loaded()"))
        context.unroute("**/tiles/world/**")
        page.tab.on("requestfinished", lambda request: came.append(request.url))
        server.kill()
        server.start()
        # Playwright only reports finished requests while the test calls the page.
        until(lambda: page.is_live() and set(refused) & set(came), seconds=60)
    finally:
        context.close()


def test_a_map_whose_list_of_tile_files_is_late_gets_its_ground_when_it_comes(browsers, server):
    make_pier(server, "pier-l")
    context = browsers.context(with_webgl=True)
    try:
        page = LivePage(context, server)
        held = []
        context.route("**/tiles/index.json", lambda route: held.append(route))  # pylint: disable=unnecessary-lambda
        # The page waits a minute for the list, which a slow machine may let pass.
        context.add_init_script("AbortSignal.timeout = () => new AbortController().signal")
        page.open().sign_in("pier-l-lead", password)
        until(lambda: page.script("() => globalThis.muster?.map?.loaded() === true") and held)
        layers = "() => muster.map.getStyle().layers.map(({ id }) => id)"
        assert not any(name.startswith("basemap:world") for name in page.script("() => " + sources))
        own = page.script(layers)
        held[0].continue_()
        until(lambda: "basemap:world" in page.script("() => " + sources))
        assert page.script(layers)[-len(own) + 1:] == own[1:], "the ground lies beneath all that was there"
    finally:
        context.close()


sources = "Object.keys(muster.map.getStyle().sources)"


def test_a_sign_in_at_a_server_that_is_gone_says_so_and_works_when_it_is_back(page, server):
    page.open()
    until(lambda: page.is_shown("#sign-in"))
    server.kill()
    try:
        page.try_to_sign_in(*server.admin)
        until(lambda: page.text("#sign-in-error") == "The server does not answer. Is the network up?")
        assert page.find("#name").input_value() == server.admin[0]
    finally:
        server.start()
    page.sign_in()
    assert all("ERR_" in fault for fault in page.faults())
