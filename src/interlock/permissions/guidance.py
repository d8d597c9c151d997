"""Advice that goes with a denial, so that the agent knows what to do instead."""

from __future__ import annotations

from typing import Final

from interlock.events.hook import Pattern
from interlock.permissions.entry import ActorEntry

_WRITING: Final = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_RUNNING: Final = frozenset({"Bash"})

# The author types of a genesis key have duties everybody shares; an entry's own guidance comes first.
_BY_ROLE: Final = {
    ("architect", _WRITING): "Architects cannot write files. Create a commitment for an Executor.",
    ("architect", _RUNNING): "Architects cannot run commands. Create a commitment for an Executor.",
    (
        "auditor",
        _WRITING,
    ): "Auditors cannot write files. Reject with what you found and let an Executor change it.",
}


def guidance_for(entry: ActorEntry, pattern: Pattern | None, tool: str) -> str | None:
    """The entry's advice for this pattern, else for every denial, else the role's."""
    if pattern is not None and pattern.text in entry.guidance:
        return entry.guidance[pattern.text]
    if "*" in entry.guidance:
        return entry.guidance["*"]
    role = entry.actor.partition(":")[2]
    return next((text for (name, tools), text in _BY_ROLE.items() if name == role and tool in tools), None)
