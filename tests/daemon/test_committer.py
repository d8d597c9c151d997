"""Laws of group commit."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interlock.daemon.call_intake import PendingAnswer
from interlock.daemon.decision_service import DecisionService
from interlock.daemon.group_commit import Committer
from interlock.daemon.policy_loader import Policies
from interlock.engine.session_memory import OnceInMemory
from interlock.events.tool import ToolTable
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.host import Reply
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

YES = Reply(stdout=b"yes")
HOST = HOSTS["claude-code"]
LOCKED = "BEGIN IMMEDIATE"
TURNS = 6_000  # of the loop, a hundredth of a second each; far more than a commit takes


class CommitterSetup:
    """A committer on a real database, and a second connection that can be in its way."""

    def __init__(self, path: Path) -> None:
        self.connection = open_database(path)
        self.other = sqlite3.connect(path, isolation_level=None)
        self.ledger = LedgerWriter(self.connection)
        self.ended = 0
        self.answers: list[Reply] = []
        policies = Policies((), ToolTable(()), OnceInMemory(), environ={}, alarm=lambda *_: None)
        self.decider = DecisionService(policies, self.ledger)
        self.committer = Committer(self.ledger, self.decider, asyncio.get_running_loop(), self._end)

    def _end(self) -> None:
        self.ended += 1

    def submit(self, name: str, *, durable: bool = True, event: str = "PreToolUse") -> PendingAnswer:
        """Record something and ask for its answer to be sent."""
        self.ledger.append("decision", "a", "", {"event": event, "name": name})
        answer = PendingAnswer(
            reply=YES, host=HOST, durable=durable, event=event, identity=("s", event, name, 0)
        )
        self.decider._answered.remember(answer)
        self.committer.submit(answer, self.answers.append)
        return answer

    def recorded(self) -> list[object]:
        """What another connection can read."""
        return [entry.body.get("name", entry.op) for entry in LedgerReader(self.other).after(0, limit=100)]

    async def has_recorded(self, *names: str) -> None:
        """Let the loop go round until exactly these can be read."""
        for _ in range(TURNS):
            if self.recorded() == list(names):
                return
            await asyncio.sleep(0.01)
        assert self.recorded() == list(names)


Make = Callable[[], CommitterSetup]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """A way to set up a setup inside a running loop."""
    made: list[CommitterSetup] = []

    def build() -> CommitterSetup:
        made.append(CommitterSetup(tmp_path / "db" / "interlock.db"))
        return made[-1]

    yield build
    for setup in made:
        setup.connection.close()
        setup.other.close()


async def test_a_judged_answer_leaves_after_its_entry_is_durable(make: Make) -> None:
    """At the moment an answer is given, another connection reads its entry; one commit serves all."""
    setup = make()
    seen: list[list[object]] = []
    for name in "abc":
        setup.ledger.append("decision", "a", "", {"name": name})
        answer = PendingAnswer(reply=YES, durable=True, event="PreToolUse")
        setup.committer.submit(answer, lambda _: seen.append(setup.recorded()))
    before = list(seen)
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert before == []
    assert seen == [["a", "b", "c"]] * 3


async def test_the_answers_of_a_turn_leave_when_it_ends_and_not_before(make: Make) -> None:
    """What is submitted in a turn waits for its end, which commits all of it at once."""
    setup = make()
    seen: list[list[object]] = []
    for name in "abc":
        setup.ledger.append("decision", "a", "", {"name": name})
        answer = PendingAnswer(reply=YES, durable=True, event="PreToolUse")
        setup.committer.submit(answer, lambda _: seen.append(setup.recorded()), in_turn=True)
    await asyncio.sleep(0)
    before = list(seen)
    setup.committer.end_turn()

    assert before == []
    assert seen == [["a", "b", "c"]] * 3


@pytest.mark.deep
async def test_an_observed_answer_waits_for_nothing(make: Make) -> None:
    """It is given at once and its entry follows within moments."""
    setup = make()
    setup.submit("a", durable=False, event="PostToolUse")
    at_once = (list(setup.answers), setup.recorded())

    assert at_once == ([YES], [])
    await setup.has_recorded("a")


@pytest.mark.req("F01", "D02")
async def test_what_cannot_be_recorded_is_refused_and_forgotten(make: Make) -> None:
    """A tool call is denied in the host's words, and asked again it is decided again."""
    setup = make()
    setup.other.execute(LOCKED)
    answer = setup.submit("a")
    committed = setup.committer.commit()
    setup.other.execute("ROLLBACK")

    assert not committed
    assert b'"permissionDecision":"deny"' in setup.answers[0].stdout
    assert b"could not be recorded" in setup.answers[0].stdout
    assert setup.decider._answered.known(answer.identity) is None
    assert setup.recorded() == []
    assert setup.ended == 0


@pytest.mark.req("F03", "F08", "D02")
async def test_what_was_lost_is_one_gap_entry_once_recording_works(make: Make) -> None:
    """However often it fails in between, the entries lost are counted, once each."""
    setup = make()
    setup.other.execute(LOCKED)
    for name in "ab":
        setup.submit(name, durable=False, event="PostToolUse")
        setup.committer.commit()
    setup.submit("c", event="Stop")
    setup.committer.commit()
    setup.other.execute("ROLLBACK")
    setup.submit("d")
    assert setup.committer.commit()
    setup.submit("e")
    assert setup.committer.commit()

    assert setup.answers == [YES, YES, Reply(), YES, YES]
    assert setup.recorded() == ["d", "gap", "e"]
    gap = LedgerReader(setup.other).after(1)[0]
    assert (gap.body["lost"], gap.body["open_passes"]) == (3, 3)
    assert setup.committer.open_passes == 3


@pytest.mark.req("D03")
async def test_a_database_that_is_no_longer_ours_ends_the_daemon(make: Make, tmp_path: Path) -> None:
    """What is written to a deleted file is lost: the call is refused, the next daemon opens a sound one."""
    setup = make()
    for file in (tmp_path / "db").iterdir():
        file.unlink()
    setup.submit("a")

    assert not setup.committer.commit()
    assert setup.ended == 1
    assert b'"deny"' in setup.answers[0].stdout


@pytest.mark.deep
async def test_a_note_is_recorded_without_anybody_waiting(make: Make) -> None:
    """It comes with the next commit or soon by itself."""
    setup = make()
    setup.committer.note("undelivered", {"event": "PreToolUse"})

    await setup.has_recorded("undelivered")
