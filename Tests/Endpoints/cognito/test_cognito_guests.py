"""Guests of identity pools, for unmodified clients: identities that nobody has signed in to, and what becomes of their
datasets when somebody does."""

import os
import subprocess

import jwt
import pytest

import amazon
import cognito
from amazon import refused
from cognito import Person
from cognito_guest import Guest, names, put


@pytest.fixture(scope="module")
def identity(server):
    return cognito.unsigned(server, "cognito-identity")


@pytest.fixture(scope="module")
def boss(server):
    return amazon.client(server, service="cognito-identity")


@pytest.fixture(scope="module")
def pools(server, admin, boss):
    """The ids of the identity pools: of north, which allows guests, and of south, which does not."""
    made = {name: boss.create_identity_pool(
        IdentityPoolName=name, AllowUnauthenticatedIdentities=name == "north")["IdentityPoolId"]
        for name in ("north", "south")}
    for name, team in (("mia", "north"), ("max", "north"), ("sue", "south")):
        admin.ok("POST", "/users", {"name": name, "role": "member", "password": f"{name}'s password", "team": team})
    return made


def records(sync, pool, identity, dataset):
    answer = sync.list_records(**names(pool, identity, dataset))
    return {record["Key"]: record["Value"] for record in answer["Records"]}


def test_a_pool_allows_guests_as_configured(boss, identity, pools):
    for name, is_open in (("north", True), ("south", False)):
        assert boss.describe_identity_pool(IdentityPoolId=pools[name])["AllowUnauthenticatedIdentities"] is is_open
    refused("NotAuthorizedException", 400, identity.get_id, IdentityPoolId=pools["south"])
    south = {"IdentityPoolId": pools["south"], "IdentityPoolName": "south"}
    assert boss.update_identity_pool(**south, AllowUnauthenticatedIdentities=True)["AllowUnauthenticatedIdentities"]
    guest = identity.get_id(IdentityPoolId=pools["south"])["IdentityId"]
    identity.get_credentials_for_identity(IdentityId=guest)
    boss.update_identity_pool(**south, AllowUnauthenticatedIdentities=False)
    assert not boss.describe_identity_pool(IdentityPoolId=pools["south"])["AllowUnauthenticatedIdentities"]
    for call in (identity.get_credentials_for_identity, identity.get_open_id_token):
        refused("NotAuthorizedException", 400, call, IdentityId=guest)
    nobody = next(pool for pool in boss.list_identity_pools(MaxResults=60)["IdentityPools"]
                  if pool["IdentityPoolName"] == "no team")
    assert boss.update_identity_pool(**nobody, AllowUnauthenticatedIdentities=True)["AllowUnauthenticatedIdentities"]
    identity.get_id(IdentityPoolId=nobody["IdentityPoolId"])
    boss.update_identity_pool(**nobody, AllowUnauthenticatedIdentities=False)


def test_a_guest_keeps_datasets_and_reaches_nothing_else(server, identity, pools, boss):
    guest, other = (Guest(server, identity, pools["north"]) for _ in range(2))
    assert guest.id != other.id
    sync = guest.sync
    assert sync.list_datasets(IdentityPoolId=guest.pool, IdentityId=guest.id)["Datasets"] == []
    assert not sync.list_records(**names(guest.pool, guest.id, "settings"))["DatasetExists"]
    guest.put("settings", theme="dark")
    guest.put("settings", theme="light", size="7")
    listed = sync.list_records(**names(guest.pool, guest.id, "settings"))
    assert (listed["DatasetSyncCount"], listed["Count"], listed["LastModifiedBy"]) == (2, 2, "guest")
    assert records(sync, guest.pool, guest.id, "settings") == {"theme": "light", "size": "7"}
    described = sync.describe_dataset(**names(guest.pool, guest.id, "settings"))["Dataset"]
    assert (described["IdentityId"], described["NumRecords"]) == (guest.id, 2)
    usage = sync.describe_identity_usage(IdentityPoolId=guest.pool, IdentityId=guest.id)["IdentityUsage"]
    assert (usage["DatasetCount"], usage["IdentityId"]) == (1, guest.id)
    # Credentials can be made again at any time, and reach the stored datasets.
    guest.credentials = identity.get_credentials_for_identity(IdentityId=guest.id)["Credentials"]
    guest.sync = guest.client("cognito-sync")
    assert records(guest.sync, guest.pool, guest.id, "settings")["theme"] == "light"
    assert not other.sync.list_records(**names(other.pool, other.id, "settings"))["DatasetExists"]
    refused("NotAuthorizedException", 403, other.sync.list_records, **names(guest.pool, guest.id, "settings"))
    refused("NotAuthorizedException", 403, guest.sync.list_records, **names(pools["south"], guest.id, "settings"))
    refused("NotAuthorizedException", 403, guest.sync.get_identity_pool_configuration, IdentityPoolId=guest.pool)
    refused("NotAuthorizedException", 403, guest.sync.register_device, IdentityPoolId=guest.pool,
            IdentityId=guest.id, Platform="GCM", Token="t" * 32)
    location = guest.client("location")
    for call, arguments in (
            (location.list_geofence_collections, {}), (location.list_device_positions, {"TrackerName": "north"}),
            (location.batch_update_device_position,
             {"TrackerName": "north", "Updates": [amazon.update("mia", 1, 1)]})):
        refused("AccessDeniedException", 403, call, **arguments)
    assert boss.describe_identity(IdentityId=guest.id)["IdentityId"] == guest.id
    usage = amazon.client(server, service="cognito-sync").describe_identity_pool_usage(IdentityPoolId=guest.pool)
    assert usage["IdentityPoolUsage"]["DataStorage"] > 0
    sync.delete_dataset(**names(guest.pool, guest.id, "settings"))
    assert sync.list_datasets(IdentityPoolId=guest.pool, IdentityId=guest.id)["Datasets"] == []


def test_an_identity_cannot_be_guessed_or_changed(server, identity, pools):
    guest = Guest(server, identity, pools["north"])
    digit = "1" if guest.id[-1] != "1" else "2"
    for wrong in (guest.id[:-1] + digit, guest.id.replace(guest.id.split(":")[1][:8], "00000000"),
                  guest.id.split(":")[0] + ":00000000-0000-0000-0000-000000000000"):
        for call in (identity.get_credentials_for_identity, identity.get_open_id_token):
            refused("NotAuthorizedException", 400, call, IdentityId=wrong)


def test_a_guests_token_is_verified_by_anyone_and_proves_no_user(server, identity, pools):
    guest = Guest(server, identity, pools["north"])
    token = identity.get_open_id_token(IdentityId=guest.id)["Token"]
    key = jwt.PyJWKClient(f"{server.address}/.well-known/jwks_uri").get_signing_key_from_jwt(token)
    claims = jwt.decode(token, key, algorithms=["RS256"], audience=guest.pool, issuer=server.address)
    assert (claims["sub"], claims["amr"]) == (guest.id, ["unauthenticated"])
    mia = Person(server, identity, "mia", pools["north"])
    for identity_id in (guest.id, mia.id):
        for provider in ("cognito-identity.amazonaws.com", next(iter(mia.logins))):
            refused("NotAuthorizedException", 400, identity.get_credentials_for_identity, IdentityId=identity_id,
                    Logins={provider: token})


def test_a_user_who_signs_in_keeps_the_guests_datasets(server, identity, pools):
    guest = Guest(server, identity, pools["north"])
    guest.put("settings", theme="light")
    guest.put("game", level="3")
    mia = Person(server, identity, "mia", pools["north"])
    sync = mia.client("cognito-sync")
    put(sync, mia.pool, mia.id, "settings", theme="dark")
    # An app shows the guest's identity with the person's token, and goes on with the identity of the answer.
    answer = identity.get_credentials_for_identity(IdentityId=guest.id, Logins=mia.logins)
    assert answer["IdentityId"] == mia.id
    sync = mia.client("cognito-sync", answer["Credentials"])
    merged = f"settings.{guest.id}"
    for _ in range(2):
        listed = sync.list_records(**names(mia.pool, mia.id, "settings"))
        assert listed["MergedDatasetNames"] == [merged]
        assert (listed["DatasetSyncCount"], listed["Records"][0]["Value"]) == (1, "dark")
        assert records(sync, mia.pool, mia.id, merged) == {"theme": "light"}
        assert sync.list_records(**names(mia.pool, mia.id, "game"))["MergedDatasetNames"] == []
        assert records(sync, mia.pool, mia.id, "game") == {"level": "3"}
        # The same request again, as an app sends it that lost the first answer.
        assert identity.get_open_id_token(IdentityId=guest.id, Logins=mia.logins)["IdentityId"] == mia.id
    # A merged dataset behaves like any other until it is deleted.
    put(sync, mia.pool, mia.id, merged, size="7")
    sync.delete_dataset(**names(mia.pool, mia.id, merged))
    assert sync.list_records(**names(mia.pool, mia.id, "settings"))["MergedDatasetNames"] == []
    # The guest's identity can no longer be used.
    refused("UnrecognizedClientException", 403, guest.sync.list_records, **names(guest.pool, guest.id, "settings"))
    for call in (identity.get_credentials_for_identity, identity.get_open_id_token):
        error = refused("NotAuthorizedException", 400, call, IdentityId=guest.id)
        assert "forbidden" in error["Error"]["Message"]
    other = Person(server, identity, "max", pools["north"])
    refused("NotAuthorizedException", 400, identity.get_credentials_for_identity, IdentityId=guest.id,
            Logins=other.logins)
    assert other.client("cognito-sync").list_datasets(IdentityPoolId=other.pool, IdentityId=other.id)["Count"] == 0


def test_a_guest_of_another_pool_is_not_merged(server, identity, pools):
    guest = Guest(server, identity, pools["north"])
    guest.put("settings", theme="light")
    sue = Person(server, identity, "sue", pools["south"])
    refused("ResourceNotFoundException", 400, identity.get_credentials_for_identity, IdentityId=guest.id,
            Logins=sue.logins)
    assert records(guest.sync, guest.pool, guest.id, "settings") == {"theme": "light"}


def test_a_merge_is_reported_by_the_live_feed_and_the_native_api(server, identity, pools):
    guest = Guest(server, identity, pools["north"])
    guest.put("reader", page="12")
    guest.put("reader2", page="1")
    other = Person(server, identity, "max", pools["north"])
    max_ = server.api(server.admin().ok("POST", "/keys", {"label": "native", "user": "max"})["key"])
    max_.ok("PATCH", "/datasets/reader", {"records": [{"key": "page", "value": "9", "syncCount": 0}]})
    identity.get_credentials_for_identity(IdentityId=guest.id, Logins=other.logins)
    told = max_.ok("GET", "/datasets/reader?since=0")
    assert (told["mergedDatasets"], told["records"][0]["value"]) == ([f"reader.{guest.id}"], "9")
    assert max_.ok("GET", f"/datasets/reader.{guest.id}")["records"][0]["value"] == "12"
    assert max_.ok("GET", "/datasets/reader2")["syncCount"] == 1


def test_a_pool_lists_its_users_and_the_guests_with_datasets(boss, server, identity, pools):
    stored = [Guest(server, identity, pools["north"]) for _ in range(3)]
    for guest in stored:
        guest.put("settings", theme="dark")
    silent = Guest(server, identity, pools["north"])
    mia = Person(server, identity, "mia", pools["north"])
    pages, token = [], {}
    while not pages or token:
        page = boss.list_identities(IdentityPoolId=pools["north"], MaxResults=2, **token)
        pages.append([entry["IdentityId"] for entry in page["Identities"]])
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else {}
    listed = sum(pages, [])
    assert len(listed) == len(set(listed)) and all(len(page) == 2 for page in pages[:-1])
    assert {mia.id, *(guest.id for guest in stored)} <= set(listed) and silent.id not in listed
    # The users come first, and whoever is merged into a user is listed as that user alone.
    assert listed.index(mia.id) < min(listed.index(guest.id) for guest in stored)
    identity.get_credentials_for_identity(IdentityId=stored[0].id, Logins=mia.logins)
    whole = boss.list_identities(IdentityPoolId=pools["north"], MaxResults=60)["Identities"]
    assert {entry["IdentityId"] for entry in whole} == set(listed) - {stored[0].id}
    south = boss.list_identities(IdentityPoolId=pools["south"], MaxResults=60)["Identities"]
    assert not set(listed) & {entry["IdentityId"] for entry in south}
    refused("AccessDeniedException", 403, stored[1].client("cognito-identity").list_identities,
            IdentityPoolId=pools["north"], MaxResults=60)


def test_a_guests_datasets_survive_kill_9(make_server):
    server = make_server().start()
    boss = amazon.client(server, service="cognito-identity")
    pool = boss.create_identity_pool(IdentityPoolName="north", AllowUnauthenticatedIdentities=True)["IdentityPoolId"]
    identity = cognito.unsigned(server, "cognito-identity")
    guest = Guest(server, identity, pool)
    guest.put("settings", theme="dark")
    server.kill()
    server.start()
    guest.server, guest.identity = server, cognito.unsigned(server, "cognito-identity")
    # The credentials are good until their hour is over, although nothing of them is stored.
    assert records(guest.client("cognito-sync"), pool, guest.id, "settings") == {"theme": "dark"}


def test_the_command_line_of_aws_is_a_guest(server, pools):
    environment = {**os.environ, "AWS_ENDPOINT_URL": server.address, "AWS_DEFAULT_REGION": "us-east-1",
                   "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    program = amazon.pathlib.Path(amazon.sys.executable).parent / "aws"
    done = subprocess.run(
        [str(program), "cognito-identity", "get-id", "--identity-pool-id", pools["north"], "--query", "IdentityId",
         "--output", "text"], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("us-east-1:")


def test_strangers_get_identities_at_a_bounded_rate(server, identity, pools):
    # There is room for 60, and for one more every six seconds.
    for _ in range(600):
        try:
            identity.get_id(IdentityPoolId=pools["north"])
        except identity.exceptions.TooManyRequestsException as error:
            assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400
            break
    else:
        pytest.fail("nobody was slowed down")
