"""What hooks may ask while they run: hooks never touch the store, they ask whoever offers a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar, final

from interlock.events.hook import Hook

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
