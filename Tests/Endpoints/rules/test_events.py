"""Rules and events by unmodified clients: boto3's EventBridge client, the AWS CLI, and the API's own."""

import json
import os
import subprocess
import sys

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from muster_process import root, run
from native_api import NativeApi, box, fix, now, polygon

crossing = {"source": ["aws.geo"], "detail-type": ["Location Geofence Event"]}
safety = "arn:aws:muster:us-east-1:000000000000:target/safety"


def event(**more):
    """An event as EventBridge wants it to be tested."""
    return {
        "id": "1", "account": "000000000000", "source": "aws.geo", "time": "2026-11-21T12:00:00Z",
        "region": "us-east-1", "resources": [], "detail-type": "Location Geofence Event", **more}


@pytest.fixture(scope="module")
def keys(server, admin):
    """AWS keys of an admin, of a leader, and of a member."""
    admin.make_team("crew")
    admin.make_user("lena", "leader", "crew")
    admin.make_user("mia", "member", "crew")
    return {
        name: admin.ok("POST", "/keys", {"label": "aws", "user": name, "kind": "aws"})
        for name in ("admin", "lena", "mia")}


@pytest.fixture(scope="module")
def client(server, keys):
    """A client of EventBridge as one of them."""

    def make(name="admin"):
        return boto3.client(
            "events", endpoint_url=server.address, region_name="us-east-1",
            aws_access_key_id=keys[name]["accessKeyId"], aws_secret_access_key=keys[name]["secretAccessKey"],
            config=Config(retries={"max_attempts": 1}))

    return make


def code(call, **arguments):
    """The code of the error that a call ends with."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]["Code"]


def test_a_rule_lives_from_put_to_delete(client):
    events = client()
    arn = events.put_rule(Name="life", EventPattern=json.dumps(crossing), Description="all of it")["RuleArn"]
    assert arn == "arn:aws:events:us-east-1:000000000000:rule/life"
    rule = events.describe_rule(Name="life")
    assert (rule["Arn"], rule["State"], rule["Description"]) == (arn, "ENABLED", "all of it")
    assert (json.loads(rule["EventPattern"]), rule["EventBusName"]) == (crossing, "default")
    events.disable_rule(Name="life")
    assert events.describe_rule(Name="life")["State"] == "DISABLED"
    events.enable_rule(Name="life")
    assert events.describe_rule(Name="life")["State"] == "ENABLED"
    events.put_rule(Name="life", EventPattern='{"source":["a"]}', State="DISABLED", EventBusName="default")
    assert "Description" not in events.describe_rule(Name="life")
    assert events.put_targets(Rule="life", Targets=[{"Id": "1", "Arn": safety}])["FailedEntryCount"] == 0
    assert events.list_targets_by_rule(Rule="life")["Targets"] == [{"Id": "1", "Arn": safety}]
    assert events.list_rule_names_by_target(TargetArn=safety)["RuleNames"] == ["life"]
    assert code(events.delete_rule, Name="life") == "ValidationException"
    answer = events.remove_targets(Rule="life", Ids=["1", "2"])
    assert [entry["TargetId"] for entry in answer["FailedEntries"]] == ["2"]
    events.delete_rule(Name="life")
    events.delete_rule(Name="life")
    assert code(events.describe_rule, Name="life") == "ResourceNotFoundException"


@pytest.mark.parametrize("pattern, words", [
    ("{", "not JSON"), ("{}", "empty"), ('{"source":"aws.geo"}', "/source"), ('{"a":[{"wildcard":"**"}]}', "wildcard"),
    ('{"a":[{"like":"x"}]}', "like"), ('{"a":["%s"]}' % ("x" * 4096), "4096"),
])
def test_an_invalid_pattern_is_refused_with_its_place(client, pattern, words):
    with pytest.raises(ClientError) as caught:
        client().put_rule(Name="bad", EventPattern=pattern)
    assert caught.value.response["Error"]["Code"] == "InvalidEventPatternException"
    assert words in caught.value.response["Error"]["Message"]


def test_unsupported_event_features_are_refused(client):
    events = client()
    assert code(events.put_rule, Name="clock", ScheduleExpression="rate(1 hour)") == "ValidationException"
    assert code(events.put_rule, Name="none") == "ValidationException"
    assert code(events.put_rule, Name="a b", EventPattern='{"a":[1]}') == "ValidationException"
    assert code(
        events.put_rule, Name="bus", EventPattern='{"a":[1]}', EventBusName="other") == "ResourceNotFoundException"
    assert code(events.list_event_buses) == "UnknownOperationException"


def test_targets_are_taken_or_refused_one_by_one(client):
    events = client()
    events.put_rule(Name="targets", EventPattern=json.dumps({**crossing, "detail": {"DeviceId": ["mia"]}}))
    answer = events.put_targets(Rule="targets", Targets=[
        {"Id": "lambda", "Arn": "arn:aws:lambda:us-east-1:000000000000:function:f"},
        {"Id": "none", "Arn": "arn:aws:muster:us-east-1:000000000000:target/none"},
        {"Id": "safety", "Arn": safety}, {"Id": "two", "Arn": safety, "Input": "{}", "InputPath": "$"},
    ])
    codes = {entry["TargetId"]: entry["ErrorCode"] for entry in answer["FailedEntries"]}
    assert codes == {
        "lambda": "ValidationException", "none": "ResourceNotFoundException",
        "safety": "InvalidEventPatternException", "two": "ValidationException"}
    assert "not for detail.DeviceId" in next(
        entry["ErrorMessage"] for entry in answer["FailedEntries"] if entry["TargetId"] == "safety")
    assert events.list_targets_by_rule(Rule="targets")["Targets"] == []
    assert code(events.put_targets, Rule="unknown", Targets=[{"Id": "1", "Arn": safety}]) == "ResourceNotFoundException"
    events.put_rule(Name="targets", EventPattern=json.dumps(crossing))
    assert code(
        events.put_targets, Rule="targets",
        Targets=[{"Id": str(number), "Arn": safety} for number in range(6)]) == "LimitExceededException"
    events.delete_rule(Name="targets")


def test_lists_come_page_by_page(client):
    events = client()
    names = [f"page-{number:03}" for number in range(23)]
    for name in names:
        events.put_rule(Name=name, EventPattern='{"source":["nobody"]}')
    found, token = [], {}
    while True:
        answer = events.list_rules(NamePrefix="page-", Limit=10, **token)
        found += [rule["Name"] for rule in answer["Rules"]]
        if "NextToken" not in answer:
            break
        assert len(answer["Rules"]) == 10
        token = {"NextToken": answer["NextToken"]}
    assert found == names
    pages = events.get_paginator("list_rules").paginate(NamePrefix="page-", PaginationConfig={"PageSize": 7})
    assert [rule["Name"] for page in pages for rule in page["Rules"]] == names
    assert code(events.list_rules, NextToken="made up") == "ValidationException"
    for name in names:
        events.delete_rule(Name=name)


def test_there_are_at_most_a_thousand_rules(make_server):
    with make_server() as server:
        admin = server.admin()
        key = admin.ok("POST", "/keys", {"label": "aws", "kind": "aws"})
        events = boto3.client(
            "events", endpoint_url=server.address, region_name="eu-central-1",
            aws_access_key_id=key["accessKeyId"], aws_secret_access_key=key["secretAccessKey"])
        # By the native API: a client of Amazon's signs each request, which takes longer than the request.
        for number in range(1000):
            admin.ok("POST", "/rules", {"name": f"rule-{number}", "pattern": {"detail": {"n": [number]}}})
        assert code(events.put_rule, Name="more", EventPattern='{"a":[1]}') == "LimitExceededException"
        events.put_rule(Name="rule-7", EventPattern='{"a":[1]}')


def test_a_pattern_is_tried_on_an_event(client):
    events = client("lena")
    pattern = json.dumps({**crossing, "detail": {"EventType": ["ENTER"], "GeofenceId": [{"prefix": "muster-"}]}})
    inside = event(detail={"EventType": "ENTER", "GeofenceId": "muster-1"})
    assert events.test_event_pattern(EventPattern=pattern, Event=json.dumps(inside))["Result"] is True
    outside = event(detail={"EventType": "EXIT", "GeofenceId": "muster-1"})
    assert events.test_event_pattern(EventPattern=pattern, Event=json.dumps(outside))["Result"] is False
    assert code(events.test_event_pattern, EventPattern="{", Event=json.dumps(inside)) == "InvalidEventPatternException"
    assert code(events.test_event_pattern, EventPattern=pattern, Event="{}") == "ValidationException"


def test_roles_limit_the_calls_for_rules(client):
    assert code(client("lena").put_rule, Name="x", EventPattern='{"a":[1]}') == "AccessDeniedException"
    assert code(client("lena").put_events, Entries=[{"Source": "a"}]) == "AccessDeniedException"
    assert "Rules" in client("lena").list_rules()
    for call in (client("mia").list_rules, client("mia").list_event_buses):
        assert code(call) == "AccessDeniedException"


def test_posted_events_are_in_the_log_with_their_ids(client, admin):
    before = admin.last_sequence()
    answer = client().put_events(Entries=[
        {"Source": "drill", "DetailType": "Bell", "Detail": '{"n":1}'},
        {"Source": "aws.geo", "DetailType": "Bell", "Detail": "{}"},
        {"Source": "drill", "DetailType": "Bell", "Detail": "[]"},
        {"Source": "drill", "Detail": "{}"},
        {"Source": "drill", "DetailType": "Other", "Detail": "{}", "EventBusName": "default"},
    ])
    assert answer["FailedEntryCount"] == 3
    assert [entry.get("ErrorCode") for entry in answer["Entries"]] == [
        None, "NotAuthorizedForSourceException", "MalformedDetail", "InvalidArgument", None]
    ids = [entry["EventId"] for entry in answer["Entries"] if "EventId" in entry]
    assert len(set(ids)) == 2 and all(len(identifier) == 36 for identifier in ids)
    posted = [change for change in admin.changes(before) if change["type"] == "posted"]
    assert [change["detailType"] for change in posted] == ["Bell", "Other"]
    large = [{"Source": "drill", "DetailType": "Bell", "Detail": json.dumps("x" * 100)}]
    assert client().put_events(Entries=large)["FailedEntryCount"] == 1
    heavy = {"Source": "drill", "DetailType": "Bell", "Detail": json.dumps({"x": "y" * 30_000})}
    assert code(client().put_events, Entries=[heavy] * 10) == "ValidationException"
    assert code(client().put_events, Entries=[heavy] * 11) == "ValidationException"


def test_what_a_rule_for_safety_selects_is_known_before_it_is_made_and_named_at_the_region(server, admin):
    admin.ok("POST", "/collections", {"name": "mill"})
    for name in ("assembly-north", "assembly-south", "hall"):
        admin.ok("PUT", f"/collections/mill/regions/{name}", polygon(name, box(13, 52, 13.1, 52.1), name=name.title()))
    pattern = {"source": ["aws.geo"], "detail": {"GeofenceId": [{"prefix": "assembly-"}]}}
    tested = admin.ok("POST", "/event-patterns/test", {"pattern": pattern, "regions": True})
    assert tested == {"regionCount": 2, "regions": [
        {"collection": "mill", "id": name, "name": name.title()} for name in ("assembly-north", "assembly-south")]}
    # What is refused to the rule is refused to its test.
    admin.refused(422, "POST", "/event-patterns/test", {"pattern": {"detail": {"Name": ["x"]}}, "regions": True})
    admin.refused(422, "POST", "/event-patterns/test", {"pattern": pattern, "regions": True, "event": {"a": 1}})
    assert "musterRules" not in admin.ok("GET", "/collections/mill/regions/assembly-north")
    admin.ok("POST", "/rules", {"name": "points", "pattern": pattern, "targets": [{"target": "safety"}]})
    region = admin.ok("GET", "/collections/mill/regions/assembly-north")
    assert region["musterRules"] == ["points"] and region["properties"]["muster"] is True
    assert region["musterByRule"] is True
    assert "musterRules" not in admin.ok("GET", "/collections/mill/regions/hall")
    # An export and its import do not make the rule's mark the region's own.
    exported = admin.ok("GET", "/collections/mill/regions")
    admin.ok("POST", "/collections/mill/regions", exported)
    admin.ok("PATCH", "/rules/points", {"enabled": False})
    region = admin.ok("GET", "/collections/mill/regions/assembly-north")
    assert "musterRules" not in region and region["properties"]["muster"] is False
    admin.ok("DELETE", "/rules/points")


def test_a_rule_for_safety_makes_people_green(client, admin):
    admin.make_team("guests", [polygon("assembly", *[box(13.0, 52.0, 13.1, 52.1)]),
                               polygon("bar", *[box(14.0, 52.0, 14.1, 52.1)])])
    admin.make_user("gil", "member", "guests")
    phone = admin.make_device("gil")
    moment = now() - 900_000
    # A rule makes nobody safe whom three fixes over 20 s do not bear out.
    for time in (moment, moment + 11_000, moment + 22_000):
        phone.ok("POST", "/positions", fix(52.05, 13.05, time, accuracy=5))

    def state():
        return admin.ok("GET", "/teams/guests/safety")["members"][0]["state"]

    def is_muster(region):
        feature = admin.ok("GET", f"/collections/guests/regions/{region}")
        return feature["properties"]["muster"] if "muster" in feature["properties"] else feature.get("muster")

    assert state() == "unsafe"
    events = client()
    collection = "arn:aws:geo:us-east-1:000000000000:geofence-collection/guests"
    pattern = {
        **crossing, "resources": [collection],
        "detail": {"EventType": ["ENTER", "EXIT"], "GeofenceId": [{"prefix": "assembly"}]}}
    events.put_rule(Name="safe", EventPattern=json.dumps(pattern))
    assert events.put_targets(Rule="safe", Targets=[{"Id": "s", "Arn": safety}])["FailedEntryCount"] == 0
    assert state() == "safe"
    assert (is_muster("assembly"), is_muster("bar")) == (True, False)
    events.disable_rule(Name="safe")
    assert state() == "unsafe"
    events.enable_rule(Name="safe")
    assert state() == "safe"
    phone.ok("POST", "/positions", fix(52.05, 14.05, moment + 600_000, accuracy=5))
    assert state() == "unsafe"
    # A pattern that would speak of people does not come in by the back door.
    assert code(
        events.put_rule, Name="safe",
        EventPattern=json.dumps({"detail": {"DeviceId": ["gil"]}})) == "InvalidEventPatternException"
    events.remove_targets(Rule="safe", Ids=["s"])
    assert is_muster("assembly") is False
    events.delete_rule(Name="safe")


def test_the_aws_command_line_writes_a_rule(server, keys, tmp_path):
    environment = {
        **os.environ, "AWS_ACCESS_KEY_ID": keys["admin"]["accessKeyId"], "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_SECRET_ACCESS_KEY": keys["admin"]["secretAccessKey"], "AWS_ENDPOINT_URL": server.address,
        "AWS_CONFIG_FILE": str(tmp_path / "none"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none")}

    def aws(*arguments):
        script = "import sys; from awscli.clidriver import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", script, "events", *arguments, "--output", "json"], cwd=root, env=environment,
            capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    assert aws("put-rule", "--name", "cli", "--event-pattern", json.dumps(crossing))["RuleArn"].endswith(":rule/cli")
    assert aws("put-targets", "--rule", "cli", "--targets", f"Id=1,Arn={safety}")["FailedEntryCount"] == 0
    assert aws("list-rules", "--name-prefix", "cli")["Rules"][0]["State"] == "ENABLED"
    aws("remove-targets", "--rule", "cli", "--ids", "1")
    aws("delete-rule", "--name", "cli")


def test_the_native_api_makes_the_same_rules(client, admin):
    made = admin.ok("POST", "/rules", {
        "name": "native", "pattern": crossing, "description": "d", "targets": [{"target": "safety"}]})
    assert made["pattern"] == crossing and made["enabled"]
    assert made["targets"] == [{"id": "safety", "target": "safety"}]
    assert json.loads(client().describe_rule(Name="native")["EventPattern"]) == crossing
    admin.refused(409, "POST", "/rules", {"name": "native", "pattern": crossing})
    problem = admin.refused(422, "PATCH", "/rules/native", {"pattern": {"detail": {"a": [{"prefix": 1}]}}})
    assert problem["errors"][0]["pointer"] == "/pattern/detail/a/0/prefix"
    admin.refused(422, "PATCH", "/rules/native", {"targets": [{"target": "nowhere"}]})
    assert admin.ok("PATCH", "/rules/native", {"enabled": False, "targets": []})["enabled"] is False
    assert [rule["name"] for rule in admin.items("/rules")] == ["native"]
    assert admin.ok("POST", "/event-patterns/test", {"pattern": {"a": [1]}, "event": {"a": [2, 1]}})["matches"]
    admin.ok("DELETE", "/rules/native")
    admin.refused(404, "GET", "/rules/native")


def test_the_command_line_adds_switches_tries_and_removes_rules(server):
    pattern = json.dumps(crossing)
    run("rule", "add", "line", "--pattern", pattern, "--target", "safety", data=server.data)
    assert run("rule", "list", data=server.data).split("\t")[:3] == ["line", "on", "safety"]
    run("rule", "disable", "line", data=server.data)
    assert "\toff\t" in run("rule", "list", data=server.data)
    run("rule", "enable", "line", data=server.data)
    run("rule", "add", "line", "--pattern", pattern, "--description", "again", data=server.data)
    assert "again" in run("rule", "list", data=server.data)
    assert run("rule", "test", "--pattern", pattern, "--event", json.dumps(event()), data=server.data) == "matches\n"
    run("rule", "test", "--pattern", pattern, "--event", "{}", data=server.data, status=1)
    run("rule", "remove", "line", data=server.data)
    assert run("rule", "list", data=server.data) == ""
    assert "no operator" in run(
        "rule", "add", "bad", "--pattern", '{"a":[{"b":1}]}', data=server.data, status=1)


def test_rules_survive_a_crash(make_server):
    with make_server() as server:
        admin = server.admin()
        admin.ok("POST", "/rules", {"name": "kept", "pattern": crossing, "targets": [{"target": "safety"}]})
        server.kill()
        server.start()
        assert [rule["name"] for rule in NativeApi(server.address, admin.token).items("/rules")] == ["kept"]
