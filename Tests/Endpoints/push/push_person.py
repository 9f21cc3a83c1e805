"""A person with devices and datasets, on a server that may push to this machine: fixtures and helpers."""

import itertools

import pytest

from muster_process import MusterProcess
from push_browser import Browser
from webhook_receiver import Receiver

paths = (f"/push/{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    server = MusterProcess(
        tmp_path_factory.mktemp("muster"), ["--allow-private-targets", "--push-contact", "mailto:ops@muster.example"])
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture(scope="module")
def service():
    with Receiver(lambda call: 201) as service:
        yield service


@pytest.fixture
def ana(admin, request):
    name = "ana." + request.node.name[-50:].replace("[", ".").replace("]", "")
    return admin.make_user(name)


def update(person, dataset, text, device=None, key="k"):
    """Sets a record, whatever its count is."""
    records = person.ok("GET", f"/datasets/{dataset}")["records"]
    count = next((record["syncCount"] for record in records if record["key"] == key), 0)
    body = {"records": [{"key": key, "value": text, "syncCount": count}]}
    return person.ok("PATCH", f"/datasets/{dataset}", {**body, "pushDevice": device} if device else body)["syncCount"]


def subscribed(person, service, dataset="settings"):
    browser = Browser(service, next(paths))
    device = browser.register(person)
    person.ok("PUT", f"/datasets/{dataset}/subscriptions/{device}")
    return browser


def counts(messages):
    return [message["data"]["syncCount"] for message in messages]
