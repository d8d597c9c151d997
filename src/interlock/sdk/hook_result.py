"""What a hook of a `HookRegistry` answers: continue, reject, or modify the input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final


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
