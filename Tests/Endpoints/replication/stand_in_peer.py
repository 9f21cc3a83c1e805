"""A replication peer for tests: the part of CouchDB's protocol that a replication needs, with faults for named
documents."""

import http.server
import json
import threading
import urllib.parse


class StandInPeer:
    """A database `notes` in memory. Keeps the replication logs and documents that it receives."""

    def __init__(self, documents=(), row_errors=None, put_faults=None, closed=None):
        self.documents = {document["_id"]: document for document in documents}
        self.row_errors = row_errors or {}
        """By id, the error that `_bulk_get` returns in place of the document."""
        self.put_faults = put_faults or {}
        """By id, the status and body of the answer to a request that writes that document, alone or among others."""
        self.closed = closed
        """The status of the answer to every request for the database; None for normal answers."""
        self.locals = {}
        self.asked = []
        """The ids in each request to `_bulk_get`."""
        peer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                url = urllib.parse.urlsplit(self.path)
                since = int(urllib.parse.parse_qs(url.query).get("since", ["0"])[0])
                status, told = peer.answers(self.command, urllib.parse.unquote(url.path), body, since)
                told = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/notes"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answers(self, method, path, body, since):
        """Returns the status and the body, as a value or as bytes."""
        if path == "/":
            return 200, {"couchdb": "Welcome", "uuid": f"{self.server.server_port:032}"}
        if self.closed:
            return self.closed, {"error": {401: "unauthorized", 403: "forbidden"}[self.closed], "reason": "not you"}
        if path == "/notes":
            return 200, {"db_name": "notes", "doc_count": len(self.documents)}
        name = path.removeprefix("/notes/")
        if name.startswith("_local/"):
            return self.local(method, name, body)
        if method == "PUT":
            return self.put([self.parts(body)])
        ask = json.loads(body) if body else {}
        found = {
            "_ensure_full_commit": lambda: {"ok": True},
            "_changes": lambda: {
                "results": [{"seq": seq, "id": ident, "changes": [{"rev": document["_rev"]}]}
                            for seq, (ident, document) in enumerate(self.documents.items(), 1) if seq > since],
                "last_seq": len(self.documents), "pending": 0},
            "_revs_diff": lambda: {ident: {"missing": missing} for ident, revisions in ask.items() if (missing := [
                revision for revision in revisions if self.documents.get(ident, {}).get("_rev") != revision])},
            "_bulk_get": lambda: {"results": self.results([wanted["id"] for wanted in ask["docs"]])},
        }
        if name == "_bulk_docs":
            return self.put(ask["docs"])
        return (200, found[name]()) if name in found else (404, {"error": "not_found", "reason": "missing"})

    def results(self, idents):
        self.asked.append(idents)
        return [{"id": ident, "docs": [
            {"error": {"id": ident, "rev": self.documents[ident]["_rev"], **self.row_errors[ident]}}
            if ident in self.row_errors else {"ok": self.documents[ident]}]} for ident in idents]

    def local(self, method, name, body):
        if method == "PUT":
            self.locals[name] = body
            return 201, {"ok": True, "rev": "0-1"}
        return (200, self.locals[name]) if name in self.locals else (404, {"error": "not_found", "reason": "missing"})

    @staticmethod
    def parts(body):
        """Returns the document of a multipart body, or of a plain one."""
        return json.loads(body if body[:1] == b"{" else body.split(b"\r\n\r\n", 1)[1].split(b"\r\n--", 1)[0])

    def put(self, documents):
        faults = [self.put_faults[document["_id"]] for document in documents if document["_id"] in self.put_faults]
        if faults:
            return faults[0]
        self.documents.update((document["_id"], document) for document in documents)
        return 201, []
