"""Every pattern of one policy revision, compiled once and shared by all its hooks."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable
from typing import Final

from interlock.hooks import Pattern
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.forms import FormPatterns
from interlock.patterns.glob import as_written, command_denial_expression, glob_expression
from interlock.patterns.glob_set import GlobSet
from interlock.patterns.path_glob import path_as_written, path_denial_expression
from interlock.patterns.unread import UNREAD, UnreadPatterns
from interlock.standard_tools import STANDARD_TOOLS
from interlock.tool import SubjectKind, ToolTable


class ToolPatterns:
    """The patterns that speak of one tool, as sets that are compiled when first asked."""

    def __init__(self, patterns: Iterable[Pattern], kind: SubjectKind, home: str) -> None:
        globs = [pattern for pattern in patterns if pattern.glob is not None]
        self.whole: Final = frozenset(p.text for p in patterns if p.glob is None)
        self.fields: Final = tuple(dict.fromkeys(p.field for p in globs if p.field is not None))
        self._by_field: Final = {
            field: [p for p in globs if p.field == field] for field in (None, *self.fields)
        }
        self._main: Final = {p.text: p.glob or "" for p in self._by_field[None]}
        self.forms: Final = FormPatterns(self._main) if kind is SubjectKind.SHELL and self._main else None
        self._kind: Final = kind
        self._is_text: Final = kind is SubjectKind.TEXT
        self._home: Final = home
        self._sets: Final[dict[str | None, GlobSet]] = {}
        self._written: Final[dict[str, Callable[[str], bool]]] = {}

    def speaks_of(self, field: str | None) -> bool:
        """Whether any glob is about this field."""
        return bool(self._by_field[field])

    def globs(self, field: str | None) -> GlobSet:
        """The globs about a field, as denies read them: an allow never matches more."""
        found = self._sets.get(field)
        if found is None:
            main = {pattern.text: pattern.glob or "" for pattern in self._by_field[field]}
            translate = self._denied if field is None else glob_expression
            # Two events compiling the same set at once is harmless.
            found = self._sets[field] = GlobSet((text, translate(glob)) for text, glob in main.items())
        return found

    def _denied(self, glob: str) -> str:
        if self._kind is SubjectKind.SHELL:
            return command_denial_expression(glob)
        return (
            path_denial_expression(glob, self._home)
            if self._kind is SubjectKind.PATH
            else glob_expression(glob)
        )

    def allows(self, pattern: str, text: str) -> bool:
        """Whether a hit of the main field also holds for the pattern as it is written."""
        if self._is_text:
            return True
        written = self._written.get(pattern)
        if written is None:
            glob = self._main[pattern]
            is_shell = self._kind is SubjectKind.SHELL
            written = as_written(glob) if is_shell else path_as_written(glob, self._home)
            self._written[pattern] = written
        return written(text)


class PatternBook:
    """Where a call finds the patterns that speak of its tool."""

    def __init__(
        self, patterns: Iterable[Pattern], tools: ToolTable = STANDARD_TOOLS, *, home: str | None = None
    ) -> None:
        self.tools: Final = tools
        self.patterns: Final = tuple(patterns)
        home = os.path.expanduser("~") if home is None else home  # noqa: PTH111 - Path fails without a home
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
        self._tools: Final = {
            tool: ToolPatterns(found, _kind(tool, tools), home) for tool, found in by_tool.items()
        }

    def about(self, tool: str) -> ToolPatterns | None:
        """The patterns for a tool under any of its names; None when nothing speaks of it."""
        return self._tools.get(self.tools.canonical(tool))


def _kind(tool: str, tools: ToolTable) -> SubjectKind:
    spec = tools.spec(tool)
    return SubjectKind.TEXT if spec is None else spec.kind
