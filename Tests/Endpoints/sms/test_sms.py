"""What people write by SMS, through each gateway, over a real socket."""

import itertools
import re
import subprocess

import pytest

from muster_process import MusterProcess, binary
from native_api import box, now, polygon, stamp
from sms_gateway import SMSGateway

public_url = "https://muster.example.org"
token = "0123456789abcdef0123456789abcdef"
sids = (f"SM{number:032x}" for number in itertools.count())


def arguments(folder):
    secret = folder / "twilio-token"
    secret.write_text(token + "\n")
    return ["--sms-gateway", "texts", "--twilio-auth-token", str(secret), "--sms-country", "34",
            "--public-url", public_url]


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    folder = tmp_path_factory.mktemp("sms")
    server = MusterProcess(folder / "muster", arguments(folder))
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture(scope="module")
def gateway(server, admin):
    admin.make_team("north")
    key = admin.make_user("texts", "gateway").token
    return SMSGateway(server, key, token, public_url)


numbers = itertools.count(600_000_000)


@pytest.fixture
def person(admin, gateway):
    """A member with a number of their own."""
    number = next(numbers)
    name = f"p{number}"
    api = admin.make_user(name, "member", "north")
    admin.ok("PATCH", f"/users/{name}", {"phone": f"{number:,}".replace(",", " ")})
    api.name, api.number = name, f"+34{number}"
    return api


def declarations(admin, person):
    return admin.items(f"/users/{person.name}/declarations")


def state(admin, person):
    page = admin.ok("GET", "/teams/north/safety")
    return next(member["state"] for member in page["members"] if member["user"] == person.name)


def count(admin, event):
    text = admin.send("GET", "//metrics").text
    found = re.search(rf'muster_events_total{{event="{event}"}} (\d+)', text)
    return int(found.group(1)) if found else 0


def code_in(answer):
    return re.search(r"\b\d{6}\b", answer).group(0)


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
    again = gateway.kannel(person.number, code, "s3")
    assert code_in(again) != code
    assert len(declarations(admin, person)) == 1


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


# MARK: Repeats, times and a restart


def test_a_text_that_comes_again_counts_once_and_is_answered_again(admin, gateway, person):
    sid = next(sids)
    answers = {gateway.twilio(person.number, "HELP", sid) for _ in range(3)}
    assert len(answers) == 1 and answers.pop().startswith("Muster: understood HELP.")
    assert len(declarations(admin, person)) == 1


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


# MARK: Strangers


def test_an_unknown_number_is_told_nothing_and_counted(admin, gateway):
    before = count(admin, "sms_unknown_number")
    for sender in ("+34699999999", "Movistar", "112"):
        assert gateway.twilio(sender, "SOS", next(sids)) == ""
        assert gateway.gammu(sender, "SAFE") == ""
    assert count(admin, "sms_unknown_number") == before + 6


def test_the_number_of_two_people_is_of_nobody_and_the_operator_is_warned(admin, gateway, server, person):
    twin = admin.make_user(f"{person.name}-twin", "member", "north")
    twin.name = f"{person.name}-twin"
    admin.ok("PATCH", f"/users/{twin.name}", {"phone": person.number})
    assert gateway.gammu(person.number, "SOS") == ""
    assert declarations(admin, person) == [] and declarations(admin, twin) == []
    assert count(admin, "sms_shared_number") == 1
    assert "Several users have one number" in server.log() and person.name in server.log()
    assert person.number not in server.log()
    admin.ok("PATCH", f"/users/{twin.name}", {"phone": None})
    assert gateway.gammu(person.number, "SOS").startswith("Muster: understood SOS.")


def test_a_gateway_or_an_analyst_with_a_number_says_nothing(admin, gateway):
    admin.make_user("observer", "analyst")
    admin.ok("PATCH", "/users/observer", {"phone": "+34611000111"})
    assert gateway.gammu("+34611000111", "SOS") == ""
    assert count(admin, "sms_not_allowed") == 1


def test_a_forged_signature_is_refused(admin, gateway, person):
    before = count(admin, "sms_signature_refused")
    genuine = gateway.signer.compute_signature(public_url + "/sms", {"From": person.number, "Body": "SOS"})
    for signature in ("x", genuine, "AAAAAAAAAAAAAAAAAAAAAAAAAAA="):
        gateway.twilio(person.number, "SOS", next(sids), signature=signature, status=401)
    # A signature over another address, and one by another token.
    other = SMSGateway(gateway.server, gateway.key, token, "https://other.example.org")
    other.twilio(person.number, "SOS", next(sids), status=401)
    other = SMSGateway(gateway.server, gateway.key, token[::-1], public_url)
    other.twilio(person.number, "SOS", next(sids), status=401)
    assert count(admin, "sms_signature_refused") == before + 5
    assert declarations(admin, person) == []


def test_the_query_of_the_address_is_signed_too(gateway, person):
    assert gateway.twilio(person.number, "HELP", next(sids), path="/sms?from=x&b=%20").startswith("Muster: ")


def test_only_the_named_gateway_posts(admin, gateway, person):
    scanner = admin.make_user("scanner", "gateway")
    gateway.gammu(person.number, "SOS", key=scanner.token, status=403)
    gateway.gammu(person.number, "SOS", key=person.token, status=403)
    gateway.gammu(person.number, "SOS", key=admin.token, status=403)
    gateway.gammu(person.number, "SOS", key="mk_guess", status=401)
    gateway.kannel(person.number, "SOS", "x", user="scanner", status=401)
    assert gateway.post("/sms", "from=1&text=SOS", {})[0] == 401
    assert declarations(admin, person) == []


@pytest.mark.parametrize("body", ["", "text=SOS", "from=&text=SOS", "from=%2B34600&from=%2B34601&text=SOS", "%zz"])
def test_a_post_without_one_sender_is_refused_in_words(gateway, body):
    status, _, answer = gateway.post("/sms", body, {
        "Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Bearer {gateway.key}"})
    assert status == 422 and "must be the sender's number, once" in answer


def test_a_large_body_is_refused(gateway):
    status, _, _ = gateway.post("/sms", "from=1&text=" + "x" * 20_000, {
        "Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Bearer {gateway.key}"})
    assert status == 413


def test_without_the_setting_nobody_posts(make_server):
    server = make_server()
    server.start()
    key = server.admin().make_user("texts", "gateway").token
    gateway = SMSGateway(server, key, token, public_url)
    assert "--sms-gateway" in gateway.gammu("+34600111222", "SOS", status=403)
    gateway.twilio("+34600111222", "SOS", "SM1", status=401)


# MARK: Rates and secrets


def test_beyond_the_rate_nobody_is_answered_and_every_call_counts(admin, gateway, person):
    answers = [gateway.gammu(person.number, "what?") for _ in range(14)]
    assert all(answers[:10]) and not any(answers[10:])
    assert gateway.gammu(person.number, "SOS") == ""
    assert state(admin, person) == "sos"
    assert count(admin, "sms_over_rate") == 5


def test_the_log_has_neither_texts_nor_numbers_nor_secrets(gateway, server, person):
    gateway.gammu(person.number, "SOS 43.5665,-6.058")
    gateway.twilio(person.number, "hello secret words", next(sids))
    log = server.log()
    for secret in (token, gateway.key, person.number, "secret words", "43.5665"):
        assert secret not in log


@pytest.mark.parametrize("options,words", [
    (["--sms-gateway", "a b"], "not the name of a user"), (["--sms-country", "+34"], "not a country code"),
    (["--sms-language", "de"], "not en, es, ja or zh"), (["--twilio-auth-token", "short"], "needs --sms-gateway"),
    (["--sms-gateway", "texts", "--twilio-auth-token", "none"], "there is no file none"),
    (["--sms-gateway", "texts", "--twilio-auth-token", "short"], "short does not hold one token"),
])
def test_settings_that_cannot_be_used_are_named(tmp_path, options, words):
    (tmp_path / "short").write_text("12345")
    done = subprocess.run(
        [binary, "serve", "--data", str(tmp_path / "data"), "--port", "0", *options], cwd=tmp_path,
        capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and words in done.stderr and "12345" not in done.stderr
