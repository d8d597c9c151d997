"""Times the dashboard over a long ledger: the first byte of every page, and decisions to many watchers.

Run it as `python -m bench.web [--decisions 100000]`.
"""

from __future__ import annotations

import argparse
import http.client
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.figure import note, row
from bench.ledger import body
from bench.web_live import live_rows
from tests.daemon.home import PATIENCE, Home, event
from tests.features.fleet.crew import Crew
from tests.web.browser import Browser, browser, link, token_of

from interlock.events.tool import JsonObject
from interlock.ledger.writer import LedgerWriter
from interlock.policy.trust import FOLDER, TrustList
from interlock.search.index import SearchIndex, index_beside, open_index
from interlock.search.search import catch_up
from interlock.store.database import open_database, open_to_read

POLICY = """\
version: "2.0"
settings:
  packs: [baseline, git, hygiene, node, prompts, python, work]
hooks:
  pre_tool_use:
    - {type: deny, name: never, matcher: "Bash(* --mirror)"}
"""
PROJECT = "".join(
    f'    - {{type: deny, name: own-{one}, matcher: "Bash(make target-{one} *)"}}\n' for one in range(50)
)
FIRST_BYTE_MS, TIMES = 150, 15
DAYS, HOOKS, GROUP = 30, 40, 1_000
MILLI = 1e3
PAGES = {
    "Way in": "/login?token=x",
    "Live": "/live",
    "Live, one session": "/live?session=session-0-1",
    "Approvals": "/approvals",
    "Sessions": "/sessions",
    "Session": "/session?id=session-0-1",
    "Call": "/calls/{middle}",
    "Fleet": "/fleet",
    "Work": "/work",
    "Task": "/tasks/1",
    "Ledger": "/ledger",
    "Ledger, a common word": "/ledger?q=build",
    "Ledger, denied in Bash": "/ledger?decision=deny&tool=Bash",
    "Ledger, one entry": "/ledger/{middle}",
    "Hooks": "/hooks",
    "Hooks, 30 days": "/hooks?since=30d",
    "Policy": "/policy",
    "Policy, 30 days": "/policy?since=30d",
    "Policy of a project": "/policy?folder={project}",
    "API, decisions": "/api/v1/decisions",
    "Metrics": "/metrics",
}


def decision(number: int, words: random.Random) -> JsonObject:
    """One with a trace as the daemon records it."""
    trace = [
        {
            "hook": f"hook-{words.randrange(HOOKS)}",
            "type": "builtin",
            "matcher": "Bash(*)",
            "source": f"/etc/interlock/genesis.key:{7 + one}",
            "vote": "abstain",
            "outcome": "completed",
            "duration_ms": round(words.expovariate(4), 3),
        }
        for one in range(4)
    ]
    return {**body(number, words), "trace": trace, "tool_use_id": f"toolu_{number}"}


def fill(home: Home, count: int) -> None:
    """A month of decisions, indexed, and agents at work."""
    words, begun = random.Random(5), time.time() - DAYS * 86_400
    at = [begun]
    with closing(open_database(home.places.database)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        writer = LedgerWriter(connection, clock=lambda: at[0])
        for number in range(count):
            at[0] = begun + DAYS * 86_400 * number / count
            writer.append("decision", "agent:main", "/w/app", decision(number, words))
            if number % GROUP == GROUP - 1:
                writer.flush()
        writer.flush()
    crew = Crew(database=home.places.database, now=time.time())
    for number in range(20):
        crew.effort(f"agent-{number}", "implement", phase="1: Plan", folder=f"/tmp/task{number % 5}")
    database = home.places.database
    with closing(open_to_read(database)) as ledger, closing(open_index(index_beside(database))) as index:
        catch_up(SearchIndex(index, ledger))


@contextmanager
def filled(count: int) -> Iterator[Home]:
    """A home with so many decisions and its daemon."""
    with tempfile.TemporaryDirectory(prefix="ilk-") as name:
        home = Home(folder=Path(name))
        home.write_launch()
        home.write_policy(POLICY)
        project_of(home)
        fill(home, count)
        home.start()
        try:
            yield home
        finally:
            home.end()


def project_of(home: Home) -> Path:
    """A folder with a policy of its own, which a person trusts; made when it is first asked for."""
    folder = home.folder / "project"
    if not folder.exists():
        (folder / ".interlock").mkdir(parents=True)
        (folder / ".interlock" / "genesis.key").write_text(
            f'version: "2.0"\nhooks:\n  pre_tool_use:\n{PROJECT}'
        )
        TrustList(home.places.state / FOLDER).trust(str(folder), {"PATH": "/usr/bin:/bin"})
    return folder


def login_rows(person: Browser) -> list[bool]:
    """From the button to the login, a few times."""
    took = []
    for _ in range(TIMES):
        token = token_of(link(person.home))
        start = time.perf_counter()
        answer = person.post("/login", {"token": token})
        took.append((time.perf_counter() - start) * MILLI)
        assert answer.status == http.HTTPStatus.SEE_OTHER
    note("Logging in, median", statistics.median(took), "ms")
    return [row("Logging in: the slowest but one", sorted(took)[-2], FIRST_BYTE_MS, "ms")]


def first_bytes(person: Browser, path: str) -> list[float]:
    """Milliseconds until each answer begins, on a connection that stays open as a browser's does."""
    found = []
    with closing(http.client.HTTPConnection("127.0.0.1", person.port, timeout=PATIENCE)) as connection:
        for _ in range(TIMES + 1):
            start = time.perf_counter()
            connection.request("GET", path, headers={"cookie": person.cookie})
            answer = connection.getresponse()
            found.append((time.perf_counter() - start) * MILLI)
            text = answer.read()
            assert answer.status == http.HTTPStatus.OK, text
    return found


def page_rows(person: Browser, middle: int, project: Path) -> list[bool]:
    """Every page beside its bar; of the later times one may be interrupted by others who use the machine."""
    held = []
    for name, path in PAGES.items():
        first, *later = first_bytes(person, path.format(middle=middle, project=project))
        note(f"{name}: first byte, median", statistics.median(later), "ms")
        slowest = max(first, sorted(later)[-2])
        held.append(row(f"{name}: the very first, or the slowest but one", slowest, FIRST_BYTE_MS, "ms"))
    return held


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--decisions", type=int, default=100_000)
    count = options.parse_args().decisions
    with filled(count) as home:
        home.call(event("SessionStart", source="startup"))
        person = browser(home)
        assert person.log_in().status == http.HTTPStatus.SEE_OTHER
        held = [*page_rows(person, count // 2, project_of(home)), *login_rows(person), *live_rows(home)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
