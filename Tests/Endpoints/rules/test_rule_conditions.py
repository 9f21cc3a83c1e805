"""Two admins who change one rule: the second is told, and nothing is lost."""

import threading

import pytest

from native_api import NativeApi

pattern = {"source": ["muster"]}


@pytest.fixture(scope="module")
def admins(server):
    first = server.admin()
    return first, first.make_user("conditions-ada", "admin")


def test_the_second_of_two_editors_is_told_who_changed_the_rule(admins):
    ada, path = admins[1], "/rules/edited"
    first = admins[0]
    made = first.send("POST", "/rules", {"name": "edited", "pattern": pattern})
    tag = made.headers["ETag"]
    assert first.send("GET", path).headers["ETag"] == tag
    changed = ada.send("PATCH", path, {"description": "hers"}, headers={"If-Match": tag})
    assert changed.status_code == 200 and changed.headers["ETag"] != tag
    for method, body in (("PATCH", {"description": "mine"}), ("DELETE", None)):
        refusal = first.refused(412, method, path, body, headers={"If-Match": tag})
        assert refusal["type"].endswith("changed-meanwhile")
        assert "conditions-ada changed the rule edited at 20" in refusal["detail"], refusal
    assert first.ok("GET", path)["description"] == "hers"
    # Her request, sent again because its answer was lost, is no conflict; nor is one without a condition.
    again = ada.send("PATCH", path, {"description": "hers"}, headers={"If-Match": tag})
    assert again.status_code == 200 and again.headers["ETag"] == changed.headers["ETag"]
    first.ok("PATCH", path, {"enabled": False})
    ada.ok("DELETE", path, headers={"If-Match": "*"})
    refusal = first.refused(412, "PATCH", path, {"enabled": True}, headers={"If-Match": tag})
    assert "conditions-ada removed the rule edited at 20" in refusal["detail"], refusal
    first.refused(404, "PATCH", path, {"enabled": True})


def test_of_many_edits_at_once_with_one_tag_one_is_stored(admins):
    ada, path = admins[1], "/rules/raced"
    tag = ada.send("POST", "/rules", {"name": "raced", "pattern": pattern}).headers["ETag"]
    statuses = []

    def edit(index):
        caller = NativeApi(ada.address, ada.token)
        statuses.append(caller.send(
            "PATCH", path, {"description": f"edit {index}"}, headers={"If-Match": tag}).status_code)

    threads = [threading.Thread(target=edit, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [412] * 7
    ada.ok("DELETE", path)


def test_a_restart_changes_no_tag(make_server):
    server = make_server().start()
    admin = server.admin()
    tag = admin.send("POST", "/rules", {"name": "kept", "pattern": pattern}).headers["ETag"]
    server.stop()
    server.start()
    admin = server.admin()
    assert admin.send("GET", "/rules/kept").headers["ETag"] == tag
    admin.ok("PATCH", "/rules/kept", {"description": "new"}, headers={"If-Match": tag})
