"""What Prometheus reads, and that the dashboard and the alert rules ask for nothing else."""

import json
import re
import subprocess
import time

import pytest
import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families

from muster_process import admin_password, binary, root
from waiting import eventually

operations = root / "docs/operations"
# Shown only by a server with a certificate.
encrypted = {"muster_tls_certificate_expiry_timestamp_seconds", "muster_tls_reload_failures_total"}
# Shown only where a control group limits the memory.
limited = {"muster_memory_limit_bytes"}


def families(server):
    """Everything that /metrics shows, by name."""
    text = requests.get(f"{server.address}/metrics", timeout=60).text
    found = list(text_string_to_metric_families(text))
    assert len({family.name for family in found}) == len(found)
    for family in found:
        assert family.documentation and family.type != "unknown", family.name
    return {family.name: family for family in found}


def sample(server, name, **labels):
    """One value, or 0 where there is none."""
    for family in families(server).values():
        for found in family.samples:
            if found.name == name and all(found.labels.get(key) == value for key, value in labels.items()):
                return found.value
    return 0


def names(expression):
    """The metrics that a PromQL expression asks for."""
    return set(re.findall(r"\b(?:muster|process)_[a-z_]+", expression))


def expressions():
    dashboard = json.loads((operations / "grafana-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for group in yaml.safe_load((operations / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def test_the_dashboard_and_the_alerts_ask_only_for_metrics_that_there_are(server, admin):
    admin.make_team("metrics")
    admin.make_user("mel", "member", "metrics")
    shown = {found.name for family in families(server).values() for found in family.samples}
    for title, expression in expressions():
        missing = names(expression) - shown - encrypted - limited
        assert not missing, f"{title}: {missing}"


def test_each_alert_has_a_summary_and_a_description():
    for group in yaml.safe_load((operations / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in {"critical", "warning"}, rule
            assert rule["annotations"]["summary"] and rule["annotations"]["description"].endswith("."), rule


@pytest.mark.parametrize("outcome, password", [("failed", "a wrong password"), ("succeeded", None)])
def test_sign_ins_are_counted_by_how_they_ended(server, outcome, password):
    before = sample(server, "muster_logins_total", outcome=outcome)
    requests.post(
        f"{server.address}/api/v1/session", json={"name": "admin", "password": password or admin_password}, timeout=60)
    assert sample(server, "muster_logins_total", outcome=outcome) == before + 1


def test_an_open_feed_is_counted_until_it_ends_and_a_head_opens_none(server, admin):
    head = admin.send("HEAD", "/live")
    assert head.status_code == 200 and head.headers["Content-Type"] == "text/event-stream" and not head.content
    assert sample(server, "muster_feeds", kind="live") == 0
    with admin.send("GET", "/live", stream=True) as feed:
        assert feed.status_code == 200
        eventually(lambda: sample(server, "muster_feeds", kind="live"), lambda count: count == 1)
    eventually(lambda: sample(server, "muster_feeds", kind="live"), lambda count: count == 0)


def test_the_metrics_have_the_time_of_the_last_backup(make_server, tmp_path):
    server = make_server().start()
    assert sample(server, "muster_last_backup_timestamp_seconds") == 0
    before = int(time.time())
    command = [binary, "backup", tmp_path / "copy.sqlite", "--data", server.data]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    assert before <= sample(server, "muster_last_backup_timestamp_seconds") <= time.time() + 1
