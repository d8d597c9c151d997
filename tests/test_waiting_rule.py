"""A rule that mostly answers at once may have to wait for one call: the decision goes on where it stood."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

import pytest
from tests.builders import Says, bash, hook, rewriting

from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceInMemory
from interlock.events.decision import Decision
from interlock.events.hook import CallView
from interlock.events.verdict import NO_OPINION, Outcome, Verdict, Vote, allow, ask, deny


@dataclass
class Looks(Says):
    """Waits where the command deletes something, and else answers at once."""

    waits: float = 0.0

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        said = super().run(view, seconds)
        command = view.event.tool.input["command"] if view.event.tool else ""
        return self._later(said) if command.startswith("rm") else said

    async def _later(self, said: Verdict | Awaitable[Verdict]) -> Verdict:
        await asyncio.sleep(self.waits)
        return said if isinstance(said, Verdict) else await said


async def test_only_the_calls_that_need_it_wait() -> None:
    """Every other call of the same policy is decided at once."""
    engine = Engine([hook(NO_OPINION), hook(Looks(ask("sure?"))), hook(allow("fine"))])

    assert isinstance(engine.start(bash("ls")), Decision)
    assert (await engine.decide(bash("rm x"))).vote is Vote.ASK


@pytest.mark.parametrize("says", [deny("no"), ask("sure?"), NO_OPINION])
async def test_hooks_before_it_run_once_and_those_behind_it_follow(says: Verdict) -> None:
    """A deny ends the chain, and nothing else does."""
    before, after = Says(NO_OPINION), Says(allow("fine"))
    engine = Engine([hook(before), hook(Looks(says)), hook(after)])
    begun = engine.start(bash("rm x"))
    assert not isinstance(begun, Decision)
    decision = await begun

    assert len(before.shown) == 1
    assert len(after.shown) == (0 if decision.denied else 1)
    assert decision.vote is max(says.vote, NO_OPINION.vote if decision.denied else Vote.ALLOW)


async def test_it_may_have_to_wait_when_it_judges_again() -> None:
    """The final input is what it has to look at."""
    judge = Looks(NO_OPINION)
    decision = await Engine([hook(judge), hook(rewriting("ls", "rm x"))]).decide(bash("ls"))

    assert decision.vote is Vote.ABSTAIN
    assert judge.commands == ["ls", "rm x"]


@pytest.mark.deep
async def test_a_rule_that_takes_too_long_is_closed() -> None:
    """It has its own time limit, and the call is not made."""
    begun = Engine([hook(Looks(NO_OPINION, waits=60), timeout=0.01)]).start(bash("rm x"))
    assert not isinstance(begun, Decision)
    decision = await begun

    assert decision.denied
    assert decision.trace[0].outcome is Outcome.TIMEOUT


async def test_its_one_run_is_used_up_by_waiting_too() -> None:
    """What runs once a session has run, whichever way."""
    engine = Engine([hook(Looks(ask("sure?")), once=True)], once=OnceInMemory())
    begun = engine.start(bash("rm x"))
    assert not isinstance(begun, Decision)

    assert (await begun).vote is Vote.ASK
    assert engine.decide_sync(bash("rm x")).vote is Vote.ABSTAIN


def test_without_a_loop_it_is_waited_for() -> None:
    """As for any hook that takes its time."""
    engine = Engine([hook(Looks(ask("sure?")))])

    assert engine.decide_sync(bash("rm x")).vote is Vote.ASK
    engine.close()
