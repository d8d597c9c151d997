"""Laws of what the daemon does to the ledger as a whole."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.daemon.home import PATIENCE, SHIM, Home, wait_for
from tests.ledger.records import record

from interlock.daemon.client import request
from interlock.daemon.decision_service import DecisionService
from interlock.daemon.group_commit import Committer
from interlock.errors import LedgerError
from interlock.features.ledger_tools.service import LedgerAdmin
from interlock.ledger.ends import Signer, read_base
from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.policy.settings.ledger import Retention
from interlock.redaction.redactor import Own, Redactor
from interlock.store.database import open_database, open_to_read

AGENT = Path(__file__).parents[2] / "cli" / "agent.py"
START = 1_700_000_000.0
DAY = 86_400.0


class Quiet(DecisionService):
    """A decider that decides nothing, for a committer that only commits."""

    def __init__(self) -> None:
        pass

    def end_turn(self) -> None:
        pass


class AdminSetup:
    """A keeper on a real database, at a time the test chooses."""

    def __init__(self, path: Path) -> None:
        self.connection = open_database(path)
        self.now = START
        self.rule: Retention | None = Retention(seconds=30 * DAY, size=None)
        redactor = Redactor(b"k" * 32, Own(patterns=("[0-9a-f]{16,}", "older", "[0-9]{4}")))
        self.ledger = LedgerWriter(self.connection, clock=lambda: self.now, redact=redactor.body)
        loop = asyncio.get_running_loop()
        self.committer = Committer(self.ledger, Quiet(), loop, lambda: None)
        self.keeper = LedgerAdmin(
            self.connection,
            self.ledger,
            self.committer,
            Signer(path.parent / "key"),
            rule=lambda: self.rule,
            loop=loop,
            clock=lambda: self.now,
        )

    def ask(self, method: str, **params: Any) -> Any:
        """One request."""
        return self.keeper.methods[method](params)

    async def until(self, seq: int) -> None:
        """Let it work until the chain begins after an entry."""
        for _ in range(18_000):
            if read_base(self.connection).seq >= seq:
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"entry {seq} is still there")


@pytest_asyncio.fixture
async def setup(tmp_path: Path) -> AsyncIterator[AdminSetup]:
    """A setup inside the running loop."""
    made = AdminSetup(tmp_path / "state" / "interlock.db")
    yield made
    made.keeper.close()
    made.connection.close()


async def test_a_checkpoint_signs_what_is_recorded_and_is_recorded_itself(setup: AdminSetup) -> None:
    """Everything that was pending is in it; the entry about it comes after."""
    record(setup.ledger, 1, 2, flush=False)
    made = setup.ask("ledger.checkpoint")

    assert (made["seq"], made["entries"]) == (2, 2)
    last = LedgerReader(setup.connection).tail(1)[0]
    assert (last.op, last.body) == ("checkpoint", made)
    assert verify(setup.connection).broken is None


@pytest.mark.req("L07")
async def test_what_is_too_old_goes_a_little_at_a_time_while_others_write(setup: AdminSetup) -> None:
    """Between the steps the loop is free, and what is recorded meanwhile is recorded."""
    record(setup.ledger, *range(500))
    setup.now += 31 * DAY
    record(setup.ledger, 1)
    setup.keeper.look()
    meanwhile = 0
    async with asyncio.timeout(90):
        while read_base(setup.connection).seq < 500:
            record(setup.ledger, 1)
            meanwhile += 1
            await asyncio.sleep(0.002)

    assert meanwhile > 3
    result = verify(setup.connection)
    assert (result.broken, result.base.seq, result.entries) == (None, 500, 2 + meanwhile)
    said = [entry for entry in LedgerReader(setup.connection).after(500) if entry.op == "retention"]
    assert [entry.body["rule"] for entry in said] == ["older than 30d"]


@pytest.mark.req("L07")
async def test_what_was_said_and_not_done_is_done_at_the_next_start(setup: AdminSetup) -> None:
    """Before anything else is removed."""
    record(setup.ledger, *range(300))
    setup.ask("ledger.prune", last=200, rule="by hand")
    setup.keeper.close()
    assert read_base(setup.connection).seq == 0
    setup.keeper.look()
    await setup.until(200)

    assert verify(setup.connection).broken is None
    assert [e.op for e in LedgerReader(setup.connection).after(300)] == ["retention"]


@pytest.mark.deep
async def test_nothing_goes_when_nobody_knows_the_rule(setup: AdminSetup) -> None:
    """A policy that cannot be read must not cost evidence."""
    record(setup.ledger, 1)
    setup.now += 900 * DAY
    setup.rule = None
    setup.keeper.look()
    await asyncio.sleep(0.1)

    assert [entry.op for entry in LedgerReader(setup.connection).after(0)] == ["decision"]


@pytest.mark.deep
async def test_no_step_is_taken_into_anothers_transaction(setup: AdminSetup) -> None:
    """What waits to be committed with its own changes is not committed by a removal."""
    record(setup.ledger, *range(100))
    setup.ask("ledger.prune", last=50, rule="by hand")
    setup.ledger.join()
    await asyncio.sleep(0.1)
    assert read_base(setup.connection).seq == 0
    setup.ledger.append("note", "a", "", {})
    setup.ledger.flush()
    await setup.until(50)

    assert verify(setup.connection).broken is None


@pytest.mark.parametrize("last", [0, 11, -1])
async def test_only_entries_that_are_there_can_be_pruned(setup: AdminSetup, last: int) -> None:
    """The answer names those there are."""
    record(setup.ledger, *range(10))

    with pytest.raises(ValueError, match="entries 1 to 10"):
        setup.ask("ledger.prune", last=last, rule="x")


@pytest.mark.req("L07")
async def test_what_a_person_asks_for_first_is_done_first(setup: AdminSetup) -> None:
    """A daemon serves before it begins to look by itself."""
    record(setup.ledger, *range(10))
    setup.ask("ledger.prune", last=5, rule="x")
    setup.keeper.watch()

    await setup.until(5)


async def test_two_removals_do_not_run_at_once(setup: AdminSetup) -> None:
    """The second is told to wait."""
    record(setup.ledger, *range(200))
    setup.ask("ledger.prune", last=100, rule="x")

    with pytest.raises(ValueError, match="being removed already"):
        setup.ask("ledger.prune", last=150, rule="x")


@pytest.mark.req("L05", "M74")
async def test_what_is_imported_twice_is_recorded_once(setup: AdminSetup) -> None:
    """A request whose answer was lost can be made again."""
    entries = [{"id": f"im_{n:032x}", "body": {"source": "mentu", "line": n}} for n in range(3)]

    assert setup.ask("ledger.import", entries=entries)["added"] == 3
    assert setup.ask("ledger.import", entries=[*entries, entries[0]])["added"] == 0
    found = LedgerReader(setup.connection).after(0)
    assert [(e.op, e.actor, e.body["line"]) for e in found] == [("imported", "system", n) for n in range(3)]


@pytest.mark.parametrize("entries", [[{"id": "op_1", "body": {}}], [{"id": f"im_{1:032x}", "body": []}]])
async def test_nothing_else_can_be_put_into_the_ledger(setup: AdminSetup, entries: list[Any]) -> None:
    """A name that could be another entry's, or no body: nothing of the request is recorded."""
    good = {"id": f"im_{2:032x}", "body": {}}

    with pytest.raises(ValueError, match="needs an id and a body"):
        setup.ask("ledger.import", entries=[good, *entries])
    assert LedgerReader(setup.connection).count() == 0


async def test_what_cannot_be_written_is_an_answer(setup: AdminSetup, tmp_path: Path) -> None:
    """Not a crash of the daemon."""
    with closing(sqlite3.connect(tmp_path / "state" / "interlock.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        record(setup.ledger, 1, flush=False)
        with pytest.raises(LedgerError, match="cannot be written"):
            setup.ask("ledger.checkpoint")


@pytest.mark.deep
@pytest.mark.req("Z02")
@pytest.mark.parametrize("method", ["ledger.prune", "ledger.import", "ledger.checkpoint"])
def test_an_agent_cannot_ask_for_any_of_it(served: Home, method: str) -> None:
    """Its process is known by who started it, and the attempt is recorded."""
    code = (
        "from pathlib import Path\n"
        "from interlock.daemon.client import request\n"
        "asked = {'last': 1, 'rule': '', 'entries': []}\n"
        f"request(Path({str(served.places.socket)!r}), {method!r}, asked)\n"
    )
    agent = (sys.executable, str(AGENT), str(SHIM), str(served.folder))
    done = subprocess.run(
        [*agent, json.dumps([sys.executable, "-c", code])], capture_output=True, text=True, check=True
    )

    assert f"`{method}`: only" in json.loads(done.stdout)[2]
    wait_for(lambda: served.entries("refused"), "the attempt is recorded")
    refused = served.entries("refused")[-1]
    assert (refused.body["command"], refused.session_id) == (method, "s-agent")


@pytest.mark.deep
@pytest.mark.req("L07")
def test_a_killed_daemon_leaves_a_removal_that_the_next_one_can_finish(place: Home) -> None:
    """kill -9 in the middle: the chain verifies, and nothing is said twice."""
    with closing(open_database(place.places.database)) as connection:
        record(LedgerWriter(connection), *range(5_000))
    process = place.start()
    request(place.places.socket, "ledger.prune", {"last": 4_990, "rule": "x"}, seconds=PATIENCE)
    process.kill()
    process.wait()
    with closing(open_to_read(place.places.database)) as connection:
        assert verify(connection).broken is None
        begun = read_base(connection).seq
    assert begun < 4_990
    place.start()
    request(place.places.socket, "ledger.prune", {"last": 4_995, "rule": "y"}, seconds=PATIENCE)
    wait_for(lambda: _base(place) >= 4_995, "the rest is gone")

    assert place.broken() is None
    assert len(place.entries("retention")) == 2


def _base(place: Home) -> int:
    with closing(open_to_read(place.places.database)) as connection:
        return read_base(connection).seq
