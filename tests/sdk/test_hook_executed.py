"""Notices of hooks that ran."""

from __future__ import annotations

import pytest

from interlock import Decision, HookExecuted, Vote
from interlock.events.decision import TraceRow
from interlock.events.verdict import Outcome
from interlock.sdk.results import executed


def row(hook: str, outcome: Outcome = Outcome.SUCCESS, *, rejudged: bool = False) -> TraceRow:
    return TraceRow(
        hook=hook,
        type="function",
        matcher="*",
        source="<code>",
        vote=Vote.ABSTAIN,
        outcome=outcome,
        rejudged=rejudged,
    )


@pytest.mark.req("C66", "X8")
def test_one_notice_per_hook_that_really_ran() -> None:
    """Skipped ones give none, a second judgement no second one, and failures count as runs."""
    trace = (
        row("judge"),
        row("other-tool", Outcome.SKIPPED),
        row("late", Outcome.SKIPPED),
        row("slow", Outcome.TIMEOUT),
        row("judge", rejudged=True),
        row("late", rejudged=True),
    )

    notices = list(executed("PreToolUse", Decision(vote=Vote.ABSTAIN, trace=trace)))

    assert notices == [
        HookExecuted(hook_type="PreToolUse", hook_name=name) for name in ("judge", "slow", "late")
    ]


@pytest.mark.req("C66")
def test_two_hooks_of_one_name_give_two_notices() -> None:
    """Names need not differ for runs to count."""
    trace = (row("same"), row("same"))

    assert len(list(executed("Stop", Decision(vote=Vote.ABSTAIN, trace=trace)))) == 2
