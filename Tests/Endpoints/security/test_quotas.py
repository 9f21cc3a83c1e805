"""What one user, one team and all may take: what is over it is refused in words, and nothing of it is stored."""

import base64
import re
import time

from amazon import client, refused, update
from couch_api import as_admin, as_user
from native_api import fix, now, polygon
from owntracks_phone import Phone, location
from tracker_app import TrackerApp, fix as tracker_fix

slow = ["--quota-position-burst", "20", "--quota-positions-per-second", "0.0001"]
"""Twenty positions at once, and then one in ten thousand seconds: none comes while a test lasts."""
log_seconds = 60
"""The server logs refusals at most once in so long."""
mebibyte = 1 << 20


def fixes(count, begin=0, **more):
    start = now() - 1_000_000
    return [fix(45, 14, start + (begin + number) * 1_000, **more) for number in range(count)]


def counted(server, name):
    """A metric's value."""
    text = server.admin().send("GET", "//metrics").text
    return int(re.search(rf"^{re.escape(name)} (\d+)$", text, re.MULTILINE)[1])


def refusals(server, quota):
    return counted(server, f'muster_quota_refused_total{{quota="{quota}"}}')


def a_file(size):
    return {"f": {"content_type": "text/plain", "data": base64.b64encode(b"a" * size).decode()}}


# Positions a second


def test_positions_beyond_the_rate_are_refused_with_a_reason_and_others_report_on(make_server):
    server = make_server(arguments=slow).start()
    admin = server.admin()
    admin.make_user("ana"), admin.make_user("ben")
    ana, ben = admin.make_device("ana"), admin.make_device("ben")
    ana.ok("POST", "/positions", fixes(20))
    began = time.monotonic()
    response = ana.send("POST", "/positions", fixes(5, 20))
    assert response.status_code == 429
    assert 1 <= int(response.headers["Retry-After"]) <= 50_000
    fault = response.json()
    assert fault["type"] == "urn:muster:problem:over-quota"
    assert "user ana" in fault["detail"] and "Try again in" in fault["detail"]
    for _ in range(3):
        ana.refused(429, "POST", "/positions", fixes(1, 30))
    assert len(admin.history("ana/phone")) == 20
    ben.ok("POST", "/positions", fixes(20))
    # How somebody is, is told at any rate; an admin's import has none.
    ana.ok("POST", "/users/ana/declarations", {"kind": "safe"})
    admin.ok("POST", "/positions", fixes(50, 100, device="ana/phone"))
    assert len(admin.history("ana/phone")) == 70
    assert refusals(server, "positions") == 4
    assert counted(server, 'muster_quota_limit{quota="positions"}') == 20
    logged = server.log().count("A request was over a quota")
    assert 1 <= logged <= 1 + (time.monotonic() - began) // log_seconds


def test_a_gateways_refusal_names_the_user_over_the_quota(make_server):
    server = make_server(arguments=slow).start()
    admin = server.admin()
    gateway = admin.make_user("gus", "gateway")
    for name in ("ana", "ben"):
        admin.make_user(name)
        admin.make_device(name)
    gateway.ok("POST", "/positions", fixes(20, device="ana/phone"))
    both = fixes(1, 20, device="ana/phone") + fixes(1, 20, device="ben/phone")
    assert "user ana" in gateway.refused(429, "POST", "/positions", both)["detail"]
    assert admin.history("ben/phone") == []
    gateway.ok("POST", "/positions", both[1:])


def test_an_owntracks_phone_keeps_what_is_over_the_rate(make_server):
    server = make_server(arguments=slow).start()
    admin = server.admin()
    tokens = {}
    for name in ("ana", "ben"):
        admin.make_user(name)
        tokens[name] = admin.make_device(name).token
    phone = Phone(server, "ana", tokens["ana"])
    start = now() // 1000 - 100
    for number in range(20):
        phone.tell(location(start + number))
    # Not 429: an iPhone forgets what was answered with any 4xx.
    status, headers, body = phone.post(location(start + 20))
    assert status == 503 and int(headers["Retry-After"]) >= 1
    assert b"positions a second" in body
    Phone(server, "ben", tokens["ben"]).tell(location())
    assert len(admin.history("ana/phone")) == 20


def test_a_tracker_app_keeps_what_is_over_the_rate_and_its_sos_counts_at_once(make_server):
    server = make_server(arguments=slow).start()
    admin = server.admin()
    admin.make_user("ana")
    app = TrackerApp(server, admin.make_device("ana").token)
    start = now() // 1000 - 100
    for number in range(20):
        app.tell(**tracker_fix(start + number))
    for _ in range(2):
        status, headers, body = app.get(**tracker_fix(start + 20, alarm="sos"))
        assert status == 503 and int(headers["Retry-After"]) >= 1
        assert b"positions a second" in body
    assert len(admin.history("ana/phone")) == 20
    assert [declared["kind"] for declared in admin.items("/users/ana/declarations")] == ["sos"]


def test_location_documents_count_as_positions_and_a_batch_over_the_rate_is_refused_whole(make_server):
    server = make_server(arguments=slow).start()
    member, own = as_user(server, "ana")
    other, others = as_user(server, "ben")
    as_admin(server).ok("PUT", "/notes")
    documents = [{"_id": f"d{number}"} for number in range(20)]
    member.ok("POST", own + "/_bulk_docs", {"docs": documents})
    more = {"docs": [{"_id": f"e{number}"} for number in range(3)]}
    assert "user ana" in member.refused(429, "too_many_requests", "POST", own + "/_bulk_docs", more)
    response = member.send("PUT", own + "/f1", {})
    assert response.status_code == 429 and int(response.headers["Retry-After"]) >= 1
    assert member.ok("GET", own)["doc_count"] == 20
    other.ok("POST", others + "/_bulk_docs", more)
    # What is no position has no rate.
    admin = as_admin(server)
    admin.ok("POST", "/notes/_bulk_docs", {"docs": [{"_id": f"n{number}"} for number in range(100)]})


def test_aws_clients_get_a_refusal_for_each_entry(make_server):
    server = make_server(arguments=slow).start()
    admin = server.admin()
    admin.make_team("crew")
    admin.make_user("lena", "leader", "crew")
    location_client = client(server, "lena")

    def report(*updates):
        return location_client.batch_update_device_position(TrackerName="crew", Updates=list(updates))["Errors"]

    for begin in (100, 80):
        assert report(*(update("v1", 14, 45, begin - number) for number in range(10))) == []
    errors = report(update("v1", 14, 45, 5), update("v2", 14, 45, 5))
    assert [error["DeviceId"] for error in errors] == ["v1"]
    assert errors[0]["Error"]["Code"] == "ThrottlingError"
    assert "positions a second" in errors[0]["Error"]["Message"]
    answer = refused(
        "ThrottlingException", 429, location_client.batch_update_device_position, TrackerName="crew",
        Updates=[update("v1", 14, 45, 4)])
    assert int(answer["ResponseMetadata"]["HTTPHeaders"]["retry-after"]) >= 1
    assert report(update("v2", 14, 45, 3)) == []
    assert len(admin.history("v1/v1")) == 20
    assert len(admin.history("v2/v2")) == 2


# What a directory may hold


def test_implicitly_created_users_of_a_team_are_limited(make_server):
    server = make_server(arguments=["--quota-implicit-users", "3"]).start()
    admin = server.admin()
    for team, leader in (("crew", "lena"), ("ship", "lars")):
        admin.make_team(team)
        admin.make_user(leader, "leader", team)
    lena, lars = client(server, "lena"), client(server, "lars")
    errors = lena.batch_update_device_position(
        TrackerName="crew", Updates=[update(f"v{number}", 14, 45) for number in range(5)])["Errors"]
    assert [error["DeviceId"] for error in errors] == ["v3", "v4"]
    assert all("created automatically" in error["Error"]["Message"] for error in errors)
    new = {"TrackerName": "crew", "Updates": [update("v9", 14, 45)]}
    refused("ServiceQuotaExceededException", 402, lena.batch_update_device_position, **new)
    assert lars.batch_update_device_position(TrackerName="ship", Updates=[update("w0", 14, 45)])["Errors"] == []
    server.stop()
    server.start()
    refused("ServiceQuotaExceededException", 402, lena.batch_update_device_position, **new)
    known = lena.batch_update_device_position(TrackerName="crew", Updates=[update("v0", 14, 45, -1)])
    assert known["Errors"] == []
    users = {user["name"] for user in server.admin().items("/users")}
    assert {"v0", "v1", "v2", "w0"} <= users and not {"v3", "v4", "v9"} & users
    assert counted(server, 'muster_quota_used{quota="implicit_users_of_team"}') == 3


def test_the_collections_of_a_team_are_limited(make_server):
    server = make_server(arguments=["--quota-collections", "2"]).start()
    admin = server.admin()
    for team in ("crew", "ship"):
        admin.ok("POST", "/teams", {"name": team})
    lena, lars = admin.make_user("lena", "leader", "crew"), admin.make_user("lars", "leader", "ship")
    lena.ok("POST", "/collections", {"name": "a"})
    lena.ok("POST", "/collections", {"name": "b"})
    assert "Team crew" in lena.refused(507, "POST", "/collections", {"name": "c"})["detail"]
    admin.refused(404, "GET", "/collections/c")
    lars.ok("POST", "/collections", {"name": "d"})
    admin.ok("POST", "/collections", {"name": "e"})
    server.stop()
    server.start()
    lena.refused(507, "POST", "/collections", {"name": "c"})
    lena.ok("DELETE", "/collections/a")
    lena.ok("POST", "/collections", {"name": "c"})


def test_the_number_of_databases_is_limited(make_server):
    server = make_server(arguments=["--quota-databases", "5"]).start()
    couch = as_admin(server)
    statuses = [couch.send("PUT", f"/db{number}").status_code for number in range(6)]
    assert set(statuses) == {201, 507} and statuses == sorted(statuses)
    last = statuses.index(507)
    assert "databases" in couch.refused(507, "insufficient_storage", "PUT", "/another")
    couch.refused(404, "not_found", "GET", f"/db{last}")
    couch.ok("DELETE", "/db0")
    couch.ok("PUT", "/another")


# Bytes


def test_a_users_bytes_are_limited_and_freed_by_deleting(make_server):
    server = make_server(arguments=["--quota-user-mib", "1"]).start()
    member, own = as_user(server, "ana")
    other, others = as_user(server, "ben")
    revisions = [member.ok("PUT", f"{own}/d{number}", {"text": "a" * 100_000})["rev"] for number in range(10)]
    assert "1 MiB" in member.refused(507, "insufficient_storage", "PUT", own + "/e", {"text": "a" * 100_000})
    files = {"docs": [{"_id": "f1"}, {"_id": "f2", "_attachments": a_file(100_000)}]}
    member.refused(507, "insufficient_storage", "POST", own + "/_bulk_docs", files)
    response = member.send("PUT", own + "/f3/file", raw=b"a" * 100_000, headers={"Content-Type": "text/plain"})
    assert response.status_code == 507
    assert member.ok("GET", own)["doc_count"] == 10
    other.ok("PUT", others + "/d", {"text": "a" * 100_000})
    server.kill()
    server.start()
    member.refused(507, "insufficient_storage", "PUT", own + "/e", {"text": "a" * 100_000})
    # What was said before stays until it is compacted, and counts until then.
    member.ok("DELETE", own + "/d0", rev=revisions[0])
    member.refused(507, "insufficient_storage", "PUT", own + "/e", {"text": "a" * 100_000})
    as_admin(server).ok("POST", own + "/_compact", headers={"Content-Type": "application/json"})
    member.ok("PUT", own + "/e", {"text": "a" * 100_000})


def test_datasets_count_to_the_bytes_of_their_owner(make_server):
    server = make_server(arguments=["--quota-user-mib", "1"]).start()
    admin = server.admin()
    ana, ben = admin.make_user("ana"), admin.make_user("ben")

    def put(person, dataset, size, count=0, key="k"):
        record = {"key": key, "value": "a" * size, "syncCount": count}
        return person.send("PATCH", f"/datasets/{dataset}", {"records": [record]})

    def refused_for_bytes(response):
        assert response.status_code == 507, response.text
        assert response.json()["type"] == "urn:muster:problem:over-quota" and "ana" in response.json()["detail"]

    assert put(ana, "one", 700_000).status_code == 200
    refused_for_bytes(put(ana, "two", 400_000))
    assert [dataset["name"] for dataset in ana.items("/datasets")] == ["one"]
    assert put(ben, "two", 400_000).status_code == 200
    # Cognito's clients are told in their own words.
    sync = client(server, "ana", "cognito-sync")
    ids = ana.ok("GET", "/cognito")
    mine = {"IdentityPoolId": ids["identityPoolId"], "IdentityId": ids["identityId"], "DatasetName": "two"}
    patch = {"Op": "replace", "Key": "k", "Value": "a" * 400_000, "SyncCount": 0}
    token = sync.list_records(**mine)["SyncSessionToken"]
    refused(
        "LimitExceededException", 400, sync.update_records, **mine, SyncSessionToken=token, RecordPatches=[patch])
    server.kill()
    server.start()
    refused_for_bytes(put(ana, "two", 400_000))
    # Documents of the person take from the same, and to make a dataset smaller is always allowed.
    member, own = as_user(server, "ann")
    for number in range(9):
        member.ok("PUT", f"{own}/d{number}", {"text": "a" * 100_000})
    ann = server.api(admin.ok("POST", "/keys", {"label": "tests", "user": "ann"})["key"])
    assert put(ann, "one", 200_000).status_code == 507
    assert put(ann, "one", 50_000).status_code == 200
    assert put(ana, "one", 300_000, count=1).status_code == 200
    assert put(ana, "two", 400_000).status_code == 200
    ana.ok("DELETE", "/datasets/one")
    assert put(ana, "three", 300_000).status_code == 200


def test_files_that_were_replaced_count_until_they_are_compacted(make_server):
    server = make_server(arguments=["--quota-user-mib", "1"]).start()
    member, own = as_user(server, "ana")
    revision = None
    for letter in b"abc":
        data = base64.b64encode(bytes([letter]) * 300_000).decode()
        document = {"_attachments": {"f": {"content_type": "text/plain", "data": data}}}
        if revision:
            document["_rev"] = revision
        revision = member.ok("PUT", own + "/d", document)["rev"]
    another = {"_rev": revision, "_attachments": a_file(300_000)}
    fault = member.refused(507, "insufficient_storage", "PUT", own + "/d", another)
    assert "User ana" in fault
    assert member.ok("GET", own + "/d")["_rev"] == revision


def test_positions_over_the_users_bytes_are_refused_but_not_in_an_incident(make_server):
    server = make_server(arguments=["--quota-user-mib", "2"]).start()
    admin = server.admin()
    admin.make_team("crew")
    lena = admin.make_user("lena", "leader", "crew")
    password = "ana's password"
    admin.ok("POST", "/users", {"name": "ana", "role": "member", "team": "crew", "password": password})
    phone = admin.make_device("ana")
    member = type(as_admin(server))(server.address, "ana", password)
    own = "/lt_locations_user_ana"
    member.ok("PUT", own + "/big", {"text": "a" * (mebibyte + mebibyte // 2)})
    server.stop()
    server.arguments = ["--quota-user-mib", "1"]
    server.start()
    assert "User ana" in phone.refused(507, "POST", "/positions", fixes(1))["detail"]
    status, headers, _ = Phone(server, "ana", phone.token).post(location())
    assert status == 503 and int(headers["Retry-After"]) >= 1
    refused(
        "ServiceQuotaExceededException", 402, client(server, "ana").batch_update_device_position, TrackerName="crew",
        Updates=[update("ana", 14, 45)])
    assert admin.history("ana/phone") == []
    phone.ok("POST", "/users/ana/declarations", {"kind": "needsHelp"})
    incident = lena.ok("POST", "/teams/crew/incidents", {"kind": "drill"})["number"]
    phone.ok("POST", "/positions", fixes(1))
    Phone(server, "ana", phone.token).tell(location())
    member.ok("PUT", own + "/here", {"latitude": 45, "longitude": 14})
    member.refused(507, "insufficient_storage", "PUT", own + "/picture", {"_attachments": a_file(10)})
    lena.ok("POST", f"/incidents/{incident}/close", {"reason": "all clear"})
    phone.refused(507, "POST", "/positions", fixes(1, 50))
    assert len(admin.history("ana/phone")) >= 2


def test_the_bytes_of_a_created_database_are_limited(make_server):
    server = make_server(arguments=["--quota-database-mib", "1"]).start()
    couch = as_admin(server)
    couch.ok("PUT", "/notes"), couch.ok("PUT", "/other")
    couch.ok("PUT", "/notes/a", {"text": "a" * 900_000})
    assert "Database notes" in couch.refused(507, "insufficient_storage", "PUT", "/notes/b", {"text": "a" * 200_000})
    couch.ok("PUT", "/other/b", {"text": "a" * 200_000})
    couch.refused(404, "not_found", "GET", "/notes/b")


def test_a_full_store_takes_positions_and_safety_and_no_documents(make_server):
    server = make_server().start()
    admin, couch = server.admin(), as_admin(server)
    admin.make_team("crew")
    lena = admin.make_user("lena", "leader", "crew")
    admin.make_user("ana", team="crew")
    phone = admin.make_device("ana")
    couch.ok("PUT", "/notes")
    for number in range(24):
        couch.ok("PUT", f"/notes/d{number}", {"text": "a" * mebibyte})
    server.stop()
    server.start()
    used = counted(server, 'muster_quota_used{quota="store_bytes"}')
    server.stop()
    server.arguments = ["--quota-store-mib", str(used // mebibyte)]
    server.start()
    assert "The store holds" in couch.refused(507, "insufficient_storage", "PUT", "/notes/e", {})
    response = couch.send("PUT", "/notes/f/file", raw=b"a", headers={"Content-Type": "text/plain"})
    assert response.status_code == 507
    couch.refused(507, "insufficient_storage", "PUT", "/more")
    squares = [polygon(f"s{n}", [(14 + n, 45), (14.5 + n, 45), (14.5 + n, 45.5)]) for n in range(20)]
    drawn = {"type": "FeatureCollection", "features": squares}
    admin.refused(507, "POST", "/collections/crew/regions", drawn)
    admin.ok("POST", "/collections/crew/regions", {**drawn, "features": squares[:1]})
    phone.ok("POST", "/positions", fixes(1))
    phone.ok("POST", "/users/ana/declarations", {"kind": "safe"})
    couch.ok("DELETE", "/notes/d0", rev=couch.ok("GET", "/notes/d0")["_rev"])
    server.stop()
    server.arguments = ["--quota-store-mib", "10"]
    server.start()
    # Beyond the reserve only those are heard who are asked for.
    phone.refused(507, "POST", "/positions", fixes(1, 10))
    phone.ok("POST", "/users/ana/declarations", {"kind": "needsHelp"})
    lena.ok("POST", "/teams/crew/incidents", {"kind": "real"})
    phone.ok("POST", "/positions", fixes(1, 20))
    assert refusals(server, "store_bytes") >= 1
