"""Push services that fail, hang or lie, and a server that dies: every device is told at least once, with the newest."""

import itertools
import socket
import threading
from random import Random

import pytest
import requests

from push_browser import Browser, verified_claims
from push_person import ana, counts, server, service, subscribed, update  # noqa: F401
from soak import rounds
from webhook_receiver import Receiver


class Liar:
    """Answers each connection with these bytes, and closes it."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []
        self.arrived = threading.Condition()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                self.asked.append(connection.recv(65_536))
                connection.sendall(self.answer)


@pytest.mark.parametrize("answer", [
    b"",
    b"HTTP/1.1 20",
    b"\x00\x16\x03\xff" * 50 + b"\r\n\r\n",
    b"HTTP/1.1 201 Created\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
    b"HTTP/1.1 500 Broken\r\nContent-Length: 900\r\n\r\ncut",
    b"HTTP/1.1 700 Unheard of\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\ncut",
    b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n" + b"z" * 1024 + b"\r\n",
], ids=["nothing", "half", "garbage", "long", "cut", "unknown", "cut-success", "cut-chunks"])
def test_a_push_service_with_a_nonsensical_answer_did_not_take_the_message(ana, answer):
    with Liar(answer) as liar:
        browser = Browser(liar, "/liar")
        browser.register(ana)
        [result] = ana.ok("POST", "/push/test", {})["devices"]
        # The message is sent again: a device is told at least once.
        assert result["outcome"] == "failed" and result["reason"], result
        assert liar.asked


def test_a_service_that_hangs_holds_up_no_other_and_is_asked_again(ana, service):
    released = threading.Event()
    with Receiver(lambda call: 201 if released.wait(300) else 500) as hanging:
        # One after the other they would hang for two minutes, 15 s each, before the good one is told.
        stuck = [subscribed(ana, hanging) for _ in range(8)]
        good = subscribed(ana, service)
        first = update(ana, "settings", "1")
        hanging.wait(lambda calls: len({call.path for call in calls}) == 8)
        second = update(ana, "settings", "2")
        good.wait(lambda messages: counts(messages)[-1:] == [second])
        # Each first attempt ends by itself, and the newest count follows it.
        for browser in stuck:
            told = counts(browser.wait(lambda messages: counts(messages)[-1:] == [second], seconds=240))
            assert told[0] == first and told == sorted(told)
        released.set()


def test_a_service_that_fails_for_a_while_is_asked_again_and_the_newest_count_arrives(ana):
    newest = []
    refusals = iter([500])

    def answer(call):
        """Takes the newest count the second time that it comes."""
        told = counts(browser.messages())
        return 201 if newest and told.count(newest[0]) > 1 else next(refusals, (503, {"Retry-After": "1"}))

    with Receiver(answer) as service:
        browser = subscribed(ana, service)
        first = update(ana, "settings", "1")
        service.wait(lambda calls: calls)
        second = update(ana, "settings", "2")
        newest.append(second)
        third = update(ana, "other", "1")
        ana.ok("PUT", f"/datasets/other/subscriptions/{browser.id}")
        told = counts(browser.wait(lambda messages: counts(messages)[-2:] == [second, second]))
        assert told[0] == first and told == sorted(told) and set(told) == {first, second}
        times = [call.at for call in browser.calls()]
        assert times[1] - times[0] >= 2.4
        assert all(later - earlier >= 4.9 for earlier, later in zip(times[1:], times[2:]))
        assert third == 1


def test_no_push_is_lost_when_the_server_dies(make_server):
    answers = {"status": 500}
    with Receiver(lambda call: answers["status"]) as service:
        server = make_server(arguments=["--allow-private-targets"])
        with server:
            ana = server.admin().make_user("ana")
            key = ana.ok("GET", "/push/key")["key"]
            browsers = [subscribed(ana, service, f"set{number}") for number in range(5)]
            wanted = [update(ana, f"set{number}", "1") for number in range(5)]
            service.wait(lambda calls: calls)
            wanted[0] = update(ana, "set0", "2")
            server.kill()
            service.calls.clear()
            answers["status"] = 201
            server.start()
            for browser, count in zip(browsers, wanted):
                browser.wait(lambda messages: counts(messages)[-1:] == [count])
            # Nothing that the services know of the server changed.
            assert ana_again(server, ana).ok("GET", "/push/key")["key"] == key
            verified_claims(browsers[0].calls()[0], key, f"http://127.0.0.1:{service.port}")


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1])
def test_kills_lose_no_push_and_push_no_update_to_its_writer(make_server, seed):
    """Each device writes to one dataset and hears of the other's, while the server is killed at any moment."""
    random = Random(seed)
    with Receiver(lambda call: 201) as service, make_server(arguments=["--allow-private-targets"]) as server:
        ana = server.admin().make_user("ana")
        phone, tablet = (Browser(service, f"/{name}") for name in ("phone", "tablet"))
        written = {phone: 0, tablet: 0}
        datasets = {phone: "of-phone", tablet: "of-tablet"}
        for browser in written:
            browser.register(ana)
        for browser in written:
            update(ana, datasets[browser], "begun", device=browser.id)
            for other in written:
                ana.ok("PUT", f"/datasets/{datasets[browser]}/subscriptions/{other.id}")
        for _ in range(rounds(3, 30)):
            killer = threading.Timer(random.uniform(0.02, 0.4), server.kill)
            killer.start()
            for number in itertools.count():
                browser = random.choice((phone, tablet))
                try:
                    written[browser] = update(ana, datasets[browser], str(number), device=browser.id)
                except requests.RequestException:
                    break
            killer.join()
            server.start()
            ana_again(server, ana)
        for browser, other in ((phone, tablet), (tablet, phone)):
            newest = ana.ok("GET", f"/datasets/{datasets[browser]}")["syncCount"]
            # An update that the server died over before it answered may be stored.
            assert written[browser] <= newest <= written[browser] + rounds(3, 30)
            told = other.wait(lambda messages: newest in counts(messages))
            assert {message["data"]["datasetName"] for message in told} == {datasets[browser]}
            assert counts(told)[-1] == newest


def ana_again(server, ana):
    ana.address = server.address
    return ana
