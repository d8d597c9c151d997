"""The permission lists of a policy, by actor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from interlock.events.hook import Pattern, PatternList
from interlock.patterns.glob import glob_expression
from interlock.patterns.glob_set import GlobSet


class ActorEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The lists of one actor, or of every actor whose name fits a pattern such as `agent:*`."""

    actor: str
    allow: tuple[Pattern, ...] | None = None  # None: no list was written, the deny list alone judges
    deny: tuple[Pattern, ...] = ()
    guidance: Mapping[str, str] = {}  # pattern text, or `*` for every denial, to advice for the agent


class ActorLists:
    """One entry with its lists prepared for matching."""

    def __init__(self, entry: ActorEntry) -> None:
        self.entry: Final = entry
        self.deny: Final = PatternList(entry.deny)
        self.allow: Final = None if entry.allow is None else PatternList(entry.allow)
        self._allowed_tools: Final = frozenset(p.tool for p in entry.allow or ())
        self._delegates: Final = GlobSet(
            (p.text, glob_expression(p.glob))
            for p in entry.allow or ()
            if p.tool == "Agent" and p.field is None and p.glob
        )

    def lists(self, tool: str) -> bool:
        """Whether the allow list speaks of a tool at all."""
        return tool in self._allowed_tools

    def delegates_to(self, agent_type: str) -> bool:
        """Whether the allow list names this kind of sub-agent, as in `Task(executor)`."""
        return bool(self._delegates.hits(agent_type))


class PermissionTable:
    """Entries by actor: an exact name beats a longer pattern beats a shorter one."""

    def __init__(self, entries: Iterable[ActorEntry] = ()) -> None:
        lists = [ActorLists(entry) for entry in entries]
        self._exact: Final = {one.entry.actor: one for one in lists if "*" not in one.entry.actor}
        globs = [one for one in lists if "*" in one.entry.actor]
        globs.sort(key=lambda one: len(one.entry.actor), reverse=True)
        self._globs: Final = [
            (GlobSet([(one.entry.actor, glob_expression(one.entry.actor))]), one) for one in globs
        ]
        self.actors: Final = tuple(one.entry.actor for one in lists)
        self.patterns: Final[tuple[Pattern, ...]] = tuple(
            pattern for one in lists for pattern in (*one.entry.deny, *(one.entry.allow or ()))
        )

    def lists_of(self, actor: str) -> ActorLists | None:
        """The entry that speaks for an actor, or None."""
        exact = self._exact.get(actor)
        if exact is not None:
            return exact
        return next((one for globs, one in self._globs if globs.hits(actor)), None)


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
