"""A system that gives too little is told of in a sentence; nothing ends in a trap."""

import resource
import signal
import subprocess

import pytest

from muster_process import binary, root

seconds = 60


def start(tmp_path, *limits):
    """Starts a server under limits, and ends it once it is ready; its status and what it said on standard error."""
    def lower():
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))
    with open(tmp_path / "err", "w+") as errors:
        process = subprocess.Popen(
            [binary, "serve", "--data", str(tmp_path / "data"), "--port", "0"], cwd=root, stdout=subprocess.PIPE,
            stderr=errors, stdin=subprocess.DEVNULL, preexec_fn=lower, text=True)
        for line in process.stdout:
            if "is ready at" in line:
                process.send_signal(signal.SIGTERM)
        status = process.wait(seconds)
        errors.seek(0)
        return status, errors.read()


@pytest.mark.parametrize("files", [8, 12, 16, 20, 32, 48, 63])
def test_too_few_open_files_are_reported_with_the_number_needed(tmp_path, files):
    status, told = start(tmp_path, (resource.RLIMIT_NOFILE, files))
    assert status == 1, told
    assert f"this process may open {files} files and needs 64" in told and "ulimit -n" in told


@pytest.mark.parametrize("files", [64, 80, 256])
def test_as_many_open_files_as_are_asked_for_are_enough(tmp_path, files):
    assert start(tmp_path, (resource.RLIMIT_NOFILE, files))[0] == 0


@pytest.mark.parametrize("mebibytes", [300, 400, 500])
def test_too_little_memory_is_reported_with_the_size_needed(tmp_path, mebibytes):
    status, told = start(tmp_path, (resource.RLIMIT_AS, mebibytes << 20))
    assert status == 1, told
    assert f"this process may take {mebibytes} MiB of memory and needs 512" in told and "ulimit -v" in told


@pytest.mark.parametrize("mebibytes", [1024, 2048])
def test_a_gibibyte_of_address_space_is_enough_to_start(tmp_path, mebibytes):
    assert start(tmp_path, (resource.RLIMIT_AS, mebibytes << 20))[0] == 0
