"""The actors of one policy file, ready to be looked up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from interlock.events.hook import Pattern, PatternList
from interlock.patterns.glob import glob_expression
from interlock.patterns.glob_set import GlobSet
from interlock.permissions.entry import ActorEntry


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
