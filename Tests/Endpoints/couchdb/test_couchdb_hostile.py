"""Someone who means ill, or does not know better, at every route of CouchDB's protocol: there is always an answer."""

import http.client
import json
import socket
from random import Random
from urllib.parse import quote

import pytest

from couch_api import basic
from muster_process import admin_password
from soak import is_soak, rounds

whole = {"db": "db", "document": "doc", "attachment": "file.txt", "rest": "x", "index": "i", "node": "_local",
         "job": "j", "replicator": "_replicator", "partition": "p"}
"""What stands for the parts of a path."""

bodies = [
    "", "null", "[]", "{}", "3", '"x"', "{", "\ufffd", '{"docs":3}', '{"docs":[3,null,"x"]}', '{"docs":[{"_id":3}]}',
    '{"docs":[{"_id":"a","_rev":7}]}', '{"docs":[{"id":3}]}', '{"docs":[{"id":"doc","rev":3,"atts_since":3}]}',
    '{"new_edits":"x","docs":[]}', '{"new_edits":false,"docs":[{"_id":"q"}]}', '{"keys":{}}', '{"keys":[1,null,[]]}',
    '{"queries":[3]}', '{"selector":null}', '{"selector":{"a":{"$in":3}}}', '{"selector":{},"limit":1e400}',
    '{"selector":{},"limit":99999999999999999999}', '{"selector":{},"sort":[3]}', '{"selector":{},"bookmark":5}',
    '{"index":{"fields":[3]}}', '{"index":{"fields":["a"]},"ddoc":3}', '{"doc":3}', '{"doc":["x"]}', '{"_id":"_bad"}',
    '{"_attachments":{"a":3}}', '{"_attachments":{"a":{"data":"###"}}}', '{"_attachments":{"a":{"stub":true}}}',
    '{"_revisions":3,"_rev":"1-a"}', '{"a":1e999}', '{"a":"\\ud800"}', "[" * 100 + "]" * 100,
    '{"source":3,"target":4}', '{"source":"http://","target":"db"}', '{"admins":{"names":3}}', "-1",
    "99999999999999999999", "1.5", '{"name":3,"password":null}',
]

names = ["%2F", "a%2Fb", "%00", "%FF", "%F0%9F%98%80", "%2E%2E", "_", "_x", "%5F", "A", "x" * 300, "a%0d%0ab", "%25",
         "%zz", "a+b", "-1", "userdb-zz", "userdb-ff", "lt_locations_user_", "lt_locations_user_%25", "*", "a;b"]

values = ["", "null", "-1", "x", "1e3", "99999999999999999999", "[]", '"a"', "%ff", "%", "%00"]

parameters = [
    "limit", "skip", "since", "feed", "timeout", "heartbeat", "startkey", "endkey", "key", "keys", "descending",
    "include_docs", "rev", "open_revs", "atts_since", "style", "filter", "doc_ids", "lat", "bbox", "g", "relation",
    "format", "bookmark", "count", "q", "update_seq",
]


@pytest.fixture(scope="module")
def paths(server, couch):
    """Every route of CouchDB's at the root."""
    couch.ok("PUT", "/db")
    revision = couch.ok("PUT", "/db/doc", {"v": 1})["rev"]
    couch.ok("PUT", "/db/doc/file.txt", raw=b"text", rev=revision)
    couch.ok("PUT", "/db/_local/doc", {})
    listed = server.admin().ok("GET", "/openapi.json")["paths"]
    return [(method.upper(), path) for path, methods in listed.items() for method in methods
            if method != "parameters" and (path.startswith("/{db}") or path.startswith("/_"))]


def concrete(path, **parts):
    for name, part in {**whole, **parts}.items():
        path = path.replace("{" + name + "}", part).replace("{" + name + "...}", part)
    return path


class Visitor:
    """Sends what no library would, over one connection as long as that lasts."""

    def __init__(self, server):
        self.host = server.address.removeprefix("http://")
        self.connection = http.client.HTTPConnection(self.host, timeout=60)

    def ask(self, method, path, body=None, **fields):
        """The status and body of the answer, which is well made."""
        fields = {"Authorization": basic("admin", admin_password), "Content-Type": "application/json", **fields}
        raw = body.encode() if body is not None else None
        self.connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in fields.items():
            self.connection.putheader(name.replace("_", "-"), value)
        if raw is not None:
            self.connection.putheader("Content-Length", str(len(raw)))
        self.connection.endheaders()
        if raw:
            self.connection.send(raw)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.getheader("Connection") == "close":
            self.connection.close()
        told = f"{method} {path} {body}: {answer.status} {data[:300]}"
        assert answer.status < 500 or answer.status == 501, told
        if answer.status >= 400 and method != "HEAD":
            fault = json.loads(data)
            assert fault.get("type") or (fault["error"] and "reason" in fault), told
        return answer.status, data


@pytest.fixture
def visitor(server):
    visitor = Visitor(server)
    yield visitor
    visitor.connection.close()


def drawn(cases, random):
    """Returns the cases that a route gets: all in `make soak`, and in `make test` a third, others for each route."""
    return cases if is_soak else random.sample(cases, len(cases) // 3)


@pytest.mark.soak
def test_any_body_is_answered(paths, visitor):
    random = Random(5)
    for method, path in paths:
        if method in ("PUT", "POST", "COPY") and (method, path) != ("PUT", "/{db}"):
            for body in drawn(bodies, random):
                visitor.ask(method, concrete(path, document="new" if method == "PUT" else "doc"), body,
                            Destination="copied")


def test_any_type_of_body_is_answered(paths, visitor):
    for method, path in paths:
        if method in ("PUT", "POST") and path != "/{db}":
            for kind in ("text/plain", "multipart/related", 'multipart/related; boundary=""', "x", "application/json;"):
                visitor.ask(method, concrete(path, document="typed"), "{}", Content_Type=kind)


@pytest.mark.soak
def test_any_query_is_answered(paths, visitor):
    queries = [f"{name}={value if value[:1] == '%' else quote(value)}" for name in parameters for value in values]
    queries += [f"{name}=1&{name}=2&{name}" for name in parameters]
    random = Random(7)
    for method, path in paths:
        if method == "GET" and "{rest...}" not in path:
            for query in random.sample(queries, rounds(14, 40)):
                visitor.ask(method, f"{concrete(path)}?{query}&timeout=1")


@pytest.mark.soak
def test_any_name_is_answered(paths, visitor):
    random = Random(6)
    for method, path in paths:
        for part in ("db", "document", "attachment", "index"):
            for name in drawn(names, random):
                if "{" + part in path and method != "HEAD":
                    visitor.ask(method, concrete(path, **{part: name}) + "?timeout=1",
                                "{}" if method in ("PUT", "POST") else None, Destination="copied")


def test_head_answers_as_get_does_and_ends(paths, server, visitor):
    for method, path in paths:
        if method != "GET":
            continue
        for query in ("?timeout=1", "?feed=continuous&heartbeat=1000", "?feed=longpoll&since=now"):
            if query != "?timeout=1" and not path.endswith(("_changes", "_db_updates")):
                continue
            expected = 200 if "feed" in query else visitor.ask("GET", concrete(path) + query)[0]
            status, body = visitor.ask("HEAD", concrete(path) + query)
            assert (status, body) == (expected, b""), f"HEAD {path}{query}"
    host, port = visitor.host.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        token = basic("admin", admin_password)
        connection.sendall((f"HEAD /db/_all_docs HTTP/1.1\r\nHost: {host}\r\nAuthorization: {token}\r\n"
                            "Connection: close\r\n\r\n").encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n"), "nothing follows the head"


def test_an_unsupported_method_is_answered_with_the_supported_ones(paths, visitor, couch):
    taken = set(paths)
    for path in {path for _, path in paths}:
        for method in ("OPTIONS", "PATCH", "TRACE"):
            if (method, path) not in taken:
                assert visitor.ask(method, concrete(path))[0] == 405, (method, path)
    allowed = couch.send("OPTIONS", "/db/_all_docs").headers["Allow"].split(",")
    assert sorted(allowed) == ["GET", "HEAD", "POST"]


@pytest.mark.parametrize(("method", "path", "body", "status", "error"), [
    ("GET", "/words/_all_docs?startkey=x", None, 400, "bad_request"),
    ("GET", "/words/_all_docs?keys=[1", None, 400, "bad_request"),
    ("GET", "/words/_all_docs?limit=x", None, 400, "query_parse_error"),
    ("POST", "/words/_all_docs", '{"keys":3}', 400, "bad_request"),
    ("POST", "/words/_bulk_docs", "{}", 400, "bad_request"),
    ("POST", "/words/_bulk_docs", '{"docs":3}', 400, "bad_request"),
    ("POST", "/words/_bulk_get", "{}", 400, "bad_request"),
    ("PUT", "/words/x", '{"_attachments":{"_x":{"data":""}}}', 400, "bad_request"),
    ("GET", "/words/_changes?heartbeat=x", None, 400, "bad_request"),
    ("GET", "/words/doc?open_revs=x", None, 400, "bad_request"),
    ("POST", "/words/_index/_bulk_delete", '{"docids":3}', 400, "invalid_bulk_docs"),
])
def test_bad_requests_have_couchdbs_errors(couch, method, path, body, status, error):
    couch.send("PUT", "/words")
    couch.refused(status, error, method, path, raw=body, headers={"Content-Type": "application/json"})


@pytest.mark.parametrize("path", ["_ensure_full_commit", "_view_cleanup", "_compact", "_compact/x"])
def test_a_form_of_another_page_is_refused(couch, path):
    couch.send("PUT", "/words")
    couch.refused(415, "bad_content_type", "POST", "/words/" + path, raw="x=1",
                  headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert couch.send("POST", "/words/" + path, {}).status_code in (201, 202)
