"""Where a team's people were, and how they were, over a time: what a replay is made of."""

import random

import pytest

from native_api import box, fix, milliseconds, now, polygon, stamp

yard = box(13.40, 52.50, 13.41, 52.51)
inside, outside = (52.505, 13.405), (52.52, 13.42)
minute = 60_000


def history(api, begin, end, team="crew"):
    return api.ok("GET", f"/teams/{team}/history?from={stamp(begin)}&to={stamp(end)}")


def fixes_of(answer):
    """The fixes of an answer: by device, (milliseconds since 1970, latitude, longitude, accuracy)."""
    begin, columns = milliseconds(answer["from"]), answer["fixes"]
    assert len({len(column) for column in columns.values()}) == 1
    assert columns["t"] == sorted(columns["t"])
    found = {}
    for index, *values in zip(*(columns[key] for key in ("device", "t", "latitude", "longitude", "accuracy"))):
        device = answer["devices"][index]
        found.setdefault(f"{device['user']}/{device['device']}", []).append((begin + values[0], *values[1:]))
    return found


def start_of(answer):
    begin, names = milliseconds(answer["from"]), [f"{d['user']}/{d['device']}" for d in answer["devices"]]
    return {names[index]: (begin + t, latitude, longitude, accuracy)
            for index, t, latitude, longitude, accuracy in answer["start"]}


def expected(track, begin, end):
    return [point for point in sorted(track) if begin <= point[0] < end]


@pytest.fixture(scope="module")
def world(server):
    admin = server.admin()
    admin.make_team("crew", [polygon("yard", yard, muster=True)], policy="confident")
    admin.make_team("others")
    people = {name: admin.make_user(name, role, team) for name, role, team in [
        ("lena", "leader", "crew"), ("lars", "leader", "others"), ("mia", "member", "crew"), ("ana", "analyst", None),
        ("max", "member", "crew"), ("sue", "member", "others")]}
    people["admin"] = admin
    return people


@pytest.fixture(scope="module")
def tracks(world):
    """The fixes that phones of the crew have reported, some late and out of order, and one of the others'."""
    seeded = random.Random(7)
    end = now() - 2 * minute
    found = {}
    for user, device in (("mia", "phone"), ("mia", "watch"), ("max", "phone"), ("sue", "phone")):
        token = world["admin"].make_device(user, device)
        times = sorted({end - seeded.randrange(40 * minute) for _ in range(300)})
        track = [(time, round(52.5 + seeded.random() / 10, 9), round(13.4 + seeded.random() / 10, 9),
                  seeded.choice([None, 4.5, 12])) for time in times]
        for part in (track[50:200], track[200:], track[:50]):
            token.ok("POST", "/positions", [
                fix(latitude, longitude, time, **({} if accuracy is None else {"accuracy": accuracy}))
                for time, latitude, longitude, accuracy in part])
        found[f"{user}/{device}"] = track
    return end, found


def test_the_fixes_are_those_that_were_reported(world, tracks):
    end, found = tracks
    crew = {name: track for name, track in found.items() if not name.startswith("sue")}
    for begin in range(end - 40 * minute, end, 5 * minute):
        answer = history(world["lena"], begin, begin + 5 * minute)
        got = fixes_of(answer)
        for name, track in crew.items():
            assert got.get(name, []) == expected(track, begin, begin + 5 * minute)
        assert not set(got) - set(crew)
        before = {name: [point for point in track if point[0] < begin][-1:] for name, track in crew.items()}
        assert start_of(answer) == {name: points[0] for name, points in before.items() if points}
        assert answer["isComplete"] is True and "gaps" not in answer
        assert answer["people"] == ["lena", "mia", "max"]


def test_who_may_read_it(world, tracks):
    end, _ = tracks
    query = f"/teams/crew/history?from={stamp(end - minute)}&to={stamp(end)}"
    for name in ("admin", "lena", "ana"):
        assert world[name].ok("GET", query)["people"]
    world["mia"].refused(403, "GET", query)
    world["lars"].refused(404, "GET", query)
    world["lena"].refused(404, "GET", query.replace("crew", "none"))


@pytest.mark.parametrize("query, pointer", [
    ("", "?from"), ("from=2026-01-01T00:00:00Z", "?to"), ("from=noon&to=2026-01-01T00:00:00Z", "?from"),
    ("from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "?to"),
    ("from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z", "?to"),
    ("from=2026-01-01T00:00:00Z&to=2026-01-01T00:15:01Z", "?to")])
def test_a_time_that_is_none_is_refused(world, query, pointer):
    document = world["lena"].refused(422, "GET", "/teams/crew/history?" + query)
    assert pointer in [fault["pointer"] for fault in document["errors"]]


def test_what_is_deleted_or_not_over_is_said(world):
    lena = world["lena"]
    old = now() - 31 * 24 * 60 * minute
    answer = history(lena, old, old + minute)
    assert answer["isComplete"] is False and "deleted" in answer["gaps"][0]
    assert answer["states"]["start"] == []
    answer = history(lena, now() - minute, now() + 10 * minute)
    assert answer["isComplete"] is False and "not over" in answer["gaps"][0]


def states_of(answer):
    """The states of people at the beginning, and what they became, each with its moment."""
    begin, people = milliseconds(answer["from"]), answer["people"]
    start = {people[index]: tuple(rest) for index, *rest in answer["states"]["start"]}
    changes = [(begin + t, people[index], *rest) for t, index, *rest in answer["states"]["changes"]]
    return start, changes


def told(admin, user):
    """What the log told of a person's safety: (milliseconds, state, doubt or None, source)."""
    return [(milliseconds(change["at"]), change["state"], change.get("doubt"), change["source"])
            for change in admin.changes() if change["type"] == "safety" and change["user"] == user]


def test_the_states_are_those_that_the_log_tells(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_team("crew", [polygon("yard", yard, muster=True)], policy="confident")
    lena = admin.make_user("lena", "leader", "crew")
    mia = admin.make_user("mia", "member", "crew")
    begin = now() - 1000
    phone, start = admin.make_device("mia"), now() - 4000
    for number, place in enumerate([outside] * 4 + [inside] * 4):
        phone.ok("POST", "/positions", fix(*place, start + number * 500, accuracy=5))
    mia.ok("POST", "/users/mia/declarations", {"kind": "needsHelp"})
    lena.ok("POST", "/users/mia/declarations", {"kind": "clear"})

    def check():
        log = told(admin, "mia")
        assert len(log) >= 3
        for cut in [begin] + [time for time, *_ in log]:
            start, changes = states_of(history(lena, cut, cut + 14 * minute))
            before = [state for time, *state in log if time <= cut]
            assert start["mia"] == tuple(before[-1] if before else ["unknown"])
            assert start["lena"] == ("unknown",)
            assert [(time, *rest) for time, name, *rest in changes if name == "mia"] == [
                state for state in log if state[0] > cut]

    check()
    server.kill()
    server.start()
    lena.address = admin.address = server.address
    check()
