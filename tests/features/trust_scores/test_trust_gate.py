"""The trust-banded gate: a high score allows, a low one denies, and what destroys needs more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.builders import bash, call, write

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.verdict import Vote
from interlock.features.trust_scores.scores import Factor, Score, Scores
from interlock.policy.hook_kind import HookServices
from interlock.policy.load import load_policy

GATE = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - type: trust_gate\n'


class Fixed:
    """Scores that are the same for everybody."""

    def __init__(self, value: float) -> None:
        self._score = Score(
            value=value,
            factors=(Factor(name="exit_code", value=value, weight=1.0, observations=9, against=(4, 7)),),
        )

    def score(self, actor: str, folder: str, weights: Mapping[str, float]) -> Score:
        """The score."""
        return self._score


def judged(folder: Path, event: Event, value: float | None) -> Decision:
    """What the gate says at a score; None: no ledger is there."""
    file = folder / "genesis.key"
    file.write_text(GATE)
    services = HookServices({Scores: Fixed(value)}) if value is not None else HookServices()
    policy = load_policy([(Layer.USER, file)], environ={}, services=services)
    return Engine(policy.hooks).decide_sync(event)


@pytest.mark.req("M79")
@pytest.mark.parametrize(
    ("value", "plain", "destructive"),
    [
        (1.0, Vote.ALLOW, Vote.ALLOW),
        (0.90, Vote.ALLOW, Vote.ALLOW),
        (0.89, Vote.ALLOW, Vote.ABSTAIN),
        (0.80, Vote.ALLOW, Vote.ABSTAIN),
        (0.79, Vote.ABSTAIN, Vote.ABSTAIN),
        (0.40, Vote.ABSTAIN, Vote.ABSTAIN),
        (0.39, Vote.DENY, Vote.DENY),
        (0.0, Vote.DENY, Vote.DENY),
        (None, Vote.ABSTAIN, Vote.ABSTAIN),
    ],
)
def test_the_bands(tmp_path: Path, value: float | None, plain: Vote, destructive: Vote) -> None:
    """Each bound belongs to the band above it; without a ledger the score is 0.50."""
    assert judged(tmp_path, bash("ls -l"), value).vote is plain
    assert judged(tmp_path, bash("rm -r build"), value).vote is destructive


@pytest.mark.req("M79")
@pytest.mark.parametrize(
    "event",
    [
        bash("cd x; sudo rm y"),
        bash("find . -name '*.o' -delete"),
        bash("git reset --hard HEAD~1"),
        bash("git push --force origin main"),
        bash("git clean -fd"),
        bash("kill -9 17"),
        bash('eval "$X"'),
        write("/home/me/.ssh/config"),
        call("Write", tool_input={"file_path": "/w/app/.env", "content": ""}, cwd="/w/app"),
    ],
)
def test_what_destroys_is_known_by_what_it_does(tmp_path: Path, event: Event) -> None:
    """By the reader's effects and commands, in any wrapper; what cannot be read may destroy."""
    assert judged(tmp_path, event, 0.85).vote is Vote.ABSTAIN
    assert judged(tmp_path, event, 0.95).vote is Vote.ALLOW


@pytest.mark.req("M76")
def test_the_trace_says_what_the_score_is_made_of(tmp_path: Path) -> None:
    """Factor, weight, how often seen, and entries that speak against the actor."""
    reason = judged(tmp_path, bash("ls"), 0.2).reason or ""

    assert reason.startswith("trust in agent:main is 0.20, below 0.40: exit_code 0.20 of 1 (9 seen")
    assert "against it #4 #7" in reason
    assert "interlock trust-score" in reason


@pytest.mark.req("M76")
def test_weights_that_do_not_make_one_do_not_load(tmp_path: Path) -> None:
    """The place and the sum are named."""
    file = tmp_path / "genesis.key"
    file.write_text(
        GATE + "      config: {weights: {exit_code: 0.5, test_pass_rate: 0.4, context_utilization: 0, "
        "loop_complete: 0, duration_reasonable: 0, no_errors: 0, evidence_depth: 0}}\n"
    )
    with pytest.raises(ConfigError, match=r"config\.weights: the weights add up to 0\.9, not 1"):
        load_policy([(Layer.USER, file)], environ={})
