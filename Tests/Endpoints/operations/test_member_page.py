"""The page of a member's app, as a browser and its service worker read it."""

import base64
import hashlib

import requests

from muster_process import MusterProcess

browser = {"Accept": "text/html,application/xhtml+xml"}


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)


app = {
    "index.html": b"<!doctype html>", "me/index.html": b'<script type="module" src="app.js"></script>',
    "me/app.js": b'import "../console/shared/words.js";\n', "me/worker.js": b"self.skipWaiting;\n",
    "me/manifest.webmanifest": b"{}", "engine/engine.wasm": b"\0asm\1\0\0\0" + bytes(range(256)) * 40,
    "console/shared/words.js": b'import "../frame/words/en.js";\n', "console/frame/words/en.js": b"export default {};",
    "console/app.js": b"//", "vendor/preact/preact-htm.js": b"//", "vendor/maplibre/maplibre-gl.js": b"//",
}


def digest_of(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()[:15]).decode()


def test_the_list_of_the_app_has_the_digest_of_what_is_served(make_server, tmp_path):
    write(tmp_path / "page", app)
    server = make_server(arguments=["--web", str(tmp_path / "page")]).start()

    def get(path, **headers):
        return requests.get(f"{server.address}/{path}", headers=headers, timeout=60)

    page = get("me/", Accept="text/html")
    assert page.status_code == 200 and page.content == app["me/index.html"]
    assert "script-src 'self' 'wasm-unsafe-eval'" in page.headers["Content-Security-Policy"]
    assert "manifest-src 'self'" in page.headers["Content-Security-Policy"]
    moved = requests.get(f"{server.address}/me", allow_redirects=False, timeout=60)
    assert (moved.status_code, moved.headers["Location"]) == (308, "me/")
    answer = get("me/shell.json")
    assert answer.headers["Cache-Control"] == "no-cache"
    shell = answer.json()
    assert shell["files"] == [
        "console/frame/words/en.js", "console/shared/words.js", "engine/engine.wasm", "me/app.js", "me/index.html",
        "me/manifest.webmanifest", "me/worker.js", "vendor/preact/preact-htm.js"]
    assert shell["map"] == ["vendor/maplibre/maplibre-gl.js"]
    assert sorted(shell["digests"]) == sorted(shell["files"] + shell["map"])
    for path, digest in shell["digests"].items():
        served = get(path)
        assert digest == digest_of(served.content) and served.headers["ETag"] == f'"{digest}"', path
        assert get(path, **{"If-None-Match": served.headers["ETag"]}).status_code == 304
    # The app's service worker computes the version in this way from the files that it has stored.
    lines = "".join(f"{path} {digest}\n" for path, digest in sorted(shell["digests"].items()))
    assert shell["version"] == digest_of(lines.encode())
    wasm = get("engine/engine.wasm", **{"Accept-Encoding": "gzip"})
    assert (wasm.headers["Content-Type"], wasm.headers["Content-Encoding"]) == ("application/wasm", "gzip")


def test_a_version_is_one_snapshot_and_a_file_that_changes_on_disk_changes_nothing_until_the_next_start(
        make_server, tmp_path):
    page = tmp_path / "page"
    write(page, app)
    server = make_server(arguments=["--web", str(page)]).start()
    first = requests.get(f"{server.address}/me/shell.json", timeout=60).json()
    write(page, {"me/app.js": b"// newer\n", "me/more.js": b"//"})
    assert requests.get(f"{server.address}/me/shell.json", timeout=60).json() == first
    assert requests.get(f"{server.address}/me/app.js", timeout=60).content == app["me/app.js"]
    server.stop()
    with MusterProcess(server.folder, arguments=["--web", str(page)]) as server:
        second = requests.get(f"{server.address}/me/shell.json", timeout=60).json()
        assert second["version"] != first["version"]
        assert "me/more.js" in second["files"]
