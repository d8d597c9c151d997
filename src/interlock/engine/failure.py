"""What it means when a hook gives no answer: explicit choice, then dialect, then moment."""

from __future__ import annotations

from typing import Final

from interlock.errors import FailureKind, HookFailedError
from interlock.events.hook import Dialect, Hook, OnFailure
from interlock.events.names import CLOSED, JUDGED, EventName
from interlock.events.verdict import NO_OPINION, Verdict, ask, deny

_REJECTED_BY_DOCUMENT: Final = frozenset(
    {FailureKind.EXIT, FailureKind.SPAWN, FailureKind.STATUS, FailureKind.TRANSPORT}
)
_PROMPTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})


def choose(hook: Hook, event_name: str, kind: FailureKind) -> OnFailure:
    """Open, ask or closed for this failure of this hook at this moment."""
    if hook.observe:
        return OnFailure.OPEN
    if hook.on_failure is not None:
        return hook.on_failure
    if hook.dialect is Dialect.CLAUDE:
        return OnFailure.OPEN
    if hook.dialect is Dialect.HOOKS_TOML and kind is not FailureKind.CRASH:
        return OnFailure.CLOSED if kind in _REJECTED_BY_DOCUMENT else OnFailure.OPEN
    return OnFailure.CLOSED if _closed(hook, event_name) else OnFailure.OPEN


def _closed(hook: Hook, event_name: str) -> bool:
    """Tool calls always; a prompt only for a judge, or a hook that just adds to it would end the session."""
    return event_name in CLOSED and (hook.handler.judges or event_name not in _PROMPTS)


def judge_failure(hook: Hook, event_name: str, failure: HookFailedError) -> tuple[Verdict, bool]:
    """The verdict a failure counts as, and whether the call goes on all the same."""
    choice = choose(hook, event_name, failure.kind)
    if choice is OnFailure.OPEN:
        return NO_OPINION, True
    return (deny if choice is OnFailure.CLOSED else ask)(failure.message), False


def can_fail_open(hook: Hook) -> bool:
    """Whether some failure of this judge would let an action pass."""
    if hook.handler.instant or not hook.handler.judges:
        return False
    judged = [event for event in hook.events if event in JUDGED]
    return any(choose(hook, event, kind) is OnFailure.OPEN for event in judged for kind in FailureKind)
