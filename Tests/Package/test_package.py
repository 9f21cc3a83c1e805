"""The packages that `make package` makes, installed where no Swift is: they run, upgrade and go again.

The tests of the Debian package are one life of it on one machine, in the order of this file.
"""

import shutil
import sqlite3
import stat
import subprocess
from datetime import datetime, timezone

import pytest
import requests

from conftest import new_machine, root
from debian_machine import Machine, password
from unit_limits import UnitLimits

browser = {"Accept": "text/html"}


def position(latitude=43.5665):
    now = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
    return {"latitude": latitude, "longitude": -6.058, "accuracy": 8, "sampleTime": now}


def report_and_read(machine):
    """Posts a position for a device of admin, and reads it back."""
    admin = machine.sign_in()
    admin.send("POST", "/users/admin/devices", {"name": "phone"})
    admin.ok("POST", "/positions", {**position(), "device": "admin/phone"})
    (latest,) = admin.ok("GET", "/positions")["items"]
    assert (latest["device"], latest["latitude"]) == ("admin/phone", 43.5665)


def positions(machine):
    return machine.sign_in().ok("GET", "/users/admin/devices/phone/positions")["items"]


@pytest.fixture(scope="module")
def installed(machine, deb):
    """The machine with the package, whose server takes a free port and has a known first password."""
    machine.install(deb)
    settings = machine.path("/etc/muster/muster.env")
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640, "it may hold a password"
    settings.write_text(
        settings.read_text().replace("--port 8080", "--port 0") + f'MUSTER_ADMIN_PASSWORD="{password}"\n')
    return machine


def test_the_package_installs_where_no_swift_is_with_all_that_it_depends_on(installed):
    assert not list(installed.folder.glob("usr/**/libswift*")), "this machine is to have no Swift"
    assert installed.run("muster", "--version").strip()
    folder = installed.path("/var/lib/muster").stat()
    owner = installed.run("id", "-u", "muster").strip()
    assert (str(folder.st_uid), stat.S_IMODE(folder.st_mode)) == (owner, 0o700)
    assert "nologin" in installed.run("getent", "passwd", "muster")


def test_the_service_starts_signs_in_takes_a_position_and_shows_its_page_and_map(installed):
    installed.start_service()
    report_and_read(installed)
    assert "console/entry.js" in requests.get(installed.address, headers=browser, timeout=20).text
    for file in "console/app.js", "vendor/maplibre/maplibre-gl.js":
        assert requests.get(f"{installed.address}/{file}", timeout=20).status_code == 200
    assert not [line for line in installed.lines if "warning" in line or "error" in line]
    assert "phone" in installed.muster("device", "list"), "the command line finds the service"
    installed.stop()


def test_bash_completes_commands_with_the_packages_script(installed):
    script = r"""
        source /usr/share/bash-completion/completions/muster
        COMP_WORDS=(muster us) COMP_CWORD=1 COMP_LINE="muster us" COMP_POINT=9
        "$(complete -p muster | sed 's/.*-F \([^ ]*\).*/\1/')" muster us muster
        printf '%s\n' "${COMPREPLY[@]}"
    """
    assert installed.run("bash", "-c", script).split() == ["user"]
    for path in "/usr/share/zsh/vendor-completions/_muster", "/usr/share/fish/vendor_completions.d/muster.fish":
        assert "muster" in installed.path(path).read_text()


def test_an_upgrade_keeps_the_data_and_the_settings(installed, deb, tmp_path):
    settings = installed.path("/etc/muster/muster.env").read_text()
    installed.install(newer(deb, tmp_path))
    assert installed.path("/etc/muster/muster.env").read_text() == settings
    installed.start_service()
    assert len(positions(installed)) == 1
    installed.stop()


def test_removing_keeps_the_data_and_installing_again_finds_it(installed, deb):
    installed.run("apt-get", "remove", "-y", "muster")
    assert not installed.path("/usr/bin/muster").exists()
    assert not installed.path("/usr/share/muster").exists()
    assert installed.path("/var/lib/muster/muster.sqlite").exists()
    assert installed.path("/etc/muster/muster.env").exists()
    installed.run("dpkg", "--force-downgrade", "--install", "/srv/muster.deb")
    installed.start_service()
    assert len(positions(installed)) == 1
    installed.stop()


def test_purging_removes_the_data_and_the_settings(installed):
    installed.run("apt-get", "purge", "-y", "muster")
    for path in "/var/lib/muster", "/etc/muster", "/usr/share/doc/muster", "/lib/systemd/system/muster.service":
        assert not installed.path(path).exists(), path


def test_the_service_brings_a_store_of_an_older_version_up_to_date(installed, deb):
    data = installed.path("/var/lib/muster")
    data.mkdir(mode=0o700)
    with sqlite3.connect(data / "muster.sqlite") as older:
        older.executescript((root / "Tests/Conformance/Files/version8.sql").read_text())
    before = older.execute("SELECT version FROM meta").fetchone()[0]
    older.close()
    installed.run("dpkg", "--install", "/srv/muster.deb")
    installed.run("chown", "-R", "muster:muster", "/var/lib/muster")
    settings = installed.path("/etc/muster/muster.env")
    settings.write_text(settings.read_text().replace("--port 8080", "--port 0"))
    installed.muster("user", "password", "admin", "--password-stdin", text=password)
    installed.start_service()
    assert len(installed.sign_in().ok("GET", "/incidents")["items"]) == 1, "the incident that was open"
    assert "All is well." in installed.muster("doctor")
    installed.stop()
    with sqlite3.connect(f"file:{data / 'muster.sqlite'}?mode=ro", uri=True) as newer_store:
        assert newer_store.execute("SELECT version FROM meta").fetchone()[0] > before


def test_the_archive_runs_wherever_it_is_unpacked_without_any_package(base_machine, archive, tmp_path):
    machine = new_machine(base_machine, tmp_path / "machine")
    try:
        place = machine.path("/srv/any where")
        place.mkdir()
        subprocess.run(["tar", "-xzf", archive, "-C", place, "--strip-components=1"], check=True)
        machine.start(
            f"MUSTER_ADMIN_PASSWORD={password}", "/srv/any where/bin/muster", "serve", "--data", "/srv/data",
            "--port", "0")
        report_and_read(machine)
        assert "console/entry.js" in requests.get(machine.address, headers=browser, timeout=20).text
        machine.stop()
    finally:
        machine.end()
        shutil.rmtree(machine.folder, ignore_errors=True)


def test_the_server_needs_nothing_of_the_kernel_that_its_unit_forbids(archive, tmp_path):
    limits = UnitLimits((root / "Packaging/muster.service").read_text())
    probe = "import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)"
    refused = subprocess.run(["python3", "-c", probe], preexec_fn=limits.apply, capture_output=True, text=True)
    assert "PermissionError" in refused.stderr, "the limits hold"
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path, "--strip-components=1"], check=True)
    server = Machine("/")
    try:
        server.start_here(
            [tmp_path / "bin/muster", "serve", "--data", tmp_path / "data", "--port", "0", "--allow-private-targets"],
            environment={"MUSTER_ADMIN_PASSWORD": password}, preexec_fn=limits.apply)
        report_and_read(server)
        admin = server.sign_in()
        admin.ok("POST", "/targets", {"name": "ops", "kind": "webhook", "url": "https://localhost:9/"})
        admin.ok("POST", "/targets/ops/test")
        database = admin.send("PUT", "//notes")
        assert database.status_code == 201
        found = admin.ok("POST", "//notes/_find", {"selector": {"name": {"$regex": "^a"}}})
        assert found["docs"] == []
        assert "console/entry.js" in requests.get(server.address, headers=browser, timeout=20).text
        server.stop()
    finally:
        server.end()


def newer(deb, folder):
    """The same package as a later version."""
    tree = folder / "tree"
    subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
    control = tree / "DEBIAN/control"
    lines = control.read_text().splitlines()
    control.write_text("".join(f"{line}.1\n" if line.startswith("Version: ") else f"{line}\n" for line in lines))
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, folder / "newer.deb"], check=True,
        stdout=subprocess.DEVNULL)
    return folder / "newer.deb"
