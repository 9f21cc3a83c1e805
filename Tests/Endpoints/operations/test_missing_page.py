"""A server without the files of its web page says so in a sentence and serves everything else."""

import pytest
import requests

browser = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def server_of_page(make_server, tmp_path):
    """Starts a server whose page is a folder with these files."""
    def start(*files):
        folder = tmp_path / "page"
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("text")
        return make_server(arguments=["--web", str(folder)]).start()
    return start


@pytest.mark.parametrize("files, logged", [
    ([], "is not a folder that can be read"), (["muster.svg"], "has no index.html"),
], ids=["no folder", "no index.html"])
def test_a_browser_gets_a_page_about_the_missing_files_and_the_log_names_the_folder(server_of_page, files, logged):
    server = server_of_page(*files)
    for path in "/", "/index.html":
        answer = requests.get(server.address + path, headers=browser, timeout=60)
        assert answer.status_code == 404
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "This Muster server has no web page" in answer.text
        assert str(server.folder.parent) not in answer.text, "a stranger is told no path of the server"
    head = requests.head(server.address, headers=browser, timeout=60)
    assert (head.status_code, head.content) == (404, b"")
    assert f"There is no web page: {server.folder.parent / 'page'} {logged}" in server.log()
    assert requests.get(server.address, timeout=60).json()["muster"] == "Welcome", "other clients get JSON"
    assert server.admin().ok("GET", "/users")["items"]


@pytest.mark.parametrize("files, logged", [
    (["index.html"], "The web page shows nothing"),
    (["index.html", "vendor/preact/preact-htm.js"], "The web page has no map"),
], ids=["no components", "no map"])
def test_the_log_says_which_library_is_missing_and_the_page_is_served(server_of_page, files, logged):
    server = server_of_page(*files)
    assert requests.get(server.address, headers=browser, timeout=60).text == "text"
    assert logged in server.log()


def test_a_whole_page_is_served_without_a_warning(server_of_page):
    server = server_of_page("index.html", "vendor/preact/preact-htm.js", "vendor/maplibre/maplibre-gl.js")
    assert requests.get(server.address, headers=browser, timeout=60).status_code == 200
    assert "page" not in server.log()
