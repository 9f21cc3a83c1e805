"""Files of documents: by themselves, inside JSON, and as multipart, sound and spoilt."""

import base64
import email
import hashlib
import json
import random
import socket

import pytest

from couch_api import revisions

text = b"hello, world\n" * 1000
digest = "md5-" + base64.b64encode(hashlib.md5(text).digest()).decode()


def test_a_file_is_put_read_in_parts_and_removed(couch, db):
    made = couch.ok("PUT", db + "/doc/a/b.txt", raw=text, headers={"Content-Type": "text/plain"})
    stub = couch.ok("GET", db + "/doc")["_attachments"]["a/b.txt"]
    assert stub == {"content_type": "text/plain", "revpos": 1, "digest": digest, "length": len(text), "stub": True}
    answer = couch.send("GET", db + "/doc/a/b.txt")
    assert answer.content == text and answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    tag = answer.headers["ETag"]
    assert couch.send("GET", db + "/doc/a/b.txt", headers={"If-None-Match": tag}).status_code == 304
    part = couch.send("GET", db + "/doc/a/b.txt", headers={"Range": "bytes=5-11"})
    assert part.status_code == 206 and part.content == text[5:12]
    assert part.headers["Content-Range"] == f"bytes 5-11/{len(text)}"
    assert couch.send("GET", db + "/doc/a/b.txt", headers={"Range": "bytes=-3"}).content == text[-3:]
    assert couch.send("GET", db + "/doc/a/b.txt", headers={"Range": "bytes=99999-"}).status_code == 416
    head = couch.send("HEAD", db + "/doc/a/b.txt")
    assert head.headers["Content-Length"] == str(len(text)) and not head.content
    couch.refused(409, "conflict", "PUT", db + "/doc/c", raw=b"x")
    second = couch.ok("PUT", db + "/doc/c", raw=b"x", rev=made["rev"])
    kept = couch.ok("PUT", db + "/doc", {"_rev": second["rev"], "v": 1, "_attachments": {"c": {"stub": True}}})
    assert list(couch.ok("GET", db + "/doc")["_attachments"]) == ["c"]
    couch.refused(404, "not_found", "GET", db + "/doc/a/b.txt")
    couch.ok("DELETE", db + "/doc/c", rev=kept["rev"])
    assert "_attachments" not in couch.ok("GET", db + "/doc")


def test_a_large_file_goes_through_in_pieces(couch, db):
    large = bytes(range(256)) * 4096 * 5
    couch.ok("PUT", db + "/doc/large", raw=large)
    assert couch.send("GET", db + "/doc/large").content == large


def test_files_inside_json(couch, db):
    data = base64.b64encode(text).decode()
    made = couch.ok("PUT", db + "/doc", {"_attachments": {"t": {"content_type": "text/plain", "data": data}}})
    full = couch.ok("GET", db + "/doc", attachments=True)
    assert full["_attachments"]["t"]["data"] == data and full["_attachments"]["t"]["digest"] == digest
    couch.ok("PUT", db + "/doc/u", raw=b"new", rev=made["rev"])
    since = couch.ok("GET", db + "/doc", atts_since=[made["rev"]])["_attachments"]
    assert since["t"]["stub"] and since["u"]["data"] == base64.b64encode(b"new").decode()
    bulk = couch.ok("POST", db + "/_bulk_get", {"docs": [{"id": "doc"}]}, attachments=True)
    assert bulk["results"][0]["docs"][0]["ok"]["_attachments"]["t"]["data"] == data


def related(document, *files, boundary="xyz"):
    """A multipart/related body."""
    body = f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{json.dumps(document)}".encode()
    for file in files:
        body += f"\r\n--{boundary}\r\n\r\n".encode() + file
    return body + f"\r\n--{boundary}--".encode()


multipart = {"Content-Type": "multipart/related; boundary=\"xyz\""}


def test_files_that_follow_their_document(couch, db):
    files = {name: {"follows": True, "content_type": "text/plain", "length": length}
             for name, length in (("t", len(text)), ("empty", 0))}
    document = {"_id": "doc", "_attachments": files, **revisions("02", "01")}
    answer = couch.send(
        "PUT", db + "/doc", raw=related(document, text, b""), headers=multipart, new_edits=False)
    assert answer.status_code == 201, answer.text
    assert couch.send("GET", db + "/doc/t").content == text
    assert couch.send("GET", db + "/doc/empty").content == b""
    back = couch.send("GET", db + "/doc", attachments=True, headers={"Accept": "multipart/related"})
    assert back.headers["Content-Type"].startswith("multipart/related") and text in back.content
    mixed = couch.send("GET", db + "/doc", open_revs=["2-02", "9-9"], revs=True, headers={"Accept": "multipart/mixed"})
    assert mixed.headers["Content-Type"].startswith("multipart/mixed")
    assert b'"follows":true' in mixed.content and text in mixed.content and b'{"missing":"9-9"}' in mixed.content


@pytest.mark.parametrize("spoil", ["cut", "short", "digest", "more", "boundary", "part"])
def test_a_spoilt_multipart_body_leaves_nothing(couch, db, spoil):
    file = {"follows": True, "content_type": "text/plain", "length": len(text), "digest": digest}
    if spoil == "short":
        file["length"] += 1
    if spoil == "digest":
        file["digest"] = "md5-" + base64.b64encode(bytes(16)).decode()
    files = [text, text] if spoil == "more" else [text]
    body = related({"_id": "doc", "_attachments": {"t": file}}, *files)
    if spoil == "cut":
        body = body[:-4000]
    if spoil == "part":
        # The document does not say how long the file is; the part does, and is wrong.
        file.pop("length")
        body = related({"_id": "doc", "_attachments": {"t": file}}, text).replace(
            b"--xyz\r\n\r\n", b"--xyz\r\nContent-Length: 5\r\n\r\n")
    headers = {"Content-Type": "multipart/related"} if spoil == "boundary" else multipart
    answer = couch.send("PUT", db + "/doc", raw=body, headers=headers)
    assert answer.status_code == 400 and answer.json()["error"], answer.text
    couch.refused(404, "not_found", "GET", db + "/doc")
    assert couch.ok("GET", db)["update_seq"] == "0"


@pytest.mark.parametrize("wrong", [-4000, 4000])
def test_a_multipart_body_of_a_wrong_length_leaves_nothing(server, couch, db, wrong):
    file = {"follows": True, "content_type": "text/plain", "length": len(text)}
    body = related({"_id": "doc", "_attachments": {"t": file}}, text)
    head = (f"PUT {db}/doc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.admin().token}\r\nContent-Type: "
            f"{multipart['Content-Type']}\r\nContent-Length: {len(body) + wrong}\r\nConnection: close\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(head.encode() + body)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := client.recv(65_536):
            answer += piece
    # Whoever hangs up before the end is perhaps told nothing.
    assert answer.startswith(b"HTTP/1.1 400 ") or (wrong > 0 and not answer), answer
    couch.refused(404, "not_found", "GET", db + "/doc")
    assert couch.ok("GET", db)["update_seq"] == "0"


def parts(response):
    """The parts of a multipart answer: their header fields and bytes."""
    message = email.message_from_bytes(
        b"Content-Type: " + response.headers["Content-Type"].encode() + b"\r\n\r\n" + response.content)
    assert message.is_multipart() and not message.defects
    return message.get_payload()


@pytest.mark.parametrize("kind", ["mixed", "related"])
def test_many_documents_with_their_files_as_parts(couch, db, kind):
    data = random.Random(700).randbytes(700_000)
    made = couch.ok("PUT", db + "/filed", {"v": 1})["rev"]
    filed = couch.ok("PUT", db + "/filed/f.bin", raw=data, rev=made)["rev"]
    couch.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": f"d{n:03}", "n": n} for n in range(100)]})
    wanted = [{"id": "filed"}, {"id": "none", "rev": "1-" + "0" * 32}, {"id": "x", "rev": "nonsense"}, {"id": "none"}]
    wanted += [{"id": f"d{n:03}"} for n in range(100)] + [{"id": "filed", "rev": filed, "atts_since": [filed]}]
    answer = couch.send("POST", db + "/_bulk_get", {"docs": wanted}, revs=True,
                        headers={"Accept": f"multipart/{kind}"})
    assert answer.headers["Content-Type"].startswith(f"multipart/{kind}; boundary=")
    first, *rest = parts(answer)
    document, file = first.get_payload()
    document = json.loads(document.get_payload())
    assert document["_attachments"]["f.bin"]["follows"] and document["_revisions"]["start"] == 2
    assert file.get_payload(decode=True) == data
    faults, documents, last = rest[:3], rest[3:-1], rest[-1]
    assert all(part.get_param("error") == "true" for part in faults)
    assert json.loads(faults[0].get_payload()) == {"missing": "1-" + "0" * 32}
    assert [json.loads(part.get_payload())["n"] for part in documents] == list(range(100))
    assert last.get_content_type() == "application/json", "no part of files where none follows"
    assert json.loads(last.get_payload())["_attachments"]["f.bin"]["stub"]


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "multipart/mixed, application/json"])
def test_many_documents_are_json_wherever_that_is_taken(couch, db, accept):
    couch.ok("PUT", db + "/a", {})
    answer = couch.send("POST", db + "/_bulk_get", {"docs": [{"id": "a"}]}, headers={"Accept": accept})
    assert answer.json()["results"][0]["docs"][0]["ok"]["_id"] == "a"


def test_files_that_a_client_has_do_not_come_with_its_documents_again(couch, db):
    old = couch.ok("PUT", db + "/a/old", raw=b"old")["rev"]
    new = couch.ok("PUT", db + "/a/new", raw=b"new", rev=old)["rev"]
    body = {"docs": [{"id": "a", "rev": new, "atts_since": [old]}]}
    files = couch.ok("POST", db + "/_bulk_get", body)["results"][0]["docs"][0]["ok"]["_attachments"]
    assert files["old"]["stub"] and "data" not in files["old"]
    assert base64.b64decode(files["new"]["data"]) == b"new"
    couch.refused(400, "bad_request", "POST", db + "/_bulk_get", {"docs": [{"id": "a", "atts_since": ["x"]}]})


def edited_after_its_file(couch, db):
    """A document whose body was edited after it got a file; its revisions, the newest last."""
    filed = couch.ok("PUT", db + "/a/f", raw=text, headers={"Content-Type": "text/plain"})["rev"]
    return filed, couch.ok("PUT", db + "/a", {"_rev": filed, "v": 2, "_attachments": {"f": {"stub": True}}})["rev"]


def test_a_replicator_that_has_the_file_gets_the_edited_document_without_parts(couch, db):
    """As CouchDB's replicator asks: a `multipart/related` part without a file would hold it up until its time-out."""
    filed, edited = edited_after_its_file(couch, db)
    query = {"revs": True, "open_revs": [edited], "latest": True, "headers": {"Accept": "multipart/mixed"}}
    part, = parts(couch.send("GET", db + "/a", atts_since=[filed], **query))
    assert part["Content-Type"] == "application/json"
    document = json.loads(part.get_payload())
    assert document["_revisions"]["start"] == 2 and document["_attachments"]["f"]["stub"]
    part, = parts(couch.send("GET", db + "/a", **query))
    assert part.get_content_type() == "multipart/related", "a replicator that lacks the file gets it"
    assert part.get_payload()[1].get_payload(decode=True) == text


def test_a_single_document_is_json_where_no_file_follows(couch, db):
    filed, edited = edited_after_its_file(couch, db)
    accept = {"Accept": "multipart/related, application/json"}
    for query in ({"atts_since": [filed]}, {"atts_since": [edited]}):
        answer = couch.send("GET", db + "/a", headers=accept, **query)
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.json()["_attachments"]["f"]["stub"] and answer.json()["v"] == 2
    couch.ok("PUT", db + "/plain", {})
    answer = couch.send("GET", db + "/plain", headers=accept, attachments=True)
    assert answer.headers["Content-Type"] == "application/json" and answer.json()["_id"] == "plain"


def test_a_file_is_replaced_in_the_document_as_it_was_read(couch, db):
    """A client reads the document, puts `data` into the stub, and sends all of it back."""
    couch.ok("PUT", db + "/a/f", raw=text, headers={"Content-Type": "text/plain"})
    document = couch.ok("GET", db + "/a")
    stub = document["_attachments"]["f"]
    del stub["stub"]
    document["_attachments"]["f"] = {**stub, "stub": False, "data": base64.b64encode(b"other").decode()}
    couch.ok("PUT", db + "/a", document)
    assert couch.send("GET", db + "/a/f").content == b"other"
    kept = couch.ok("GET", db + "/a")["_attachments"]["f"]
    assert kept["content_type"] == "text/plain" and (kept["length"], kept["revpos"]) == (5, 2)
    assert kept["digest"] != digest
    # A stub is one whatever stands beside it.
    document = couch.ok("GET", db + "/a")
    document["_attachments"]["f"]["data"] = base64.b64encode(b"ignored").decode()
    couch.ok("POST", db + "/_bulk_docs", {"docs": [document]})
    assert couch.send("GET", db + "/a/f").content == b"other"


def test_the_bytes_of_a_peers_file_must_be_those_that_it_names(couch, db):
    file = {"content_type": "text/plain", "data": base64.b64encode(b"spoilt").decode(), "digest": digest}
    document = {"_id": "a", **revisions("02", "01"), "_attachments": {"f": file}}
    couch.refused(400, "content_md5_mismatch", "PUT", db + "/a", document, new_edits=False)
    couch.refused(404, "not_found", "GET", db + "/a")
