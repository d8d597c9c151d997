"""What a hook that gives no answer counts as: every failure, dialect and moment."""

from __future__ import annotations

import itertools

import pytest
from tests.builders import Fails, Says, bash, hook

from interlock.builtin_hooks.basic import Modify, Target
from interlock.engine.engine import Engine
from interlock.engine.failure import choose, judge_failure
from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Dialect, OnFailure
from interlock.events.names import EventName
from interlock.events.verdict import NO_OPINION, Verdict, Vote

REJECTED = {FailureKind.EXIT, FailureKind.SPAWN, FailureKind.STATUS, FailureKind.TRANSPORT}
BEFORE = {"PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion"}
EVERY = list(itertools.product(FailureKind, Dialect, EventName))


def _expected(kind: FailureKind, dialect: Dialect, moment: EventName) -> OnFailure:
    """The table of the design, written a second time."""
    by_moment = OnFailure.CLOSED if moment in BEFORE else OnFailure.OPEN
    match dialect, kind:
        case Dialect.CLAUDE, _:
            return OnFailure.OPEN
        case Dialect.HOOKS_TOML, FailureKind.TIMEOUT | FailureKind.GARBAGE:
            return OnFailure.OPEN
        case Dialect.HOOKS_TOML, kind if kind in REJECTED:
            return OnFailure.CLOSED
    return by_moment


@pytest.mark.req("C49", "F01", "F03", "F05")
@pytest.mark.parametrize(("kind", "dialect", "moment"), EVERY)
def test_dialect_comes_before_moment(kind: FailureKind, dialect: Dialect, moment: EventName) -> None:
    """Each combination of failure, dialect and moment has exactly the choice of the table."""
    built = hook(Says(NO_OPINION), dialect=dialect, events=(moment,))

    assert choose(built, moment, kind) is _expected(kind, dialect, moment)


@pytest.mark.parametrize("chosen", list(OnFailure))
@pytest.mark.parametrize(("kind", "dialect"), list(itertools.product(FailureKind, Dialect)))
def test_an_explicit_choice_comes_first(chosen: OnFailure, kind: FailureKind, dialect: Dialect) -> None:
    """`on_failure` stands over every dialect and moment."""
    built = hook(Says(NO_OPINION), dialect=dialect, on_failure=chosen)

    assert choose(built, "PreToolUse", kind) is chosen
    assert choose(built, "PostToolUse", kind) is chosen


@pytest.mark.req("F07")
@pytest.mark.parametrize("chosen", [None, *OnFailure])
def test_an_observer_always_fails_open(chosen: OnFailure | None) -> None:
    """A hook that cannot vote cannot stop anything by breaking."""
    assert (
        choose(hook(Says(NO_OPINION), observe=True, on_failure=chosen), "PreToolUse", FailureKind.CRASH)
        == "open"
    )


@pytest.mark.req("F04")
def test_a_prompt_is_closed_only_by_a_judge() -> None:
    """A hook that merely changes prompts must not make the session unusable when it breaks."""
    judge, changer = hook(Says(NO_OPINION)), hook(Says(NO_OPINION, judges=False))

    assert choose(judge, "UserPromptSubmit", FailureKind.CRASH) is OnFailure.CLOSED
    assert choose(changer, "UserPromptSubmit", FailureKind.CRASH) is OnFailure.OPEN
    assert choose(changer, "PreToolUse", FailureKind.CRASH) is OnFailure.CLOSED


@pytest.mark.req("F04")
def test_a_broken_change_of_a_prompt_lets_the_prompt_pass() -> None:
    """The built-in `modify` is such a hook; the pass is counted."""
    broken = hook(Modify(Target.PROMPT, set={"": 3}), events=("UserPromptSubmit",))
    decision = Engine([broken]).decide_sync(Event(name="UserPromptSubmit", prompt="hello"))

    assert (decision.vote, decision.open_passes) == (Vote.ABSTAIN, 1)


@pytest.mark.parametrize(
    ("chosen", "vote", "passed"),
    [
        (OnFailure.OPEN, Vote.ABSTAIN, True),
        (OnFailure.ASK, Vote.ASK, False),
        (OnFailure.CLOSED, Vote.DENY, False),
    ],
)
def test_a_choice_becomes_a_vote(chosen: OnFailure, vote: Vote, passed: bool) -> None:
    """Open abstains and is an open pass; ask and closed vote with the failure's words."""
    failure = HookFailedError(FailureKind.EXIT, "Hook failed: boom")
    verdict, open_pass = judge_failure(hook(NO_OPINION, on_failure=chosen), "PreToolUse", failure)

    assert (verdict.vote, open_pass) == (vote, passed)
    assert verdict == (NO_OPINION if passed else Verdict(vote=vote, reason="Hook failed: boom"))


@pytest.mark.req("F01", "F03")
@pytest.mark.parametrize("kind", list(FailureKind))
def test_the_engine_holds_a_call_and_lets_what_happened_pass(kind: FailureKind) -> None:
    """Before the call a failing genesis hook denies with its words; after it nothing is left to stop."""
    engine = Engine([hook(Fails(failure=kind), events=("PreToolUse", "PostToolUse"))])
    before = engine.decide_sync(bash("ls"))
    after = engine.decide_sync(bash("ls", name="PostToolUse"))

    assert (before.vote, before.reason, before.open_passes) == (Vote.DENY, f"failed by {kind}", 0)
    assert (after.vote, after.open_passes) == (Vote.ABSTAIN, 1)
