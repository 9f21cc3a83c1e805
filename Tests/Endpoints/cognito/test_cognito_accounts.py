"""What an admin does with the accounts of the user pool, and what people do with their own, by boto3 and pycognito."""

import pytest
from pycognito.aws_srp import AWSSRP

import amazon
import cognito
from amazon import refused
from muster_process import admin_password


@pytest.fixture(scope="module")
def settings(server):
    return cognito.settings(server)


@pytest.fixture(scope="module")
def pool(settings):
    return {"UserPoolId": settings["userPoolId"]}


@pytest.fixture(scope="module")
def client(settings):
    return {"ClientId": settings["clientId"]}


@pytest.fixture(scope="module")
def idp(server):
    return cognito.unsigned(server, "cognito-idp")


@pytest.fixture(scope="module")
def boss(server):
    return amazon.client(server, service="cognito-idp")


@pytest.fixture(scope="module", autouse=True)
def teams(admin):
    for team in ("north", "south"):
        admin.make_team(team)


@pytest.fixture
def make(admin):
    """Makes a user whose password is `NAME's password`."""
    def make(name, role="member", **more):
        admin.ok("POST", "/users", {"name": name, "role": role, "password": f"{name}'s password", **more})
        return name
    return make


def begin(boss, idp, settings, name, password):
    """Begins a sign-in by proof through an admin. Returns the answer to its challenge."""
    side = AWSSRP(name, password, settings["userPoolId"], settings["clientId"], client=idp)
    begun = side.get_auth_params()
    challenge = boss.admin_initiate_auth(
        UserPoolId=settings["userPoolId"], ClientId=settings["clientId"], AuthFlow="USER_SRP_AUTH",
        AuthParameters=begun)
    assert challenge["ChallengeName"] == "PASSWORD_VERIFIER"
    return side.process_challenge(challenge["ChallengeParameters"], begun)


def by_password(idp, client, name, password):
    return idp.initiate_auth(**client, AuthFlow="USER_PASSWORD_AUTH",
                             AuthParameters={"USERNAME": name, "PASSWORD": password})["AuthenticationResult"]


def test_an_admin_signs_a_user_in_by_proof(server, boss, idp, settings, pool, client, make):
    make("ann")
    respond = {**pool, **client, "ChallengeName": "PASSWORD_VERIFIER"}
    answer = begin(boss, idp, settings, "ann", "ann's password")
    tokens = boss.admin_respond_to_auth_challenge(**respond, ChallengeResponses=answer)["AuthenticationResult"]
    assert cognito.verified(server, tokens["AccessToken"])["username"] == "ann"
    # An answer is good once, and a wrong password's never.
    for wrong in (answer, begin(boss, idp, settings, "ann", "not it"), begin(boss, idp, settings, "nobody", "not it")):
        refused("NotAuthorizedException", 400, boss.admin_respond_to_auth_challenge, **respond,
                ChallengeResponses=wrong)
    answer = begin(boss, idp, settings, "ann", "ann's password")
    for change, code in (({"UserPoolId": "us-east-1_another"}, "InvalidParameterException"),
                         ({"ClientId": "another"}, "ResourceNotFoundException"),
                         ({"ChallengeName": "SMS_MFA"}, "InvalidParameterException"),
                         ({"ChallengeResponses": {"USERNAME": "ann"}}, "InvalidParameterException")):
        refused(code, 400, boss.admin_respond_to_auth_challenge,
                **{**respond, "ChallengeResponses": answer, **change})
    # None of these used the challenge up.
    boss.admin_respond_to_auth_challenge(**respond, ChallengeResponses=answer)


def test_a_password_that_an_admin_resets_is_set_by_a_code(boss, idp, settings, pool, client, make, admin):
    make("bea")
    tokens = by_password(idp, client, "bea", "bea's password")
    key = admin.ok("POST", "/keys", {"label": "own", "user": "bea"})["key"]
    boss.admin_reset_user_password(**pool, Username="bea")
    assert boss.admin_get_user(**pool, Username="bea")["UserStatus"] == "RESET_REQUIRED"
    # All that the password opened is closed.
    refused("NotAuthorizedException", 400, idp.get_user, AccessToken=tokens["AccessToken"])
    admin.refused(401, "GET", "/session", token=key)
    told = refused("PasswordResetRequiredException", 400, by_password, idp=idp, client=client, name="bea",
                   password="bea's password")
    assert told["Error"]["Message"] == "Password reset required for the user"
    refused("PasswordResetRequiredException", 400, boss.admin_respond_to_auth_challenge, **pool, **client,
            ChallengeName="PASSWORD_VERIFIER",
            ChallengeResponses=begin(boss, idp, settings, "bea", "bea's password"))
    # The code is the one that the person is sent who asks for it.
    [code] = [entry for entry in admin.ok("GET", "/codes")["items"] if entry["user"] == "bea"]
    assert code["purpose"] == "password"
    idp.forgot_password(**client, Username="bea")
    set_by = {**client, "Username": "bea", "Password": "bea's new password"}
    refused("CodeMismatchException", 400, idp.confirm_forgot_password, **set_by, ConfirmationCode="A" * 16)
    idp.confirm_forgot_password(**set_by, ConfirmationCode=code["code"])
    assert boss.admin_get_user(**pool, Username="bea")["UserStatus"] == "CONFIRMED"
    by_password(idp, client, "bea", "bea's new password")
    refused("NotAuthorizedException", 400, by_password, idp=idp, client=client, name="bea", password="bea's password")
    # A password that an admin sets ends the reset too.
    boss.admin_reset_user_password(**pool, Username="bea")
    boss.admin_set_user_password(**pool, Username="bea", Password="bea's third password", Permanent=True)
    by_password(idp, client, "bea", "bea's third password")
    refused("UserNotFoundException", 400, boss.admin_reset_user_password, **pool, Username="nobody")
    refused("NotAuthorizedException", 400, boss.admin_reset_user_password, **pool, Username="admin")


def test_a_user_removes_their_own_account(boss, idp, pool, client, make, admin):
    make("cid", team="north")
    tokens = by_password(idp, client, "cid", "cid's password")
    admin.make_device("cid", "phone")
    # A token has one text: no padding (RFC 7515, section 2).
    for token in ("x", tokens["IdToken"], tokens["AccessToken"] + "==", tokens["AccessToken"] + "="):
        refused("NotAuthorizedException", 400, idp.delete_user, AccessToken=token)
    idp.delete_user(AccessToken=tokens["AccessToken"])
    refused("UserNotFoundException", 400, boss.admin_get_user, **pool, Username="cid")
    admin.refused(404, "GET", "/users/cid")
    refused("NotAuthorizedException", 400, idp.get_user, AccessToken=tokens["AccessToken"])
    refused("NotAuthorizedException", 400, by_password, idp=idp, client=client, name="cid", password="cid's password")


def test_an_account_with_a_call_for_help_or_a_timer_cannot_be_removed(boss, server, idp, pool, client, make, admin):
    make("fay", team="north")
    token = by_password(idp, client, "fay", "fay's password")["AccessToken"]
    fay = server.api(admin.ok("POST", "/keys", {"label": "fay", "user": "fay"})["key"])
    words, timer = "/users/fay/declarations", "/users/fay/check-in-timer"
    for begin, end, why in (
            (("POST", words, {"kind": "sos"}), ("POST", words, {"kind": "clear"}), "help"),
            (("PUT", timer, {"intervalSeconds": 3600}), ("DELETE", timer), "timer")):
        fay.ok(*begin)
        error = refused("NotAuthorizedException", 400, idp.delete_user, AccessToken=token)
        assert why in error["Error"]["Message"]
        assert boss.admin_get_user(**pool, Username="fay")
        fay.ok(*end)
    idp.delete_user(AccessToken=token)
    admin.refused(404, "GET", "/users/fay")


def test_the_last_admin_stays(boss, idp, pool, client, make, admin):
    tokens = by_password(idp, client, "admin", admin_password)
    refused("InvalidParameterException", 400, idp.delete_user, AccessToken=tokens["AccessToken"])
    make("eva", role="admin")
    idp.delete_user(AccessToken=by_password(idp, client, "eva", "eva's password")["AccessToken"])
    refused("UserNotFoundException", 400, boss.admin_get_user, **pool, Username="eva")
    refused("InvalidParameterException", 400, idp.delete_user, AccessToken=tokens["AccessToken"])


def test_an_admin_changes_the_team_of_a_user_and_no_attribute_that_is_not_kept(boss, pool, make, admin):
    make("dan", team="north")
    user = {**pool, "Username": "dan"}

    def change(*attributes):
        boss.admin_update_user_attributes(
            **user, UserAttributes=[{"Name": name, "Value": value} for name, value in attributes])

    def team():
        attributes = boss.admin_get_user(**user)["UserAttributes"]
        found = {attribute["Name"]: attribute["Value"] for attribute in attributes}
        assert found.get("custom:team") == admin.ok("GET", "/users/dan").get("team")
        return found.get("custom:team")

    change(("custom:team", "south"))
    assert team() == "south"
    for name, value in (("email", "dan@example.org"), ("sub", "x"), ("custom:other", "x")):
        with pytest.raises(boss.exceptions.InvalidParameterException, match=name):
            change(("custom:team", "north"), (name, value))
    with pytest.raises(boss.exceptions.InvalidParameterException, match="custom:team"):
        change(("custom:team", "none such"))
    assert team() == "south"
    change(("custom:team", ""))
    assert team() is None
    change()
    refused("UserNotFoundException", 400, boss.admin_update_user_attributes, **pool, Username="nobody",
            UserAttributes=[])
