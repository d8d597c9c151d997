"""Where a hook remembers something of a session between its moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.policy.hook_memory import Memory, MemoryInProcess

if TYPE_CHECKING:
    from interlock.policy.hook_kind import BuildContext

__all__ = ["Memory", "MemoryInProcess", "memory_of"]


def memory_of(making: BuildContext) -> Memory:
    """Where a hook remembers; one that is only tried out leaves no trace and remembers for itself."""
    found = None if making.trial else making.services.find(Memory)
    return MemoryInProcess() if found is None else found
