"""Sets up unmodified AWS clients (boto3 and the command line) for a Muster server, as docs/aws.md describes."""

import json
import os
import pathlib
import subprocess
import sys
import threading
from datetime import datetime, timedelta, timezone

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

os.environ["AWS_DISABLE_HOST_PREFIX_INJECTION"] = "true"
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
region = "eu-west-2"
session = boto3.session.Session()
making = threading.Lock()
"""Held while the session makes a client, which two threads may not do at once."""


def aws_key(server, user="admin", **more):
    """Creates an AWS access key of a user."""
    return server.admin().ok("POST", "/keys", {"label": "aws", "user": user, "kind": "aws", **more})


def make_client(service, **arguments):
    """Makes a boto3 client. All clients share one session, because it parses the model of a service only once."""
    with making:
        return session.client(service, **arguments)


def client(server, user="admin", service="location", key=None, path="", retries=1, checks=True, **more):
    """Returns a boto3 client that signs as a user. With `checks` false it does not validate parameters before it
    sends them."""
    key = key or aws_key(server, user)
    arguments = {
        "aws_access_key_id": key["accessKeyId"], "aws_secret_access_key": key["secretAccessKey"],
        "aws_session_token": key.get("sessionToken")} | more
    return make_client(
        service, endpoint_url=server.address + path, region_name=region,
        config=Config(retries={"total_max_attempts": retries, "mode": "standard"}, parameter_validation=checks),
        **arguments)


def command(server, *arguments, key=None, service="location"):
    """Runs `aws SERVICE …` and returns its output, parsed from JSON."""
    key = key or aws_key(server)
    environment = {
        **os.environ, "AWS_ACCESS_KEY_ID": key["accessKeyId"], "AWS_SECRET_ACCESS_KEY": key["secretAccessKey"],
        "AWS_DEFAULT_REGION": region, "AWS_ENDPOINT_URL": server.address, "AWS_PAGER": "", "AWS_OUTPUT": "json",
        "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    program = pathlib.Path(sys.executable).parent / "aws"
    done = subprocess.run(
        [str(program), service, *arguments], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else {}


def refused(code, status, call, **arguments):
    """Makes a call that must fail with this code and status. Returns the error's response."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    answer = caught.value.response
    assert (answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]) == (code, status), answer
    return answer


def fields(answer):
    """Returns the names of the fields that a ValidationException lists."""
    return [field.get("name", field.get("Name")) for field in answer.get("fieldList", answer.get("FieldList", []))]


def moment(seconds_ago=0, now=None):
    """Returns the UTC time `seconds_ago` before `now`, truncated to milliseconds. `now` is the present by default."""
    then = (now or datetime.now(timezone.utc)) - timedelta(seconds=seconds_ago)
    return then.replace(microsecond=then.microsecond // 1000 * 1000)


def update(device, longitude, latitude, seconds_ago=0, now=None, **more):
    """Makes an update. Several of one device whose distance in time matters have the same `now`."""
    return {"DeviceId": device, "SampleTime": moment(seconds_ago, now), "Position": [longitude, latitude], **more}


def square(west, south, size):
    """Returns the ring of a square, counter-clockwise and closed."""
    east, north = west + size, south + size
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def crossings(server, collection, device):
    """Returns (kind, region) of every crossing of a collection's regions by a device, in order."""
    return [(change["kind"], change["region"]["id"]) for change in server.admin().changes()
            if change["type"] == "crossing" and change["region"]["collection"] == collection
            and change["device"].split("/")[0].split("@")[0] == device]


class Place:
    """A tracker linked to a collection of the same name, and its crossings."""

    def __init__(self, server, location, name, fences=(), **settings):
        self.server, self.location, self.name = server, location, name
        location.create_tracker(TrackerName=name, **settings)
        arn = location.create_geofence_collection(CollectionName=name)["CollectionArn"]
        location.associate_tracker_consumer(TrackerName=name, ConsumerArn=arn)
        for identifier, geometry in fences:
            location.put_geofence(CollectionName=name, GeofenceId=identifier, Geometry=geometry)

    def report(self, *updates):
        answer = self.location.batch_update_device_position(TrackerName=self.name, Updates=list(updates))
        assert answer["Errors"] == []

    def crossings(self, device):
        return crossings(self.server, self.name, device)

    def history(self, device, **more):
        """Returns all stored positions of a device, from all pages."""
        found, token = [], {}
        while True:
            answer = self.location.get_device_position_history(
                TrackerName=self.name, DeviceId=device, **more, **token)
            found += answer["DevicePositions"]
            if "NextToken" not in answer:
                return found
            token = {"NextToken": answer["NextToken"]}
