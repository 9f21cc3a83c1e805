"""Rules, targets and replications as an admin uses them, each through its whole life; what a leader reads of rules."""

import json
import time

import requests

from live_server import password, until
from operations_page import field, press, receiver, rows, server, show


def test_a_rule_through_its_whole_life(page, server):
    server.ask("POST", "targets", {"name": "lamp", "kind": "log"})
    page.open().sign_in()
    show(page, "rules", "new")
    # What is missing is said at its field, before anything is sent.
    press(page, "Save")
    until(lambda: "needs a name" in page.text("main.screen form"))
    field(page, "Start from a template").select_option("sos")
    assert field(page, "Name").input_value() == "sos"
    assert "SOS" in field(page, "Pattern").input_value()
    # The server's own refusal of a pattern names the place in it.
    good = field(page, "Pattern").input_value()
    field(page, "Pattern").fill('{"source": [{"like": "muster"}]}')
    press(page, "Save")
    until(lambda: 'has no operator "like"' in page.text("main.screen form"))
    assert field(page, "Pattern").get_attribute("aria-invalid") == "true"
    assert page.faults(), "the browser tells of the 422"
    field(page, "Pattern").fill(good)
    field(page, "Add a target").select_option("lamp")
    press(page, "Save")
    until(lambda: page.is_shown("main.screen .rows") and rows(page))
    (row,) = rows(page)
    assert "sos" in row and "Sends to: lamp" in row and "Made by admin" in row
    assert server.ask("GET", "rules/sos")["pattern"] == json.loads(good)
    # A second one of that name is refused, and what was typed stays.
    show(page, "rules", "new")
    field(page, "Start from a template").select_option("sos")
    press(page, "Save")
    until(lambda: "The rule sos already exists" in page.text("main.screen form"))
    page.faults()
    press(page, "Discard")
    press(page, "Switch sos off")
    until(lambda: server.ask("GET", "rules/sos")["enabled"] is False)
    until(lambda: "off" in page.text("main.screen .badge"))
    page.find("main.screen").get_by_role("link", name="Change sos").click()
    until(lambda: page.is_shown("main.screen form"))
    field(page, "What it is for").fill("calls for help")
    field(page, "What lamp receives").select_option("template")
    field(page, "Text, with variables such as ‹name›").fill("<who> calls")
    field(page, "Variables of the text").fill("who = $.detail.User")
    press(page, "Save")
    until(lambda: "calls for help" in page.text("main.screen .rows"))
    (entry,) = server.ask("GET", "rules/sos")["targets"]
    assert entry["input"] == {"template": "<who> calls", "paths": {"who": "$.detail.User"}}
    assert "This cannot be undone" in press(page, "Remove sos…", "")
    until(lambda: "There are no rules" in page.text("main.screen"))
    assert server.ask("GET", "rules")["items"] == []


def test_a_pattern_is_tried_on_the_newest_events(page, server):
    """The events are those that the server has: whoever made one sees that it matches."""
    server.ask("POST", "users/east-ann/declarations", {"kind": "sos", "id": f"sos-{time.time()}"})
    # Before somebody looks: an SOS takes the whole screen.
    server.ask("POST", "users/east-ann/declarations", {"kind": "clear"})
    page.open().sign_in()
    show(page, "rules", "test")
    field(page, "Pattern").fill("{not json")
    press(page, "Try it on the newest 100 events")
    until(lambda: "This is not JSON" in page.text("main.screen"))
    field(page, "Start from a template").select_option("sos")
    press(page, "Try it on the newest 100 events")
    until(lambda: "events match" in page.text("main.screen .verdict"))
    until(lambda: any("east-ann, SOS" in row for row in rows(page)))
    field(page, "Pattern").fill('{"source": ["nobody"]}')
    # What an older pattern matched is not shown below a newer one.
    until(lambda: not rows(page))
    press(page, "Try it on the newest 100 events")
    until(lambda: page.text("main.screen .verdict").startswith("0 of the newest"))


def test_a_pattern_is_tried_on_an_event_that_is_typed_and_a_leader_only_reads(page, server):
    server.ask("POST", "rules", {"name": "read-me", "pattern": {"source": ["muster"]}})
    page.open().sign_in("east-lead", password)
    show(page, "rules")
    until(lambda: rows(page))
    assert "read-me" in rows(page)[0]
    assert not page.find("main.screen").get_by_role("button").count(), "a leader changes nothing"
    show(page, "rules", "new")
    page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    assert not page.is_shown("main.screen form"), "nor by the address"
    show(page, "rules", "test")
    field(page, "Pattern").fill('{"source": ["muster"]}')
    page.find("main.screen summary").click()
    field(page, "Event").fill('{"source": "muster"')
    press(page, "Try it on this event")
    until(lambda: "This is not JSON" in page.text("main.screen"))
    event = {"version": "0", "id": "1", "source": "muster", "detail-type": "Muster Test", "detail": {}}
    field(page, "Event").fill(json.dumps(event))
    press(page, "Try it on this event")
    until(lambda: page.text("main.screen .verdict") == "The event matches.")
    field(page, "Pattern").fill('{"source": ["other"]}')
    press(page, "Try it on this event")
    until(lambda: page.text("main.screen .verdict") == "The event does not match.")
    server.ask("DELETE", "rules/read-me")


def test_a_target_through_its_whole_life(page, server, receiver):
    page.open().sign_in()
    show(page, "targets", "new")
    press(page, "Make the target")
    until(lambda: all(
        words in page.text("main.screen form") for words in ("needs a name", "Give an address")))
    field(page, "Name").fill("ops")
    field(page, "Address (URL)").fill("http://169.254.169.254/x")
    press(page, "Make the target")
    until(lambda: field(page, "Address (URL)").get_attribute("aria-invalid") == "true")
    page.faults()
    field(page, "Address (URL)").fill(f"{receiver.address}/hook?token=geheim")
    field(page, "Header fields").fill("X-Tenant: seven")
    press(page, "Make the target")
    until(lambda: page.is_shown(".once"))
    secret = field(page, "Secret").input_value()
    assert secret.startswith("whsec_") and "only once" in page.text(".once")
    press(page, "I have written it down")
    until(lambda: page.text("#targets-title") == "ops")
    # Neither is ever shown again, nor kept by the page.
    whole = page.script("() => document.documentElement.outerHTML"
                        " + JSON.stringify({...sessionStorage, ...localStorage})")
    assert secret not in whole and "geheim" not in whole and "seven" not in whole
    until(lambda: "X-Tenant" in page.text("main.screen"))
    press(page, "Send a test")
    until(lambda: receiver.bodies)
    # A receiver that refuses: why stands there, and the letter is sent again by hand.
    receiver.status = 400
    press(page, "Send a test")
    until(lambda: "1 given up" in page.text("main.screen [role=status]"), seconds=60)
    page.reload()
    until(lambda: page.is_shown("main.screen [data-number]"))
    until(lambda: "400" in page.text("main.screen [data-number]"))
    page.find("main.screen [data-number] summary").click()
    until(lambda: "A test, sent by hand" in page.text("main.screen [data-number]"))
    receiver.status = 200
    count = len(receiver.bodies)
    number = page.find("main.screen [data-number]").get_attribute("data-number")
    press(page, f"Send {number} again")
    until(lambda: len(receiver.bodies) > count)
    until(lambda: "Nothing was given up" in page.text("main.screen"))
    # And one that is discarded.
    receiver.status = 400
    server.ask("POST", "targets/ops/test")
    server.ask("POST", "targets/ops/test")
    until(lambda: len(server.ask("GET", "deadletters?target=ops")["items"]) == 2)
    page.reload()
    until(lambda: page.find("main.screen [data-number]").count() == 2)
    number = page.find("main.screen [data-number]").first.get_attribute("data-number")
    press(page, f"Discard {number}…", "")
    until(lambda: page.find("main.screen [data-number]").count() == 1)
    assert "dead letters of ops" in press(page, "Discard all…", "")
    until(lambda: "Nothing was given up" in page.text("main.screen"))
    assert server.ask("GET", "deadletters?target=ops")["items"] == []
    press(page, "Pause")
    until(lambda: server.ask("GET", "targets/ops")["enabled"] is False)
    until(lambda: page.find("main.screen").get_by_role("button", name="Resume").is_visible())
    press(page, "Resume")
    until(lambda: server.ask("GET", "targets/ops")["enabled"])
    assert "24 hours" in press(page, "New secret…", "")
    until(lambda: page.is_shown(".once"))
    assert field(page, "Secret").input_value() != secret
    press(page, "I have written it down")
    press(page, "Remove…", "")
    until(lambda: "There are no targets" in page.text("main.screen") or "lamp" in page.text("main.screen .rows"))
    assert "ops" not in [each["name"] for each in server.ask("GET", "targets")["items"]]


def test_what_waits_for_a_target_is_run_by_hand(page, server):
    server.ask("POST", "targets", {"name": "siren", "kind": "log", "byHand": True})
    server.ask("POST", "targets/siren/test")
    page.open().sign_in()
    show(page, "targets", "of", "siren")
    until(lambda: "1 waiting" in page.text("main.screen [role=status]"))
    until(lambda: "It waits until the target is run by hand" in page.text("main.screen [data-number]"))
    press(page, "Run what waits")
    until(lambda: "nothing waits" in page.text("main.screen [role=status]"))
    server.ask("DELETE", "targets/siren")


def test_single_deliveries_are_listed_by_rule_and_state_with_their_attempts(page, server):
    server.ask("POST", "targets", {"name": "hook", "kind": "log"})
    asked = []

    def answer(route):
        query = dict(each.split("=") for each in route.request.url.partition("?")[2].split("&"))
        asked.append(query)
        start = int(query.get("cursor", 0))
        # A page in which nothing is of the rule, and another after it.
        if query.get("rule") == "rare" and start == 0:
            route.fulfill(json={"items": [], "nextCursor": "10000"})
            return
        items = [{"number": number, "rule": "sos/ops", "event": f"e{number}", "createdAt": "2026-11-28T10:00:00Z",
                  "attempts": number % 3, "nextAttemptAt": "2126-11-28T10:05:00Z",
                  **({"reason": "<img src=x onerror=alert(1)> answered 503"} if number % 3 else {})}
                 for number in range(start + 1, start + 101)]
        route.fulfill(json={"items": items, **({"nextCursor": str(start + 100)} if start < 200 else {})})
    page.tab.route("**/api/v1/targets/hook/deliveries/waiting?*", answer)
    page.open().sign_in()
    show(page, "targets", "of", "hook")
    until(lambda: page.find("main.screen [data-number]").count() == 50)
    first = page.text("main.screen [data-number='1']")
    assert "Tried 1 time, which failed: <img src=x onerror=alert(1)> answered 503" in first
    assert "Next attempt at 28 Nov 2126" in first and "By the rule sos/ops, event e1" in first
    assert "Not tried yet" in page.text("main.screen [data-number='3']")
    page.find("main.screen .pages").get_by_role("button", name="Next page").click()
    until(lambda: page.is_shown("main.screen [data-number='100']"))
    field(page, "Which").select_option("retrying")
    # The browser's requests are answered while the page is asked for something.
    until(lambda: page.is_shown("#deliveries-title") and asked[-1].get("state") == "retrying")
    field(page, "Of the rule").fill("rare")
    press(page, "Show")
    until(lambda: page.is_shown("main.screen [data-number='10001']") and asked[-1].get("rule") == "rare")
    assert asked[-2:] == [{"limit": "100", "rule": "rare", "state": "retrying"},
                          {"limit": "100", "rule": "rare", "state": "retrying", "cursor": "10000"}]
    page.tab.unroute_all()
    server.ask("DELETE", "targets/hook")


# Presses "Next page" so often, each time once the page before is there; the most rows that were drawn at once.
turn_pages = """async (count) => {
    const status = () => document.querySelector("main.screen .pages [role=status]")?.innerText ?? "";
    const rows = () => document.querySelectorAll("main.screen [data-number]").length;
    const next = () => document.querySelector("main.screen .pages button:last-of-type");
    const frame = () => new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)));
    const waited = async (isSo) => {
        for (const end = performance.now() + 60_000; !isSo(); await frame()) {
            if (performance.now() > end) { throw new Error(`the page stays at ${status()}`); }
        }
    };
    let most = 0;
    for (let turn = 0; turn < count; turn += 1) {
        const before = status();
        await waited(() => next()?.disabled === false);
        next().click();
        await waited(() => ![before, ""].includes(status()) && rows() > 0);
        most = Math.max(most, rows());
    }
    return most;
}"""


def test_ten_thousand_dead_letters_are_drawn_a_page_at_a_time(page, server):
    server.ask("POST", "targets", {"name": "full", "kind": "log"})

    def answer(route):
        cursor = route.request.url.partition("cursor=")[2]
        start = int(cursor or 0)
        items = [{"number": number + 1, "target": "full", "rule": "r", "event": f"e{number}", "attempts": 1,
                  "createdAt": "2026-11-28T10:00:00Z", "diedAt": "2026-11-28T10:00:00Z",
                  "reason": "<img src=x onerror=alert(1)> answered 400"} for number in range(start, start + 200)]
        route.fulfill(json={"items": items, **({"nextCursor": str(start + 200)} if start < 9800 else {})})
    page.tab.route("**/api/v1/deadletters?*", answer)
    page.open().sign_in()
    show(page, "targets", "of", "full")
    field(page, "Which").select_option("dead")
    until(lambda: page.find("main.screen [data-number]").count() == 50)
    last = page.find("main.screen .pages").get_by_role("button", name="Next page")
    last.click()
    until(lambda: page.text("main.screen .pages [role=status]").startswith("51 to 100 of "))
    # The rest is turned by the page itself: a press from outside takes long.
    assert page.script(turn_pages, 198) <= 50
    until(lambda: page.is_shown("main.screen [data-number='10000']"))
    until(lambda: "9,951 to 10,000 of 10,000" in page.text("main.screen .pages"))
    until(last.is_disabled)
    page.tab.unroute_all()
    server.ask("DELETE", "targets/full")


def test_a_replication_through_its_whole_life(page, server):
    page.open().sign_in()
    show(page, "replications", "new")
    field(page, "Name").fill("places/copy")
    field(page, "Copied from").fill("https://ann:geheim@couch.example/db")
    field(page, "Copied to").fill("copy")
    press(page, "Start")
    until(lambda: "Take the name and the password out" in page.text("main.screen form"))
    field(page, "Copied from").fill("lt_places")
    field(page, "Make the database that is copied to").check()
    press(page, "Start")
    until(lambda: rows(page) and "Runs" in rows(page)[0])
    assert "From lt_places to copy" in rows(page)[0]
    # One that fails says why, and is run again once the cause is gone.
    show(page, "replications", "new")
    field(page, "Name").fill("lost")
    field(page, "Copied from").fill("nowhere")
    field(page, "Copied to").fill("copy")
    press(page, "Start")
    until(lambda: any("Failed: there is no database nowhere" in row for row in rows(page)), seconds=60)
    requests.put(f"{server.address}/nowhere", auth=server.admin, timeout=60).raise_for_status()
    press(page, "Run lost again")
    until(lambda: any("lost" in row and "Runs" in row for row in rows(page)), seconds=60)
    # A password goes to the server alone.
    show(page, "replications", "new")
    field(page, "Name").fill("far")
    field(page, "Copied from").fill("http://127.0.0.1:9/db")
    field(page, "User there (from)").fill("ann")
    field(page, "Password there (from)").fill("geheim")
    field(page, "Copied to").fill("copy")
    press(page, "Start")
    until(lambda: any("Interrupted; tries again" in row for row in rows(page)), seconds=60)
    assert "geheim" not in page.script("() => document.documentElement.outerHTML")
    for name in ("far", "lost", "places/copy"):
        press(page, f"End {name}…", "")
        until(lambda: not any(name in row for row in rows(page)))
    until(lambda: "No replications" in page.text("main.screen"))
    assert requests.get(f"{server.address}/_scheduler/docs", auth=server.admin, timeout=60).json()["docs"] == []
