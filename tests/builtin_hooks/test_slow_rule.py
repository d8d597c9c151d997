"""A hook that waits is awaited, within its time, and its failure rule holds."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
import pytest
from tests.builtin_hooks.making import bash

from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.rule import SlowRule
from interlock.events.verdict import Outcome, Verdict
from interlock.policy.compile.compile import trial_engine
from interlock.policy.hook_kind import BuildContext, Builtin

pytestmark = pytest.mark.deep


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long it takes."""

    naps: float


class Napping(SlowRule):
    kind: Final = "napping"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._naps: Final = options.naps

    async def run(self, view: CallView, seconds: float) -> Verdict:
        await asyncio.sleep(self._naps)
        return Verdict(context="rested")


def make(options: Options, making: BuildContext) -> Handler:
    return Napping(options)


BUILTIN = Builtin(
    kind="napping", about="Naps.", options=Options, make=make, seconds=0.2, on_failure=OnFailure.OPEN
)


@pytest.mark.parametrize(
    ("naps", "outcome", "context"), [(0.0, Outcome.SUCCESS, ("rested",)), (60.0, Outcome.TIMEOUT, ())]
)
async def test_a_slow_hook_has_its_time(naps: float, outcome: Outcome, context: tuple[str, ...]) -> None:
    """What it says counts; when its time is over, its kind's rule for failures decides."""
    decision = await trial_engine(BUILTIN, "pre_tool_use", {"naps": naps}).decide(bash("ls"))

    assert (decision.trace[0].outcome, decision.context) == (outcome, context)
    assert not decision.denied
