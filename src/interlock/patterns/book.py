"""Every pattern of one policy revision, compiled once and shared by all its hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from interlock.hooks import Pattern
from interlock.patterns.glob import as_written, command_denial_expression, glob_expression
from interlock.patterns.glob_set import GlobSet
from interlock.standard_tools import STANDARD_TOOLS
from interlock.tool import SubjectKind, ToolTable


class ToolPatterns:
    """The patterns that speak of one tool, as sets that are compiled when first asked."""

    def __init__(self, patterns: Iterable[Pattern], *, shell: bool) -> None:
        globs = [pattern for pattern in patterns if pattern.glob is not None]
        self.whole: Final = frozenset(p.text for p in patterns if p.glob is None)
        self.fields: Final = tuple(dict.fromkeys(p.field for p in globs if p.field is not None))
        self._by_field: Final = {
            field: [p for p in globs if p.field == field] for field in (None, *self.fields)
        }
        self._main: Final = {p.text: p.glob or "" for p in self._by_field[None]}
        self._shell: Final = shell
        self._sets: Final[dict[str | None, GlobSet]] = {}
        self._written: Final[dict[str, Callable[[str], bool]]] = {}

    def speaks_of(self, field: str | None) -> bool:
        """Whether any glob is about this field."""
        return bool(self._by_field[field])

    def globs(self, field: str | None) -> GlobSet:
        """The globs about a field, as denies read them: an allow never matches more."""
        found = self._sets.get(field)
        if found is None:
            translate = command_denial_expression if self._shell and field is None else glob_expression
            # Two events compiling the same set at once is harmless.
            found = self._sets[field] = GlobSet(_expressions(self._by_field[field], translate))
        return found

    def allows(self, pattern: str, text: str) -> bool:
        """Whether a hit of the main field also holds for the pattern as it is written."""
        if not self._shell:
            return True
        written = self._written.get(pattern)
        if written is None:
            written = self._written[pattern] = as_written(self._main[pattern])
        return written(text)


def _expressions(patterns: list[Pattern], translate: Callable[[str], str]) -> Iterable[tuple[str, str]]:
    distinct = {pattern.text: pattern.glob or "" for pattern in patterns}
    return ((text, translate(glob)) for text, glob in distinct.items())


class PatternBook:
    """Where a call finds the patterns that speak of its tool."""

    def __init__(self, patterns: Iterable[Pattern], tools: ToolTable = STANDARD_TOOLS) -> None:
        self.tools: Final = tools
        by_tool: dict[str, list[Pattern]] = {}
        for pattern in patterns:
            by_tool.setdefault(pattern.tool, []).append(pattern)
        self._tools: Final = {
            tool: ToolPatterns(found, shell=_is_shell(tool, tools)) for tool, found in by_tool.items()
        }

    def about(self, tool: str) -> ToolPatterns | None:
        """The patterns for a tool under any of its names; None when nothing speaks of it."""
        return self._tools.get(self.tools.canonical(tool))


def _is_shell(tool: str, tools: ToolTable) -> bool:
    spec = tools.spec(tool)
    return spec is not None and spec.kind is SubjectKind.SHELL
