"""Codes by which people confirm accounts and new passwords of Amazon Cognito user pools: an admin hands them over."""

import concurrent.futures
import itertools
import json
import re
import threading

import pytest
import requests
from pycognito import Cognito

import amazon
import cognito
import webhook_targets
from amazon import refused
from waiting import eventually
from webhook_receiver import Receiver


@pytest.fixture(scope="module")
def people(server, admin):
    """The users whose password is `NAME's password`."""
    for name in ("ida", "lou", "kim"):
        admin.ok("POST", "/users", {"name": name, "role": "member", "password": f"{name}'s password"})


@pytest.fixture(scope="module")
def client(server):
    """The member by which calls name the user pool's client."""
    return {"ClientId": cognito.settings(server)["clientId"]}


@pytest.fixture(scope="module")
def idp(server):
    return cognito.unsigned(server, "cognito-idp")


def codes(admin):
    """The codes that an admin hands over, by the names of the people who wait."""
    return {entry["user"]: entry["code"] for entry in admin.ok("GET", "/codes")["items"]}


def test_a_forgotten_password_is_set_with_the_code_that_an_admin_hands_over(server, people, client, idp, admin):
    for name in ("kim", "nobody-here"):
        details = idp.forgot_password(**client, Username=name)["CodeDeliveryDetails"]
        assert details == {"Destination": "an admin of this server"}
    waiting = codes(admin)
    assert set(waiting) == {"kim"}
    code = waiting["kim"]
    assert re.fullmatch("[A-Z2-7]{16}", code)
    other = "A" * 16 if code != "A" * 16 else "B" * 16
    for name, shown in (("kim", other), ("nobody-here", code), ("ida", code)):
        refused("CodeMismatchException", 400, idp.confirm_forgot_password, **client, Username=name,
                ConfirmationCode=shown, Password="found again")
    refused("InvalidPasswordException", 400, idp.confirm_forgot_password, **client, Username="kim",
            ConfirmationCode=code, Password="short")
    idp.confirm_forgot_password(**client, Username="kim", ConfirmationCode=code, Password="found again")
    cognito.sign_in(server, "kim", "found again")
    refused("CodeMismatchException", 400, idp.confirm_forgot_password, **client, Username="kim",
            ConfirmationCode=code, Password="once more")
    assert admin.ok("GET", "/codes")["items"] == []
    read = [entry for entry in admin.ok("GET", "/audit")["items"] if entry["change"].get("kind") == "codeRead"]
    assert [(entry["author"], entry["change"]["user"]) for entry in read] == [("admin", "kim")]


def test_strangers_neither_end_nor_replace_a_code_that_an_admin_has_read_out(server, people, client, idp, admin):
    client = {**client, "Username": "lou"}
    idp.forgot_password(**client)
    code = codes(admin)["lou"]
    for _ in range(6):
        refused("CodeMismatchException", 400, idp.confirm_forgot_password, **client, ConfirmationCode="A" * 16,
                Password="guessed it")
    idp.forgot_password(**client)
    assert codes(admin)["lou"] == code
    idp.confirm_forgot_password(**client, ConfirmationCode=code, Password="lou's password")


def test_a_code_for_a_new_password_ends_with_the_password_and_the_person(server, people, client, idp, admin):
    admin.ok("POST", "/users", {"name": "zoe", "role": "member", "password": "zoe's password"})
    client = {**client, "Username": "zoe"}
    idp.forgot_password(**client)
    code = codes(admin)["zoe"]
    admin.ok("PUT", "/users/zoe/password", {"password": "another password"})
    late = {"ConfirmationCode": code, "Password": "by an old code"}
    refused("CodeMismatchException", 400, idp.confirm_forgot_password, **client, **late)
    idp.forgot_password(**client)
    late["ConfirmationCode"] = codes(admin)["zoe"]
    assert late["ConfirmationCode"] != code
    admin.ok("DELETE", "/users/zoe")
    admin.ok("POST", "/users", {"name": "zoe", "role": "admin", "password": "another's password"})
    refused("CodeMismatchException", 400, idp.confirm_forgot_password, **client, **late)
    cognito.sign_in(server, "zoe", "another's password")
    assert "zoe" not in codes(admin)


def test_sign_up_is_refused_unless_registration_is_open(people, client, idp):
    client = {**client, "Username": "newcomer"}
    refused("NotAuthorizedException", 400, idp.sign_up, **client, Password="a good password")
    refused("NotAuthorizedException", 400, idp.confirm_sign_up, **client, ConfirmationCode="12345678")
    refused("NotAuthorizedException", 400, idp.resend_confirmation_code, **client)


def test_people_sign_up_where_registration_is_open(make_server):
    server = make_server(arguments=["--registration", "open"]).start()
    settings, idp, admin = cognito.settings(server), cognito.unsigned(server, "cognito-idp"), server.admin()
    newcomer = Cognito(settings["userPoolId"], settings["clientId"], username="newcomer", access_key="none",
                       secret_key="none", boto3_client_kwargs={"endpoint_url": server.address})
    promised = newcomer.register("newcomer", "a good password")["UserSub"]
    refused("NotAuthorizedException", 400, cognito.sign_in, server=server, name="newcomer", password="a good password")
    admin.refused(404, "GET", "/users/newcomer")
    first = admin.ok("GET", "/codes")["items"][0]
    assert (first["purpose"], first["user"]) == ("sign-up", "newcomer")
    refused("UsernameExistsException", 400, idp.sign_up, ClientId=settings["clientId"], Username="newcomer",
            Password="a stranger's password")
    idp.resend_confirmation_code(ClientId=settings["clientId"], Username="newcomer")
    code = codes(admin)["newcomer"]
    assert code == first["code"]
    newcomer.confirm_sign_up(code, username="newcomer")
    newcomer.authenticate("a good password")
    # An app keys its data by the `UserSub` of the answer to `SignUp`: it is the person's from then on.
    assert newcomer.id_claims["sub"] == promised
    assert admin.ok("GET", "/users/newcomer")["role"] == "member"
    refused("CodeMismatchException", 400, idp.confirm_sign_up, ClientId=settings["clientId"], Username="newcomer",
            ConfirmationCode=code)
    arguments = {"ClientId": settings["clientId"], "Password": "a good password"}
    refused("UsernameExistsException", 400, idp.sign_up, **arguments, Username="newcomer")
    subject = amazon.client(server, service="cognito-idp").admin_get_user(
        UserPoolId=settings["userPoolId"], Username="admin")["UserAttributes"][0]["Value"]
    for name in ("no name", subject):
        refused("InvalidParameterException", 400, idp.sign_up, **arguments, Username=name)
    answer = requests.put(f"{server.address}/api/users/{subject}", timeout=60,
                          json={"username": subject, "password": "a good password"})
    assert answer.status_code == 400 and "UUID" in answer.text
    refused("InvalidPasswordException", 400, idp.sign_up, ClientId=settings["clientId"], Username="other",
            Password="short")
    second = idp.sign_up(**arguments, Username="second")["UserSub"]
    # Nobody gets the `sub` of an account that waits, whoever is made meanwhile, and across a restart.
    admin.make_user("between")
    lost = idp.sign_up(**arguments, Username="lost")["UserSub"]
    pool = amazon.client(server, service="cognito-idp")

    def subject_of(name):
        return pool.admin_get_user(UserPoolId=settings["userPoolId"], Username=name)["UserAttributes"][0]["Value"]

    subjects = {promised, second, lost, subject_of("between")}
    assert len(subjects) == 4
    amazon.client(server, service="cognito-idp").admin_confirm_sign_up(
        UserPoolId=settings["userPoolId"], Username="second")
    cognito.sign_in(server, "second", "a good password")
    assert subject_of("second") == second
    server.stop()
    server.start()
    admin.make_user("later")
    assert subject_of("later") not in subjects


def test_requests_for_codes_that_cannot_be_sent_do_not_fill_the_log(make_server):
    server = make_server(arguments=["--code-target", "mailer", "--trusted-proxy", "127.0.0.1"]).start()
    admin, client = server.admin(), {"ClientId": cognito.settings(server)["clientId"]}
    for name in ("ann", "ben"):
        admin.make_user(name)
    for turn in range(40):
        headers = {"X-Amz-Target": "AWSCognitoIdentityProviderService.ForgotPassword",
                   "Content-Type": "application/x-amz-json-1.1", "X-Forwarded-For": f"198.51.100.{turn}"}
        body = {**client, "Username": ("ann", "ben")[turn % 2]}
        answer = requests.post(server.address, json=body, headers=headers, timeout=60)
        assert answer.ok, answer.text
    # A warning a minute, not one for each request; each code is still there for an admin.
    assert 1 <= server.log().count("A code was not sent") <= 2
    waiting = {code["user"]: code["wasSent"] for code in admin.ok("GET", "/codes")["items"]}
    assert waiting == {"ann": False, "ben": False}


def messages(calls):
    return [json.loads(call.body) for call in list(calls)]


def arrived(receiver, purpose):
    """The first message of a purpose. One that is not answered at once is sent again."""
    def found(calls):
        return [message for message in messages(calls) if message["purpose"] == purpose]

    return found(receiver.wait(found))[0]


def test_a_target_sends_the_codes(make_server):
    server = make_server(arguments=["--registration", "open", "--code-target", "mailer", "--allow-private-targets"])
    admin, idp = server.start().admin(), cognito.unsigned(server, "cognito-idp")
    client = {"ClientId": cognito.settings(server)["clientId"]}
    destination = {"Destination": "the message service of this server"}
    attributes = [{"Name": "email", "Value": "kim@example.org"}, {"Name": "nickname", "Value": "k"}]
    assert "The target that sends codes does not exist" in server.log()
    # Before the target is there, the code is an admin's to hand over.
    assert idp.sign_up(**client, Username="early", Password="a good password")["CodeDeliveryDetails"] == destination
    assert [(code["user"], code["wasSent"]) for code in admin.ok("GET", "/codes")["items"]] == [("early", False)]
    assert "A code was not sent" in server.log()
    with Receiver() as receiver:
        webhook_targets.make(admin, "mailer", receiver.url)
        idp.sign_up(**client, Username="kim", Password="a good password", UserAttributes=attributes)
        message = arrived(receiver, "sign-up")
        assert message.pop("expiresAt")
        code = message.pop("code")
        assert message == {"type": "ConfirmationCode", "purpose": "sign-up", "user": "kim", "email": "kim@example.org"}
        assert codes(admin)["kim"] == code
        assert code not in server.log()
        idp.confirm_sign_up(**client, Username="kim", ConfirmationCode=code)
        # For a name that nobody has, the client hears the same and nothing is sent.
        for name in ("nobody-here", "kim"):
            assert idp.forgot_password(**client, Username=name)["CodeDeliveryDetails"] == destination
        message = arrived(receiver, "password")
        assert message["user"] == "kim"
        idp.confirm_forgot_password(**client, Username="kim", ConfirmationCode=message["code"], Password="found again")
        cognito.sign_in(server, "kim", "found again")
        sent = {(message["purpose"], message["user"]) for message in messages(receiver.calls)}
        assert sent == {("sign-up", "kim"), ("password", "kim")}
        long = [{"Name": "email", "Value": "a" * 255}]
        refused("InvalidParameterException", 400, idp.sign_up, **client, Username="long", Password="a good password",
                UserAttributes=long)


def test_strangers_neither_flood_a_person_with_codes_nor_delay_the_persons_own(make_server):
    server = make_server(arguments=["--code-target", "mailer", "--allow-private-targets"])
    admin, idp = server.start().admin(), cognito.unsigned(server, "cognito-idp")
    client = {"ClientId": cognito.settings(server)["clientId"]}
    others = [f"other{number}" for number in range(20)]
    for name in [*others, "ana"]:
        admin.ok("POST", "/users", {"name": name, "role": "member"})

    def user(call):
        return json.loads(call.body)["user"]

    with Receiver(lambda call: 204 if user(call) == "ana" else 500) as receiver:
        webhook_targets.make(admin, "mailer", receiver.url)
        # The target refuses the codes of the others, which are tried for 31 s.
        for name in others:
            idp.forgot_password(**client, Username=name)
        # At once, for a minute later a person may be sent the code again.
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: idp.forgot_password(**client, Username="ana"), range(3)))
        receiver.wait(lambda calls: {*others, "ana"} <= {user(call) for call in calls})
        webhook_targets.eventually(
            lambda: [entry.get("wasSent") for entry in admin.ok("GET", "/codes")["items"] if entry["user"] == "ana"],
            lambda sent: sent == [True])
        assert [user(call) for call in receiver.calls].count("ana") == 1


def test_a_storm_of_requests_for_codes_sends_few_and_keeps_nobody_else_waiting(make_server):
    """Of one name's code from everywhere, with guesses of it, and of new accounts with one mail address."""
    server = make_server(arguments=["--registration", "open", "--code-target", "mailer", "--allow-private-targets",
                                    "--trusted-proxy", "127.0.0.1"]).start()
    admin, client = server.admin(), {"ClientId": cognito.settings(server)["clientId"]}
    admin.make_user("kim")
    admin.ok("POST", "/users", {"name": "ana", "role": "member", "password": "ana's password"})

    def ask(operation, address, **members):
        headers = {"X-Amz-Target": f"AWSCognitoIdentityProviderService.{operation}",
                   "Content-Type": "application/x-amz-json-1.1", "X-Forwarded-For": address}
        return requests.post(server.address, json={**client, **members}, headers=headers, timeout=60)

    def guess():
        """An address has ten tries at a name's code, and gets them back slowly."""
        return ask("ConfirmForgotPassword", "198.51.100.7", Username="kim", ConfirmationCode="A" * 16,
                   Password="found again").status_code

    with Receiver() as receiver:
        webhook_targets.make(admin, "mailer", receiver.url)
        before = server.resident_bytes()
        storm = Storm(
            lambda turn: ask("ForgotPassword", f"198.18.{turn // 250}.{turn % 250}", Username="kim").status_code)
        with concurrent.futures.ThreadPoolExecutor(9) as pool:
            running = [pool.submit(storm.run) for _ in range(8)]
            eventually(lambda: storm.answered >= 300)
            assert {guess() for _ in range(60)} == {400}
            # A person at an address of its own is answered while the storm goes on.
            signed_in = ask("InitiateAuth", "203.0.113.9", AuthFlow="USER_PASSWORD_AUTH",
                            AuthParameters={"USERNAME": "ana", "PASSWORD": "ana's password"})
            assert signed_in.status_code == 200 and signed_in.json()["AuthenticationResult"]["AccessToken"]
            assert not storm.is_over, "the person waited until nobody else asked any more"
            storm.end()
            assert set().union(*(each.result() for each in running)) == {200}
            attributes = [{"Name": "email", "Value": "victim@example.org"}]
            list(pool.map(lambda turn: ask("SignUp", f"198.51.100.{turn}", Username=f"new{turn}",
                                           Password="a good password", UserAttributes=attributes), range(12)))
        arrived(receiver, "password")
        sent = eventually(lambda: messages(receiver.calls), lambda found: len(found) >= 6)
        # One message for the name, and five a day for an address, whoever asks.
        assert [message["user"] for message in sent if message["purpose"] == "password"] == ["kim"]
        assert len([message for message in sent if message["purpose"] == "sign-up"]) == 5
        waiting = admin.ok("GET", "/codes")["items"]
        assert len([code for code in waiting if code["user"] == "kim"]) == 1 and len(waiting) == 13
        assert server.resident_bytes() - before < 150 << 20
        # The code is the one that the first request made.
        assert codes(admin)["kim"] == next(message["code"] for message in sent if message["user"] == "kim")


class Storm:
    """Requests that several threads send until they are told to end, or until there were so many that whoever waits
    for their end has been kept waiting."""

    most = 10_000

    def __init__(self, ask):
        self.ask = ask
        self.turns = itertools.count()
        self.answered = 0
        self.ended = threading.Event()

    @property
    def is_over(self):
        return self.answered >= self.most

    def end(self):
        self.ended.set()

    def run(self):
        """Sends requests, and returns what they were answered."""
        answers = set()
        while not self.ended.is_set() and not self.is_over:
            answers.add(self.ask(next(self.turns)))
            self.answered += 1
        return answers
