"""Every pattern of one policy revision, compiled once and shared by all its hooks."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from interlock.events.hook import Pattern
from interlock.events.tool import SubjectKind, ToolSpec, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.patterns.command_globs import CommandGlobs, FormPatterns
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.glob import (
    GlobSet,
    as_written,
    glob_expression,
    path_as_written,
    path_denial_expression,
)
from interlock.patterns.pattern import UNREAD, UnreadPatterns


class ToolPatterns:
    """The patterns about one tool, as sets that are compiled when first asked."""

    def __init__(self, patterns: Iterable[Pattern], kind: SubjectKind, home: str) -> None:
        globs = [pattern for pattern in patterns if pattern.glob is not None]
        self.whole: Final = frozenset(p.text for p in patterns if p.glob is None)
        self.fields: Final = tuple(dict.fromkeys(p.field for p in globs if p.field is not None))
        self._by_field: Final = {
            field: [p for p in globs if p.field == field] for field in (None, *self.fields)
        }
        self.of_main: Final = bool(self._by_field[None])  # whether any glob is about the main field
        self._main: Final = {p.text: p.glob or "" for p in self._by_field[None]}
        self.forms: Final = FormPatterns(self._main) if kind is SubjectKind.SHELL and self._main else None
        self._kind: Final = kind
        self._is_text: Final = kind is SubjectKind.TEXT
        self._home: Final = home
        self._sets: Final[dict[str | None, GlobSet | CommandGlobs]] = {}
        self._written: Final[dict[str, Callable[[str], bool]]] = {}

    def globs(self, field: str | None) -> GlobSet | CommandGlobs:
        """The globs about a field, as denies read them: an allow never matches more."""
        found = self._sets.get(field)
        if found is None:
            # Two events compiling the same set at once is harmless.
            found = self._sets[field] = self._compile(field)
        return found

    def _compile(self, field: str | None) -> GlobSet | CommandGlobs:
        globs = {pattern.text: pattern.glob or "" for pattern in self._by_field[field]}
        if field is None and self._kind is SubjectKind.SHELL:
            return CommandGlobs(globs)
        if field is None and self._kind is SubjectKind.PATH:
            return GlobSet((text, path_denial_expression(glob, self._home)) for text, glob in globs.items())
        return GlobSet((text, glob_expression(glob)) for text, glob in globs.items())

    def allowing(self, hits: Collection[str], text: str) -> set[str]:
        """Those hits of the main field that also hold for the pattern as it is written."""
        if self._is_text:
            return set(hits)
        written = self._written
        found: set[str] = set()
        for hit in hits:  # mostly one: a comprehension would be a call more
            if (written.get(hit) or self._as_written(hit))(text):
                found.add(hit)
        return found

    def _as_written(self, pattern: str) -> Callable[[str], bool]:
        glob = self._main[pattern]
        is_shell = self._kind is SubjectKind.SHELL
        written = as_written(glob) if is_shell else path_as_written(glob, self._home)
        self._written[pattern] = written
        return written


class ToolEntry(NamedTuple):
    """What a book knows about the tool of a call."""

    spec: ToolSpec | None
    about: ToolPatterns | None
    is_shell: bool


class PatternIndex:
    """Where a call finds the patterns about its tool."""

    def __init__(
        self, patterns: Iterable[Pattern], tools: ToolTable = STANDARD_TOOLS, *, home: str | None = None
    ) -> None:
        self.tools: Final = tools
        self.patterns: Final = tuple(patterns)
        home = os.path.expanduser("~") if home is None else home
        self.home: Final = home
        by_tool: dict[str, list[Pattern]] = {}
        of_effects: list[Pattern] = []
        of_gaps: list[Pattern] = []
        for pattern in self.patterns:
            if pattern.effect:
                (of_gaps if pattern.tool == UNREAD else of_effects).append(pattern)
            else:
                by_tool.setdefault(pattern.tool, []).append(pattern)
        self.effects: Final = EffectPatterns(of_effects, home) if of_effects else None
        self.unread: Final = UnreadPatterns(of_gaps) if of_gaps else None
        self._entries: Final[dict[str, ToolEntry]] = {}
        self._tools: Final = {
            tool: ToolPatterns(found, _kind(tool, tools), home) for tool, found in by_tool.items()
        }

    def about(self, tool: str) -> ToolPatterns | None:
        """The patterns for a tool under any of its names; None when nothing is about it."""
        return self._tools.get(self.tools.canonical(tool))

    def entry(self, tool: str) -> ToolEntry:
        """The same with all else that is known of a tool by its name."""
        found = self._entries.get(tool)
        if found is None:
            spec = self.tools.spec(tool)
            found = ToolEntry(spec, self.about(tool), spec is not None and spec.kind is SubjectKind.SHELL)
            if spec is not None:  # of names that nobody lists there may be any number
                self._entries[tool] = found
        return found


def _kind(tool: str, tools: ToolTable) -> SubjectKind:
    spec = tools.spec(tool)
    return SubjectKind.TEXT if spec is None else spec.kind
