"""`muster dataset`: what one terminal puts, the others print at once, and after they or the server were away."""

import json
import os
import queue
import signal
import subprocess
import threading

import pytest

from muster_process import binary, root, run


class Watch:
    """`muster dataset watch` in a terminal of its own."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [binary, "dataset", "watch", *map(str, arguments)], cwd=root, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
        self.lines, self.remarks = queue.Queue(), queue.Queue()
        for stream, found in ((self.process.stdout, self.lines), (self.process.stderr, self.remarks)):
            threading.Thread(target=self._read, args=(stream, found), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    @staticmethod
    def _read(stream, found):
        for line in stream:
            found.put(line.rstrip("\n"))

    def next(self, seconds=60):
        """The next line that it prints."""
        return self.lines.get(timeout=seconds)

    def remark(self, seconds=60):
        """The next line that it says on standard error."""
        return self.remarks.get(timeout=seconds)

    def end(self):
        self.process.kill()
        self.process.wait(60)


@pytest.fixture
def muster(server, admin):
    return lambda *arguments, **more: run("dataset", *arguments, data=server.data, **more)


@pytest.fixture(scope="module")
def ana(admin):
    return admin.make_user("ana")


def test_two_terminals_print_at_once_what_a_third_puts(server, muster):
    with Watch("settings", "--data", server.data) as one, Watch("settings", "--data", server.data, "--json") as other:
        for watch in (one, other):
            assert watch.remark() == "Watching settings."
        for value in ("dark", "light"):
            assert muster("put", "settings", "theme", value).startswith("Set theme in settings")
            assert one.next() == f"theme = {value}"
            told = json.loads(other.next())
            assert (told["key"], told["value"]) == ("theme", value)
        muster("remove", "settings", "theme")
        assert one.next() == "theme was removed"
        assert json.loads(other.next())["value"] is None
        muster("delete", "settings")
        assert one.next() == "settings was deleted"
        assert json.loads(other.next())["deleted"] is True
        muster("put", "settings", "theme", "again")
        assert one.next() == "theme = again"


def test_a_terminal_that_was_stopped_prints_what_changed_meanwhile(server, muster, tmp_path):
    mark = tmp_path / "mark"
    muster("put", "marked", "a", "1")
    with Watch("marked", "--data", server.data, "--mark", mark) as watch:
        assert watch.next() == "a = 1"
        assert watch.remark() == "Watching marked."
    muster("put", "marked", "b", "2")
    muster("remove", "marked", "a")
    with Watch("marked", "--data", server.data, "--mark", mark) as watch:
        assert [watch.next(), watch.next()] == ["b = 2", "a was removed"]
        assert watch.remark() == "Watching marked."
        # A stopped process, too.
        watch.process.send_signal(signal.SIGSTOP)
        muster("put", "marked", "c", "3")
        watch.process.send_signal(signal.SIGCONT)
        assert watch.next() == "c = 3"
    muster("delete", "marked")
    muster("put", "marked", "d", "4")
    assert run("dataset", "watch", "marked", "--mark", mark, "--count", 1, data=server.data) == (
        "marked was deleted\nd = 4\n")
    mark.write_text("no number")
    assert "holds no sync count" in run("dataset", "watch", "marked", "--mark", mark, data=server.data, status=1)


def test_when_the_server_comes_back_a_terminal_prints_what_changed_meanwhile(make_server):
    server = make_server().start()
    key = server.admin().make_user("ana").token
    person = ("--server", server.address, "--token", key)
    with Watch("settings", "--data", server.data) as admins, Watch("settings", *person) as anas:
        for watch in (admins, anas):
            assert watch.remark() == "Watching settings."
        server.kill()
        for watch in (admins, anas):
            assert watch.remark().startswith("Waiting for the server: ")
        server.start()
        run("dataset", "put", "settings", "k", "of the admin", data=server.data)
        run("dataset", "put", "settings", "k", "of ana", *person)
        assert admins.next() == "k = of the admin"
        assert anas.next() == "k = of ana"
        for watch in (admins, anas):
            assert watch.remark() == "The server is back."


def test_dataset_commands_use_the_datasets_of_the_tokens_user(server, muster, ana):
    muster("put", "whose", "k", "the admin's")
    token = {"MUSTER_TOKEN": ana.token}
    assert "there is no dataset whose" in muster("get", "whose", status=1, environment=token)
    muster("put", "whose", "k", "ana's", environment=token)
    assert muster("get", "whose", "k") == "the admin's\n"
    assert run("dataset", "get", "whose", "k", "--server", server.address, "--token", ana.token) == "ana's\n"
    assert ana.ok("GET", "/datasets/whose")["records"][0]["value"] == "ana's"


def test_records_are_listed_read_changed_and_removed(muster, admin):
    muster("put", "some", "b", "two words")
    muster("put", "some", "a", "")
    assert muster("get", "some") == "a\t\nb\ttwo words\n"
    assert muster("get", "some", "b") == "two words\n"
    assert [record["key"] for record in json.loads(muster("get", "some", "--json"))] == ["a", "b"]
    assert json.loads(muster("get", "some", "b", "--json"))["syncCount"] == 1
    assert "some\t2 records\tsync count 2" in muster("list").splitlines()
    assert {"name": "some", "records": 2}.items() <= next(
        item for item in json.loads(muster("list", "--json")) if item["name"] == "some").items()
    muster("remove", "some", "a")
    assert admin.ok("GET", "/datasets/some?since=2")["records"][0]["value"] is None
    assert muster("get", "some") == "b\ttwo words\n"
    assert muster("delete", "some") == "Deleted some.\n"


@pytest.mark.parametrize("arguments,words", [
    (("get", "nowhere"), "there is no dataset nowhere"),
    (("delete", "nowhere"), "there is no dataset nowhere"),
    (("remove", "nowhere", "k"), "there is no record k in nowhere"),
    (("put", "errors", "k" * 1_025, "v"), "1 to 1,024 bytes"),
    (("put", "errors", "k", "v", "--token", "mk_none"), "does not accept the token"),
    (("watch", "errors", "--token", "mk_none"), "does not accept the token"),
])
def test_an_impossible_dataset_command_fails_with_the_reason(muster, arguments, words):
    assert words in muster(*arguments, status=1)


@pytest.mark.parametrize("arguments,words", [
    (("put", "with space", "k", "v"), "1 to 128 of the characters"),
    (("watch", "d", "--server", "http://127.0.0.1:1"), "--server requires --token"),
    (("watch", "d", "--count", "0"), "at least 1"),
])
def test_invalid_dataset_arguments_are_refused_with_the_reason(arguments, words):
    assert words in run("dataset", *arguments, status=64)


def test_a_watch_of_a_folder_without_a_store_ends(tmp_path):
    assert "there is no Muster store" in run("dataset", "watch", "d", data=tmp_path / "none", status=1)
