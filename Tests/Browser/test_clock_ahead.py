"""A phone whose clock is ahead is not invisible: the page says so, and where it was by that clock."""

import time

import requests

from live_server import password, until

needs_map = True


def bring(server, times):
    """Location documents of gil's at these times, in seconds since 1970."""
    documents = [{
        "_id": f"at-{sampled}", "type": "Feature", "created_at": int(sampled * 1000),
        "geometry": {"type": "Point", "coordinates": [10.8, 59.95]}, "properties": {"username": "gil", "accuracy": 5},
    } for sampled in times]
    response = requests.post(
        f"{server.address}/lt_locations_user_gil/_bulk_docs", json={"docs": documents}, auth=("gil", password),
        timeout=60)
    assert response.ok and all("error" not in row for row in response.json()), response.text


def test_a_clock_that_is_ahead_is_shown_on_the_page_until_it_is_right(page, server):
    server.make_user("gil", "member", "north")
    page.open().sign_in()
    until(lambda: "never heard" in (page.row("gil") or ""))
    now = time.time()
    bring(server, [now + 300, now + 301])
    until(lambda: "clock 5 min ahead, told " in (page.row("gil") or ""))
    assert page.drawn("gil") == []
    page.reload()
    until(page.is_live)
    until(lambda: "clock 5 min ahead, told " in (page.row("gil") or ""))
    page.open_track("gil")
    until(lambda: "2 by a clock that was ahead" in page.text("#track-words"))
    until(lambda: "Nobody knows when gil was where: the clock of gil/" in page.text("#notice"))
    bring(server, [time.time() - 1])
    until(lambda: "heard " in (row := page.row("gil") or "") and "clock" not in row)
    until(lambda: page.drawn("gil"))
