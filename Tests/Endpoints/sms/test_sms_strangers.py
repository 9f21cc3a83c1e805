"""Texts by SMS of strangers, of those who are not allowed, and of those who send too many; and wrong settings."""

import itertools
import subprocess
from urllib.parse import quote

import pytest

from muster_process import MusterProcess, binary, run
from sms_gateway import SMSGateway, arguments, code_in, count, declarations, public_url, state, token

sids = (f"SM{number:032x}" for number in itertools.count())


# MARK: Strangers


def test_an_unknown_number_is_told_nothing_and_counted(admin, gateway):
    before = count(admin, "sms_unknown_number")
    for sender in ("+34699999999", "Movistar", "112"):
        assert gateway.twilio(sender, "SOS", next(sids)) == ""
        assert gateway.gammu(sender, "SAFE") == ""
    assert count(admin, "sms_unknown_number") == before + 6


def test_a_call_from_the_number_of_two_people_counts_for_both_and_nothing_else_does(admin, gateway, server, person):
    twin = admin.make_user(f"{person.name}-twin", "member", "north")
    twin.name = f"{person.name}-twin"
    admin.ok("PATCH", f"/users/{twin.name}", {"phone": person.number})
    for text in ("SAFE", "43.5665,-6.058", "hello"):
        assert gateway.gammu(person.number, text).startswith("Muster: not counted: several people have this number")
    assert declarations(admin, person) == [] and declarations(admin, twin) == []
    assert gateway.gammu(person.number, "SOS 43.5665,-6.058").startswith("Muster: understood SOS at 43.5665,-6.058.")
    for one in (person, twin):
        (said,) = declarations(admin, one)
        assert (said["kind"], said["latitude"], said["author"]) == ("sos", 43.5665, one.name)
        assert said["note"] == "SMS from a number that several people have: SOS 43.5665,-6.058"
        assert state(admin, one) == "sos"
    assert count(admin, "sms_shared_number") == 4
    assert "Several users have one number" in server.log() and person.name in server.log()
    assert person.number not in server.log()
    admin.ok("PATCH", f"/users/{twin.name}", {"phone": None})
    assert gateway.gammu(person.number, "SAFE").startswith("Muster: your SOS stands.")


def test_a_gateway_with_the_number_of_a_person_takes_nothing_from_them(admin, gateway, person):
    admin.make_user(f"{person.name}-modem", "gateway")
    admin.ok("PATCH", f"/users/{person.name}-modem", {"phone": person.number})
    assert gateway.gammu(person.number, "SAFE").startswith("Muster: to count as SAFE")


def test_a_stranger_abroad_with_the_same_digits_is_told_nothing(gateway, person):
    assert gateway.gammu("+" + person.number.removeprefix("+34"), "SAFE") == ""
    assert gateway.gammu(person.number.removeprefix("+34"), "SAFE").startswith("Muster: to count as SAFE")


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


def test_a_gateway_user_who_is_missing_is_warned_of(make_server, tmp_path):
    server = make_server(arguments=arguments(tmp_path))
    server.start()
    assert "No texts are taken" in server.log()
    admin = server.admin()
    gateway = SMSGateway(server, "none", token, public_url)
    gateway.twilio("+34600111222", "SOS", "SM1", status=401)
    assert count(admin, "sms_gateway_missing") == 1 and "The user of --sms-gateway is missing" in server.log()
    gateway.twilio("+34600111222", "SOS", "SM1", signature="x", status=401)
    assert "A signature of Twilio's is wrong" in server.log()
    other = admin.make_user("other", "gateway")
    gateway.gammu("+34600111222", "SOS", key=other.token, status=403)
    assert "A gateway posts texts that --sms-gateway does not name" in server.log()


def test_a_text_in_a_wrong_character_set_is_a_call(admin, gateway, person):
    key = {"Authorization": f"Bearer {gateway.key}"}
    form = {"Content-Type": "application/x-www-form-urlencoded", **key}
    sender = person.number.replace("+", "%2B")
    for path, body, headers in (
            (f"/sms?from={sender}", "SOS niño".encode("latin-1"), {"Content-Type": "text/plain", **key}),
            (f"/sms?from={sender}", "SOS".encode("utf-16-le"), {"Content-Type": "text/plain; charset=UTF-16LE", **key}),
            ("/sms", f"from={sender}&text=SOS+ni%F1o", form), ("/sms", f"from={sender}&text=SOS&text=here", form)):
        status, _, answer = gateway.post(path, body, headers)
        assert status == 200 and "SOS. " in answer, (body, answer)
    assert [said["note"] for said in declarations(admin, person)] == [
        "SMS: SOS niño", "SMS: SOS", "SMS: SOS niño", "SMS: SOS here"]


# MARK: Rates and secrets


def test_beyond_the_rate_nobody_is_answered_and_every_call_counts(admin, gateway, person):
    before = count(admin, "sms_over_rate")
    answers = [gateway.gammu(person.number, "SAFE") for _ in range(14)]
    assert all(answers[:10]) and not any(answers[10:])
    assert count(admin, "sms_over_rate") == before + 4
    assert gateway.gammu(person.number, f"SAFE {code_in(answers[0])}").startswith("Muster: understood SAFE.")
    assert gateway.gammu(person.number, "HELP").startswith("Muster: understood HELP.")
    assert gateway.gammu(person.number, "43.5665,-6.058") == ""
    assert declarations(admin, person)[-1]["latitude"] == 43.5665
    assert gateway.gammu(person.number, "SOS").startswith("Muster: understood SOS.")


def test_a_text_that_says_nothing_is_answered_three_times_an_hour(gateway, person):
    answers = [gateway.gammu(person.number, "I am away") for _ in range(5)]
    assert all(answers[:3]) and not any(answers[3:])


def test_a_call_that_stands_is_stored_no_more_beyond_the_rate(admin, gateway, person):
    before = count(admin, "sms_call_repeated")
    for _ in range(14):
        gateway.gammu(person.number, "HELP")
    assert len(declarations(admin, person)) == 10 and count(admin, "sms_call_repeated") == before + 4
    assert gateway.gammu(person.number, "HELP 43.5665,-6.058") == ""
    assert gateway.gammu(person.number, "SOS") == ""
    assert state(admin, person) == "sos" and len(declarations(admin, person)) == 12


def test_the_log_has_neither_texts_nor_numbers_nor_secrets(gateway, server, person):
    gateway.gammu(person.number, "SOS 43.5665,-6.058")
    gateway.twilio(person.number, "hello secret words", next(sids))
    gateway.kannel(person.number, "hello secret words", "secret-id", time="2026-11-30 22:15:00")
    gateway.kannel(person.number, "43.5665,-6.058", "secret-id", time="2001-01-01 00:00:00")
    gateway.kannel(person.number, "SOS", "secret-id", user="nobody", status=401)
    log = server.log()
    for secret in (token, gateway.key, person.number, "secret words", "43.5665", "secret-id"):
        assert secret not in log and quote(secret) not in log


@pytest.mark.parametrize("options,words", [
    (["--sms-gateway", "a b"], "not the name of a user"), (["--sms-country", "+34"], "not a country code"),
    (["--sms-language", "de"], "not en, es, ja or zh"), (["--twilio-auth-token", "short"], "needs --sms-gateway"),
    (["--sms-gateway", "texts", "--twilio-auth-token", "short"], "needs --public-url"),
    (["--sms-gateway", "texts", "--public-url", public_url, "--twilio-auth-token", "none"], "there is no file none"),
    (["--sms-gateway", "texts", "--public-url", public_url, "--twilio-auth-token", "short"],
     "short does not hold one token"),
])
def test_settings_that_cannot_be_used_are_named(tmp_path, options, words):
    (tmp_path / "short").write_text("12345")
    done = subprocess.run(
        [binary, "serve", "--data", str(tmp_path / "data"), "--port", "0", *options], cwd=tmp_path,
        capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and words in done.stderr and "12345" not in done.stderr


# MARK: Numbers that are of no use


def added(server, name, phone):
    """What `muster user add` writes beside its answer."""
    order = [binary, "user", "add", name, "--phone", phone, "--data", server.data]
    return subprocess.run([*map(str, order)], check=True, capture_output=True, text=True, timeout=120).stderr


def test_a_number_of_no_use_is_told_when_it_is_set_and_at_the_start(tmp_path, store_of_files):
    server = MusterProcess(tmp_path / "muster", arguments(tmp_path))
    server.model = store_of_files
    with server:
        run("user", "add", "texts", "--role", "gateway", data=server.data)
        assert added(server, "ana", "+34 600 111 222") == ""
        words = added(server, "ben", "600111222")
        assert "ana" in words and "only calls for help count" in words
        assert "cannot be a sender's" in added(server, "cleo", "112")
        server.stop()
        server.start()
        log = server.log()
        assert "from the number of ana may also be of ben" in log and "counts as from cleo" in log
        assert "600111222" not in log and "600 111 222" not in log
