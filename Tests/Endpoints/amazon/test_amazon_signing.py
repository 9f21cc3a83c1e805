"""Who is let in by AWS's signatures, and how everyone else is told."""

import json
from datetime import datetime, timedelta, timezone
from unittest import mock

import botocore.auth
import pytest
import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

import amazon
from amazon import client, refused, update
from muster_process import run
from waiting import eventually


@pytest.fixture(scope="module")
def key(server):
    return amazon.aws_key(server)


def send(server, key, body=b"{}", *, signed=None, service="geo", at=None, change=None,
         path="/tracking/v0/list-trackers"):
    """A request signed by botocore's own signer, perhaps changed behind it."""
    request = AWSRequest("POST", server.address + path, headers={"Content-Type": "application/json"},
                         data=signed if signed is not None else body)
    signer = SigV4Auth(Credentials(key["accessKeyId"], key["secretAccessKey"], key.get("sessionToken")), service,
                       "eu-west-2")
    at = at or datetime.now(timezone.utc)
    with mock.patch.object(botocore.auth, "get_current_datetime", return_value=at):
        signer.add_auth(request)
    headers = dict(request.headers)
    if change:
        change(headers)
    return requests.post(server.address + path, data=body, headers=headers, timeout=60)


def code(response):
    assert response.headers["x-amzn-ErrorType"] == response.json()["__type"]
    assert response.headers["x-amzn-RequestId"]
    return response.status_code, response.json()["__type"]


def test_requests_signed_by_botocore_are_admitted(server, key):
    assert send(server, key).status_code == 200
    assert send(server, key, path="/aws/tracking/v0/list-trackers").status_code == 200


def test_a_tampered_body_does_not_match(server, key):
    answer = send(server, key, b'{"MaxResults":2}', signed=b'{"MaxResults":1}')
    assert code(answer) == (403, "SignatureDoesNotMatch")


def test_a_tampered_path_does_not_match(server, key):
    request = AWSRequest("GET", server.address + "/tracking/v0/trackers/one", headers={})
    SigV4Auth(Credentials(key["accessKeyId"], key["secretAccessKey"]), "geo", "eu-west-2").add_auth(request)
    answer = requests.get(server.address + "/tracking/v0/trackers/two", headers=dict(request.headers), timeout=60)
    assert code(answer) == (403, "SignatureDoesNotMatch")


def test_a_wrong_secret_does_not_match(server, key):
    answer = refused("SignatureDoesNotMatch", 403, client(server, key=key, aws_secret_access_key="x").list_trackers)
    assert "Check your AWS Secret Access Key" in answer["Error"]["Message"]


def test_an_unknown_key_is_not_recognised(server, key):
    refused("UnrecognizedClientException", 403,
            client(server, key=key, aws_access_key_id="AKIAAAAAAAAAAAAAAAAA").list_trackers)


def test_another_service_or_another_time_is_refused(server, key):
    assert code(send(server, key, service="s3")) == (403, "InvalidSignatureException")

    def signed(seconds):
        return send(server, key, at=datetime.now(timezone.utc) + timedelta(seconds=seconds))

    # Five minutes either way. A request that is on its way for minutes is still on the same side of them.
    for seconds in (-301, 600):
        assert code(signed(seconds)) == (403, "InvalidSignatureException")
    for seconds in (-120, 299):
        assert signed(seconds).status_code == 200


def test_a_request_without_a_signature_is_refused_as_such(server):
    answer = requests.post(server.address + "/tracking/v0/list-trackers", data=b"{}", timeout=60)
    assert code(answer) == (403, "MissingAuthenticationToken")
    answer = requests.post(server.address + "/tracking/v0/list-trackers", data=b"{}", timeout=60,
                           headers={"Authorization": f"Bearer {server.admin().token}"})
    assert code(answer) == (403, "MissingAuthenticationToken")


def test_an_unsigned_header_is_refused(server, key):
    def add_target(headers):
        headers["X-Amz-Target"] = "AWSEvents.PutRule"
    assert code(send(server, key, change=add_target)) == (403, "IncompleteSignatureException")


def test_temporary_credentials_end(server):
    lasting = amazon.aws_key(server, lastsSeconds=3600)
    client(server, key=lasting).list_trackers()
    refused("UnrecognizedClientException", 403,
            client(server, key=lasting, aws_session_token="another").list_trackers)
    # No machine is sure to make a request within their second, so that they were good is not asserted of these.
    brief = client(server, key=amazon.aws_key(server, lastsSeconds=1))

    def error():
        try:
            brief.list_trackers()
        except brief.exceptions.ClientError as refusal:
            return refusal.response["Error"]["Code"]

    assert eventually(error, why="temporary credentials of 1 s do not end") == "ExpiredTokenException"


def test_a_revoked_key_is_worth_nothing_at_once(server):
    key = amazon.aws_key(server)
    location = client(server, key=key)
    location.list_trackers()
    server.admin().ok("DELETE", f"/keys/{key['id']}")
    refused("UnrecognizedClientException", 403, location.list_trackers)


def test_a_key_made_by_the_command_line_works_and_is_listed_and_revoked(server):
    made = json.loads(run("key", "add", "--user", "admin", "--aws", "--json", data=server.data))
    assert set(made) == {"accessKeyId", "secretAccessKey"}
    client(server, key=made).list_trackers()
    temporary = json.loads(
        run("key", "add", "--user", "admin", "--aws", "--temporary", "600", "--json", data=server.data))
    assert set(temporary) == {"accessKeyId", "secretAccessKey", "sessionToken", "expiration"}
    client(server, key=temporary).list_trackers()
    listed = run("key", "list", "--user", "admin", data=server.data)
    assert made["accessKeyId"] in listed and made["secretAccessKey"] not in listed
    run("key", "remove", made["accessKeyId"], data=server.data)
    refused("UnrecognizedClientException", 403, client(server, key=made).list_trackers)


def test_secrets_lie_sealed_in_the_data_folder(server, key):
    for file in server.data.glob("muster.sqlite*"):
        assert key["secretAccessKey"].encode() not in file.read_bytes()
    assert (server.data / "secrets.key").stat().st_mode & 0o777 == 0o600
    assert key["secretAccessKey"] not in server.log()


def test_a_server_without_its_secrets_key_refuses_to_start(make_server):
    server = make_server().start()
    key = amazon.aws_key(server)
    server.stop()
    (server.data / "secrets.key").rename(server.folder / "aside")
    with pytest.raises(AssertionError, match="secrets.key is missing"):
        server.start()
    (server.folder / "aside").rename(server.data / "secrets.key")
    server.start()
    client(server, key=key).list_trackers()


def test_a_client_that_is_too_fast_is_slowed_down_and_gets_through(make_server):
    # A second request must wait for hours, so that it is too fast on any machine.
    server = make_server(arguments=["--aws-requests-per-second", "0.0001"]).start()
    key = amazon.aws_key(server)
    hasty = client(server, key=key)
    hasty.list_trackers()
    refused("ThrottlingException", 429, hasty.list_trackers)
    # Another key has a rate of its own.
    client(server).list_trackers()

    def wait_over(attempts, **_):
        """Ends the wait between the client's first attempt and its next: the restart forgets the requests."""
        if attempts == 1:
            server.stop()
            server.start()

    patient = client(server, key=key, retries=10)
    patient.meta.events.register("needs-retry.location.ListTrackers", wait_over)
    assert patient.list_trackers()["ResponseMetadata"]["RetryAttempts"] > 0


def test_roles_hold_for_aws_clients_too(server):
    admin = server.admin()
    for team in ("red", "blue"):
        admin.make_team(team)
    # An admin's new collection is everyone's.
    admin.ok("PATCH", "/trackers/red", {"collections": ["red"]})
    for name, role, team in (("lea", "leader", "red"), ("may", "member", "red"), ("ned", "member", "blue"),
                             ("ana", "analyst", None), ("gate", "gateway", None)):
        admin.make_user(name, role, team)
    for name in ("may", "ned"):
        admin.make_device(name)
    lea, may, ana, gate = (client(server, user) for user in ("lea", "may", "ana", "gate"))

    def errors(location, tracker, device):
        answer = location.batch_update_device_position(TrackerName=tracker, Updates=[update(device, 1, 1)])
        return [error["Error"]["Code"] for error in answer["Errors"]]

    assert errors(may, "red", "may") == []
    assert errors(may, "red", "lea") == errors(may, "red", "new") == ["AccessDeniedError"]
    assert errors(gate, "blue", "ned") == errors(gate, "red", "van") == errors(lea, "red", "lorry") == []
    refused("ResourceNotFoundException", 404, may.batch_update_device_position, TrackerName="blue",
            Updates=[update("may", 1, 1)])
    assert [entry["DeviceId"] for entry in may.list_device_positions(TrackerName="red")["Entries"]] == ["may"]
    assert {entry["DeviceId"] for entry in lea.list_device_positions(TrackerName="red")["Entries"]} == {
        "may", "van", "lorry"}
    assert [entry["TrackerName"] for entry in lea.list_trackers()["Entries"]] == ["red"]
    refused("ResourceNotFoundException", 404, lea.get_device_position, TrackerName="blue", DeviceId="ned")
    refused("ResourceNotFoundException", 404, may.get_device_position, TrackerName="red", DeviceId="van")
    assert ana.get_device_position(TrackerName="blue", DeviceId="ned")["Position"] == [1, 1]
    for location in (lea, may, ana, gate):
        refused("AccessDeniedException", 403, location.create_tracker, TrackerName="new")
    refused("AccessDeniedException", 403, gate.get_device_position, TrackerName="red", DeviceId="van")
    circle = {"Circle": {"Center": [1, 1], "Radius": 9}}
    lea.put_geofence(CollectionName="red", GeofenceId="g", Geometry=circle)
    refused("AccessDeniedException", 403, lea.put_geofence, CollectionName="blue", GeofenceId="g", Geometry=circle)
    refused("AccessDeniedException", 403, may.put_geofence, CollectionName="red", GeofenceId="g", Geometry=circle)
    assert may.get_geofence(CollectionName="red", GeofenceId="g")["Status"] == "ACTIVE"
