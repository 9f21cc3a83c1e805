"""Amazon Cognito user pools for unmodified clients: pycognito, boto3, awscli and PyJWT."""

import base64
import json
import os
import pathlib
import subprocess
import sys

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from pycognito import Cognito
from pycognito.aws_srp import AWSSRP

import amazon
import cognito
from amazon import refused


@pytest.fixture(scope="module")
def people(server, admin):
    """The users whose password is `NAME's password`."""
    admin.make_team("crew")
    for name, role, team in (("ida", "member", "crew"), ("lou", "leader", "crew"), ("kim", "member", None),
                             ("rex", "member", None), ("eve", "member", None), ("fay", "member", None)):
        admin.ok("POST", "/users", {"name": name, "role": role, "password": f"{name}'s password",
                                    **({"team": team} if team else {})})


@pytest.fixture(scope="module")
def settings(server):
    return cognito.settings(server)


@pytest.fixture(scope="module")
def idp(server):
    return cognito.unsigned(server, "cognito-idp")


def person(server, settings, name):
    """pycognito as its readme shows it, with our address."""
    return Cognito(settings["userPoolId"], settings["clientId"], username=name, access_key="none", secret_key="none",
                   boto3_client_kwargs={"endpoint_url": server.address})


def proof(idp, settings, name, password):
    """pycognito's side of SRP, step by step: what is answered to the challenge, and the challenge."""
    side = AWSSRP(name, password, settings["userPoolId"], settings["clientId"], client=idp)
    begun = side.get_auth_params()
    challenge = idp.initiate_auth(ClientId=settings["clientId"], AuthFlow="USER_SRP_AUTH", AuthParameters=begun)
    assert challenge["ChallengeName"] == "PASSWORD_VERIFIER"
    return side.process_challenge(challenge["ChallengeParameters"], begun), challenge["ChallengeParameters"]


def respond(idp, settings, answer):
    return idp.respond_to_auth_challenge(
        ClientId=settings["clientId"], ChallengeName="PASSWORD_VERIFIER", ChallengeResponses=answer)


def by_password(idp, settings, name, password):
    return idp.initiate_auth(ClientId=settings["clientId"], AuthFlow="USER_PASSWORD_AUTH",
                             AuthParameters={"USERNAME": name, "PASSWORD": password})["AuthenticationResult"]


def test_pycognito_signs_in_by_proof_and_verifies_the_tokens(server, people, settings):
    ida = person(server, settings, "ida")
    ida.authenticate("ida's password")
    ida.verify_tokens()
    assert ida.id_claims["cognito:username"] == ida.access_claims["username"] == "ida"
    assert ida.id_claims["cognito:groups"] == ["member"]
    assert ida.access_claims["client_id"] == ida.id_claims["aud"] == settings["clientId"]
    assert ida.access_claims["exp"] - ida.access_claims["iat"] == 900
    attributes = {entry["Name"]: entry["Value"] for entry in ida.client.get_user(
        AccessToken=ida.access_token)["UserAttributes"]}
    assert attributes == {"sub": ida.id_claims["sub"], "custom:team": "crew"}
    before = ida.access_token
    ida.renew_access_token()
    ida.verify_tokens()
    assert ida.access_token != before and ida.access_claims["auth_time"] <= ida.access_claims["iat"]
    ida.renew_access_token()
    ida.logout()
    assert ida.access_token is None


def test_a_wrong_password_is_refused_by_proof_and_in_plain_text(server, people, settings, idp):
    ida = person(server, settings, "ida")
    with pytest.raises(ida.client.exceptions.NotAuthorizedException, match="Incorrect username or password"):
        ida.authenticate("not it")
    refused("NotAuthorizedException", 400, by_password, idp=idp, settings=settings, name="ida", password="not it")


def test_answers_do_not_reveal_which_names_exist(people, settings, idp):
    answers = []
    for name in ("ida", "nobody-here", "an admin whose name is odd"):
        _, challenge = proof(idp, settings, name, "not it")
        _, again = proof(idp, settings, name, "not it")
        assert challenge["SALT"] == again["SALT"] and challenge["SRP_B"] != again["SRP_B"]
        answer, _ = proof(idp, settings, name, "not it")
        answers.append(refused("NotAuthorizedException", 400, respond, idp=idp, settings=settings, answer=answer)
                       ["Error"])
        assert len(challenge["SALT"]) == 32 and set(challenge) == {
            "SALT", "SECRET_BLOCK", "SRP_B", "USERNAME", "USER_ID_FOR_SRP"}
    assert answers[0] == answers[1] == answers[2]


def test_a_challenge_is_answered_once(people, settings, idp):
    answer, _ = proof(idp, settings, "ida", "ida's password")
    assert respond(idp, settings, answer)["AuthenticationResult"]["TokenType"] == "Bearer"
    refused("NotAuthorizedException", 400, respond, idp=idp, settings=settings, answer=answer)
    answer, _ = proof(idp, settings, "ida", "not it")
    for _ in range(2):
        refused("NotAuthorizedException", 400, respond, idp=idp, settings=settings, answer=answer)


def test_a_forged_challenge_is_refused(people, settings, idp):
    def forged(**changes):
        answer, _ = proof(idp, settings, "fay", "fay's password")
        refused("NotAuthorizedException", 400, respond, idp=idp, settings=settings, answer=answer | changes)

    answer, _ = proof(idp, settings, "fay", "fay's password")
    block = bytearray(base64.b64decode(answer["PASSWORD_CLAIM_SECRET_BLOCK"]))
    block[40] ^= 1
    forged(PASSWORD_CLAIM_SECRET_BLOCK=base64.b64encode(block).decode())
    forged(PASSWORD_CLAIM_SECRET_BLOCK=answer["PASSWORD_CLAIM_SECRET_BLOCK"])
    forged(PASSWORD_CLAIM_SIGNATURE=base64.b64encode(bytes(32)).decode())
    forged(TIMESTAMP="Thu Jan 1 00:00:00 UTC 1970")
    forged(TIMESTAMP="now")
    forged(USERNAME="lou")


def test_numbers_that_srp_forbids_are_refused(people, settings, idp):
    modulus = f"{AWSSRP('x', 'x', settings['userPoolId'], settings['clientId'], client=idp).big_n:x}"
    for number in ("0", "00", modulus, "xyz", "-1", "1" * 769, ""):
        refused("InvalidParameterException", 400, idp.initiate_auth, ClientId=settings["clientId"],
                AuthFlow="USER_SRP_AUTH", AuthParameters={"USERNAME": "ida", "SRP_A": number})


def test_input_that_the_model_does_not_allow_is_refused(people, settings, idp):
    client = settings["clientId"]
    refused("ResourceNotFoundException", 400, idp.initiate_auth, ClientId="another", AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": "ida", "PASSWORD": "ida's password"})
    for parameters in ({}, {"USERNAME": "ida"}, {"PASSWORD": "ida's password"}):
        for flow in ("USER_PASSWORD_AUTH", "USER_SRP_AUTH"):
            refused("InvalidParameterException", 400, idp.initiate_auth, ClientId=client, AuthFlow=flow,
                    AuthParameters=parameters)
    refused("InvalidParameterException", 400, idp.initiate_auth, ClientId=client, AuthFlow="CUSTOM_AUTH",
            AuthParameters={"USERNAME": "ida"})
    refused("InvalidParameterException", 400, idp.respond_to_auth_challenge, ClientId=client,
            ChallengeName="SMS_MFA", ChallengeResponses={})
    for token in ("", "x", "mu_" + "A" * 64, "mr_" + "A" * 64):
        refused("NotAuthorizedException" if token else "InvalidParameterException", 400, idp.initiate_auth,
                ClientId=client, AuthFlow="REFRESH_TOKEN_AUTH", AuthParameters={"REFRESH_TOKEN": token})


def test_tokens_end_with_the_session(server, people, settings, idp):
    tokens = by_password(idp, settings, "kim", "kim's password")
    other = by_password(idp, settings, "kim", "kim's password")
    idp.get_user(AccessToken=tokens["AccessToken"])
    refused("NotAuthorizedException", 400, idp.get_user, AccessToken=tokens["IdToken"])
    idp.revoke_token(Token=tokens["RefreshToken"], ClientId=settings["clientId"])
    refused("NotAuthorizedException", 400, idp.get_user, AccessToken=tokens["AccessToken"])
    refused("NotAuthorizedException", 400, idp.initiate_auth, ClientId=settings["clientId"],
            AuthFlow="REFRESH_TOKEN_AUTH", AuthParameters={"REFRESH_TOKEN": tokens["RefreshToken"]})
    idp.revoke_token(Token=tokens["RefreshToken"], ClientId=settings["clientId"])
    idp.get_user(AccessToken=other["AccessToken"])
    idp.global_sign_out(AccessToken=other["AccessToken"])
    for call, arguments in ((idp.get_user, {}), (idp.global_sign_out, {})):
        refused("NotAuthorizedException", 400, call, AccessToken=other["AccessToken"], **arguments)


def test_a_password_is_changed_with_the_former_one(people, settings, idp):
    tokens = by_password(idp, settings, "rex", "rex's password")
    change = {"AccessToken": tokens["AccessToken"]}
    refused("NotAuthorizedException", 400, idp.change_password, **change, PreviousPassword="not it",
            ProposedPassword="a better one")
    refused("InvalidPasswordException", 400, idp.change_password, **change, PreviousPassword="rex's password",
            ProposedPassword="short")
    idp.change_password(**change, PreviousPassword="rex's password", ProposedPassword="a better one")
    refused("NotAuthorizedException", 400, idp.get_user, **change)
    answer, _ = proof(idp, settings, "rex", "rex's password")
    refused("NotAuthorizedException", 400, respond, idp=idp, settings=settings, answer=answer)
    answer, _ = proof(idp, settings, "rex", "a better one")
    respond(idp, settings, answer)


def test_forged_tokens_are_refused(server, people, settings, idp):
    tokens = by_password(idp, settings, "ida", "ida's password")
    claims = cognito.verified(server, tokens["AccessToken"])
    header = jwt.get_unverified_header(tokens["AccessToken"])
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    forged = [jwt.encode(claims, stranger, algorithm="RS256", headers={"kid": header["kid"]}),
              jwt.encode(claims, "", algorithm="none"), tokens["AccessToken"][:-8] + "AAAAAAAA", "x", "a.b.c"]
    for token in forged:
        refused("NotAuthorizedException", 400, idp.get_user, AccessToken=token)
    cognito.verified(server, tokens["IdToken"], audience=settings["clientId"])
    assert server.admin().send("GET", "/teams", token=tokens["AccessToken"]).status_code == 401
    refresh = {"refreshToken": tokens["RefreshToken"]}
    assert server.admin().send("POST", "/session/refresh", refresh).status_code == 401


def test_awscli_signs_in_without_credentials(server, people, settings):
    environment = {**os.environ, "AWS_DEFAULT_REGION": amazon.region, "AWS_ENDPOINT_URL": server.address,
                   "AWS_PAGER": "", "AWS_OUTPUT": "json", "AWS_CONFIG_FILE": os.devnull,
                   "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    done = subprocess.run(
        [str(pathlib.Path(sys.executable).parent / "aws"), "cognito-idp", "initiate-auth", "--client-id",
         settings["clientId"], "--auth-flow", "USER_PASSWORD_AUTH", "--auth-parameters",
         json.dumps({"USERNAME": "lou", "PASSWORD": "lou's password"})],
        capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    token = json.loads(done.stdout)["AuthenticationResult"]["AccessToken"]
    assert cognito.verified(server, token)["cognito:groups"] == ["leader"]


@pytest.fixture(scope="module")
def boss(server):
    """boto3 with an admin's key."""
    return amazon.client(server, service="cognito-idp")


@pytest.fixture
def pool(settings):
    return {"UserPoolId": settings["userPoolId"]}


def test_an_admin_keeps_accounts(boss, people, settings, pool, idp, admin):
    made = boss.admin_create_user(**pool, Username="new@example.org", TemporaryPassword="first password",
                                  UserAttributes=[{"Name": "custom:team", "Value": "crew"}])["User"]
    assert made["Username"] == "new@example.org" and made["Enabled"]
    assert admin.ok("GET", "/users/new@example.org")["team"] == "crew"
    subject = made["Attributes"][0]["Value"]
    for name in ("new@example.org", subject):
        assert boss.admin_get_user(**pool, Username=name)["Username"] == "new@example.org"
    answer, _ = proof(idp, settings, "new@example.org", "first password")
    tokens = respond(idp, settings, answer)["AuthenticationResult"]
    refused("UsernameExistsException", 400, boss.admin_create_user, **pool, Username="new@example.org")
    refused("InvalidParameterException", 400, boss.admin_create_user, **pool, Username="no name")
    refused("InvalidParameterException", 400, boss.admin_create_user, **pool, Username="x",
            UserAttributes=[{"Name": "custom:team", "Value": "none such"}])
    refused("InvalidPasswordException", 400, boss.admin_create_user, **pool, Username="x", TemporaryPassword="short")
    boss.admin_set_user_password(**pool, Username="new@example.org", Password="second password", Permanent=True)
    refused("NotAuthorizedException", 400, idp.get_user, AccessToken=tokens["AccessToken"])
    tokens = by_password(idp, settings, "new@example.org", "second password")
    boss.admin_user_global_sign_out(**pool, Username="new@example.org")
    refused("NotAuthorizedException", 400, idp.get_user, AccessToken=tokens["AccessToken"])
    boss.admin_initiate_auth(**pool, ClientId=settings["clientId"], AuthFlow="ADMIN_USER_PASSWORD_AUTH",
                             AuthParameters={"USERNAME": "new@example.org", "PASSWORD": "second password"})
    boss.admin_delete_user(**pool, Username="new@example.org")
    for call in (boss.admin_get_user, boss.admin_delete_user, boss.admin_user_global_sign_out):
        refused("UserNotFoundException", 400, call, **pool, Username="new@example.org")
    refused("NotAuthorizedException", 400, boss.admin_set_user_password, **pool, Username="admin",
            Password="another password")
    refused("InvalidParameterException", 400, boss.admin_delete_user, **pool, Username="admin")


def test_cognitos_groups_are_the_roles_and_each_user_has_one(boss, people, pool, admin):
    names = {group["GroupName"] for group in boss.list_groups(**pool)["Groups"]}
    assert names == {"admin", "leader", "member", "analyst", "gateway"}

    def groups():
        found = boss.admin_list_groups_for_user(**pool, Username="eve")["Groups"]
        return [group["GroupName"] for group in found]

    assert groups() == ["member"]
    boss.admin_add_user_to_group(**pool, Username="eve", GroupName="analyst")
    assert groups() == ["analyst"] and admin.ok("GET", "/users/eve")["role"] == "analyst"
    assert [user["Username"] for user in boss.list_users_in_group(**pool, GroupName="analyst")["Users"]] == ["eve"]
    boss.admin_remove_user_from_group(**pool, Username="eve", GroupName="gateway")
    assert groups() == ["analyst"]
    boss.admin_remove_user_from_group(**pool, Username="eve", GroupName="analyst")
    assert groups() == ["member"]
    refused("ResourceNotFoundException", 400, boss.get_group, **pool, GroupName="kings")
    refused("InvalidParameterException", 400, boss.admin_remove_user_from_group, **pool, Username="admin",
            GroupName="admin")


def test_the_pool_and_its_users_are_listed(boss, people, settings, pool):
    assert boss.list_user_pools(MaxResults=10)["UserPools"][0]["Id"] == settings["userPoolId"]
    described = boss.describe_user_pool(**pool)["UserPool"]
    assert described["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    assert boss.list_user_pool_clients(**pool)["UserPoolClients"][0]["ClientId"] == settings["clientId"]
    found, token = [], {}
    while True:
        page = boss.list_users(**pool, Limit=2, **token)
        found += [user["Username"] for user in page["Users"]]
        if "PaginationToken" not in page:
            break
        token = {"PaginationToken": page["PaginationToken"]}
    assert {"admin", "ida", "lou", "kim"} <= set(found) and len(found) == len(set(found))
    assert [user["Username"] for user in boss.list_users(**pool, Filter='username = "ida"')["Users"]] == ["ida"]
    assert [user["Username"] for user in boss.list_users(**pool, Filter='username ^= "id"')["Users"]] == ["ida"]
    for wrong_filter in ("ida", 'name = "ida"', 'username = "ida" or'):
        refused("InvalidParameterException", 400, boss.list_users, **pool, Filter=wrong_filter)
    refused("InvalidParameterException", 400, boss.describe_user_pool, UserPoolId="us-east-1_another")


def test_only_an_admin_keeps_accounts(server, people, settings, pool):
    user, group = {"Username": "ida"}, {"GroupName": "member"}
    for name in ("ida", "lou"):
        idp = amazon.client(server, name, service="cognito-idp")
        for call, arguments in (
                (idp.admin_create_user, user), (idp.admin_get_user, user), (idp.admin_delete_user, user),
                (idp.admin_set_user_password, {**user, "Password": "another password"}),
                (idp.admin_confirm_sign_up, user), (idp.admin_user_global_sign_out, user),
                (idp.admin_initiate_auth, {"ClientId": settings["clientId"], "AuthFlow": "ADMIN_USER_PASSWORD_AUTH",
                                           "AuthParameters": {"USERNAME": "ida", "PASSWORD": "ida's password"}}),
                (idp.admin_add_user_to_group, {**user, **group}), (idp.admin_list_groups_for_user, user),
                (idp.admin_remove_user_from_group, {**user, **group}), (idp.list_groups, {}), (idp.get_group, group),
                (idp.list_users, {}), (idp.list_users_in_group, group), (idp.list_user_pool_clients, {}),
                (idp.describe_user_pool, {})):
            refused("AccessDeniedException", 400, call, **pool, **arguments)
        refused("AccessDeniedException", 400, idp.list_user_pools, MaxResults=1)


def test_a_sub_identifies_its_own_user_and_no_user_name_may_have_its_form(
        server, boss, people, settings, pool, admin, couch):
    subject = boss.admin_get_user(**pool, Username="kim")["UserAttributes"][0]["Value"]
    for name in (subject, subject.upper()):
        refused("InvalidParameterException", 400, boss.admin_create_user, **pool, Username=name)
        admin.refused(422, "POST", "/users", {"name": name, "role": "member"})
        answer = couch.send("PUT", f"/_users/org.couchdb.user:{name}", {"name": name, "password": "a good password"})
        assert answer.status_code == 400 and "UUID" in answer.json()["reason"]
    # Somebody has the name all the same: whoever a device that nobody registered stands for.
    amazon.client(server).batch_update_device_position(TrackerName="crew", Updates=[amazon.update(subject, 1, 1)])
    assert admin.ok("GET", f"/users/{subject}")["name"] == subject
    boss.admin_add_user_to_group(**pool, Username=subject, GroupName="leader")
    assert admin.ok("GET", "/users/kim")["role"] == "leader"
    boss.admin_add_user_to_group(**pool, Username="kim", GroupName="member")


def test_tokens_name_the_configured_address(make_server):
    server = make_server(arguments=["--public-url", "https://muster.example/"]).start()
    server.admin().ok("POST", "/users", {"name": "ida", "role": "member", "password": "ida's password"})
    pool = cognito.settings(server)["userPoolId"]
    tokens = cognito.sign_in(server, "ida", "ida's password")
    issuer = f"https://muster.example/{pool}"
    for token in (tokens["IdToken"], tokens["AccessToken"]):
        assert jwt.decode(token, options={"verify_signature": False})["iss"] == issuer
    described = requests.get(f"{server.address}/{pool}/.well-known/openid-configuration", timeout=60).json()
    assert described["issuer"] == issuer
