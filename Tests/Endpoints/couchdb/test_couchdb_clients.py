"""Unmodified CouchDB clients of other people's, against Muster."""

import asyncio
import threading

import aiocouch
import couchdb3
import pycouchdb
import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant.cloudant_v1 import CloudantV1, Document
from ibmcloudant.couchdb_session_authenticator import CouchDbSessionAuthenticator

from couch_api import high, low, revisions
from muster_process import admin_password

text = b"hello, attachment\n" * 50


def url(server):
    return server.address.replace("://", f"://admin:{admin_password.replace(' ', '%20')}@")


# MARK: pycouchdb

@pytest.fixture
def py(server):
    # It does not decode what stands before the @ of a URL; a key without blanks does.
    key = server.admin().ok("POST", "/keys", {"label": "pycouchdb"})["key"]
    return pycouchdb.Server(server.address.replace("://", f"://admin:{key}@") + "/")


def test_pycouchdb_lives_a_documents_life(py):
    assert py.info()["couchdb"] == "Welcome" and py.version().startswith("3.")
    db = py.create("pycouch")
    with pytest.raises(pycouchdb.exceptions.Conflict):
        py.create("pycouch")
    assert "pycouch" in py and "pycouch" in list(py)
    made = db.save({"_id": "a", "v": 1})
    second = db.save({**made, "v": 2})
    with pytest.raises(pycouchdb.exceptions.Conflict):
        db.save({**made, "v": 3})
    assert db.get("a")["v"] == 2 and "a" in db and len(db) == 1
    assert [document["v"] for document in db.revisions("a")] == [2, 1]
    many = db.save_bulk([{"_id": f"b{n}", "n": n} for n in range(20)])
    assert len(many) == 20 and all(document["_rev"].startswith("1-") for document in many)
    assert [row["id"] for row in db.all(startkey="b18")] == ["b18", "b19", *[f"b{n}" for n in range(2, 10)]]
    assert len(db.all(keys=["a", "b3"], as_list=True)) == 2
    db.delete_bulk(many[:5])
    last, changes = db.changes_list(style="all_docs")
    assert len(changes) == 21 and sum("deleted" in row for row in changes) == 5 and last == changes[-1]["seq"]
    assert db.commit()["ok"] and db.compact()["ok"] and db.cleanup()["ok"]
    db.delete(second)
    with pytest.raises(pycouchdb.exceptions.NotFound):
        db.get("a")
    py.delete("pycouch")
    assert "pycouch" not in py


def test_pycouchdb_keeps_files(py):
    db = py.create("pyfiles")
    document = db.save({"_id": "a"})
    document = db.put_attachment(document, text, "t.txt", "text/plain")
    assert db.get_attachment(document, "t.txt") == text
    assert b"".join(db.get_attachment(document, "t.txt", stream=True).iter_content(4096)) == text
    assert "_attachments" not in db.delete_attachment(document, "t.txt")


def test_pycouchdb_hears_of_changes(py):
    db = py.create("pyfeed")
    heard = []

    class Reader(pycouchdb.feedreader.BaseFeedReader):
        def on_message(self, message):
            heard.append(message["id"])
            if len(heard) == 2:
                raise pycouchdb.exceptions.FeedReaderExited()

    db.save({"_id": "first"})
    threading.Timer(0.3, lambda: db.save({"_id": "second"})).start()
    db.changes_feed(Reader(), heartbeat=1000)
    assert heard == ["first", "second"]


# MARK: CouchDB3

@pytest.fixture(params=["basic", "cookie"])
def three(server, request):
    with couchdb3.Server(
            server.address, user="admin", password=admin_password, auth_method=request.param) as client:
        yield client


def test_couchdb3_lives_a_documents_life(three):
    assert three.up() and three.info()["uuid"]
    db = three.create("three")
    try:
        id, ok, first = db.save({"_id": "a", "v": 1})
        assert ok and db.get("a")["v"] == 1
        _, _, second = db.save({"_id": "a", "_rev": first, "v": 2})
        with pytest.raises(couchdb3.exceptions.ConflictError):
            db.save({"_id": "a", "_rev": first, "v": 3})
        assert db.rev("a") == second
        db.bulk_docs([{"_id": "a", **revisions(high, low)}], new_edits=False)
        assert db.get("a", conflicts=True)["_conflicts"] == [second]
        results = db.bulk_get([{"id": "a"}], revs=True)
        assert {entry["ok"]["_rev"] for entry in results[0]["docs"]} == {"2-" + high, second}
        assert db.all_docs().total_rows == 1
        assert [row["id"] for row in db.changes(include_docs=True)["results"]] == ["a"]
        assert [row["id"] for row in db.changes(doc_ids=["a"])["results"]] == ["a"]
        assert [row["id"] for row in db.changes(selector={"v": {"$gt": 5}})["results"]] == []
        db.put_attachment("a", "t.txt", content=text, content_type="text/plain", rev="2-" + high)
        assert db.get_attachment("a", "t.txt").content == text
        assert db.purge({"a": [second]})["purged"] == {"a": [second]}
        db.update_security(members={"names": ["sue"], "roles": []})
        assert db.security()["members"]["names"] == ["sue"]
        assert db.copy("a", "b")
        assert db.delete("b", rev=db.rev("b")) and "b" not in db
    finally:
        three.delete("three")


# MARK: aiocouch

def test_aiocouch_lives_a_documents_life(server):
    async def live():
        async with aiocouch.CouchDB(server.address, user="admin", password=admin_password) as client:
            await client.check_credentials()
            db = await client.create("aio")
            document = await db.create("a", data={"v": 1})
            await document.save()
            again = await db["a"]
            again["v"] = 2
            await again.save()
            document["v"] = 3
            with pytest.raises(aiocouch.ConflictError):
                await document.save()
            assert (await db["a"])["v"] == 2
            async with db.create_docs(["b", "c"]) as bulk:
                async for created in bulk:
                    created["made"] = True
            assert [key async for key in db.akeys()] == ["a", "b", "c"]
            assert {event.id async for event in db.changes(include_docs=True)} == {"a", "b", "c"}
            file = again.attachment("t.txt")
            await file.save(text, "text/plain")
            assert await file.exists() and await file.fetch() == text
            await file.delete()
            assert not await file.exists()
            await again.copy("d")
            security = await db.security()
            security.add_member("sue")
            await security.save()
            assert (await db.security()).members == ["sue"]
            assert (await db.info())["doc_count"] == 4
            await (await db["d"]).delete()
            with pytest.raises(aiocouch.NotFoundError):
                await db["d"]
            heard = []
            async for event in db.changes(feed="continuous", heartbeat=1000):
                heard.append(event.id)
                if len(heard) == 4:
                    break
            assert set(heard) == set("abcd")
            await db.delete()

    asyncio.run(live())


# MARK: Cloudant

@pytest.fixture(params=[BasicAuthenticator, CouchDbSessionAuthenticator])
def cloudant(server, request):
    client = CloudantV1(authenticator=request.param("admin", admin_password))
    client.set_service_url(server.address)
    return client


def test_cloudants_client_lives_a_documents_life(cloudant):
    assert cloudant.get_server_information().get_result()["couchdb"] == "Welcome"
    cloudant.put_database(db="ibm").get_result()
    try:
        first = cloudant.post_document(db="ibm", document=Document(_id="a", v=1)).get_result()
        second = cloudant.put_document(
            db="ibm", doc_id="a", document=Document(_id="a", _rev=first["rev"], v=2)).get_result()
        with pytest.raises(ApiException) as refusal:
            cloudant.put_document(db="ibm", doc_id="a", document=Document(_id="a", _rev=first["rev"], v=3))
        assert refusal.value.status_code == 409 and refusal.value.message.startswith("conflict")
        assert cloudant.get_document(db="ibm", doc_id="a", revs=True).get_result()["v"] == 2
        cloudant.put_attachment(
            db="ibm", doc_id="a", attachment_name="t.txt", attachment=text, content_type="text/plain",
            rev=second["rev"])
        file = cloudant.get_attachment(db="ibm", doc_id="a", attachment_name="t.txt").get_result()
        assert file.content == text
        changes = cloudant.post_changes(db="ibm", include_docs=True).get_result()
        assert [row.get("id") for row in changes["results"]] == ["a"]
        assert cloudant.post_all_docs(db="ibm").get_result()["total_rows"] == 1
        cloudant.put_local_document(db="ibm", doc_id="checkpoint", document=Document(n=1))
        assert cloudant.get_local_document(db="ibm", doc_id="checkpoint").get_result()["n"] == 1
        revision = cloudant.get_document(db="ibm", doc_id="a").get_result()["_rev"]
        difference = cloudant.post_revs_diff(
            db="ibm", document_revisions={"a": ["9-99", revision]}).get_result()
        assert difference["a"]["missing"] == ["9-99"]
    finally:
        cloudant.delete_database(db="ibm")
