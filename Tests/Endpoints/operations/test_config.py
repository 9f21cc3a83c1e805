"""What `muster serve` is told by flags, over the environment, over a configuration file."""

import os
import re
import socket
import subprocess

import requests

from certificates import make_certificate
from muster_process import binary


def run(*arguments, **environment):
    """A command with an environment that sets nothing else of Muster."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}
    return subprocess.run(
        [binary, *map(str, arguments)], env=clean | environment, capture_output=True, text=True, timeout=60)


def written(tmp_path, text):
    path = tmp_path / "muster.conf"
    path.write_text(text)
    return path


def test_every_option_of_serve_is_a_setting():
    options = set(re.findall(r"^  --([a-z-]+)", run("serve", "--help").stdout, re.MULTILINE))
    options -= {"accept-loss", "renew-secrets-key", "config", "version"}
    assert len(options) > 25
    given = {"MUSTER_" + name.upper().replace("-", "_"): "" for name in options}
    # Empty is not set, and a name that is no setting is noted.
    checked = run("config", "check", **given)
    assert checked.returncode == 0 and "0 of %d settings are set" % len(options) in checked.stdout
    assert checked.stderr == ""


def test_the_environment_goes_before_the_file_and_the_command_line_before_both(make_server, tmp_path):
    path = written(tmp_path, """
# How long positions are kept.
MUSTER_RETENTION_DAYS = 7
MUSTER_AWS_REGION="eu-central-1"
MUSTER_CORS_ORIGIN=https://a.example, https://b.example
MUSTER_PUBLIC_PLACES=true
MUSTER_AWS_ACCOUNT=111111111111
""")
    checked = run("config", "check", "--config", path, MUSTER_AWS_REGION="us-west-2", MUSTER_PUBLIC_PLACES="false")
    assert checked.returncode == 0, checked.stderr
    assert f"retention-days  7  ({path} line 3)" in checked.stdout
    assert "aws-region      us-west-2  (MUSTER_AWS_REGION)" in checked.stdout
    assert "cors-origin     https://a.example, https://b.example" in checked.stdout
    assert "public-places   false  (MUSTER_PUBLIC_PLACES)" in checked.stdout

    server = make_server(arguments=["--config", str(path)]).start()

    def allowed(origin):
        answer = requests.get(server.address + "/health", headers={"Origin": origin}, timeout=60)
        return answer.headers.get("Access-Control-Allow-Origin")

    assert allowed("https://b.example") == "https://b.example" and allowed("https://c.example") is None
    # Strangers see places, as the file says; nothing else allows it here.
    near = {"lat": 1, "lon": 1, "radius": 5}
    assert requests.get(server.address + "/api/places", params=near, timeout=60).status_code == 200
    server.stop()
    server.arguments += ["--cors-origin", "https://c.example"]
    server.start()
    assert allowed("https://c.example") == "https://c.example" and allowed("https://b.example") is None


def test_faults_of_the_configuration_are_reported_with_their_line(tmp_path):
    path = written(tmp_path, "MUSTER_PROT=80\nhello\nMUSTER_PORT=1\nMUSTER_PORT=2\nMUSTER_PUBLIC_PLACES=perhaps\n")
    for command in (["config", "check"], ["serve", "--data", tmp_path / "data"]):
        refused = run(*command, "--config", path)
        assert refused.returncode == 1
        assert f"{path} line 1: there is no setting MUSTER_PROT. Did you mean MUSTER_PORT?" in refused.stderr
        assert f"{path} line 2: 'hello' is not of the form NAME=value" in refused.stderr
        assert f"{path} line 4: MUSTER_PORT is set in line 3 already" in refused.stderr
        assert f"{path} line 5: MUSTER_PUBLIC_PLACES is neither true nor false" in refused.stderr
    assert not (tmp_path / "data").exists()


def test_a_refused_value_is_reported_with_where_it_was_set(tmp_path):
    path = written(tmp_path, "MUSTER_PORT=70000\n")
    refused = run("serve", "--config", path, "--data", tmp_path / "data")
    assert refused.returncode != 0 and "--port: 70000 is not 0 to 65535" in refused.stderr
    assert f"--port is set by {path} line 1" in refused.stderr
    checked = run("config", "check", MUSTER_RETENTION_DAYS="many")
    assert checked.returncode == 1
    assert "'many' is invalid" in checked.stderr and "set by MUSTER_RETENTION_DAYS" in checked.stderr
    missing = tmp_path / "cert.pem"
    checked = run("config", "check", MUSTER_TLS_CERTIFICATE=str(missing), MUSTER_TLS_KEY=str(missing))
    assert checked.returncode == 1
    assert f"MUSTER_TLS_KEY: there is no file {missing} that can be read" in checked.stderr


def test_a_file_that_is_not_there_is_named(tmp_path):
    for command in (["config", "check"], ["serve", "--data", tmp_path / "data"]):
        missing = tmp_path / "none.conf"
        refused = run(*command, MUSTER_CONFIG=str(missing))
        assert refused.returncode == 1
        assert f"the configuration file {missing} cannot be read: there is no such file" in refused.stderr


def test_a_variable_that_is_not_a_setting_is_reported():
    checked = run("config", "check", MUSTER_RETENTION_DAY="7")
    assert checked.returncode == 0
    assert "MUSTER_RETENTION_DAY, which is not a setting. Did you mean MUSTER_RETENTION_DAYS?" in checked.stderr


def test_every_command_finds_the_data_folder_that_the_environment_names(tmp_path):
    refused = run("doctor", MUSTER_DATA=str(tmp_path / "nowhere"))
    assert refused.returncode == 1 and str(tmp_path / "nowhere") in refused.stderr


def test_a_number_beyond_any_use_is_refused_with_its_range(tmp_path):
    for name, number, words in [
            ("MUSTER_RETENTION_DAYS", "inf", "--retention-days must be between 0.0001 and 36500"),
            ("MUSTER_RETENTION_DAYS", "1e99", "--retention-days must be between 0.0001 and 36500"),
            ("MUSTER_DELIVERY_HOURS", "1e13", "--delivery-hours must be between 0.0001 and 87600"),
            ("MUSTER_REQUEST_SECONDS", "nan", "--request-seconds must be between 0.01 and 86400"),
            ("MUSTER_QUOTA_POSITION_BURST", "1e19", "--quota-position-burst must be between 1 and"),
            ("MUSTER_QUOTA_USER_MIB", "99999999999999", "--quota-user-mib must be between 0 and 1099511627776")]:
        for command in (["config", "check"], ["serve", "--data", tmp_path / "data"]):
            refused = run(*command, **{name: number})
            assert refused.returncode != 0 and words in refused.stderr, (name, number, refused.stderr)
    assert not (tmp_path / "data").exists()


def test_a_check_refuses_what_a_start_would(tmp_path):
    (tmp_path / "file").touch()
    refused = run("config", "check", MUSTER_DATA=str(tmp_path / "file" / "data"))
    assert refused.returncode == 1 and "--data" in refused.stderr
    refused = run("config", "check", MUSTER_HOST="192.0.2.1")
    assert refused.returncode == 1 and "192.0.2.1 is no address of this machine" in refused.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("config", "check", MUSTER_PORT=str(port))
        assert refused.returncode == 1 and f"port {port} of 127.0.0.1 is taken" in refused.stderr


def test_the_file_of_further_authorities_is_named(tmp_path):
    missing = tmp_path / "none.pem"
    refused = run("serve", "--data", tmp_path / "data", "--port", "0", "--target-roots", missing)
    assert refused.returncode == 1 and f"{missing} cannot be read" in refused.stderr


def test_a_certificate_that_is_not_of_its_key_is_refused_by_the_check(certificate, tmp_path):
    (tmp_path / "other").mkdir()
    make_certificate(tmp_path / "other/chain.pem", tmp_path / "other/key.pem")
    refused = run(
        "config", "check", MUSTER_TLS_CERTIFICATE=str(tmp_path / "chain.pem"),
        MUSTER_TLS_KEY=str(tmp_path / "other/key.pem"))
    assert refused.returncode == 1 and "is not the key of the certificate" in refused.stderr
