"""Servers that may replicate with each other, and CouchDB's protocol as their admin."""

import base64
import json
import urllib.error
import urllib.parse
import urllib.request

from muster_process import admin_password

private = ["--allow-private-targets"]


class Couch:
    """CouchDB's protocol, as admin."""

    timeout_seconds = 120

    def __init__(self, server):
        self.address = server.address
        pair = base64.b64encode(f"admin:{admin_password}".encode()).decode()
        self.authorization = "Basic " + pair

    def send(self, method, path, body=None, headers=None):
        """The status and the body of an answer, whatever the status."""
        request = urllib.request.Request(
            self.address + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": self.authorization, "Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_seconds) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def ok(self, method, path, body=None):
        status, answer = self.send(method, path, body)
        assert status < 300, (status, answer)
        return json.loads(answer)

    def url(self, database, port=None):
        secret = urllib.parse.quote(admin_password)
        port = port or int(self.address.rsplit(":", 1)[1])
        return f"http://admin:{secret}@127.0.0.1:{port}/{database}"

    def fill(self, database, count, start=0):
        self.send("PUT", f"/{database}")
        documents = [{"_id": f"d{index:05}", "v": index} for index in range(start, start + count)]
        self.ok("POST", f"/{database}/_bulk_docs", {"docs": documents})

    def outcome(self, database):
        """Every document with its leaves, deleted ones too."""
        changes = self.ok("GET", f"/{database}/_changes?style=all_docs")["results"]
        return {row["id"]: sorted(change["rev"] for change in row["changes"]) for row in changes}


def pair(make_server):
    left = make_server("left", arguments=private).start()
    right = make_server("right", arguments=private).start()
    return left, right, Couch(left), Couch(right)
