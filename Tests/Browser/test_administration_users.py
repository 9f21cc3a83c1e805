"""Users on the screen `administration`: made, found, changed by two admins at once, given a password, joined, removed;
and what leaders of two teams see of each other."""

from datetime import datetime, timezone

import boto3
import pytest
import requests
from botocore.config import Config

from administration_page import Administration, screen, two_teams
from live_page import LivePage
from live_server import LiveServer, password, until


@pytest.fixture(scope="module")
def leaders(server):
    return two_teams(server, "mill")


def report_by_aws(server, team, device):
    """A tag that an AWS client reports for: the server makes a user that stands for it."""
    key = server.ask("POST", "keys", {"kind": "aws", "label": "tags"})
    client = boto3.client(
        "location", endpoint_url=server.address, region_name="us-east-1", aws_access_key_id=key["accessKeyId"],
        aws_secret_access_key=key["secretAccessKey"], config=Config(inject_host_prefix=False))
    client.batch_update_device_position(TrackerName=team, Updates=[
        {"DeviceId": device, "SampleTime": datetime.now(timezone.utc), "Position": [10.7, 59.9]}])


def may_sign_in(server, name, secret):
    answer = requests.post(f"{server.address}/api/v1/session", json={"name": name, "password": secret}, timeout=60)
    return answer.status_code == 201 or answer.status_code == 200


def test_a_user_is_made_refused_changed_and_removed(screen, server, leaders):
    screen.open("people", user=server.admin).press("Add a user…")
    screen.field("Name").fill("no good name")
    screen.field("Telephone").fill("x")
    screen.press("Create").shows("Needs 1 to 64 letters")
    assert "Needs digits" in screen.dialog and screen.field("Name").input_value() == "no good name"
    assert screen.page.script("() => document.activeElement.getAttribute('aria-invalid')") == "true"
    screen.refused(422)
    screen.field("Name").fill("mill-east-ann")
    screen.field("Telephone").fill("+34 985 555 010")
    screen.press("Create").shows("mill-east-ann already exists")
    screen.refused(409)
    screen.field("Name").fill("mill-zoe")
    screen.field("Team").select_option("mill-east")
    screen.press("Create").shows("Member, mill-east")
    assert server.ask("GET", "users/mill-zoe") == {
        "name": "mill-zoe", "role": "member", "team": "mill-east", "phone": "+34 985 555 010"}

    screen.field("Role").select_option("leader")
    screen.field("Telephone").fill("")
    screen.press("Save").shows("Leader, mill-east")
    assert server.ask("GET", "users/mill-zoe") == {"name": "mill-zoe", "role": "leader", "team": "mill-east"}

    screen.press("Remove this user…").shows("Their devices, positions, keys")
    assert "cannot be undone" in screen.dialog
    screen.press("Cancel").hides("cannot be undone")
    screen.press("Remove this user…").press("Remove")
    until(lambda: "mill-east-ann" in screen.rows())
    assert "mill-zoe" not in screen.rows()


def test_who_is_in_no_team_is_said_to_be_on_no_roll(screen, server, leaders):
    server.ask("POST", "users", {"name": "mill-lone", "role": "member"})
    in_no_team = [user["name"] for user in server.ask("GET", "users?inNoTeam=true&limit=1000")["items"]]
    assert "mill-lone" in in_no_team and "mill-east-ann" not in in_no_team and "admin" not in in_no_team
    page = screen.page
    page.open().sign_in()
    # The list of people tells an admin, and leads to who they are.
    until(lambda: "on no roll, and no leader sees them" in page.text("#in-no-team"))
    page.find("#in-no-team a").click()
    until(lambda: screen.rows() == sorted(in_no_team))
    screen.field("Team").select_option("")
    until(lambda: "mill-east-ann" in screen.rows())
    page.find("#in-no-team button").click()
    until(lambda: screen.rows() == sorted(in_no_team))

    # The form says it while no team is chosen, and the person's page until there is one.
    screen.press("Add a user…").shows("this person is on no roll")
    screen.field("Team").select_option("mill-east")
    until(lambda: not page.is_shown("dialog .no-roll"))
    screen.field("Team").select_option("")
    screen.field("Role").select_option("analyst")
    until(lambda: not page.is_shown("dialog .no-roll"))
    screen.press("Discard what was typed").press("Cancel")
    screen.go("people", "mill-lone").shows("this person is on no roll")
    screen.field("Team").select_option("mill-east")
    screen.press("Save").shows("Member, mill-east")
    assert not page.is_shown(".no-roll")
    server.ask("DELETE", "users/mill-lone")


def test_a_password_is_made_shown_once_and_signs_in(screen, server, leaders):
    server.ask("POST", "users", {"name": "mill-pat", "role": "member", "team": "mill-east"})
    screen.open("people", "mill-pat", user=server.admin).press("New password…")
    made = screen.field("New password").input_value()
    screen.field("New password").fill("short")
    screen.press("Set the password").shows("Needs at least 8 characters.")
    screen.field("New password").fill(made)
    screen.press("Set the password").shows("shown only now")
    assert screen.secret() == made and may_sign_in(server, "mill-pat", made)
    screen.press("Close").hides("shown only now")
    assert made not in screen.page.script("() => document.documentElement.outerHTML + JSON.stringify("
                                          "[{...sessionStorage}, {...localStorage}, location.href])")
    # Another one, by the page: the one before is over.
    screen.press("New password…").press("Set the password").shows("shown only now")
    assert screen.secret() != made
    assert not may_sign_in(server, "mill-pat", made) and may_sign_in(server, "mill-pat", screen.secret())


def test_several_invitations_are_withdrawn_at_once(screen, server, leaders):
    for name in ("mill-i1", "mill-i2", "mill-i3"):
        server.ask("POST", "users", {"name": name, "role": "member", "team": "mill-east"})
        server.ask("POST", "links", {"kind": "invitation", "user": name, "expiresSeconds": 3600})
    screen.open("invitations", user=server.admin)
    until(lambda: {"mill-i1", "mill-i2", "mill-i3"} <= set(screen.rows()))
    for name in ("mill-i1", "mill-i3"):
        screen.field(f"Choose the invitation for {name}").check()
    screen.press("Withdraw 2 invitations…").shows("The links end at once")
    assert "mill-i1, mill-i3" in screen.dialog
    screen.press("Withdraw")
    until(lambda: "mill-i1" not in screen.rows() and "mill-i3" not in screen.rows())
    assert "mill-i2" in screen.rows()
    open_links = [link["user"] for link in server.ask("GET", "links")["items"] if link["kind"] == "invitation"]
    assert "mill-i2" in open_links and not {"mill-i1", "mill-i3"} & set(open_links)


def test_what_another_admin_changed_meanwhile_is_said_and_not_lost(screen, server, leaders):
    server.ask("POST", "users", {"name": "mill-two", "role": "member", "team": "mill-east", "phone": "+34 1 111"})
    screen.open("people", "mill-two", user=server.admin)
    screen.field("Telephone").fill("+34 2 222")
    # Another field of the same user: both changes stand.
    server.ask("PATCH", "users/mill-two", {"email": "two@example.org"})
    screen.press("Save")
    until(lambda: server.ask("GET", "users/mill-two").get("phone") == "+34 2 222")
    assert server.ask("GET", "users/mill-two")["email"] == "two@example.org"
    # The same field: it is said what the other wrote, before that is replaced.
    until(lambda: screen.field("E-mail").input_value() == "two@example.org")
    screen.field("Telephone").fill("+34 3 333")
    server.ask("PATCH", "users/mill-two", {"phone": "+34 4 444"})
    screen.press("Save").shows("Now on the server: +34 4 444")
    assert "Somebody else changed this meanwhile" in screen.text
    assert screen.field("Telephone").input_value() == "+34 3 333"
    assert server.ask("GET", "users/mill-two")["phone"] == "+34 4 444"
    screen.press("Save")
    until(lambda: server.ask("GET", "users/mill-two")["phone"] == "+34 3 333")


def test_what_was_typed_outlasts_a_session_that_ends(screen, server, leaders):
    server.make_user("mill-boss", "admin")
    screen.open("people", "mill-east-ann", user=("mill-boss", password))
    screen.field("E-mail").fill("ann@example.org")
    # Somebody sets the password anew, which ends the session.
    server.ask("PUT", "users/mill-boss/password", {"password": password})
    screen.press("Save")
    until(lambda: screen.page.is_shown("#sign-in"))
    screen.page.try_to_sign_in("mill-boss", password)
    # What was pressed goes through by itself, once.
    until(lambda: server.ask("GET", "users/mill-east-ann").get("email") == "ann@example.org", 60)
    screen.refused(401)


def test_a_server_that_is_gone_is_waited_for(screen, server, leaders):
    screen.open("people", "mill-west-ann", user=server.admin)
    screen.field("E-mail").fill("west@example.org")
    server.kill()
    try:
        screen.press("Save")
        until(lambda: "Waiting for the server" in screen.page.text(".pending"))
    finally:
        server.start()
    until(lambda: server.ask("GET", "users/mill-west-ann").get("email") == "west@example.org", 60)
    until(lambda: not screen.page.is_shown(".pending"), 60)
    screen.page.faults()


@pytest.mark.parametrize("status, words", [
    (403, "You may not do this: the server's reason"), (409, "because of a conflict: the server's reason"),
    (413, "It is too large: the server's reason"), (404, "It is no longer there, or you may not see it."),
    (412, "Somebody else changed it meanwhile: the server's reason"),
])
def test_each_refusal_is_said_with_what_to_do_and_loses_nothing(screen, server, leaders, status, words):
    screen.open("people", "mill-west-ann", user=server.admin)
    screen.field("E-mail").fill("typed@example.org")
    screen.page.tab.route("**/users/mill-west-ann", lambda route: route.fulfill(
        status=status, json={"detail": "the server's reason"}) if route.request.method == "PATCH"
        else route.continue_())
    screen.press("Save").shows(words)
    assert screen.field("E-mail").input_value() == "typed@example.org"
    screen.refused(status)


@pytest.mark.parametrize("status", [429, 503, 507])
def test_a_server_that_takes_nothing_now_is_asked_again_until_it_does(screen, server, leaders, status):
    screen.open("people", "mill-west-ann", user=server.admin)
    screen.field("E-mail").fill(f"typed-{status}@example.org")
    refusals, is_full = [], [True]

    def refuse(route):
        if route.request.method != "PATCH" or not is_full:
            route.continue_()
            return
        refusals.append(route)
        route.fulfill(status=status, json={"detail": "full"}, headers={"Retry-After": "1"})
    screen.page.tab.route("**/users/mill-west-ann", refuse)
    screen.press("Save")
    until(lambda: "Waiting for the server" in screen.page.text(".pending") and len(refusals) >= 2)
    is_full.clear()
    until(lambda: not screen.page.is_shown(".pending"), 60)
    until(lambda: server.ask("GET", "users/mill-west-ann").get("email") == f"typed-{status}@example.org")
    screen.refused(status)


def test_an_id_that_is_a_person_is_joined_to_them(screen, server, leaders):
    report_by_aws(server, "mill-east", "mill-tag-7")
    screen.open("people", "mill-tag-7", user=server.admin).press("Is somebody else…")
    screen.field("The other user").fill("nobody-of-this-name")
    screen.press("Join").shows("There is no such user")
    screen.refused(400, 422)
    screen.field("The other user").fill("mill-east-ann")
    screen.press("Join").shows("also known as mill-tag-7")
    assert requests.get(f"{server.address}/api/v1/users/mill-tag-7", auth=server.admin, timeout=60).status_code == 404


def test_hostile_texts_are_texts(screen, server, leaders):
    crew = "<img src=x onerror=\"document.title='owned'\"> \u202eevil " + "x" * 40
    server.ask("POST", "teams/mill-east/crews", {"name": crew.replace("\u202e", "")})
    server.ask("POST", "users", {"name": "mill-" + "long" * 14, "role": "member", "team": "mill-east",
                                 "crew": crew.replace("\u202e", "")})
    screen.open("people", user=server.admin).shows("<img src=x")
    screen.field("Search").fill("onerror")
    until(lambda: len(screen.rows()) == 1)
    screen.page.set_view(390, 844)
    assert not screen.page.script("() => document.documentElement.scrollWidth > innerWidth")
    assert screen.page.find(".administration img").count() == 0 and "owned" not in screen.page.title


def test_leaders_of_two_teams_see_their_own_and_may_what_the_api_lets_them(browsers, server, leaders):
    server.ask("POST", "teams/mill-east/crews", {"name": "Engine 1"})
    for (name, secret), own, other in ((leaders[0], "mill-east", "mill-west"), (leaders[1], "mill-west", "mill-east")):
        context = browsers.context(with_webgl=False)
        try:
            page = LivePage(context, server)
            screen = Administration(page).open("people", user=(name, secret))
            until(lambda: f"{own}-ann" in screen.rows())
            assert screen.parts == ["Users", "Invitations", "Teams", "Crews", "Devices", "Export"]
            assert all(row.startswith(own) or row.startswith("mill-") and other not in row for row in screen.rows())
            assert "Add a user…" not in screen.text
            screen.go("devices")
            until(lambda: f"{own}-ann/phone" in screen.rows())
            assert other not in screen.text
            screen.go("teams").shows("Settings")
            assert page.text("#team-title") == own and "Close a real incident" not in screen.text
            assert "Remove this team…" not in screen.text
            # Of one of their own: the crew, the phones, an invitation; no role, password or removal.
            screen.go("people", f"{own}-ann").shows("Set up a phone…")
            assert "Invite by a link…" in screen.text
            for absent in ("Role", "New password…", "Remove this user…"):
                assert absent not in screen.text
            # What is another team's is as if it did not exist, also by its address.
            page.faults()
            screen.go("people", f"{other}-ann").shows("It is no longer there, or you may not see it.")
            screen.go("teams", other).shows("It is no longer there, or you may not see it.")
            screen.go("import").shows("There is no such screen, or it is not for you.")
            assert f"{other}-lead" not in screen.text
            screen.refused(404)
        finally:
            context.close()


def test_a_leader_puts_a_member_into_a_crew_and_changes_the_own_password(screen, server, leaders):
    server.ask("POST", "teams/mill-west/crews", {"name": "Engine 9"})
    screen.open("people", "mill-west-ann", user=leaders[1])
    screen.field("Crew").fill("Engine 8")
    screen.press("Save").shows("The team has no such crew.")
    screen.refused(400, 422)
    screen.field("Crew").fill("Engine 9")
    screen.press("Save").shows("Member, mill-west, Engine 9")
    screen.go("people", "mill-west-lead").shows("Change my password…")
    screen.press("Change my password…")
    screen.field("Current password").fill("wrong")
    screen.field("New password").fill("another long password")
    screen.press("Set the password").shows("This is not the current password.")
    screen.refused(400, 422)
    screen.field("Current password").fill(password)
    screen.press("Set the password")
    until(lambda: may_sign_in(server, "mill-west-lead", "another long password"))
    # That ends the session here, too. Once the page is loaded anew, nothing that was asked before is refused any more.
    until(lambda: screen.page.is_shown("#sign-in"), 60)
    screen.page.reload()
    until(lambda: screen.page.is_shown("#sign-in"))
    screen.refused(401)


def test_ten_thousand_users_are_found_a_hundred_at_a_time_and_led_through_a_drill(browsers, tmp_path):
    server = LiveServer(tmp_path)
    server.start()
    context = browsers.context(with_webgl=False)
    try:
        table = "name,team\n" + "".join(f"user-{number:05},big\n" for number in range(10_000))
        answer = requests.post(f"{server.address}/api/v1/user-imports?makeTeams=true", data=table, auth=server.admin,
                               headers={"Content-Type": "text/csv"}, timeout=60)
        assert answer.status_code == 201
        page = LivePage(context, server)
        screen = Administration(page).open("people", user=server.admin)
        screen.shows("10,001 found, 100 shown", 60)
        assert len(screen.rows()) == 100
        screen.press("Show more").shows("10,001 found, 200 shown")
        screen.field("Search").fill("user-0999")
        until(lambda: len(screen.rows()) == 10)
        assert screen.rows()[0] == "user-09990"
        screen.field("Search").fill("")
        screen.shows("10,001 found, 200 shown")
        lead_a_drill_of_ten_thousand(page, server)
    finally:
        context.close()
        server.stop()


def lead_a_drill_of_ten_thousand(page, server):
    """Their roll counts everybody and draws those in sight."""
    number = server.ask("POST", "teams/big/incidents", {"kind": "drill"})["number"]
    page.open(f"#/incident/{number}")
    until(lambda: page.texts(".incident-counts dd") == ["0", "0", "10,000", "10,000"], 120)
    # A row for each of them, and one for those who have no crew.
    assert page.find("#roll").get_attribute("aria-rowcount") == "10001"

    def drawn():
        return page.texts("#roll .roll-row .name")
    until(lambda: "user-00000" in "".join(drawn()))
    assert len(drawn()) < 100
    page.script("() => { const list = document.querySelector('#roll'); list.scrollTop = list.scrollHeight; }")
    until(lambda: "user-09999" in "".join(drawn()))
    assert len(drawn()) < 100
    server.ask("POST", "users/user-09999/declarations", {"kind": "safe"})
    until(lambda: page.texts(".incident-counts dd") == ["1", "0", "9,999", "10,000"])
    server.ask("POST", f"incidents/{number}/close", {"reason": "the test is over"})
    until(lambda: page.find(".incident[data-open]").count() == 0)
