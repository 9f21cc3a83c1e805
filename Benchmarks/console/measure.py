#!/usr/bin/env python3
"""Measures the console in headless Chromium, beside a bare MapLibre page with as many moving points.

    Benchmarks/console/measure.py --binary .build/release/muster [--people 2000] [--seconds 30]

Prints each figure, and adds it to the file that MUSTER_BENCH_FIGURES names. Frames are those that a page was given
time for (requestAnimationFrame), in a window of the same size on the same machine, first the bare page's and then the
console's.
"""

import argparse
import functools
import http.server
import json
import os
import pathlib
import shutil
import statistics
import sys
import threading
import time
from datetime import datetime, timedelta, timezone

from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from world import PASSWORD, World  # noqa: E402  (found beside this file)

ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--enable-precise-memory-info"]

WATCH = """() => {
    globalThis.watched = { frames: 0, longMs: 0, longest: 0, since: performance.now() };
    const count = () => { watched.frames += 1; requestAnimationFrame(count); };
    requestAnimationFrame(count);
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) {
            watched.longMs += duration;
            watched.longest = Math.max(watched.longest, duration);
        }
    }).observe({ type: "longtask" });
}"""
READ = """() => {
    const seconds = (performance.now() - watched.since) / 1000;
    const { frames, longMs, longest } = watched;
    Object.assign(watched, { frames: 0, longMs: 0, longest: 0, since: performance.now() });
    return { framesPerSecond: frames / seconds, longShare: longMs / 10 / seconds, longest };
}"""
# From a click to the frame after the one in which the selection was drawn.
CLICK = """(index) => new Promise((resolve) => {
    const rows = [...document.querySelectorAll("#list .person")];
    const row = rows[index % rows.length];
    const began = performance.now();
    row.click();
    const wait = () => {
        if (row.getAttribute("aria-current") !== "true") { requestAnimationFrame(wait); return; }
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
    };
    requestAnimationFrame(wait);
})"""
# The same two frames of a page on which nothing was clicked: what is left of a click where the page has nothing to do.
TWO_FRAMES = """() => new Promise((resolve) => {
    const began = performance.now();
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began))));
})"""

# How long ago the page was asked for, once it takes input and a frame was drawn.
FIRST_SCREEN = """() => new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
})"""


def serve_bare_page():
    handler = functools.partial(QuietHandler, directory=str(ROOT / "Web"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves the page's libraries, and the bare page beside them."""

    def do_GET(self):
        if self.path.startswith("/bare.html"):
            content = (HERE / "bare.html").read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(content)
            return
        super().do_GET()

    def log_message(self, *_):
        pass


def watch(page, seconds):
    page.evaluate(WATCH)
    time.sleep(2)
    page.evaluate(READ)
    time.sleep(seconds)
    return page.evaluate(READ)


def memory(page):
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    counters = client.send("Memory.getDOMCounters")
    heap = client.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    return counters["nodes"], heap


def measure_bare(browser, people, seconds):
    server = serve_bare_page()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"http://127.0.0.1:{server.server_address[1]}/bare.html?people={people}")
    page.wait_for_timeout(3000)
    figures = watch(page, seconds)
    frames = []
    for _ in range(20):
        frames.append(page.evaluate(TWO_FRAMES))
        page.wait_for_timeout(200)
    page.close()
    server.shutdown()
    return {
        "bare frames/s": figures["framesPerSecond"], "bare long tasks %": figures["longShare"],
        "bare longest task ms": figures["longest"], "bare two frames p95 ms": sorted(frames)[18],
    }


def measure_console(browser, world, seconds, picture=None):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.on("pageerror", lambda error: print("error in the page:", error, file=sys.stderr))
    page.goto(world.address, wait_until="commit")
    page.wait_for_selector("#name")
    first_screen = page.evaluate(FIRST_SCREEN)
    page.fill("#name", "admin")
    page.fill("#password", PASSWORD)
    # Nobody types faster, and the console comes meanwhile.
    page.wait_for_timeout(1500)
    began = time.monotonic()
    page.press("#password", "Enter")
    page.wait_for_selector(f'#list[aria-rowcount="{world.people}"] .person')
    signed_in = time.monotonic() - began
    page.wait_for_timeout(6000)
    figures = watch(page, seconds)
    clicks = []
    for index in range(20):
        clicks.append(page.evaluate(CLICK, index))
        page.wait_for_timeout(600)
    if picture:
        page.screenshot(path=picture)
    nodes, heap = memory(page)
    page.wait_for_timeout(1000 * seconds)
    _, later = memory(page)
    page.close()
    return {
        "frames/s": figures["framesPerSecond"], "long tasks %": figures["longShare"],
        "longest task ms": figures["longest"], "first screen ms": first_screen, "sign-in ms": 1000 * signed_in,
        "click p50 ms": statistics.median(clicks), "click p95 ms": sorted(clicks)[18],
        "DOM nodes": nodes, "heap MB": heap, "heap later MB": later,
    }


def measure_replay(browser, world, seconds):
    """The replay of what the world remembers, opened on its own and played ten times as fast."""
    begin = datetime.now(timezone.utc) - timedelta(minutes=20)
    moment = begin.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    later = (begin + timedelta(minutes=5)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    began = time.monotonic()
    world.ask("GET", f"teams/town/history?from={moment}&to={later}")
    answered = time.monotonic() - began
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(world.address)
    page.fill("#name", "admin")
    page.fill("#password", PASSWORD)
    page.press("#password", "Enter")
    page.wait_for_selector("#list .person")
    page.wait_for_timeout(6000)
    shown = "() => !document.querySelector('.replay-state')?.hasAttribute('data-is-waiting') && muster.shown?.members"
    began = time.monotonic()
    page.evaluate("(hash) => { location.hash = hash; }", f"#/timeline/at/{moment}/day/town")
    page.wait_for_selector(".replay-state")
    page.wait_for_function(f"{shown}.size === {world.people}")
    started = time.monotonic() - began
    page.click("#replay-play")
    figures = watch(page, seconds)
    page.close()
    return {"start ms": 1000 * started, "history ms": 1000 * answered, "frames/s": figures["framesPerSecond"],
            "longest task ms": figures["longest"]}


def record(row, figures):
    path = os.environ.get("MUSTER_BENCH_FIGURES")
    for name, value in figures.items():
        print(f"{row}: {name}\t{value:.1f}")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                line = {"row": row, "figure": name, "value": round(value, 1)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", default=str(ROOT / ".build/release/muster"))
    arguments.add_argument("--people", type=int, default=2000)
    arguments.add_argument("--seconds", type=int, default=30)
    arguments.add_argument("--replay", action="store_true", help="measures the replay of half an hour as well")
    arguments.add_argument("--picture", help="a PNG file that shows the page at the end")
    chosen = arguments.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("chromium is not installed; Scripts/setup test installs it")
    world = World(chosen.binary, ROOT / "Web", chosen.people)
    try:
        world.settle()
        if chosen.replay:
            world.remember(1800)
        world.walk()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
            # The server works in both cases: the machine is the same.
            bare = measure_bare(browser, chosen.people, chosen.seconds)
            console = measure_console(browser, world, chosen.seconds, chosen.picture)
            replay = measure_replay(browser, world, chosen.seconds) if chosen.replay else {}
            browser.close()
    finally:
        world.stop()
    figures = {**bare, "%": 100 * console["frames/s"] / bare["bare frames/s"], **console}
    record(f"{chosen.people} people", figures)
    record(f"replay of {chosen.people} people", replay)


if __name__ == "__main__":
    main()
