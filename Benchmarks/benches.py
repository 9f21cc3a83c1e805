"""The benches of `make bench`: their commands, the rows of docs/performance.md that they make, and the goals.

`Benchmarks/measure` runs them in this order. A row has the name under which the bench records its figures.
"""

import os
import pathlib
import shlex


class Figure:
    """A figure of a row: its name as the bench records it, and how a page says it.

    goal: the least rate, or the most time or memory, that the project requires. tolerance: the share by which a figure
    may differ from the file's without being reported.
    """

    def __init__(self, name, text, better="lower", goal=None, tolerance=0.25):
        self.name, self.text, self.better, self.goal, self.tolerance = name, text, better, goal, tolerance

    def misses_goal(self, value):
        if self.goal is None:
            return False
        return value < self.goal if self.better == "higher" else value > self.goal


class Row:
    """A row of a table. says: what it measures, in words.

    peer: the program that must be installed for it. is_possible: whether this machine has the data for it.
    """

    def __init__(self, name, says, figures, peer=None, table=None, is_possible=True):
        self.name, self.says, self.figures, self.peer, self.table = name, says, figures, peer, table
        self.is_possible = is_possible


class Bench:
    """A command and its rows. seconds: about how long it takes on two cores. table: where its rows are shown."""

    def __init__(self, name, command, seconds, table, rows):
        self.name, self.command, self.seconds, self.rows = name, command, seconds, rows
        for row in rows:
            row.table = row.table or table
            row.key = f"{name}: {row.name}"


def rate(name, goal=None, unit=None):
    return Figure(name, "{} " + (unit or name), "higher", goal)


def p50(goal=None):
    return Figure("p50 ms", "p50 {} ms", "lower", goal)


def p95(goal=None):
    return Figure("p95 ms", "p95 {} ms", "lower", goal)


def p99(goal=None):
    return Figure("p99 ms", "p99 {} ms", "lower", goal)


def megabytes(goal=None, name="MB"):
    return Figure(name, "{} " + name, "lower", goal)


def milliseconds(name, text, goal=None):
    return Figure(name, text, "lower", goal)


def ingest_rows(*goals):
    rows = [
        ("1 connection × 1", "one connection, one position a request"),
        ("64 connections × 1", "64 connections, one position a request"),
        ("64 × 100, one device a request", "64 connections, 100 positions of one device a request"),
        ("64 × 100, devices mixed", "64 connections, 100 positions of many devices a request"),
    ]
    goals = goals or (None,) * len(rows)
    return [
        Row(name, says, [rate("positions/s", goal), p50(), p99(slowest)])
        for (name, says), (goal, slowest) in zip(rows, (each or (None, None) for each in goals))]


def last_against_first(goal=None):
    return [Figure("%", "{} %", "higher", goal)]


HOUR = Row(
    "hundreds after an hour of singles, last against first",
    "a million mixed after 600,000 single positions, against a million before them", last_against_first(),
    table="growth")


def late_rows():
    kinds = ("missing, in the order of time", "missing, at random", "stored, at random")
    return [
        Row(f"{blocks} blocks", f"a device's hour in {blocks:,} blocks",
            [Figure(f"{kind}, questions/s", kind + ": {}/s", "higher") for kind in kinds])
        for blocks in (10, 1_000, 100_000)]


def leader_rows():
    kinds = ("sign in", "see the team", "open an incident", "incident on the live feed", "call the roll",
             "mark a person", "close the incident", "all of the leaders' requests", "a member's position")
    goals = {"a member's position": None, "sign in": 2_000, "all of the leaders' requests": 2_000}
    return [Row(kind, kind, [p50(), p99(goals.get(kind, 1_000))]) for kind in kinds]


def dataset_rows():
    rows = []
    for kind, says, goal in (("PATCH datasets", "`PATCH /datasets`", 10_000), ("POST _bulk_docs", "`_bulk_docs`", None),
                             ("UpdateRecords, signed", "Cognito Sync's `UpdateRecords`, signed", 10_000)):
        for size in (1, 10, 100):
            name = f"{kind}, {size} a request"
            rows.append(Row(name, f"{says}, {size} a request",
                            [rate("records/s", goal if size > 1 or kind == "PATCH datasets" else None), p99()]))
    return rows


def region_rows():
    def row(name, says, one=None, batch=None, built=None, is_possible=True):
        return Row(name, says, [
            milliseconds("build s", "built in {} s", built), megabytes(), rate("one by one M/s", one),
            rate("64 at once M/s", batch), rate("walk M/s", batch), rate("in 10 m M/s"), rate("in 50 m M/s")],
            is_possible=is_possible)

    return [
        row("10,000 × 32 vertices", "10,000 × 32 vertices, 3.3 at a place", 8, 20),
        row("10,000 × 1,000 vertices", "10,000 × 1,000 vertices", 1.5, 6, 4),
        row("US counties", "US counties", 25, is_possible=bool(DATA)),
        row("countries", "countries", is_possible=bool(DATA)),
        row("a circle of 1,000 vertices", "a circle of 1,000 vertices", 50),
        Row("one region changed", "one region of 10,000 changed", [
            Figure("put µs", "{} µs", goal=1_000), Figure("next question µs", "the next question {} µs")])]


def mqtt_rows(peer, goals):
    installed = None if peer == "Muster" else peer
    memory, published, slowest = goals
    return [
        Row(f"{peer}: 10000 clients", f"{peer}: with 10,000 idle clients, resident", [megabytes(memory)], installed),
        Row(f"{peer}: QoS 1 publishes", f"{peer}: QoS 1 publishes", [rate("acknowledged/s", published)], installed),
        Row(f"{peer}: publish to subscriber", f"{peer}: publish to subscriber", [p50(), p99(slowest)], installed)]


def region_peer(name, says):
    return Row(name, says, [
        rate("places/s"), Figure("Muster is … times as fast", "Muster is {} times as fast", "higher")],
        name.partition(":")[0])


# A folder with fences/us-counties.geojson and naturalearth/, which two rows need; the same as that of `make test`.
BESIDE = pathlib.Path(__file__).resolve().parent.parent.parent / "shared/data"
DATA = os.environ.get("MUSTER_TEST_DATA") or (str(BESIDE) if BESIDE.is_dir() else "")

BENCHES = [
    Bench("disk", "python disk_sync.py", 2, "positions", [
        Row("4 KiB and fdatasync", "the disk alone: 4 KiB overwritten, and an fdatasync", [p50(), p99()])]),
    Bench("ingest", "muster-bench ingest --grow-millions 8 --singles-thousands 600", 190, "positions", [
        *ingest_rows((1_200, None), (15_000, 10), (200_000, None), (150_000, 100)),
        Row("the last of 8 million, against the first", "the last million of eight, mixed, against the first",
            last_against_first(70), table="growth"),
        HOUR]),
    Bench("ingest-clock-off", "muster-bench ingest --clock-off --thousands 500 --singles-thousands 600", 90, "clocks", [
        *ingest_rows(),
        Row(HOUR.name, HOUR.says + ", clocks off", last_against_first(), table="growth")]),
    Bench("ingest-late", "muster-bench ingest --late --thousands 600", 55, "clocks", [
        Row("64 × 100, mixed, between stored", "late: 100 positions of many devices a request, between stored ones",
            [rate("positions/s"), p50(), p99()]),
        Row("64 × 100, one device a request, between stored",
            "late: 100 positions of one device a request, between stored ones", [rate("positions/s"), p50(), p99()]),
        Row("64 × 100, mixed, before stored", "late: 100 positions of many devices a request, before all stored ones",
            [rate("positions/s", 60_000), p50(), p99()])]),
    Bench("peer-postgis", "peer-postgis 5", 25, "positions", [
        Row(f"PostGIS: {name}", f"PostgreSQL with PostGIS: {says}", [rate("positions/s")], "PostGIS")
        for name, says in (("1 connection × 1", "one connection, one position a transaction"),
                           ("64 connections × 1", "64 connections, one position a transaction"),
                           ("64 × 100, devices mixed", "64 connections, 100 positions a transaction"))]),
    Bench("late", "muster-bench late --blocks 10,1000,100000 --thousands 40", 12, "late", late_rows()),
    Bench("amazon", "muster-bench amazon --thousands 20", 14, "positions", [
        Row("64 connections × 10", "`BatchUpdateDevicePosition`, signed, ten positions a request, 64 connections",
            [rate("requests/s", 5_000), p50(), p99()])]),
    Bench("live", "muster-bench live --background 12500 --probes 1200", 24, "growth", [
        Row("POST to live feed", "POST to live feed, while others report one by one",
            [rate("background/s", unit="positions/s meanwhile"), p50(), p99(20)])]),
    Bench("people-100000", "muster-bench people --count 100000 --thousands 900", 200, "growth", [
        Row("100000 people with a phone each", "100,000 people with a phone each made by the API one by one; resident",
            [milliseconds("s", "{} s", 60), megabytes(100)]),
        Row("100000 people with a phone each, after 900 thousand positions",
            "the same after 900,000 positions of all of them; resident", [megabytes(100)])]),
    Bench("people-10000", "muster-bench people --count 10000 --thousands 3000", 55, "growth", [
        Row("10000 people with a phone each", "10,000 people with a phone each made by the API one by one; resident",
            [milliseconds("s", "{} s"), megabytes(65)]),
        Row("10000 people with a phone each, after 3000 thousand positions",
            "the same after 3 million positions of all of them; resident", [megabytes(90)])]),
    Bench("edits", "muster-bench edits --people 10000", 40, "edits", [
        Row("10000 people", "10,000 people in a region that is moved", [
            milliseconds("answered ms", "answered after {} ms"),
            milliseconds("all decided ms", "everyone decided after {} ms"),
            Figure("p50 ms", "others' positions p50 {} ms"), p99(), milliseconds("at most ms", "at most {} ms")])]),
    Bench("attack", "muster-bench attack --people 1000 --seconds 20", 31, "attack", [
        *leader_rows(), Row("the server", "the server, resident at the end", [megabytes()])]),
    Bench("webhooks", "muster-bench webhooks", 50, "webhooks", [
        Row("POST to webhook", "crossings, each a webhook; POST to webhook", [
            rate("crossings/s"), Figure("arrived %", "{} % arrived", "higher", 100), p50(), p99(50)]),
        Row("100,000 deliveries waiting", "100,000 deliveries waiting", [megabytes(50, "MB more")])]),
    Bench("datasets", "muster-bench datasets --thousands 20", 50, "datasets", dataset_rows()),
    Bench("push", "muster-bench push --seconds 12 --device-thousands 50", 90, "push", [
        Row("updates answered", "updates, each a push; answered", [rate("updates/s"), p50(), p99()]),
        Row("update to push", "update to push at the service", [
            Figure("arrived %", "{} % arrived", "higher", 100), p50(), p99(50)]),
        Row("50,000 subscribed devices", "50,000 subscribed devices of 2,500 people, after a restart",
            [megabytes(50, "MB more")]),
        Row("50,000 subscribed devices, waiting for another attempt",
            "the same, while each waits for another attempt", [megabytes(50, "MB more")])]),
    Bench("trackers", "muster-bench trackers", 18, "trackers", [
        Row(name, f"{says}, one position a request, 64 connections",
            [rate("positions/s"), Figure("%", "{} % of OwnTracks", "higher", goal), p50(), p99()])
        for name, says, goal in (
            ("OwnTracks", "OwnTracks over HTTP", None), ("Traccar", "Traccar Client's fields", 80),
            ("Traccar-JSON", "Traccar Client's JSON", 80), ("Overland", "Overland's batch", 80),
            ("GPSLogger", "GPSLogger's form", 80), ("uLogger", "μlogger's form", 80))]),
    Bench("mqtt", "muster-bench mqtt", 75, "mqtt", [
        *mqtt_rows("Muster", (200, 15_000, 20)), *mqtt_rows("mosquitto", (None, None, None))]),
    Bench("tak", "muster-bench tak --clients 1000 --seconds 10", 20, "tak", [
        Row("1000 clients", "1,000 clients with TLS and a certificate each in 50 teams; 100 positions/s to the team",
            [megabytes(100, "own MB"), megabytes(), Figure("arrived %", "{} % arrived", "higher", 100), p50(),
             p99(50)])]),
    Bench("sightings", "muster-bench sightings --thousands 500", 30, "nearby", [
        Row("64 × 100, tags mixed", "sightings through the engine, on disk before the answer",
            [rate("sightings/s", 50_000), p50(), p99()]),
        Row("frames decoded", "frames decoded on one thread", [
            Figure(f"{name}, M/s", name + " {} M/s", "higher", 5)
            for name in ("iBeacon", "AltBeacon", "Eddystone-UID", "BTHome")])]),
    Bench("nearby", "muster-bench nearby", 35, "nearby", [
        Row("first distance", "nearby, from the call to the first distance", [p50(), p95(300)]),
        Row("a device's share of a core", "nearby, 60 updates a second sent to each of 50 peers, as many received",
            [Figure("%", "{} % of a core")])]),
    Bench("nearby-sending", "muster-bench nearby --peer-rate 2", 35, "nearby", [
        Row("a device's share of a core", "nearby, 60 updates a second sent to each of 50 peers, 2 received of each",
            [Figure("%", "{} % of a core", goal=10)])]),
    Bench("discovery", "muster-bench discovery --rounds 2", 29, "nearby", [
        Row(f"{what}, on {interfaces}", f"discovery on {interfaces}: {what}", [p50(), p95(goal)])
        for interfaces in ("all interfaces", "the loopback interface")
        for what, goal in (("one that runs already, by one that starts", 1_000),
                           ("one that starts, by one that runs already", 2_000))]),
    Bench("relay", "muster-bench relay", 20, "nearby", [
        Row("messages", "relay: messages from one device to another",
            [rate("messages/s", 20_000), p50(), p99(20)])]),
    Bench("rules", "muster-bench rules --thousands 300", 15, "rules", [
        Row(name, says, [rate("at once events/s", goal), rate("one by one events/s")])
        for name, says, goal in (("as people write them", "as people write them", 200_000),
                                 ("told apart by prefixes", "distinguished by prefixes", None),
                                 ("made to be slow", "made to be slow: nothing in them can be indexed", None))]),
    Bench("regions", "muster-bench regions --thousands 300" + (f" --data {shlex.quote(DATA)}" if DATA else ""), 45,
          "regions", region_rows()),
    Bench("peer-regions", "peer-regions BENCH 200", 45, "region-peers", [
        Row("10,000 × 32 vertices", "Muster in the same run",
            [rate("one by one M/s"), rate("64 at once M/s")]),
        region_peer("GEOS: one by one", "GEOS through shapely 2.2, prepared, one by one"),
        region_peer("GEOS: 64 places a call", "GEOS, 64 places a call"),
        region_peer("GEOS: all places in one call", "GEOS, all places in one call"),
        region_peer("GEOS: a tree of the places", "GEOS, a tree of the places, asked by prepared regions"),
        region_peer("PostGIS: one by one", "PostGIS, prepared, one by one"),
        region_peer("PostGIS: all in one query", "PostGIS, all in one query")]),
    Bench("documents", "muster-bench documents --thousands 50", 20, "documents", [
        Row("POST _bulk_docs, on disk", "`POST _bulk_docs`, on disk before the answer", [rate("docs/s", 30_000)]),
        Row("GET _changes?include_docs, one answer", "`GET _changes?include_docs`", [rate("rows/s", 60_000)]),
        Row("POST _revs_diff", "`POST _revs_diff`, nothing known", [rate("ids/s", 200_000)]),
        Row("made, on disk", "the store alone: made", [rate("docs/s")]),
        Row("edited, on disk", "the store alone: edited", [rate("docs/s")]),
        Row("made in a location database, on disk", "the store alone: made in a location database", [rate("docs/s")]),
        Row("compared, all known", "the store alone: compared, all known", [rate("ids/s")]),
        Row("compared, none known", "the store alone: compared, none known", [rate("ids/s")]),
        Row("changes with bodies", "the store alone: changes with bodies, of one database", [rate("rows/s")]),
        Row("changes with bodies, the union", "the store alone: changes with bodies, of the union",
            [rate("rows/s")])]),
    Bench("documents-users", "muster-bench documents --users 5000", 45, "documents", [
        Row("users made, without passwords", "users made, without passwords",
            [rate("a second", 500), p50(), p99()]),
        Row("databases filled, six documents each", "location databases filled, six documents a request",
            [rate("a second"), p50(), p99()]),
        Row("the server before", "the server before, resident", [megabytes()]),
        Row("the server with the users", "the server with 5,000 users", [megabytes()]),
        Row("the server with all of it", "the server with the users and their databases", [megabytes(300)])]),
    Bench("sync", "muster-bench sync --thousands 50", 15, "documents", [
        Row("push", "MusterKit pushes to a server", [rate("docs/s", 10_000)]),
        Row("pull, page by page", "MusterKit pulls page by page", [rate("docs/s", 10_000)]),
        Row("pull, snapshot first", "MusterKit pulls, snapshot first, stored on the device",
            [rate("docs/s", 50_000)])]),
    Bench("feeds", "muster-bench feeds", 35, "feeds", [
        Row("10000 longpolls", "10,000 idle longpolls, with the server itself, resident", [
            megabytes(200), Figure("bytes each", "{} bytes each"),
            milliseconds("all have heard ms", "one document sent to all in {} ms")])]),
    Bench("feeds-live", "muster-bench feeds --live", 35, "feeds", [
        Row("10000 live feeds", "10,000 idle live feeds, with the server itself, resident", [
            megabytes(200), Figure("bytes each", "{} bytes each"),
            milliseconds("all have heard ms", "one document sent to all in {} ms")])]),
    Bench("graphql", "peer-graphql BENCH", 40, "graphql", [
        Row("Muster: getUser", "`getUser` with three fields, by an API key, 64 connections",
            [rate("queries/s", 8_000), p50(), p99()]),
        Row("strawberry: getUser", "the same of strawberry-graphql under uvicorn, without a key or a store",
            [rate("queries/s"), p50(), p99(), Figure("times", "Muster answers {} × as many", "higher", 4)],
            "strawberry"),
        Row("1000 people with their position", "1,000 people with their last position, one answer", [p50(20), p99()]),
        Row("1000 subscribers", "a change of safety, at 1,000 subscribers by WebSocket", [p50(), p99(50)]),
        Row("10000 idle subscriptions", "10,000 idle subscriptions, a WebSocket each, with the server itself, resident",
            [megabytes(250), Figure("bytes each", "{} bytes each")]),
        Row("a document of 1 kB", "a document of 1 kB, parsed and checked",
            [Figure("µs", "{} µs", goal=30)])]),
    Bench("watch", "muster-bench watch", 40, "watch", [
        *(Row(name, says, [milliseconds("ms", "{} ms"), milliseconds("a fix waits ms", "a fix waits {} ms at most")])
          for name, says in (
              ("told of all regions for the first time", "all regions for the first time: read, indexed, stored"),
              ("told of the same again", "the same regions again"),
              ("told of one that changed", "one region changed: all requested, one read, all stored"),
              ("opened, without a network", "opened without a network, and restored to its last state"))),
        Row("a fix decided", "one fix decided, on a walk across the regions", [Figure("µs", "{} µs")])]),
    Bench("places", "peer-places BENCH", 60, "places", [
        Row("within 4023 m", "Muster: within 4,023 m", [rate("questions/s", 20_000)]),
        Row("the nearest ten", "Muster: the nearest ten", [rate("questions/s", 10_000)]),
        Row("1000000 places", "Muster: the index of a million places", [milliseconds("built ms", "built in {} ms")]),
        *(Row(f"{peer}: {what}", f"{says}: {words}", [rate("questions/s")], installed)
          for peer, says, installed in (("SQLite's R*Tree", "SQLite's R*Tree", None),
                                        ("PostGIS", "PostGIS, geography", "PostGIS"))
          for what, words in (("within 4023 m", "within 4,023 m"), ("the nearest ten", "the nearest ten")))]),
    Bench("tiles", "muster-bench tiles", 8, "tiles", [
        Row("64 connections", "tiles of the map of the world to zoom 5, at random, 64 connections",
            [rate("tiles/s", 5_000), p50(), p99()])]),
    Bench("console", "peer-console BENCH", 175, "console", [
        Row(f"{people} people", f"{people:,} people, each moving every 5 s", [
            Figure("%", "{} % of the bare page's frames", "higher", 80),
            Figure("frames/s", "{} frames/s", "higher"), Figure("bare frames/s", "the bare page {}", "higher"),
            Figure("long tasks %", "{} % of the time in long tasks", goal=5 * factor),
            milliseconds("longest task ms", "the longest {} ms", 100 * factor),
            Figure("bare long tasks %", "the bare page {} %"),
            milliseconds("bare longest task ms", "its longest {} ms"),
            milliseconds("click p95 ms", "click to painted selection p95 {} ms", 150 * factor),
            milliseconds("bare two frames p95 ms", "two frames of the bare page p95 {} ms"),
            milliseconds("first screen ms", "takes input after {} ms", 1000),
            milliseconds("sign-in ms", "sign-in to the list {} ms", 1500 * factor),
            Figure("DOM nodes", "{} DOM nodes", goal=3000 * factor),
            Figure("heap MB", "heap {} MB", goal=120 * factor), Figure("heap later MB", "and later {} MB")], "Chromium")
        for people, factor in ((2000, 1), (10000, 2))] + [
        Row("replay of 2000 people", "a replay of 2,000 people, a fix each every 5 s, ten times as fast", [
            milliseconds("start ms", "shown after {} ms", 2000), Figure("frames/s", "{} frames/s", "higher", 30),
            milliseconds("history ms", "five minutes from the server in {} ms", 1000),
            milliseconds("longest task ms", "the longest task {} ms")], "Chromium")]),
    Bench("engine", "muster-bench engine", 15, "engine", [
        Row(policy, f"the {policy} policy", [
            rate("observations/s", goal), Figure("bytes a device", "{} bytes a device, resident")])
        for policy, goal in (("raw", 1_800_000), ("confident", 1_400_000))]),
    Bench("truth", "muster-bench truth --safety --device-days 20 --seed 7", 12, "safety", [
        Row("bounds", "the safety study, 20 runs of each of its scenarios", [
            Figure("checked", "{} bounds checked", "higher"), Figure("exceeded", "{} exceeded", goal=0),
            Figure("person-hours", "{} person-hours", "higher")])] + [
        Row(f"leaves at {speed} m/s, a fix every 5 s, error 8 m", f"a person leaves at {speed} m/s", [
            Figure("p50 s", "not safe after p50 {} s", goal=17), Figure("p90 s", "p90 {} s", goal=25),
            Figure("plain p50 s", "by two fixes in a row p50 {} s")])
        for speed in ("1.3", "2.5", "6.0", "14.0")] + [
        Row(name, says, [
            Figure("wrong s", "safe for {} s an hour while 30 m outside"),
            Figure("plain wrong s", "by two fixes in a row {} s")])
        for name, says in (
            ("an hour, honest", "an hour of people who come and go"),
            ("2 false fixes inside", "people outside, with two false fixes inside"),
            ("contradictions that last: came out, an own fix every 15 s",
             "people outside whom the network locates inside"))]),
]
