"""What people write by SMS, through each gateway, over a real socket."""

import itertools
import json
from urllib.parse import urlencode

import pytest

from native_api import NativeApi, box, now, polygon, stamp
from sms_gateway import SMSGateway, arguments, code_in, count, declarations, public_url, state, token
from soak import rounds

sids = (f"SM{number:032x}" for number in itertools.count())


# MARK: Each gateway


def test_twilio_posts_a_call_and_gets_an_answer_for_the_person(admin, gateway, person):
    answer = gateway.twilio(person.number, "SOS 43.5665,-6.058", next(sids))
    assert answer == "Muster: understood SOS at 43.5665,-6.058. It is shown to your leaders."
    (said,) = declarations(admin, person)
    assert (said["kind"], said["author"], said["note"]) == ("sos", person.name, "SMS: SOS 43.5665,-6.058")
    assert (said["latitude"], said["longitude"]) == (43.5665, -6.058)
    assert state(admin, person) == "sos"


def test_kannel_posts_the_text_as_the_body_in_any_alphabet(admin, gateway, person):
    assert gateway.kannel(person.number, "Necesito ayuda", "k1") == (
        "Muster: entendido AYUDA. Se muestra a tus responsables. Puedes mandar un lugar: AYUDA 43.5665,-6.058")
    assert gateway.kannel(person.number.removeprefix("+"), "助けて", "k2").startswith("Muster: 「助けて」")
    assert [said["kind"] for said in declarations(admin, person)] == ["needsHelp", "needsHelp"]
    assert state(admin, person) == "needsHelp"


def test_a_plain_form_is_what_the_script_behind_gammu_posts(admin, gateway, person):
    assert gateway.gammu(person.number, "HELP", "IN20261130_221500_00.txt").startswith("Muster: understood HELP.")
    assert gateway.gammu(person.number, "求助").startswith("Muster: 已收到“求助”")
    assert len(declarations(admin, person)) == 2


def test_the_person_of_a_national_number_is_known_by_the_country(admin, gateway, person):
    gateway.gammu(person.number.removeprefix("+34"), "HELP", "n1")
    gateway.gammu(person.number.replace("+", "00"), "HELP", "n2")
    assert len(declarations(admin, person)) == 2


def test_a_text_in_the_address_alone_is_read_and_no_other_form_loses_one_silently(admin, gateway, person):
    key = {"Authorization": f"Bearer {gateway.key}"}
    query = urlencode({"from": person.number, "text": "SOS"})
    status, _, answer = gateway.post(f"/sms?{query}", b"", key)
    assert status == 200 and answer.startswith("Muster: understood SOS.")
    assert state(admin, person) == "sos"
    body = json.dumps({"from": person.number, "text": "SOS"}).encode()
    assert gateway.post("/sms", body, {**key, "Content-Type": "application/json"})[0] == 415


def test_a_link_shows_the_place_of_a_call_by_text(admin, gateway, person):
    gateway.gammu(person.number, "SOS 43.5665,-6.058")
    made = admin.ok("POST", "/links", {"kind": "person", "user": person.name, "expiresSeconds": 600, "kml": True})
    shown = NativeApi(admin.address, made["url"].split("#")[1]).ok("GET", "/shared")["person"]
    assert (shown["state"], shown["position"]["latitude"]) == ("sos", 43.5665) and "accuracy" not in shown["position"]
    target = made["kmlURL"].replace("link.kml", "map.kml").split("/api/v1")[1]
    map_file = NativeApi(admin.address).send("GET", target).text
    assert "<coordinates>-6.058,43.5665</coordinates>" in map_file and "No device was ever heard" in map_file


# MARK: Safe


def test_safe_counts_once_the_phone_that_has_the_number_has_answered(admin, gateway, person):
    asked = gateway.twilio(person.number, "I'm safe", next(sids))
    assert asked.startswith("Muster: to count as SAFE, answer with SAFE ")
    assert declarations(admin, person) == [] and state(admin, person) == "unknown"
    wrong = gateway.twilio(person.number, "SAFE 000000", next(sids))
    assert wrong == asked and state(admin, person) == "unknown"
    assert gateway.twilio(person.number, f"safe {code_in(asked)}", next(sids)) == (
        "Muster: understood SAFE. You count as safe from now on.")
    (said,) = declarations(admin, person)
    assert (said["kind"], said["author"], said["note"]) == ("safe", person.name, "SMS")
    assert state(admin, person) == "safe"


def test_the_code_alone_will_do_and_counts_once(admin, gateway, person):
    code = code_in(gateway.kannel(person.number, "estoy a salvo", "s1"))
    assert "safe" in gateway.kannel(person.number, code, "s2").lower()
    # Whoever sends it again does not know that it counted. After a call for help it counts no more.
    assert "safe" in gateway.kannel(person.number, code, "s3").lower()
    assert len(declarations(admin, person)) == 1
    gateway.kannel(person.number, "HELP", "s4")
    assert code_in(gateway.kannel(person.number, code, "s5")) != code
    assert state(admin, person) == "needsHelp"


def test_a_code_is_of_one_person_alone(admin, gateway, person):
    other = admin.make_user(f"{person.name}-other", "member", "north")
    other.name = f"{person.name}-other"
    admin.ok("PATCH", f"/users/{other.name}", {"phone": "+44 20 7946 " + person.number[-4:]})
    code = code_in(gateway.gammu(person.number, "SAFE"))
    gateway.gammu("+44207946" + person.number[-4:], f"SAFE {code}")
    assert state(admin, other) == "unknown" and state(admin, person) == "unknown"


def test_safe_does_not_end_an_sos(admin, gateway, person):
    gateway.gammu(person.number, "SOS")
    assert gateway.gammu(person.number, "SAFE").startswith("Muster: your SOS stands.")
    assert state(admin, person) == "sos"


def test_a_code_from_before_a_call_does_not_end_it_however_late_its_text_arrives(admin, gateway, person):
    """Gateways and networks deliver texts late and in any order."""
    code = code_in(gateway.gammu(person.number, "SAFE"))
    gateway.gammu(person.number, "HELP")
    again = gateway.gammu(person.number, f"SAFE {code}")
    assert code_in(again) != code and state(admin, person) == "needsHelp"
    gateway.gammu(person.number, f"SAFE {code_in(again)}")
    assert state(admin, person) == "safe"


def test_a_code_from_before_a_call_by_the_app_is_replaced(admin, gateway, person):
    code = code_in(gateway.gammu(person.number, "SAFE"))
    person.ok("POST", f"/users/{person.name}/declarations", {"kind": "needsHelp"})
    next_code = code_in(gateway.gammu(person.number, "SAFE"))
    assert next_code != code
    gateway.gammu(person.number, f"SAFE {code}")
    assert state(admin, person) == "needsHelp"
    person.ok("POST", f"/users/{person.name}/declarations", {"kind": "needsHelp"})
    before = count(admin, "sms_too_late")
    assert gateway.gammu(person.number, f"SAFE {next_code}").startswith("Muster: not counted")
    assert state(admin, person) == "needsHelp" and count(admin, "sms_too_late") == before + 1


def test_a_safe_from_before_an_incident_does_not_count_in_it(admin, gateway, person):
    team = f"team-{person.name}"
    admin.make_team(team)
    admin.ok("PATCH", f"/users/{person.name}", {"team": team})
    code = code_in(gateway.gammu(person.number, "SAFE"))
    admin.ok("POST", f"/teams/{team}/incidents", {"kind": "real"})
    assert gateway.gammu(person.number, f"SAFE {code}").startswith("Muster: not counted")
    assert admin.ok("GET", f"/teams/{team}/safety")["members"][0]["state"] == "unknown"
    code = code_in(gateway.gammu(person.number, "SAFE"))
    assert gateway.gammu(person.number, f"SAFE {code}").startswith("Muster: understood SAFE.")
    assert admin.ok("GET", f"/teams/{team}/safety")["members"][0]["state"] == "safe"


def test_a_call_with_more_words_counts_and_its_note_is_the_whole_text(admin, gateway, person):
    text = "SOS trapped on the 3rd floor, " + "two children with me, " * 10
    assert gateway.gammu(person.number, text).startswith("Muster: understood SOS.")
    assert gateway.gammu(person.number, "HELP 482913").startswith("Muster: understood SOS.")
    assert declarations(admin, person)[0]["note"] == "SMS: " + text.strip()


def test_safe_ends_a_call_for_help_that_is_no_sos(admin, gateway, person):
    gateway.gammu(person.number, "HELP")
    code = code_in(gateway.gammu(person.number, "SAFE"))
    gateway.gammu(person.number, f"SAFE {code}")
    assert state(admin, person) == "safe"


@pytest.mark.parametrize("text", ["ok", "not safe", "no estoy a salvo", "safe?", "不安全", "無事ではない", "", "safe now"])
def test_what_is_not_exactly_known_changes_nothing_and_says_which_words_there_are(admin, gateway, person, text):
    gateway.gammu(person.number, "HELP", "first")
    answer = gateway.gammu(person.number, text)
    assert "SOS" in answer and "43.5665,-6.058" in answer
    assert state(admin, person) == "needsHelp" and len(declarations(admin, person)) == 1


# MARK: Places


def test_a_place_is_a_coarse_position_of_a_device_of_the_person(admin, gateway, person):
    assert gateway.gammu(person.number, "43,5665 -6,058") == (
        "Muster: understood your place, 43.5665,-6.058. You may also answer SAFE, HELP or SOS.")
    (fix,) = admin.history(f"{person.name}/sms")
    assert (fix["latitude"], fix["longitude"], fix["accuracy"]) == (43.5665, -6.058, 10_000)
    assert fix["attributes"] == {"sms": True} and fix["reportedBy"] == "texts"
    assert declarations(admin, person) == []


def test_a_place_adds_to_a_call_for_help(admin, gateway, person):
    gateway.gammu(person.number, "SOS")
    assert gateway.gammu(person.number, "43.5665N 6.058W").startswith("Muster: understood SOS at 43.5665,-6.058.")
    called, placed = declarations(admin, person)
    assert "latitude" not in called and (placed["kind"], placed["latitude"]) == ("sos", 43.5665)


def test_places_make_nobody_safe(admin, gateway, person):
    """Also where they lie inside a muster region: anyone can send a text under the person's number."""
    yard = polygon("yard", box(9.99, 49.99, 10.01, 50.01), muster=True)
    admin.ok("POST", "/collections/north/regions", {"type": "FeatureCollection", "features": [yard]})
    start = now() - 120_000
    for number in range(6):
        at = stamp(start + number * 20_000).replace("T", " ").removesuffix("Z")
        gateway.kannel(person.number, "50.0000,10.0000", f"place-{person.name}-{number}", time=at)
    assert len(admin.history(f"{person.name}/sms")) == 6
    assert state(admin, person) == "unknown"


@pytest.mark.parametrize("hours", [8, -8])
def test_the_time_zone_of_a_gateway_that_is_hours_off_is_counted(admin, gateway, person, hours):
    before = count(admin, "sms_clock")
    at = stamp(now() - hours * 3_600_000)[:19].replace("T", " ")
    assert gateway.kannel(person.number, "43.5665,-6.058", f"zone{hours}", time=at).startswith("Muster: understood")
    assert count(admin, "sms_clock") == before + 1


def test_a_place_from_before_the_newest_is_too_late(admin, gateway, person):
    at = [stamp(now() - seconds * 1_000)[:19].replace("T", " ") for seconds in (60, 600)]
    assert gateway.kannel(person.number, "43.5665,-6.058", "new", time=at[0]).startswith("Muster: understood")
    assert gateway.kannel(person.number, "10.0001,10.0001", "old", time=at[1]).startswith("Muster: not counted")


# MARK: Repeats, times and a restart


def test_a_text_that_comes_again_counts_once_and_is_answered_again(admin, gateway, person):
    sid = next(sids)
    answers = {gateway.twilio(person.number, "HELP", sid) for _ in range(3)}
    assert len(answers) == 1 and answers.pop().startswith("Muster: understood HELP.")
    assert len(declarations(admin, person)) == 1


def test_an_id_that_two_texts_have_loses_neither(admin, gateway, person):
    """The counter of a gateway may begin anew."""
    assert gateway.gammu(person.number, "SAFE", "1").startswith("Muster: to count")
    assert gateway.gammu(person.number, "HELP", "1").startswith("Muster: understood HELP.")
    assert gateway.gammu(person.number, "SOS", "1").startswith("Muster: understood SOS.")
    assert state(admin, person) == "sos"


def test_an_id_that_two_people_have_is_of_two_texts(admin, gateway, person):
    """A gateway may count its texts anew, and another gateway counts its own."""
    other = admin.make_user(f"{person.name}-other", "member", "north")
    other.name, number = f"{person.name}-other", f"+4420{person.number[-8:]}"
    admin.ok("PATCH", f"/users/{other.name}", {"phone": number})
    gateway.gammu(person.number, "HELP", "same")
    assert gateway.gammu(number, "SOS", "same").startswith("Muster: understood SOS.")
    assert state(admin, other) == "sos" and state(admin, person) == "needsHelp"


def test_a_safe_from_before_a_newer_call_is_too_late(admin, gateway, person):
    code = code_in(gateway.kannel(person.number, "SAFE", "late1"))
    person.ok("POST", f"/users/{person.name}/declarations", {"kind": "needsHelp"})
    before = stamp(now() - 60_000)[:19].replace("T", " ")
    assert gateway.kannel(person.number, f"SAFE {code}", "late2", time=before).startswith("Muster: not counted")
    assert state(admin, person) == "needsHelp"


@pytest.mark.parametrize("time", ["2001-01-01 00:00:00", "2099-01-01 00:00:00", "yesterday"])
def test_a_wrong_clock_of_the_gateway_costs_nobody_help(admin, gateway, person, time):
    person.ok("POST", f"/users/{person.name}/declarations", {"kind": "safe"})
    assert gateway.kannel(person.number, "HELP", f"clock-{person.name}", time=time).startswith("Muster: understood")
    assert state(admin, person) == "needsHelp"


def test_a_restart_changes_nothing(make_server, tmp_path):
    server = make_server(arguments=arguments(tmp_path))
    server.start()
    admin = server.admin()
    admin.make_team("north")
    gateway = SMSGateway(server, admin.make_user("texts", "gateway").token, token, public_url)
    person = admin.make_user("ana", "member", "north")
    person.name = "ana"
    admin.ok("PATCH", "/users/ana", {"phone": "+34600111222"})
    asked = gateway.twilio("+34600111222", "SAFE", "SM1")
    gateway.twilio("+34600111222", "HELP", "SM2")
    server.kill()
    server.start()
    admin = server.admin()
    assert state(admin, person) == "needsHelp"
    gateway.twilio("+34600111222", "HELP", "SM2")
    assert len(declarations(admin, person)) == 1
    again = gateway.twilio("+34600111222", f"SAFE {code_in(asked)}", "SM3")
    assert code_in(again) != code_in(asked) and state(admin, person) == "needsHelp"


@pytest.mark.soak
def test_what_a_person_was_told_is_understood_is_there_after_each_kill(make_server, tmp_path):
    server = make_server(arguments=arguments(tmp_path)).start()
    admin = server.admin()
    admin.make_team("north")
    gateway = SMSGateway(server, admin.make_user("texts", "gateway").token, token, public_url)
    people, places = {}, {}
    for turn in range(rounds(3, 20)):
        # Nobody sends so many texts that some would not count.
        person = admin.make_user(f"p{turn}", "member", "north")
        person.name, number = f"p{turn}", f"+34600{turn:06d}"
        admin.ok("PATCH", f"/users/{person.name}", {"phone": number})
        assert "place" in gateway.gammu(number, f"43.5665,-6.0{turn:02d}1", f"place{turn}")
        people[person.name] = ["needsHelp", "sos"]
        places[person.name] = [float(f"-6.0{turn:02d}1")]
        for word, post in (("HELP", gateway.gammu), ("SOS", gateway.kannel)):
            assert post(number, word, f"{word}{turn}").startswith(f"Muster: understood {word}")
        server.kill()
        server.start()
        admin = server.admin()
        # The gateway that heard no answer sends its text again.
        gateway.gammu(number, "HELP", f"HELP{turn}")
        for name, said in people.items():
            assert [one["kind"] for one in admin.items(f"/users/{name}/declarations")] == said
            assert [fix["longitude"] for fix in admin.history(f"{name}/sms")] == places[name]
            assert state(admin, person) == "sos"
