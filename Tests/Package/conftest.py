"""Debian machines to install the packages on: folders that `chroot` enters, where no Swift is."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Tests/Endpoints/support"))

from debian_machine import Machine, debian_release  # noqa: E402

packages = pathlib.Path(os.environ.get("MUSTER_PACKAGES", root / ".build/packages"))
base = root / ".build/package-debian"


@pytest.fixture(scope="session")
def base_machine():
    """The folder of a minimal Debian, made once by debootstrap and kept in .build."""
    if os.geteuid() != 0:
        pytest.skip("only root enters another root folder (chroot)")
    if not shutil.which("debootstrap", path="/usr/sbin:/usr/bin"):
        pytest.skip("debootstrap is not installed")
    release = debian_release()
    if release is None:
        pytest.skip("this machine, on which the packages were made, is no Debian")
    if not (base / "etc/debian_version").exists():
        unfinished = base.with_name(base.name + "-unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        subprocess.run(
            ["/usr/sbin/debootstrap", "--variant=minbase", release, unfinished], check=True,
            stdout=subprocess.DEVNULL, timeout=1200)
        unfinished.rename(base)
    return base


def new_machine(base_machine, folder):
    subprocess.run(["cp", "-a", "--reflink=auto", f"{base_machine}/.", folder], check=True, timeout=300)
    return Machine(folder)


@pytest.fixture(scope="module")
def machine(base_machine, tmp_path_factory):
    """A minimal Debian."""
    machine = new_machine(base_machine, tmp_path_factory.mktemp("machine"))
    yield machine
    machine.end()
    shutil.rmtree(machine.folder, ignore_errors=True)


def package(pattern):
    """The package of that name, as `make package` made it."""
    found = sorted(packages.glob(pattern))
    if not found:
        pytest.skip(f"there is no {pattern} in {packages}: make package makes it")
    return found[-1]


@pytest.fixture(scope="session")
def deb():
    """The Debian package."""
    return package("muster_*.deb")


@pytest.fixture(scope="session")
def archive():
    """The tar.gz."""
    return package("muster-*-linux-*.tar.gz")
