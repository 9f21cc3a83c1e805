"""Guests of identity pools, and the records of their datasets, by boto3."""

import amazon


class Guest:
    """A guest, as an app makes one for somebody who has not signed in."""

    def __init__(self, server, identity, pool):
        self.identity, self.pool, self.server = identity, pool, server
        self.id = identity.get_id(IdentityPoolId=pool)["IdentityId"]
        self.credentials = identity.get_credentials_for_identity(IdentityId=self.id)["Credentials"]
        self.sync = self.client("cognito-sync")

    def client(self, service):
        made = self.credentials
        return amazon.client(self.server, service=service, key={
            "accessKeyId": made["AccessKeyId"], "secretAccessKey": made["SecretKey"],
            "sessionToken": made["SessionToken"]})

    def put(self, dataset, **values):
        put(self.sync, self.pool, self.id, dataset, **values)


def names(pool, identity, dataset):
    return {"IdentityPoolId": pool, "IdentityId": identity, "DatasetName": dataset}


def put(sync, pool, identity, dataset, **values):
    """Changes records, whatever their sync counts are."""
    now = sync.list_records(**names(pool, identity, dataset))
    counts = {record["Key"]: record["SyncCount"] for record in now["Records"]}
    sync.update_records(
        **names(pool, identity, dataset), SyncSessionToken=now["SyncSessionToken"], RecordPatches=[
            {"Op": "replace", "Key": key, "Value": value, "SyncCount": counts.get(key, 0)}
            for key, value in values.items()])
