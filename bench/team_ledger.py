"""Times the team ledger: what shipping costs a call, how many entries arrive in a second and are verified.

Run it as `python -m bench.team_ledger [--entries 50000]`, with Postgres installed; it makes one of its own.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from bench.daemon import event, policy
from bench.figure import note, row
from bench.ledger import body
from tests.features.team_ledger.cluster import Cluster, programs

from interlock.daemon.client import request
from interlock.daemon.launcher import start, stop
from interlock.daemon.paths import Places
from interlock.daemon.protocol import Call, decode_answer, encode_call
from interlock.features.team_ledger.postgres import connect, migrate_postgres
from interlock.features.team_ledger.settings import TeamLedger
from interlock.features.team_ledger.shipper import Shipper
from interlock.features.team_ledger.verify import verify_team_ledger
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read

BLOCKS, CALLS = 12, 250  # the two daemons take turns, so that a busy moment meets both
GROUP = 1_000
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def served(url: str | None) -> Iterator[Places]:
    """A daemon of its own, with or without a fleet."""
    with tempfile.TemporaryDirectory(prefix="ilk-") as name:
        folder = Path(name)
        places = Places(
            managed_config=folder / "managed",
            user_config=folder / "config",
            state=folder / "state",
            socket=folder / "run" / "interlock.sock",
        )
        places.user_config.mkdir()
        settings = f'settings: {{team_ledger: {{url: "{url}", machine: bench}}}}\n' if url else ""
        (places.user_config / "genesis.key").write_text(policy() + settings)
        start(places)
        try:
            yield places
        finally:
            stop(places)


class Caller:
    """One kept connection, and how long its calls took."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.seconds: list[float] = []
        self._made = 0
        self._peer = socket.socket(socket.AF_UNIX)
        self._peer.connect(str(places.socket))

    def call(self) -> None:
        """A shell command that is judged, recorded and answered."""
        self._made += 1
        payload = event("PreToolUse").replace(b"@@@@@@@@", b"%08x" % self._made)
        frame = encode_call(Call(host="claude-code", payload=payload))
        begun = time.perf_counter()
        self._peer.sendall(frame)
        data = b""
        while decode_answer(data) is None:
            data += self._peer.recv(65_536)
        self.seconds.append(time.perf_counter() - begun)

    def processor(self) -> float:
        """The seconds of processor time the daemon itself has used."""
        pid = request(self.places.socket, "status")["pid"]
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def close(self) -> None:
        """End the connection."""
        self._peer.close()


def latency(url: str) -> list[bool]:
    """A call with shipping beside one without, in turns."""
    with ExitStack() as ends:
        homes = [ends.enter_context(served(address)) for address in (None, url)]
        time.sleep(3)  # until the second one has reached its server
        callers = [ends.enter_context(closing(Caller(places))) for places in homes]
        for caller in callers:
            for _ in range(CALLS):
                caller.call()
            caller.seconds.clear()
        used = [0.0, 0.0]
        for _ in range(BLOCKS):
            for at, caller in enumerate(callers):
                before = caller.processor()
                for _ in range(CALLS):
                    caller.call()
                used[at] += caller.processor() - before
        plain, shipping = (caller.seconds for caller in callers)
        state = request(callers[1].places.socket, "status")["team_ledger"]
    assert state["shipped"] > 0, state
    middle = statistics.median
    note("one call without a fleet, p50", middle(plain) * 1e6, "us")
    note("one call with a fleet, p50", middle(shipping) * 1e6, "us")
    note("entries behind at the end of the calls", state["behind"], "")
    return [
        row("one call with a fleet against one without, p50", middle(shipping) / middle(plain), 1.1, "x"),
        row("the daemon's processor time, the same", used[1] / used[0], 1.1, "x"),
    ]


def shipped(url: str, entries: int) -> list[bool]:
    """How many entries a second arrive, of a ledger that was never shipped, and verify."""
    words = random.Random(3)
    fleet = TeamLedger(url=url, machine="backlog")
    with tempfile.TemporaryDirectory(prefix="ilk-") as name:
        path = Path(name) / "state" / "interlock.db"
        with closing(open_database(path)) as connection:
            writer = LedgerWriter(connection)
            for number in range(entries):
                writer.append("decision", "agent:main", "/w/app", body(number, words))
                if number % GROUP == 0:
                    writer.flush()
            writer.flush()
        with closing(open_to_read(path)) as local, closing(connect(fleet, {})) as remote:
            shipper = Shipper(local, remote, fleet.machine)
            begun, own = time.perf_counter(), time.process_time()
            standing = shipper.step(shipper.position())
            while standing.behind:
                standing = shipper.step(standing)
            seconds, own = time.perf_counter() - begun, time.process_time() - own
            begun = time.process_time()
            found = verify_team_ledger(remote)
            verifying = time.process_time() - begun
    assert found.broken is None
    note("processor time of an entry on the machine that ships", own / entries * 1e6, "us")
    note("verified in a second of processor time", found.entries / verifying, "/s")
    return [row("entries shipped in a second", entries / seconds, 2_000, "/s", at_least=True)]


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--entries", type=int, default=50_000, help="entries to ship at once")
    entries = given.parse_args().entries
    found = programs()
    if found is None:
        print("Postgres is not installed, so nothing was measured; on Debian: apt-get install postgresql")
        return 0
    with closing(Cluster(found)) as server:
        server.start()
        url = server.url(server.database())
        with closing(connect(TeamLedger(url=url, machine="setup"), {})) as connection:
            migrate_postgres(connection)
        held = [*latency(url), *shipped(url, entries)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
