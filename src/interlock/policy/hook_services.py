"""What hooks may ask while they run: hooks never touch the store, they ask whoever offers a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, final

from interlock.events.hook import Hook
from interlock.events.tool import JsonObject

if TYPE_CHECKING:
    from interlock.policy.hook_kind import BuildContext


T = TypeVar("T")


@final
class HookServices:
    """Objects by the protocol they offer; any may be missing, and every hook says what it does then.

    Whoever runs an engine fills it before the first policy is loaded: hooks look up what they need as they
    are made.
    """

    def __init__(
        self, offered: Mapping[type[Any], object] | None = None, *, standing: Sequence[Hook] = ()
    ) -> None:
        self._offered: Final[dict[type[Any], object]] = dict(offered or {})
        self.standing: Final = list(standing)  # hooks that stand in every policy, whatever is written

    def find(self, protocol: type[T]) -> T | None:
        """Whoever offers a protocol; None where nobody does."""
        found: T | None = self._offered.get(protocol)  # type: ignore[assignment]  # kept by what it offers
        return found

    def offer(self, offered: Mapping[type[Any], object]) -> None:
        """Add objects, each under the protocol that hooks know it by."""
        self._offered.update(offered)

    def having(self, offered: Mapping[type[Any], object]) -> HookServices:
        """The same with some others."""
        return HookServices({**self._offered, **offered}, standing=self.standing)


NO_SERVICES: Final = HookServices()


class Memory(Protocol):
    """A small JSON object per session and key; the key is the hook's name, so that two never share one."""

    def get(self, session_id: str, key: str) -> JsonObject:
        """What was kept last; empty when nothing was."""

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        """Keep this in place of what was kept before."""


class MemoryInProcess:
    """The memory of an engine without a store; it lives as long as the process."""

    def __init__(self) -> None:
        self._kept: Final[dict[tuple[str, str], JsonObject]] = {}

    def get(self, session_id: str, key: str) -> JsonObject:
        """What was kept last; empty when nothing was."""
        return dict(self._kept.get((session_id, key), {}))

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        """Keep this in place of what was kept before."""
        self._kept[session_id, key] = dict(value)


def memory_of(making: BuildContext) -> Memory:
    """Where a hook remembers; one that is only tried out leaves no trace and remembers for itself."""
    found = None if making.trial else making.services.find(Memory)
    return MemoryInProcess() if found is None else found


class Window(Protocol):
    """Reads what the host wrote down of its own counts."""

    def tokens(self, transcript: str) -> int | None:
        """What the newest answer of the model took in; None where nobody can tell."""
