"""Any sequence of operations leads where the model says, and nowhere else."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from tests.features.commitments.commitment_setup import PLACE, commitment_setup, replay
from tests.features.commitments.model import Model, Owed
from tests.features.commitments.test_replay import exported, plain

from interlock.features.commitments.records import RefusedError, Status

pytestmark = pytest.mark.deep

TIERS = "settings:\n  tiers:\n    rules: [{tags: [easy], tier: tier_1}, {tags: [hard], tier: tier_3}]\n"
TAGS = {1: ["easy"], 2: [], 3: ["hard"]}
actors = st.sampled_from(["agent:a", "agent:b", "human:c", "human:d"])


class Machine(RuleBasedStateMachine):
    """The real thing and the model, side by side."""

    commitments = Bundle("commitments")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ilk-"))
        self.stack = ExitStack()
        self.setup = self.stack.enter_context(commitment_setup(self.folder, TIERS))
        self.model = Model()
        self.memory = self.setup.capture()

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.close()
            shutil.rmtree(self.folder)

    def both(self, op: str, actor: str, allowed: bool, **payload: Any) -> None:
        """Do it, and agree with the model whether it may be done; what is refused writes nothing."""
        before = self.setup.writer.head
        refusal: RefusedError | None = None
        try:
            self.setup.do(op, actor, **payload)
        except RefusedError as error:
            refusal = error

        assert (refusal is None) is allowed, (op, actor, str(refusal))
        assert allowed or self.setup.writer.head == before

    @rule(target=commitments, actor=actors, tier=st.integers(1, 3))
    def commit(self, actor: str, tier: int) -> str:
        name = self.setup.do("commit", actor, body="x", source=self.memory, tags=TAGS[tier])
        self.model.owed[name] = Owed(maker=actor, tier=tier)
        return name

    @rule(name=commitments, actor=actors)
    def claim(self, name: str, actor: str) -> None:
        self.both("claim", actor, self.model.claim(name, actor), commitment=name)

    @rule(name=commitments, actor=actors)
    def release(self, name: str, actor: str) -> None:
        self.both("release", actor, self.model.release(name, actor), commitment=name)

    @rule(name=commitments, actor=actors, brings=st.booleans())
    def submit(self, name: str, actor: str, brings: bool) -> None:
        evidence = {"evidence": [self.memory]} if brings else {}
        allowed = self.model.submit(name, actor, self.setup.now)
        self.both("submit", actor, allowed, commitment=name, **evidence)

    @rule(name=commitments, actor=actors)
    def approve(self, name: str, actor: str) -> None:
        self.both("approve", actor, self.model.approve(name, actor), commitment=name)

    @rule(name=commitments, actor=actors, word=st.sampled_from(["reopen", "reject"]))
    def reopen(self, name: str, actor: str, word: str) -> None:
        self.both(word, actor, self.model.reopen(name, self.setup.now), commitment=name, reason="x")

    @rule(name=commitments, actor=actors)
    def close(self, name: str, actor: str) -> None:
        allowed = self.model.close(name, actor, duplicate=False)
        self.both("close", actor, allowed, commitment=name, evidence=self.memory)

    @rule(name=commitments, other=commitments, actor=actors)
    def duplicate(self, name: str, other: str, actor: str) -> None:
        allowed = name != other and self.model.close(name, actor, duplicate=True)
        self.both("close", actor, allowed, commitment=name, duplicate_of=other)

    @rule(name=commitments, actor=actors)
    def cancel(self, name: str, actor: str) -> None:
        self.both("cancel", actor, self.model.cancel(name, actor), commitment=name, reason="x")

    @rule(hours=st.integers(1, 30))
    def wait(self, hours: int) -> None:
        self.setup.now += hours * 3600

    @rule()
    def restart(self) -> None:
        before = plain(self.setup.state)
        self.setup.commitments = self.setup.reopened()
        assert plain(self.setup.state) == before
        assert plain(replay(exported(self.setup))) == before

    @invariant()
    def stands_as_the_model_says(self) -> None:
        if not hasattr(self, "setup"):
            return
        found = self.setup.commitments.state(PLACE).commitments
        assert {name: one.state for name, one in found.items()} == {
            name: Status(one.state) for name, one in self.model.owed.items()
        }
        assert all(found[name].owner == one.owner for name, one in self.model.owed.items())


@pytest.mark.req("M59", "M60", "M61")
def test_no_sequence_of_operations_leads_to_an_illegal_state() -> None:
    """Against a model written apart from it, with restarts and replays of an export in between."""
    from hypothesis.stateful import run_state_machine_as_test  # noqa: PLC0415 - beside the machine it runs

    profile = settings(max_examples=40, stateful_step_count=30, deadline=None)
    run_state_machine_as_test(Machine, settings=profile)
