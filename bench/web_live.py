"""Times decisions on their way to people who watch; a part of `bench.web`, which makes the home."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from bench.daemon import processor_time
from bench.figure import note, row
from browser import install
from browser.window import Window, opened
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import sync_playwright
from tests.daemon.home import PATIENCE, Home, bash
from tests.web.browser import Browser, browser

RATE, PACE, AGENTS, WATCHERS = 200, 210, 5, 5  # a little faster than the bar asks
SECONDS, ALONE_SECONDS = 20, 10
ANSWER_MS = 500  # from pressing a button to seeing it pressed, with the driver between
CLOCK, BUSY = 2.0, 1.5  # how much worse a decision may be while others watch
MILLI, SECOND = 1e3, 1e6
# What each page is told, noted beside its own script: which call, and when.
NOTING = """
window.heard = [];
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("decision", (told) => heard.push([JSON.parse(told.data).call, Date.now()]));
  }
};
"""


class Fed(NamedTuple):
    """Calls that were made."""

    sent: dict[str, float]  # which call, and when
    took: list[float]  # milliseconds of each
    rate: float  # of them all, a second


class Feed:
    """Calls at a steady pace, of a few agents at once; in a process of its own, which nobody slows."""

    def __init__(self, home: Home, name: str, seconds: int) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        self._pool.submit(int).result()  # it is there before the first call
        self._made = self._pool.submit(made, home.folder, name, PACE * seconds)

    def wait(self) -> Fed:
        """All of them, once they were made."""
        with self._pool:
            return self._made.result()


def made(folder: Path, name: str, count: int) -> Fed:
    """Make so many calls at a home."""
    home, sent, took = Home(folder=folder), dict[str, float](), list[float]()
    begun = time.perf_counter()

    def work(agent: int) -> None:
        for number in range(agent, count, AGENTS):
            time.sleep(max(0.0, begun + number / PACE - time.perf_counter()))
            call = f"ls {name} {number}"
            sent[call] = time.time()
            start = time.perf_counter()
            home.call(bash(call, tool_use_id=f"{name}-{number}", session_id=f"agent-{agent}"))
            took.append((time.perf_counter() - start) * MILLI)

    agents = [threading.Thread(target=work, args=(one,)) for one in range(AGENTS)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    return Fed(sent, took, count / (time.perf_counter() - begun))


class Listener(threading.Thread):
    """One who listens to the page's stream without a browser."""

    def __init__(self, person: Browser, count: int) -> None:
        super().__init__(daemon=True)
        self.ready = threading.Event()
        self.heard: list[tuple[str, float]] = []
        self._person, self._count = person, count

    def run(self) -> None:
        """Hear until everything came or nothing comes any more."""
        stream = self._person.events("/live/events", "decision")
        next(stream)
        self.ready.set()
        while len(self.heard) < self._count:
            line = next(stream)
            self.heard.append((line["call"], time.time()))


def live_rows(home: Home) -> list[bool]:
    """Decisions at a steady pace, first with nobody watching, then with five who do."""
    alone, busy = fed(home, "alone", ALONE_SECONDS)
    if install.found() is None:
        print("no Chromium is here, so plain listeners stand for browsers; make test-browser installs it")
        return listened(home)
    with five(home) as windows:
        return watched(home, windows, alone, busy)


def fed(home: Home, name: str, seconds: int) -> tuple[Fed, float]:
    """The calls, and microseconds of the daemon's for each."""
    pid = daemon_of(home)
    before = processor_time(pid)
    feed = Feed(home, name, seconds).wait()
    return feed, (processor_time(pid) - before) / len(feed.sent)


@contextmanager
def five(home: Home) -> Iterator[list[Window]]:
    """Real windows at the page Live, each with a login of its own."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, ExitStack() as stack:
        chromium: Chromium = playwright.chromium.launch(executable_path=install.chromium(), args=flags)
        stack.callback(chromium.close)
        windows = [stack.enter_context(opened(chromium, home)) for _ in range(WATCHERS)]
        for window in windows:
            window.page.context.add_init_script(NOTING)
            window.log_in()
            window.listening()
        yield windows


def watched(home: Home, windows: list[Window], alone: Fed, busy_alone: float) -> list[bool]:
    """What five browsers were told while somebody used them, and what that cost."""
    daemon = daemon_of(home)
    web, ours = dashboard_of(daemon), [*below(os.getpid(), but=daemon)]
    before = [processor_time(daemon), processor_time(web), sum(map(processor_time, ours))]
    begun = time.perf_counter()
    feeding = Feed(home, "watched", SECONDS)
    answers = [pressed(window) for window in windows for _ in range(2)]  # pause, and go on
    feed = feeding.wait()
    seconds = time.perf_counter() - begun
    after = [processor_time(daemon), processor_time(web), sum(map(processor_time, ours))]
    shares = [(now - then) / seconds / SECOND * 100 for now, then in zip(after, before, strict=True)]
    heard = [count_received(window, len(feed.sent)) for window in windows]
    lost = sum(len(feed.sent.keys() - {call for call, _ in one["heard"]}) for one in heard)
    unaccounted = sum(abs(len(feed.sent) - one["told"]) + one["lost"] for one in heard)
    delays = [(when - feed.sent[call] * MILLI) for one in heard for call, when in one["heard"]]
    for name, share in zip(("the daemon", "the dashboard", "Chromium"), shares, strict=True):
        note(f"live: processor time of {name}", share, "% of a core")
    if delays:
        note("live: from the call to the page, p50", statistics.median(delays), "ms")
        note("live: the same, p99", p99(delays), "ms")
    note("live: one decision with nobody watching, p50", statistics.median(alone.took), "ms")
    note("live: the same, p99", p99(alone.took), "ms")
    note("live: p99 of a decision, watched against not", p99(feed.took) / p99(alone.took), "x")
    middle = statistics.median(feed.took) / statistics.median(alone.took)
    spent = shares[0] / 100 * SECOND * seconds / len(feed.sent)
    return [
        row("live: decisions made while five browsers watch", feed.rate, RATE, "/s", at_least=True),
        row("live: decisions a page was not told of", lost, 0, ""),
        row("live: decisions a page does not account for", unaccounted, 0, ""),
        row("live: rows on a page, at most", max(one["rows"] for one in heard), 200, ""),
        row("live: a button answers, the slowest of ten", max(answers), ANSWER_MS, "ms"),
        row("live: p50 of a decision, watched against not", middle, CLOCK, "x"),
        row("live: the daemon's time for one, watched against not", spent / busy_alone, BUSY, "x"),
    ]


def pressed(window: Window) -> float:
    """Milliseconds from pressing the button until the page shows that it is pressed."""
    time.sleep(1)
    button = window.page.locator("#pause")
    wanted = "false" if button.get_attribute("aria-pressed") == "true" else "true"
    start = time.perf_counter()
    button.click()
    window.page.locator(f'#pause[aria-pressed="{wanted}"]').wait_for()
    return (time.perf_counter() - start) * MILLI


def count_received(window: Window, count: int) -> dict[str, Any]:
    """What a page was told, what it says of that, and what it shows, once all has come or nothing comes."""
    end = time.monotonic() + PATIENCE
    while window.page.evaluate("() => heard.length") < count and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1)  # a frame later it says so
    found: dict[str, Any] = window.page.evaluate(
        """() => ({
          heard,
          told: Number(document.getElementById("heard").dataset.told),
          lost: Number(document.getElementById("missed").dataset.lost || 0),
          rows: document.getElementById("lines").children.length,
        })"""
    )
    return found


def listened(home: Home) -> list[bool]:
    """The same without browsers: only the server's part."""
    person = browser(home)
    person.log_in()
    listeners = [Listener(person, PACE * SECONDS) for _ in range(WATCHERS)]
    for one in listeners:
        one.start()
    for one in listeners:
        assert one.ready.wait(PATIENCE)
    feed, _ = fed(home, "heard", SECONDS)
    for one in listeners:
        one.join(PATIENCE)
    delays = [(when - feed.sent[call]) * MILLI for one in listeners for call, when in one.heard]
    note("live: from the call to the listener, p50", statistics.median(delays), "ms")
    note("live: the same, p99", p99(delays), "ms")
    lost = len(feed.sent) * WATCHERS - len(delays)
    return [
        row(f"live: decisions made while {WATCHERS} listen", feed.rate, RATE, "/s", at_least=True),
        row("live: decisions that somebody did not hear", lost, 0, ""),
    ]


def p99(values: list[float]) -> float:
    """The value one in a hundred is above."""
    return statistics.quantiles(values, n=100)[98]


def daemon_of(home: Home) -> int:
    """The daemon's process."""
    return int(home.places.lock.read_text())


def dashboard_of(daemon: int) -> int:
    """The dashboard's process, which the daemon started."""
    return next(pid for pid in below(daemon) if b"interlock.web" in Path(f"/proc/{pid}/cmdline").read_bytes())


def below(pid: int, *, but: int = 0) -> Iterator[int]:
    """Processes that another started, and those they did."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            if child != but:
                yield child
                yield from below(child, but=but)
