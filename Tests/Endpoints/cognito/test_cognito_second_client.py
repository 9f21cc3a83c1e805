"""Amazon Cognito for a second AWS client: boto 2, which shares no code with botocore, signs by itself, and was written
against Cognito's first model."""

from urllib.parse import urlsplit

import pytest

import amazon

boto = pytest.importorskip("boto", reason="boto 2 does not run on Python 3.12 and newer")
identity_client = pytest.importorskip("boto.cognito.identity.layer1").CognitoIdentityConnection
sync_client = pytest.importorskip("boto.cognito.sync.layer1").CognitoSyncConnection
faults = pytest.importorskip("boto.cognito.sync.exceptions")
regions = pytest.importorskip("boto.regioninfo")


def connection(server, kind, service, key):
    """A connection of boto 2 to a server of ours."""
    address = urlsplit(server.address)
    made = kind(
        aws_access_key_id=key["accessKeyId"], aws_secret_access_key=key["secretAccessKey"], is_secure=False,
        port=address.port, region=regions.RegionInfo(name=amazon.region, endpoint=address.hostname))
    made.auth_region_name, made.auth_service_name = amazon.region, service
    return made


def patch(operation, key, value=None, count=0):
    return {"Op": operation, "Key": key, "SyncCount": count, **({"Value": value} if value else {})}


def test_a_dataset_lives_from_its_first_record_to_its_deletion(server, admin):
    ana = admin.make_user("ana", "member", None)
    ids = ana.ok("GET", "/cognito")
    names = (ids["identityPoolId"], ids["identityId"])
    sync = connection(server, sync_client, "cognito-sync", amazon.aws_key(server, "ana"))
    page = sync.list_records(*names, "settings")
    assert (page["DatasetExists"], page["Records"]) == (False, [])
    made = sync.update_records(*names, "settings", page["SyncSessionToken"], record_patches=[
        patch("replace", "theme", "dark"), patch("replace", "size", "12")])["Records"]
    assert {(record["Key"], record["Value"], record["SyncCount"]) for record in made} == {
        ("theme", "dark", 1), ("size", "12", 1)}
    with pytest.raises(faults.ResourceConflictException):
        sync.update_records(*names, "settings", page["SyncSessionToken"], record_patches=[
            patch("replace", "theme", "light")])
    sync.update_records(*names, "settings", page["SyncSessionToken"], record_patches=[
        patch("remove", "size", count=1)])
    found = sync.list_records(*names, "settings", last_sync_count=1)
    assert [(record["Key"], record.get("Value")) for record in found["Records"]] == [("size", None)]
    assert [dataset["DatasetName"] for dataset in sync.list_datasets(*names)["Datasets"]] == ["settings"]
    assert sync.describe_identity_usage(*names)["IdentityUsage"]["DatasetCount"] == 1
    with pytest.raises(faults.InvalidConfigurationException):
        sync.register_device(*names, "GCM", "token-of-anas-phone")
    assert sync.delete_dataset(*names, "settings")["Dataset"]["DatasetName"] == "settings"
    with pytest.raises(faults.ResourceNotFoundException):
        sync.describe_dataset(*names, "settings")


def test_a_user_cannot_read_anothers_dataset(server, admin):
    admin.make_user("bo", "member", None)
    ids = admin.make_user("cy", "member", None).ok("GET", "/cognito")
    sync = connection(server, sync_client, "cognito-sync", amazon.aws_key(server, "bo"))
    with pytest.raises(faults.NotAuthorizedException):
        sync.list_records(ids["identityPoolId"], ids["identityId"], "settings")


def test_an_admin_lists_and_makes_identity_pools(server, admin):
    boss = connection(server, identity_client, "cognito-identity", amazon.aws_key(server, "admin"))
    made = boss.create_identity_pool("crew", False)
    assert made["IdentityPoolName"] == "crew" and not made["AllowUnauthenticatedIdentities"]
    assert made["IdentityPoolId"] in {pool["IdentityPoolId"] for pool in boss.list_identity_pools(9)["IdentityPools"]}
    assert boss.describe_identity_pool(made["IdentityPoolId"])["IdentityPoolName"] == "crew"
    assert boss.list_identities(made["IdentityPoolId"], 9)["Identities"] == []
    boss.delete_identity_pool(made["IdentityPoolId"])
