"""What hooks and tools of the Python API give back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, final

import msgspec

from interlock.events.decision import Decision
from interlock.events.tool import JsonObject
from interlock.events.verdict import Outcome


class HookExecuted(msgspec.Struct, frozen=True, kw_only=True):
    """One hook ran at one moment."""

    hook_type: str  # the event
    hook_name: str  # the hook's own name, not the tool's


def executed(event_name: str, decision: Decision) -> Iterator[HookExecuted]:
    """One notice per hook that really ran: not for those skipped, and once for one that judged again."""
    seen = set()
    for row in decision.trace:
        which = (row.hook, row.source, row.matcher)
        if row.outcome is Outcome.SKIPPED or (row.rejudged and which in seen):
            continue
        seen.add(which)
        yield HookExecuted(hook_type=event_name, hook_name=row.hook)


class HookResult:
    """One of `Continue`, `Reject` and `ModifyInput`."""

    @property
    def is_reject(self) -> bool:
        """Whether the operation must not happen."""
        return isinstance(self, Reject)

    @property
    def is_modify(self) -> bool:
        """Whether the operation happens with another input."""
        return isinstance(self, ModifyInput)

    def to_json(self) -> Any:
        """The form a script prints: a bare word, or an object whose one key says which result it is."""
        raise NotImplementedError

    @staticmethod
    def from_json(value: Any) -> HookResult:
        """Read that form; raise ValueError for anything else."""
        match value:
            case "Continue":
                return CONTINUE
            case {"Reject": {"reason": str(reason)}} if len(value) == 1:
                return Reject(reason)
            case {"ModifyInput": {"new_input": new_input}} if len(value) == 1:
                return ModifyInput(new_input)
        raise ValueError(
            f"`{value!r:.80}` is not a hook result; "
            'write `"Continue"`, `{"Reject": {"reason": …}}` or `{"ModifyInput": {"new_input": …}}`'
        )


@final
@dataclass(frozen=True)
class Continue(HookResult):
    """Nothing here objects."""

    def to_json(self) -> Any:
        return "Continue"


@final
@dataclass(frozen=True)
class Reject(HookResult):
    """The operation must not happen, for this reason."""

    reason: str

    def to_json(self) -> Any:
        return {"Reject": {"reason": self.reason}}


@final
@dataclass(frozen=True)
class ModifyInput(HookResult):
    """The operation goes on with this input instead."""

    new_input: Any

    def to_json(self) -> Any:
        return {"ModifyInput": {"new_input": self.new_input}}


CONTINUE: Final = Continue()


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """The output or the error of a call, with everything the hooks wanted said."""

    input: JsonObject  # what the tool was, or would have been, called with
    output: Any = None
    error: str | None = None  # the tool's own, or why it was not called
    exception: Exception | None = None  # what the tool raised
    denied: bool = False  # the tool was not called
    reason: str | None = None  # why it was denied, without the words around it
    decision: Decision  # before the call
    after: Decision | None = None  # after it; None when it was not made

    @property
    def context(self) -> tuple[str, ...]:
        """What the hooks want the model to know."""
        return self.decision.context + (self.after.context if self.after else ())

    @property
    def messages(self) -> tuple[str, ...]:
        """What the hooks want the person to know."""
        return self.decision.messages + (self.after.messages if self.after else ())
