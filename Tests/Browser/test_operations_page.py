"""The operations as an admin and a leader use them: health, keys, data, gateways, reports, the audit log."""

import json
from datetime import datetime, timedelta, timezone

import pytest
import requests

from accessible import faults_of, texts_without_room
from live_page import LivePage
from live_server import circle, password, stamp, until
from operations_page import field, press, receiver, rows, server, show, south, west
from test_full_disk_page import fill, small_server

tag = "CB:B8:33:4C:88:4F"


def parts(page):
    return page.texts("main.screen .parts a")


def test_an_admin_finds_every_part_and_a_leader_those_of_their_role(page, server):
    page.open().sign_in()
    show(page)
    assert parts(page) == ["Health", "Rules", "Targets", "Keys", "Replications", "My data and devices", "Gateways",
                           "Refused reports", "Audit log"]
    page.find("#sign-out").click()
    page.sign_in("east-lead", password)
    show(page)
    assert parts(page) == ["Health", "Rules", "Keys", "My data and devices", "Gateways", "Audit log"]
    # A leader who knows the address is told that it is not for them, and nothing was asked of the server.
    asked = []
    page.tab.on("request", lambda request: asked.append(request.url))
    page.go("operations", "targets")
    until(lambda: "no such screen" in page.text("main.screen"))
    assert not [url for url in asked if "targets" in url]


def test_health_says_in_words_what_is_wrong_and_leads_there(page, server, receiver):
    receiver.status = 400
    server.ask("POST", "targets", {"name": "broken", "kind": "webhook", "url": receiver.address})
    server.ask("POST", "targets/broken/test")
    until(lambda: server.ask("GET", "deadletters?target=broken")["items"])
    page.open().sign_in()
    show(page, "health")
    until(lambda: rows(page))
    assert any("No backup was made yet" in row for row in rows(page))
    (row,) = [row for row in rows(page) if "1 delivery to broken was given up" in row]
    assert "send them again" in row
    assert "can store" not in page.text("main.screen .verdict") and "looked at" in page.text("main.screen .verdict")
    page.find("main.screen .finding").filter(has_text="broken").get_by_role("link").click()
    until(lambda: page.text("#targets-title") == "broken")
    show(page, "health")
    until(lambda: page.is_shown("main.screen .findings"))
    server.ask("DELETE", "targets/broken")
    page.reload()
    until(lambda: page.is_shown("main.screen .well") and not any("broken" in row for row in rows(page)))


def test_health_stays_readable_while_the_server_does_not_answer(page, server):
    page.open().sign_in("east-lead", password)
    show(page, "health")
    until(lambda: "All is well" in page.text("main.screen .verdict"))
    page.tab.route("**/api/v1/health", lambda route: route.fulfill(
        status=503, content_type="application/json",
        body=json.dumps({"status": "stalled", "stalled": [{"part": "writer", "waitingSeconds": 14}]})))
    page.reload()
    until(lambda: "Something is wrong now" in page.text("main.screen .verdict"))
    assert "Work stands still: writer (14 s)." in rows(page)[0]
    page.tab.unroute_all()
    page.faults()


def test_a_key_is_shown_once_works_and_is_revoked(page, server):
    page.open().sign_in("east-lead", password)
    show(page, "keys")
    assert not page.find("main.screen").get_by_label("Whose keys").count(), "a leader has their own alone"
    press(page, "Make the key")
    until(lambda: "Say what the key is for" in page.text("main.screen form"))
    field(page, "What it is for").fill("<b>gate</b> PC")
    press(page, "Make the key")
    until(lambda: page.is_shown(".once"))
    key = field(page, "API key").input_value()
    assert server.ask("GET", "session", token=key)["user"]["name"] == "east-lead"
    press(page, "I have written it down")
    until(lambda: rows(page))
    assert "<b>gate</b> PC" in rows(page)[0]
    assert key not in page.script("() => document.documentElement.outerHTML")
    press(page, "Revoke <b>gate</b> PC…", "")
    until(lambda: "No keys" in page.text("main.screen"))
    refused = requests.get(f"{server.address}/api/v1/session", headers={"Authorization": f"Bearer {key}"}, timeout=60)
    assert refused.status_code == 401


def test_an_admin_makes_an_aws_key_for_another_and_replaces_the_signing_key(page, server):
    page.open().sign_in()
    show(page, "keys")
    field(page, "Whose keys").fill("west-lead")
    press(page, "Show")
    until(lambda: "Keys of west-lead" in page.text("main.screen"))
    field(page, "What it is for").fill("importer")
    field(page, "Kind").select_option("aws")
    field(page, "How long it lasts").select_option("8")
    press(page, "Make the key")
    until(lambda: page.is_shown(".once"))
    assert all(field(page, label).input_value() for label in ("Access key id", "Secret access key", "Session token"))
    press(page, "I have written it down")
    until(lambda: "Ends" in "".join(rows(page)[:1]))
    (key,) = server.ask("GET", "keys?user=west-lead")["items"]
    assert key["kind"] == "aws"
    server.ask("DELETE", f"keys/{key['id']}")
    page.find("main.screen summary").filter(has_text="sign tokens").click()
    with page.answering() as asked:
        page.find("main.screen").get_by_role("button", name="Replace the key…").click()
    assert "cannot be undone" in asked[0]
    until(lambda: "The new key signs now" in page.text("main.screen"))
    # Whoever is signed in goes on.
    show(page, "audit")
    until(lambda: any("Key that signs tokens replaced" in row for row in rows(page)))


def test_own_datasets_and_devices_are_listed_and_removed(page, server):
    body = {"records": [{"key": "theme", "value": "dark", "syncCount": 0}]}
    requests.patch(f"{server.address}/api/v1/datasets/settings", json=body, auth=("east-lead", password), timeout=60
                   ).raise_for_status()
    page.open().sign_in("west-lead", password)
    show(page, "datasets")
    until(lambda: "You have no datasets" in page.text("main.screen"))
    press(page, "Send a test message")
    until(lambda: "no device to send it to" in page.text("main.screen"))
    page.find("#sign-out").click()
    page.sign_in("east-lead", password)
    show(page, "datasets")
    until(lambda: rows(page))
    assert "settings" in rows(page)[0] and "1 record" in rows(page)[0]
    assert "on all your devices" in press(page, "Delete settings…", "")
    until(lambda: "You have no datasets" in page.text("main.screen"))


def test_a_browser_of_ones_own_hears_of_a_dataset_and_is_removed(page, server, receiver):
    keys = {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg"}
    requests.post(f"{server.address}/api/v1/push/devices", auth=("east-lead", password), timeout=60, json={
        "platform": "webpush", "subscription": {"endpoint": f"{receiver.address}/push", "keys": keys},
    }).raise_for_status()
    requests.patch(f"{server.address}/api/v1/datasets/settings", auth=("east-lead", password), timeout=60, json={
        "records": [{"key": "theme", "value": "dark", "syncCount": 0}]}).raise_for_status()
    page.open().sign_in("east-lead", password)
    show(page, "datasets")
    tells = page.find("main.screen [data-name=settings]").get_by_role("checkbox")
    until(lambda: tells.count() == 1)
    for is_told in (True, False):
        tells.click()
        until(lambda: bool(requests.get(f"{server.address}/api/v1/push/devices", auth=("east-lead", password),
                                        timeout=60).json()["items"][0]["datasets"]) is is_told)
        until(lambda: tells.is_checked() is is_told)
    with page.answering() as asked:
        page.find("main.screen [data-id]").get_by_role("button").click()
    assert "register again" in asked[0]
    until(lambda: "None of your devices is sent messages" in page.text("main.screen"))


def hear(server, token, seconds=6):
    """A gateway hears the tag for so long."""
    now = datetime.now(timezone.utc)
    server.ask("POST", "sightings", {"listenedUntil": stamp(now), "sightings": [
        {"address": tag, "sampleTime": stamp(now - timedelta(seconds=ago)), "signalStrength": -55}
        for ago in range(seconds, 0, -1)]}, token)


def test_gateways_say_who_hears_what_and_a_leader_sees_the_own_team(page, server):
    server.ask("POST", "users", {"name": "gates", "role": "gateway"})
    server.ask("POST", "users/gates/devices", {"name": "porch"})
    server.ask("POST", "users/gates/devices", {"name": "unused"})
    token = server.ask("POST", "users/gates/devices/porch/token")["token"]
    server.ask("POST", "users/east-ann/devices", {"name": "badge", "beacon": tag})
    server.ask("POST", "users/west-ann/devices", {"name": "radio", "beacon": "!849ace3c"})
    porch = circle("porch", "Porch", west, south, 8)
    porch["properties"]["beacon"] = {"scanner": "gates/porch"}
    attic = circle("attic", "Attic", west, south, 8)
    attic["properties"]["beacon"] = {"scanner": "gates/unused"}
    server.ask("POST", "collections/east-site/regions", {"type": "FeatureCollection", "features": [porch, attic]})
    hear(server, token)
    page.open().sign_in()
    show(page, "gateways")
    for selector, expected in (("[data-region='east-site/porch']", ["east-ann/badge", "1 device is heard here"]),
                               ("[data-device='gates/porch']", ["Listens for: Porch", "heard"]),
                               ("[data-device='gates/unused']", ["never heard"])):
        until(lambda: all(words in page.text(f"main.screen {selector}") for words in expected))
    unheard = page.text("main.screen [data-region='east-site/attic']")
    assert "who is here is unknown" in unheard and "0 devices" not in unheard
    page.find("main.screen [data-device='gates/porch'] summary").click()
    until(lambda: "east-ann/badge" in page.text("main.screen [data-device='gates/porch'] .heard"))
    until(lambda: "radio, !849ace3c" in page.text("main.screen [data-device='west-ann/radio']"))
    page.find("#sign-out").click()
    page.sign_in("east-lead", password)
    show(page, "gateways")
    until(lambda: page.is_shown("main.screen [data-device='east-ann/badge']"))
    assert "west-ann" not in page.text("main.screen")


def test_a_report_that_could_not_be_read_is_shown_as_text(page, server):
    token = server.ask("POST", "users/east-ann/devices/phone/token")["token"]
    requests.post(f"{server.address}/owntracks", data=b'<script>alert("x")</script>', timeout=60,
                  headers={"Authorization": f"Bearer {token}"}).raise_for_status()
    page.open().sign_in()
    show(page, "reports")
    until(lambda: rows(page))
    assert "east-ann/phone" in rows(page)[0]
    page.find("main.screen [data-number] summary").first.click()
    until(lambda: '<script>alert("x")</script>' in page.text("main.screen [data-number]"))
    field(page, "Of whom").fill("west-ann")
    press(page, "Show")
    until(lambda: "No report was refused" in page.text("main.screen"))
    field(page, "Of whom").fill("nobody at all")
    press(page, "Show")
    until(lambda: page.is_shown("main.screen .fault"))
    page.faults()
    show(page, "health")
    until(lambda: any("1 report of a phone was refused" in row for row in rows(page)))


def test_the_audit_log_is_words_filtered_and_saved_and_a_leaders_is_of_the_team(page, server, tmp_path):
    server.ask("PUT", "users/west-ann/password", {"password": "another long password"})
    server.ask("PATCH", "users/east-ann", {"phone": "+47 22 99 88 77"})
    page.open().sign_in()
    show(page, "audit")
    until(lambda: any("Password set: of west-ann" in row for row in rows(page)))
    field(page, "What").fill("password set")
    until(lambda: rows(page) and all("Password set" in row for row in rows(page)))
    field(page, "Who").fill("somebody else")
    until(lambda: "Nothing that is loaded matches" in page.text("main.screen"))
    field(page, "Who").fill("admin")
    until(lambda: rows(page))
    with page.tab.expect_download() as saving:
        press(page, "Save as CSV")
    text = (saving.value.path()).read_text("utf-8-sig")
    head, *lines = text.splitlines()
    assert head == "time,sequence,author,device,by,type,words"
    assert len(lines) == len(rows(page)) and all("Password set" in line for line in lines)
    page.find("#sign-out").click()
    page.sign_in("east-lead", password)
    show(page, "audit")
    until(lambda: any("User east-ann" in row for row in rows(page)))
    assert not any("west-ann" in row or "west-lead" in row for row in rows(page))


def test_an_admin_hands_a_code_over_and_the_log_names_who_read_it(page, server):
    page.open().sign_in()
    show(page, "keys")
    page.find("main.screen summary").filter(has_text="Codes").click()
    press(page, "Show the codes")
    until(lambda: "Nobody waits for a code" in page.text("main.screen"))
    client = server.ask("GET", "cognito")["clientId"]
    requests.post(server.address, json={"ClientId": client, "Username": "west-lead"}, timeout=60, headers={
        "X-Amz-Target": "AWSCognitoIdentityProviderService.ForgotPassword",
        "Content-Type": "application/x-amz-json-1.1"}).raise_for_status()
    press(page, "Show the codes")
    until(lambda: page.is_shown("main.screen .codes [data-user='west-lead']"))
    assert server.ask("GET", "codes")["items"][0]["code"] in page.text("main.screen .codes")
    assert "forgot the password" in page.text("main.screen .codes")
    show(page, "audit")
    until(lambda: any("Code read, to hand it over" in row and "west-lead" in row for row in rows(page)))


@pytest.mark.parametrize("status, words", [
    (403, "You may not do this: Not you."), (409, "because of a conflict: Not you."),
    (413, "It is too large: Not you."), (400, "Not you."),
])
def test_a_refusal_is_said_in_words_and_the_form_stays(page, server, status, words):
    page.tab.route("**/api/v1/keys", lambda route: route.fulfill(
        status=status, json={"title": "No.", "status": status, "detail": "Not you."})
        if route.request.method == "POST" else route.fallback())
    page.open().sign_in()
    show(page, "keys")
    field(page, "What it is for").fill("refused")
    press(page, "Make the key")
    until(lambda: words in page.text("main.screen"))
    assert field(page, "What it is for").input_value() == "refused"
    page.tab.unroute_all()
    page.faults()


def end_session(page, server):
    """Another password ends every session of the admin; the page notices it with its next request."""
    server.ask("PUT", "users/admin/password", {"currentPassword": server.admin[1], "password": server.admin[1]})
    page.go("operations", "keys")
    until(lambda: page.is_shown("#sign-in"))
    page.script("() => { history.back(); }")
    page.faults()


def test_a_session_that_ends_loses_nothing_that_was_typed(page, server):
    page.open().sign_in()
    show(page, "rules", "new")
    field(page, "Name").fill("typed")
    field(page, "Pattern").fill('{"source": ["typed"]}')
    end_session(page, server)
    assert page.text("#sign-in-error") == (
        "Your session has ended. Sign in again as the same user: what you typed is kept.")
    page.sign_in()
    until(lambda: page.is_shown("main.screen form"))
    assert field(page, "Name").input_value() == "typed" and "typed" in field(page, "Pattern").input_value()

    def end_sessions(route):
        if route.request.method == "POST":
            server.ask("PUT", "users/admin/password", {"currentPassword": server.admin[1], "password": server.admin[1]})
        route.continue_()
    # The page must not notice it before the press.
    page.tab.route("**/api/v1/rules", end_sessions)
    press(page, "Save")
    until(lambda: page.is_shown("#sign-in"))
    page.tab.unroute("**/api/v1/rules")
    page.faults()
    page.sign_in()
    # The order waited for the same user, and went through once.
    until(lambda: [rule["name"] for rule in server.ask("GET", "rules")["items"]] == ["typed"], seconds=60)
    server.ask("DELETE", "rules/typed")


def test_an_order_waits_for_a_server_that_is_away_and_goes_through_once(page, server):
    server.ask("POST", "rules", {"name": "waits", "pattern": {"source": ["muster"]}})
    page.open().sign_in()
    show(page, "rules")
    until(lambda: rows(page))
    server.kill()
    press(page, "Switch waits off")
    until(lambda: "switch the rule waits off" in page.text(".pending"))
    server.start()
    until(lambda: server.ask("GET", "rules/waits")["enabled"] is False, seconds=60)
    until(lambda: "off" in page.text("main.screen .badge"))
    until(lambda: not page.is_shown(".pending li"))
    page.faults()
    server.ask("DELETE", "rules/waits")


def test_every_part_is_for_everybody(page, server):
    server.ask("POST", "rules", {"name": "r", "pattern": {"source": ["muster"]}, "description": "d"})
    server.ask("POST", "targets", {"name": "bell", "kind": "slack", "url": "http://127.0.0.1:9/x"})
    server.ask("POST", "targets/bell/test")
    server.ask("POST", "keys", {"label": "a key"})
    page.open().sign_in()
    found = []
    for part in (["health"], ["rules"], ["rules", "new"], ["rules", "test"], ["targets"], ["targets", "new"],
                 ["targets", "of", "bell"], ["keys"], ["replications"], ["replications", "new"], ["datasets"],
                 ["gateways"], ["reports"], ["audit"]):
        show(page, *part)
        until(lambda: "Loading" not in page.text("main.screen"))
        found += [f"{'/'.join(part)}: {fault}" for fault in faults_of(page)]
    assert not found, "\n".join(found)


def test_the_texts_of_every_part_fit_in_every_language(page, server):
    page.open().sign_in()
    found = []
    for language in ("es", "ja", "zh"):
        page.set_view(1280, 800)
        page.find("#language").select_option(language)
        until(lambda: page.script("() => document.documentElement.lang") == language)
        for part in (["health"], ["rules", "new"], ["targets", "new"], ["keys"], ["replications", "new"], ["datasets"],
                     ["gateways"], ["audit"]):
            show(page, *part)
            found += [f"{language} {'/'.join(part)}: {fault}" for fault in texts_without_room(page)]
    assert not found, "\n".join(found)


def test_a_full_disk_is_said_with_what_to_do_and_an_order_goes_through_once_there_is_room(context, small_server):
    fill(small_server)
    page = LivePage(context, small_server)
    try:
        page.open().sign_in()
        show(page, "health")
        until(lambda: any("The server stores nothing since" in row for row in rows(page)), seconds=60)
        assert "Make room" in rows(page)[0]
        show(page, "rules", "new")
        field(page, "Name").fill("kept")
        field(page, "Pattern").fill('{"source": ["muster"]}')
        press(page, "Save")
        until(lambda: "make the rule kept" in page.text(".pending"))
        (small_server.folder / "filler").unlink()
        until(lambda: not page.is_shown(".pending"), seconds=60)
        assert [rule["name"] for rule in small_server.ask("GET", "rules")["items"]] == ["kept"]
    finally:
        page.close()
