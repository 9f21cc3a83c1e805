"""Links, a right without an account: each kind through its life, and attacked.

A link shows what it is for and nothing else, by no other route, feed or protocol; it is dead at its second, when it is
withdrawn, and with its giver's right; its token is in no log line and no answer but the first.
"""

import base64
import json
import re
import secrets
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from link_town import Town, audited, is_over, password
from muster_process import MusterProcess, run
from native_api import NativeApi, fix, milliseconds, now
from waiting import eventually


@pytest.fixture
def town(make_server):
    return Town(make_server().start())


@pytest.fixture(scope="module")
def shared_town(server):
    town = Town(server)
    # The shortest one: the last test looks at its end.
    town.shortest = town.give("person", user="sam", seconds=60)
    return town


# MARK: What each kind shows and does


def test_a_person_is_shown_with_state_and_place_and_nothing_else(shared_town):
    link, made = shared_town.give("person", user="sam", note="for his wife")
    assert made["user"] == "sam" and made["createdBy"] == "sue" and "/console/share/#" in made["url"]
    response = link.send("GET", "/shared")
    shown = response.json()
    assert set(shown) == {"kind", "expiresTime", "person", "asOf", "serverTime"}
    person = shown["person"]
    assert set(person) <= {
        "name", "state", "since", "source", "doubt", "showsSafety", "lastHeard", "position"}
    assert person["name"] == "sam" and person["state"] in ("safe", "unsafe", "unknown")
    place = person["position"]
    assert (place["latitude"], place["longitude"], place["accuracy"]) == (52.505, 13.405, 4)
    assert set(place) == {"latitude", "longitude", "accuracy", "sampleTime"}
    assert response.headers["Cache-Control"] == "no-store" and response.headers["Referrer-Policy"] == "no-referrer"
    assert "7700" not in response.text and "south" not in response.text
    # A link shows whether a person is safe only while the person's team has an incident.
    assert person["showsSafety"] is False
    number = shared_town.start()
    assert eventually(lambda: link.ok("GET", "/shared")["person"]["showsSafety"])
    shared_town.sue.ok("POST", f"/incidents/{number}/close", {"reason": "over"})


def test_an_incident_is_shown_as_its_roll_without_numbers_to_call(town):
    number = town.start()
    assert "phone" in town.sue.send("GET", f"/incidents/{number}").text
    link, _ = town.give("incident", incident=number)
    response = link.send("GET", "/shared")
    shown = response.json()
    assert shown["team"] == "south"
    incident = shown["incident"]
    assert incident["number"] == number and incident["note"] == "fire in the hall" and incident["counts"]["people"] == 3
    assert {person["name"] for person in incident["roll"]} == {"sue", "sam", "mia"}
    for person in incident["roll"]:
        assert set(person) <= {"name", "crew", "state", "since", "source", "doubt", "accounted", "checking"}
    [yard] = incident["regions"]["features"]
    assert yard["properties"] == {"name": "The yard"} and "id" not in yard
    assert "7700" not in response.text and "phone" not in response.text
    town.sue.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    assert eventually(lambda: link.ok("GET", "/shared")["incident"].get("closedTime"))


def test_a_visitor_enters_once_and_only_while_an_incident_is_open(town):
    link, made = town.give("visitors", team="south")
    assert "/console/visit/#" in made["url"] and made["state"] == "safe"
    assert link.ok("GET", "/shared")["incident"] is None
    vera = {"id": "a1", "name": "Vera Visitor", "note": "came by bus"}
    refusal = link.refused(409, "POST", "/shared/visitors", vera)
    assert "no incident" in refusal["detail"]
    number = town.start()
    # An answer serves for a second.
    shown = eventually(lambda: link.ok("GET", "/shared")["incident"])
    assert shown == {"number": number, "kind": "drill"}
    first = link.ok("POST", "/shared/visitors", vera)
    assert first["name"] == "Vera Visitor"
    assert link.ok("POST", "/shared/visitors", vera) == first
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(
            lambda _: link.ok("POST", "/shared/visitors", {"id": "b2", "name": "Walt"}), range(8)))
    assert len({answer["time"] for answer in answers}) == 1
    roll = [person for person in town.sue.ok("GET", f"/incidents/{number}")["roll"] if person["visitor"]]
    assert [(person["user"], person["state"]) for person in roll] == [("Vera Visitor", "safe"), ("Walt", "safe")]
    assert roll[0]["note"] == "entered by a link: came by bus"
    # The giver of the link marked nobody.
    assert roll[0]["source"] == "ownDeclaration" and "markedBy" not in roll[0] and "mark" not in roll[0]
    for body in ({"id": "c", "name": " "}, {"id": "c", "name": "a\nb"}, {"id": "", "name": "x"}, {"name": "x"},
                 {"id": "c", "name": "x" * 201}, {"id": "c", "name": "x", "note": "n" * 501},
                 {"id": "c", "name": "x", "state": "safe"}):
        link.refused(422, "POST", "/shared/visitors", body)
    link.refused(413, "POST", "/shared/visitors", raw="x" * 20_000, headers={"Content-Type": "application/json"})
    assert audited(town.sue) == 2 * [("linkUsed", "sue", "visitors")] + [("linkMade", "sue", "visitors")]
    # Where nobody sees them enter, they are not safe yet.
    unseen, _ = town.give("visitors", team="south", state="unaccounted")
    unseen.ok("POST", "/shared/visitors", {"id": "a1", "name": "Ulla"})
    ulla = town.sue.ok("GET", f"/incidents/{number}")["roll"][-1]
    assert ulla["user"] == "Ulla" and not ulla["accounted"]


def test_a_visitor_counts_once_also_across_a_crash(town):
    number = town.start()
    link, _ = town.give("visitors", team="south")
    first = link.ok("POST", "/shared/visitors", {"id": "a1", "name": "Vera"})
    town.server.kill()
    town.server.start()
    assert link.ok("POST", "/shared/visitors", {"id": "a1", "name": "Vera"}) == first
    roll = town.sue.ok("GET", f"/incidents/{number}")["roll"]
    assert [person["user"] for person in roll if person["visitor"]] == ["Vera"]


def test_visitors_cannot_fill_a_roll_in_a_second(town):
    town.start()
    link, _ = town.give("visitors", team="south")
    statuses, refused = [], []
    with ThreadPoolExecutor(4) as pool:
        # A slow machine gives some back before they are used up.
        while not refused and len(statuses) < 1_000:
            statuses += pool.map(
                lambda index: link.send("POST", "/shared/visitors", {"id": f"v{index}", "name": f"v{index}"}),
                range(len(statuses), len(statuses) + 50))
            refused = [answer for answer in statuses if answer.status_code == 429]
    assert refused and all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
    assert {answer.status_code for answer in statuses} == {201, 429}


def test_an_invitation_is_used_once_and_ends_the_sessions_from_before(town):
    town.admin.ok("PUT", "/users/sam/password", {"password": password, "keep": ["device-tokens"]})
    nobody = NativeApi(town.server.address)
    session = nobody.ok("POST", "/session", {"name": "sam", "password": password})["accessToken"]
    link, made = town.give("invitation", by=town.admin, user="sam")
    assert "/console/invite/#" in made["url"]
    shown = link.ok("GET", "/shared")
    assert shown["user"] == "sam" and shown["team"] == "south"
    link.refused(422, "POST", "/shared/password", {"password": "short"})
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(
            lambda index: link.send("POST", "/shared/password", {"password": f"a new password {index}"}), range(6)))
    assert sorted(answer.status_code for answer in answers) == [204] + 5 * [401]
    won = [index for index, answer in enumerate(answers) if answer.status_code == 204][0]
    assert is_over(link)
    assert nobody.send("GET", "/session", token=session).status_code == 401
    assert nobody.send("POST", "/session", {"name": "sam", "password": password}).status_code == 401
    nobody.ok("POST", "/session", {"name": "sam", "password": f"a new password {won}"})
    # The phone goes on reporting: nobody stole anything.
    town.phones["sam"].ok("POST", "/positions", fix(52.505, 13.405, now()))


def test_a_leader_invites_members_who_cannot_sign_in_yet_and_nobody_else(town):
    town.admin.make_user("lou", "leader", "south")
    invited, _ = town.give("invitation", user="mia")
    for body, status in (({"user": "lou"}, 403), ({"user": "sue"}, 403), ({"user": "admin"}, 422),
                         ({"user": "ned"}, 422), ({"user": "none"}, 422)):
        town.sue.refused(status, "POST", "/links", {"kind": "invitation", "expiresSeconds": 600, **body})
    town.admin.ok("PUT", "/users/mia/password", {"password": password})
    # She can sign in by now: a leader may not reset passwords, nor may an invitation from before.
    assert is_over(invited)
    refusal = town.sue.refused(409, "POST", "/links", {"kind": "invitation", "user": "mia", "expiresSeconds": 600})
    assert "admin" in refusal["detail"]


# MARK: What ends a link


def test_a_withdrawn_link_is_dead_at_once_also_after_a_restart(town):
    link, made = town.give("person", user="sam")
    other, _ = town.give("person", user="mia")
    path = f"/links/{made['link']}"
    assert link.send("GET", "/shared").status_code == 200
    town.nora.refused(404, "DELETE", path)
    town.sue.ok("DELETE", path)
    assert is_over(link)
    town.sue.refused(404, "DELETE", path)
    town.server.stop()
    town.server.start()
    assert is_over(link)
    assert other.ok("GET", "/shared")["person"]["name"] == "mia"


@pytest.mark.parametrize("end", [
    ("PATCH", "/users/sue", {"role": "member"}), ("DELETE", "/users/sue", None),
    ("PATCH", "/users/sam", {"team": "north"}), ("DELETE", "/users/sam", None),
    ("PUT", "/users/sue/password", {"password": password}),
], ids=lambda end: f"{end[0]} {end[1]}")
def test_a_link_ends_with_its_givers_right(town, end):
    link, _ = town.give("person", user="sam")
    assert link.send("GET", "/shared").status_code == 200
    town.admin.ok(*end)
    assert is_over(link)
    town.server.kill()
    town.server.start()
    assert is_over(link)


def test_only_so_many_links_are_open_at_once(town):
    made = [town.give("person", user="sam")[1]["link"] for _ in range(100)]
    town.sue.refused(409, "POST", "/links", {"kind": "person", "user": "sam", "expiresSeconds": 60})
    assert [each["link"] for each in town.sue.items("/links?limit=7")] == made[::-1]
    page = town.sue.ok("GET", "/links?limit=7")
    assert len(page["items"]) == 7
    rest = town.sue.ok("GET", f"/links?limit=1000&cursor={page['nextCursor']}")
    assert [each["link"] for each in page["items"] + rest["items"]] == made[::-1] and "nextCursor" not in rest
    town.sue.ok("DELETE", f"/links/{made[0]}")
    town.give("person", user="sam")


# MARK: Attacks


def readable(town, incident):
    """Every path of every protocol that GET reads, about sam and his team."""
    values = {
        "user": "sam", "account": "sam", "device": "phone", "team": "south", "tracker": "south", "collection": "south",
        "region": "south-yard", "person": "sam", "db": "_users", "incident": str(incident)}
    for template, methods in town.admin.ok("GET", "/openapi.json")["paths"].items():
        if "get" in methods and not template.endswith("/shared"):
            yield re.sub(r"{(\w+)[.]*}", lambda each: values.get(each[1], "1"), template)


def test_no_other_route_or_feed_takes_the_token_of_a_link(town):
    incident = town.start()
    links = [town.give("person", user="sam")[0], town.give("incident", incident=incident)[0],
             town.give("visitors", team="south")[0], town.give("invitation", by=town.admin, user="sam")[0]]
    paths = sorted(set(readable(town, incident)))
    assert len(paths) > 80
    shown, nobody = 0, NativeApi(town.server.address)
    for link in links:
        token = link.token
        basic = base64.b64encode(f"sam:{token}".encode()).decode()
        asked = [(path, {"Authorization": f"Bearer {token}"}) for path in paths]
        asked += [(path, {"Cookie": f"AuthSession={token}"}) for path in paths if path.endswith(("/live", "_session"))]
        # As a password it is a wrong one, and wrong ones are slowed down.
        asked += [(path, {"Authorization": f"Basic {basic}"}) for path in ("/api/v1/changes", "/_session")
                  if link is links[0]]
        for path, way in asked:
            unknown = {name: value.replace(token, "ms_" + "A" * 43) for name, value in way.items()}
            with nobody.send("GET", "/" + path, headers=unknown, stream=True) as answer:
                expected = answer.status_code
            with nobody.send("GET", "/" + path, headers=way, stream=True) as answer:
                # As an unknown token: refused, or shown what is shown to everyone.
                assert answer.status_code == expected, path
                if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                    assert answer.status_code != 200, path
                    continue
                shown += answer.status_code == 200
                assert "52.505" not in answer.text and "fire in the hall" not in answer.text, path
    assert shown
    # Nor by a query, nor for what another kind is for, nor to make, list or withdraw links.
    for link in links:
        NativeApi(link.address).refused(401, "GET", f"/shared?token={link.token}")
        link.refused(401, "GET", "/links")
        link.refused(401, "POST", "/links", {"kind": "person", "user": "sam", "expiresSeconds": 60})
    for link, path in ((links[0], "visitors"), (links[1], "visitors"), (links[2], "password"), (links[0], "password")):
        link.refused(404, "POST", f"/shared/{path}", {"id": "1", "name": "x", "password": password})


def test_guesses_are_slowed_down_and_lock_nobody_out(town):
    link, _ = town.give("person", user="sam")
    guesses = [NativeApi(town.server.address, "ms_" + secrets.token_urlsafe(32)).send("GET", "/shared")
               for _ in range(30)]
    assert guesses[0].status_code == 401 and guesses[-1].status_code == 429
    assert int(guesses[-1].headers["Retry-After"]) >= 1
    # What is no token of a link is no guess of one.
    for text in ("ms_short", "mk_" + "A" * 43, "x" * 5000, "ms_" + "A" * 44):
        NativeApi(town.server.address, text).refused(401, "GET", "/shared")
    for cut in (link.token[:-1], link.token.lower(), link.token + "A"):
        assert NativeApi(town.server.address, cut).send("GET", "/shared").status_code in (401, 429)
    assert link.send("GET", "/shared").status_code == 200
    assert town.sue.send("GET", "/users").status_code == 200


def test_an_answer_that_has_not_changed_is_304(town):
    link, _ = town.give("person", user="sam")
    first = link.send("GET", "/shared")
    tag = first.headers["ETag"]
    same = link.send("GET", "/shared", headers={"If-None-Match": tag})
    assert same.status_code == 304 and not same.content and same.headers["Cache-Control"] == "no-store"
    town.phones["sam"].ok("POST", "/positions", fix(52.506, 13.405, now()))

    def asked():
        answer = link.send("GET", "/shared", headers={"If-None-Match": tag})
        return answer if answer.status_code == 200 else None

    changed = eventually(asked)
    assert changed.json()["person"]["position"]["latitude"] == 52.506
    # A link that is over is not "unchanged".
    town.sue.ok("DELETE", f"/links/{town.sue.items('/links')[0]['link']}")
    assert link.send("GET", "/shared", headers={"If-None-Match": changed.headers["ETag"]}).status_code == 401


def test_the_token_is_in_no_log_no_list_and_no_audit(tmp_path):
    with MusterProcess(tmp_path, ["--log-level", "trace"]) as server:
        town = Town(server)
        incident = town.start()
        given = [town.give("person", user="sam"), town.give("incident", incident=incident),
                 town.give("visitors", team="south"), town.give("invitation", user="mia")]
        given[2][0].ok("POST", "/shared/visitors", {"id": "1", "name": "Vera"})
        given[3][0].ok("POST", "/shared/password", {"password": password})
        town.sue.ok("DELETE", f"/links/{given[0][1]['link']}")
        for link, _ in given:
            link.send("GET", "/shared")
        said = [json.dumps(town.admin.items(path)) for path in ("/links", "/audit")]
        said.append(json.dumps(town.admin.changes()))
        audit = audited(town.sue)
        server.stop()
        stored = b"".join(file.read_bytes() for file in server.data.iterdir() if file.is_file())
        for link, _ in given:
            secret = link.token.removeprefix("ms_")
            assert secret not in server.log() and not any(secret in text for text in said)
            assert secret.encode() not in stored
    assert audit == [
        ("linkEnded", "sue", "person"), ("linkUsed", "mia", "invitation"), ("linkUsed", "sue", "visitors"),
        ("linkMade", "sue", "invitation"), ("linkMade", "sue", "visitors"), ("linkMade", "sue", "incident"),
        ("linkMade", "sue", "person")]


def test_a_leader_sees_and_withdraws_the_links_of_the_own_team_alone(town):
    _, own = town.give("person", user="sam")
    _, admins = town.give("visitors", by=town.admin, team="south")
    _, invitation = town.give("invitation", by=town.admin, user="nora")
    _, others = town.give("person", by=town.nora, user="ned")
    listed = {who: {each["link"] for each in api.items("/links")}
              for who, api in (("sue", town.sue), ("nora", town.nora), ("admin", town.admin))}
    assert listed["sue"] == {own["link"], admins["link"]}
    assert listed["nora"] == {others["link"]}
    assert listed["admin"] == {each["link"] for each in (own, admins, invitation, others)}
    for each in (invitation, others):
        town.sue.refused(404, "DELETE", f"/links/{each['link']}")
    town.sue.ok("DELETE", f"/links/{admins['link']}")
    assert all("url" not in each for each in town.admin.items("/links"))


# MARK: The command line, and addresses


def test_the_command_line_gives_lists_and_withdraws(tmp_path):
    with MusterProcess(tmp_path, ["--public-url", "https://muster.example/"]) as server:
        town = Town(server)
        url = run("link", "make", "person", "sam", "--expires-seconds", "600", "--note", "wife", data=server.data)
        page, token = url.strip().split("#")
        assert page == "https://muster.example/console/share/"
        link = NativeApi(server.address, token)
        assert link.ok("GET", "/shared")["person"]["name"] == "sam"
        [line] = run("link", "list", data=server.data).splitlines()
        name, kind, subject, *_ = line.split("\t")
        assert (kind, subject) == ("person", "sam") and line.endswith("wife") and token not in line
        run("link", "withdraw", name, data=server.data)
        assert is_over(link)
        assert run("link", "list", data=server.data) == ""
        town.admin.refused(422, "POST", "/links", {"kind": "person", "user": "sam", "expiresSeconds": 59})
        town.admin.refused(422, "POST", "/links", {"kind": "person", "user": "sam", "expiresSeconds": 2_592_001})
        town.admin.refused(422, "POST", "/links", {"kind": "person", "team": "south", "expiresSeconds": 60})


def test_a_link_is_dead_at_its_second(shared_town):
    link, made = shared_town.shortest
    end = milliseconds(made["expiresTime"])
    assert 60_000 == end - milliseconds(made["createdTime"])
    while True:
        sent = now()
        response = link.send("GET", "/shared")
        # The server looked at its clock between these two.
        if response.status_code == 401:
            assert now() >= end
            break
        assert response.status_code == 200 and sent < end
        time.sleep(min(1, max(0.01, (end - now()) / 2000)))
    assert is_over(link)
    assert made["link"] not in {each["link"] for each in shared_town.sue.items("/links")}
