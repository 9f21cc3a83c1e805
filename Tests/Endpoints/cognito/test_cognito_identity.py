"""Amazon Cognito identity pools for unmodified clients: tokens of the user pool become AWS credentials."""

import threading
from datetime import timedelta

import jwt
import pytest
import requests
from botocore.exceptions import ClientError

import amazon
import cognito
from amazon import refused
from cognito import Person


@pytest.fixture(scope="module")
def people(server, admin):
    """Users whose password is `NAME's password`, in two teams and in none."""
    for team in ("north", "south"):
        admin.make_team(team)
    for name, role, team in (("mia", "member", "north"), ("sue", "member", "south"), ("ann", "analyst", None),
                             ("gus", "gateway", None), ("lena", "leader", "north"), ("max", "member", "north"),
                             ("joe", "member", "north"), ("pat", "member", "south")):
        admin.ok("POST", "/users", {"name": name, "role": role, "password": f"{name}'s password",
                                    **({"team": team} if team else {})})


@pytest.fixture(scope="module")
def identity(server):
    return cognito.unsigned(server, "cognito-identity")


@pytest.fixture(scope="module")
def pools(server, people):
    """The ids of the identity pools, by the names of the teams."""
    listed = amazon.client(server, service="cognito-identity").list_identity_pools(MaxResults=60)["IdentityPools"]
    return {pool["IdentityPoolName"]: pool["IdentityPoolId"] for pool in listed}


def test_a_token_of_the_user_pool_becomes_credentials_for_location_and_sync(server, identity, pools, admin):
    mia = Person(server, identity, "mia", pools["north"])
    admin.make_device("mia")
    before = amazon.moment()
    credentials = mia.credentials()
    hour, rounding = timedelta(hours=1), timedelta(seconds=1)
    assert before + hour - rounding <= credentials["Expiration"] <= amazon.moment() + hour + rounding
    answer = mia.client("location", credentials).batch_update_device_position(
        TrackerName="north", Updates=[amazon.update("mia", 1, 1)])
    assert answer["Errors"] == []
    sync = mia.client("cognito-sync", credentials)
    names = {"IdentityPoolId": mia.pool, "IdentityId": mia.id, "DatasetName": "settings"}
    token = sync.list_records(**names)["SyncSessionToken"]
    sync.update_records(**names, SyncSessionToken=token, RecordPatches=[
        {"Op": "replace", "Key": "theme", "Value": "dark", "SyncCount": 0}])
    assert sync.list_records(**names)["Records"][0]["Value"] == "dark"
    forged = dict(credentials, SessionToken="another")
    refused("UnrecognizedClientException", 403, mia.client("cognito-sync", forged).list_records, **names)
    forged = dict(credentials, SecretKey="another")
    refused("SignatureDoesNotMatch", 403, mia.client("cognito-sync", forged).list_records, **names)


def test_an_open_id_token_is_verified_by_anyone_and_becomes_credentials(server, identity, pools):
    mia = Person(server, identity, "mia", pools["north"])
    token = identity.get_open_id_token(IdentityId=mia.id, Logins=mia.logins)["Token"]
    key = jwt.PyJWKClient(f"{server.address}/.well-known/jwks_uri").get_signing_key_from_jwt(token)
    claims = jwt.decode(token, key, algorithms=["RS256"], audience=mia.pool, issuer=server.address)
    assert claims["sub"] == mia.id
    logins = {"cognito-identity.amazonaws.com": token}
    mia.client("location", mia.credentials(logins)).list_device_positions(TrackerName="north")
    refused("NotAuthorizedException", 400, identity.get_credentials_for_identity, IdentityId=mia.id,
            Logins={"cognito-identity.amazonaws.com": mia.tokens["IdToken"]})
    refused("NotAuthorizedException", 400, identity.get_id, IdentityPoolId=mia.pool, Logins={
        next(iter(mia.logins)): token})


def test_an_identity_needs_a_valid_sign_in(server, identity, pools):
    mia = Person(server, identity, "mia", pools["north"])
    provider = next(iter(mia.logins))
    for logins in ({}, {provider: mia.tokens["AccessToken"]}, {provider: "x"}, {"accounts.google.com": "x"},
                   {provider + "0": mia.tokens["IdToken"]}, {**mia.logins, "accounts.google.com": "x"}):
        refused("NotAuthorizedException", 400, identity.get_id, IdentityPoolId=mia.pool, Logins=logins)
        for call in (identity.get_credentials_for_identity, identity.get_open_id_token):
            refused("NotAuthorizedException", 400, call, IdentityId=mia.id, Logins=logins)
    refused("NotAuthorizedException", 400, identity.get_id, IdentityPoolId=mia.pool)
    for nothing in ({}, {"Logins": {provider: "x"}}):
        refused("NotAuthorizedException", 400, identity.get_id, **nothing,
                IdentityPoolId="us-east-1:00000000-0000-0000-0000-000000000000")
    refused("NotAuthorizedException", 400, identity.get_id, IdentityPoolId=pools["south"], Logins=mia.logins)
    refused("ResourceNotFoundException", 400, identity.get_id, Logins=mia.logins,
            IdentityPoolId="us-east-1:00000000-0000-0000-0000-000000000000")
    sue = Person(server, identity, "sue", pools["south"])
    for call in (identity.get_credentials_for_identity, identity.get_open_id_token):
        refused("ResourceNotFoundException", 400, call, IdentityId=sue.id, Logins=mia.logins)
        for wrong in ("nothing", "a:B", "x:" + "0" * 60):
            refused("InvalidParameterException", 400, call, IdentityId=wrong, Logins=mia.logins)


def test_credentials_end_with_the_right_of_the_user(server, identity, pools, admin):
    names = {"max": pools["north"], "joe": pools["north"], "pat": pools["south"]}
    everyone = {name: Person(server, identity, name, pool) for name, pool in names.items()}
    held = {name: person.client("location") for name, person in everyone.items()}
    for location in held.values():
        location.list_geofence_collections()
    admin.ok("DELETE", "/users/max")
    cognito.unsigned(server, "cognito-idp").global_sign_out(AccessToken=everyone["joe"].tokens["AccessToken"])
    admin.ok("PUT", "/users/pat/password", {"password": "a new password"})
    for name, location in held.items():
        refused("UnrecognizedClientException", 403, location.list_geofence_collections)
        refused("NotAuthorizedException", 400, identity.get_credentials_for_identity, IdentityId=everyone[name].id,
                Logins=everyone[name].logins)


def test_credentials_end_with_a_password_in_users_and_with_their_session(server, identity, pools, admin, couch):
    sue = Person(server, identity, "sue", pools["south"])
    held = sue.client("location")
    held.list_geofence_collections()
    cognito.unsigned(server, "cognito-idp").revoke_token(
        Token=sue.tokens["RefreshToken"], ClientId=sue.settings["clientId"])
    refused("UnrecognizedClientException", 403, held.list_geofence_collections)
    refused("NotAuthorizedException", 400, identity.get_credentials_for_identity, IdentityId=sue.id, Logins=sue.logins)

    admin.ok("POST", "/users", {"name": "uma", "role": "admin", "password": "uma's password"})
    uma = Person(server, identity, "uma", pools["no team"])
    held = uma.client("location")
    held.list_geofence_collections()
    own = f"{server.address}/_users/org.couchdb.user:uma"
    changed = requests.put(own, auth=("uma", "uma's password"), timeout=60, json={
        "_rev": requests.get(own, auth=("uma", "uma's password"), timeout=60).json()["_rev"], "name": "uma",
        "password": "a new password"})
    assert changed.status_code == 201, changed.text
    refused("UnrecognizedClientException", 403, held.list_geofence_collections)


def test_no_credentials_outlive_a_reset_that_comes_while_they_are_made(server, identity, pools, admin):
    admin.ok("POST", "/users", {"name": "tom", "role": "member", "team": "north", "password": "tom's password"})
    tom = Person(server, identity, "tom", pools["north"])
    made, is_over, enough = [], threading.Event(), threading.Semaphore(0)

    def make():
        own = cognito.unsigned(server, "cognito-identity")
        while not is_over.is_set():
            try:
                made.append(own.get_credentials_for_identity(IdentityId=tom.id, Logins=tom.logins)["Credentials"])
            except ClientError:
                return
            enough.release()

    threads = [threading.Thread(target=make) for _ in range(12)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            assert enough.acquire(timeout=60), "no thread receives credentials any more"
        admin.ok("PUT", "/users/tom/password", {"password": "a new password"})
    finally:
        for thread in threads:
            thread.join(60)
        is_over.set()
    for credentials in made[-50:]:
        refused("UnrecognizedClientException", 403, tom.client("location", credentials).list_geofence_collections)
    assert not [key for key in admin.ok("GET", "/keys?user=tom")["items"] if key["label"] == "cognito identity"]


def test_an_app_may_ask_for_credentials_as_often_as_it_likes(server, identity, pools, admin):
    lena = Person(server, identity, "lena", pools["north"])
    first = lena.credentials()
    lena.client("location", first).list_trackers()
    for _ in range(50):
        last = lena.credentials()
    lena.client("location", last).list_trackers()
    refused("UnrecognizedClientException", 403, lena.client("location", first).list_trackers)
    listed = [key for key in admin.ok("GET", "/keys?user=lena")["items"] if key["label"] == "cognito identity"]
    assert len(listed) == 50
    amazon.aws_key(server, "lena")


def test_a_pool_is_a_team(server, pools, admin):
    pool = amazon.client(server, service="cognito-identity")
    assert {"north", "south", "no team"} <= set(pools)
    made = pool.create_identity_pool(IdentityPoolName="west", AllowUnauthenticatedIdentities=False)
    assert admin.ok("GET", "/teams/west")["tracker"] == "west"
    described = pool.describe_identity_pool(IdentityPoolId=made["IdentityPoolId"])
    provider = described["CognitoIdentityProviders"][0]
    assert provider["ClientId"] == cognito.settings(server)["clientId"]
    assert described["AllowUnauthenticatedIdentities"] is False
    west = {"IdentityPoolId": made["IdentityPoolId"]}
    refused("ResourceConflictException", 400, pool.create_identity_pool, IdentityPoolName="west",
            AllowUnauthenticatedIdentities=False)
    refused("InvalidParameterException", 400, pool.create_identity_pool, IdentityPoolName="no name",
            AllowUnauthenticatedIdentities=False)
    pool.update_identity_pool(**west, IdentityPoolName="west", AllowUnauthenticatedIdentities=False)
    refused("InvalidParameterException", 400, pool.update_identity_pool, **west, IdentityPoolName="east",
            AllowUnauthenticatedIdentities=False)
    admin.make_user("wes", "member", "west")
    refused("ResourceConflictException", 400, pool.delete_identity_pool, **west)
    listed = pool.list_identities(**west, MaxResults=60)["Identities"]
    assert len(listed) == 1
    assert pool.describe_identity(IdentityId=listed[0]["IdentityId"])["IdentityId"] == listed[0]["IdentityId"]
    refused("ResourceNotFoundException", 400, pool.describe_identity, IdentityId=made["IdentityPoolId"])
    admin.ok("DELETE", "/users/wes")
    pool.delete_identity_pool(**west)
    admin.refused(404, "GET", "/teams/west")
    for call in (pool.describe_identity_pool, pool.delete_identity_pool):
        refused("ResourceNotFoundException", 400, call, **west)
    refused("InvalidParameterException", 400, pool.delete_identity_pool, IdentityPoolId=pools["no team"])


def test_pools_and_identities_are_listed_in_pages(server, pools):
    pool = amazon.client(server, service="cognito-identity")
    found, token = [], {}
    while True:
        page = pool.list_identity_pools(MaxResults=1, **token)
        found += page["IdentityPools"]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
    assert {entry["IdentityPoolId"] for entry in found} >= set(pools.values())
    refused("InvalidParameterException", 400, pool.list_identity_pools, MaxResults=1, NextToken="x")
    page = pool.list_identities(IdentityPoolId=pools["north"], MaxResults=1)
    rest = pool.list_identities(IdentityPoolId=pools["north"], MaxResults=60, NextToken=page["NextToken"])
    assert len(page["Identities"]) == 1 and page["Identities"][0] not in rest["Identities"]


@pytest.mark.parametrize("name", ("mia", "lena", "ann", "gus"))
def test_only_an_admin_sees_and_changes_pools(server, pools, name):
    pool = amazon.client(server, name, service="cognito-identity")
    north = {"IdentityPoolId": pools["north"]}
    for call, arguments in (
            (pool.list_identity_pools, {"MaxResults": 1}), (pool.describe_identity_pool, north),
            (pool.list_identities, {**north, "MaxResults": 1}), (pool.delete_identity_pool, north),
            (pool.create_identity_pool, {"IdentityPoolName": "x", "AllowUnauthenticatedIdentities": False}),
            (pool.update_identity_pool,
             {**north, "IdentityPoolName": "north", "AllowUnauthenticatedIdentities": False}),
            (pool.describe_identity, {"IdentityId": cognito.settings(server)["identityId"]})):
        refused("NotAuthorizedException", 400, call, **arguments)
