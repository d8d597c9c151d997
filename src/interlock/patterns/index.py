"""The patterns of one policy revision, compiled once for all its hooks, and what they cover of a call."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import msgspec

from interlock.effects.command import Command, GapKind, Reading, has_marks
from interlock.effects.effect import Effect, EffectKind
from interlock.events.hook import Pattern, PatternList
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
from interlock.patterns.matcher import UNREAD


class ToolPatterns:
    """The patterns about one tool, as sets that are compiled on first use."""

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
        """Return the globs about a field as denies read them; allows never match more."""
        found = self._sets.get(field)
        if found is None:
            # Two events may compile the same set at once without harm.
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
        """Return the hits of the main field that also match as allows."""
        if self._is_text:
            return set(hits)
        written = self._written
        found: set[str] = set()
        for hit in hits:  # mostly one; a comprehension would cost a call
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
    """What an index knows about the tool of a call."""

    spec: ToolSpec | None
    about: ToolPatterns | None
    is_shell: bool


class PatternIndex:
    """Finds the patterns about a call's tool."""

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
        self.unread: Final = {
            kind: [one.text for one in of_gaps if one.glob in {None, kind.value}]
            for kind in GapKind
            if of_gaps
        }
        self._entries: Final[dict[str, ToolEntry]] = {}
        self._tools: Final = {
            tool: ToolPatterns(found, _kind(tool, tools), home) for tool, found in by_tool.items()
        }

    def about(self, tool: str) -> ToolPatterns | None:
        """Return the patterns for a tool under any of its names, None if there are none."""
        return self._tools.get(self.tools.canonical(tool))

    def entry(self, tool: str) -> ToolEntry:
        """Return everything known about a tool by its name."""
        found = self._entries.get(tool)
        if found is None:
            spec = self.tools.spec(tool)
            found = ToolEntry(spec, self.about(tool), spec is not None and spec.kind is SubjectKind.SHELL)
            if spec is not None:  # unlisted names could fill the memory
                self._entries[tool] = found
        return found


def _kind(tool: str, tools: ToolTable) -> SubjectKind:
    spec = tools.spec(tool)
    return SubjectKind.TEXT if spec is None else spec.kind


RUN: Final = EffectKind.RUN


class Part(msgspec.Struct, frozen=True):
    """The patterns that cover one part of a call: as a whole, or its redirects and the rest separately."""

    hits: AbstractSet[str]
    rest: AbstractSet[str] = frozenset()
    writes: tuple[AbstractSet[str], ...] = ()

    def covered(self, patterns: PatternList) -> Pattern | None:
        """Return the pattern of a list that covers it, or None."""
        found = patterns.first(self.hits)
        if found is None and self.rest and all(patterns.first(one) for one in self.writes):
            return patterns.first(self.rest)
        return found


def command_part(
    command: Command,
    covering: Callable[[str], AbstractSet[str]],
    effects: EffectPatterns | None,
    cwd: str,
    project: str | None,
) -> Part:
    """Return the part for a command; `covering` returns the tool's globs that cover a marked text."""
    # A command that gets more arguments when it runs must not match a pattern that ends here.
    ending = " " if command.more else ""
    hits = covering(command.marked + ending)
    if effects is None:
        return Part(hits)

    def by_run(text: str) -> AbstractSet[str]:
        """Return the patterns about running its program; they cover it if it does nothing else."""
        if RUN not in effects.kinds or not command.words or command.environment or has_marks(text):
            return frozenset()
        program = command.words[0]
        return effects.allowances(Effect(RUN, program.text, None, program.fixed), cwd, project)

    hits = hits | by_run(command.marked)
    if not command.writes:
        return Part(hits)
    rest: AbstractSet[str] = frozenset()
    if command.unredirected:
        rest = covering(command.unredirected + ending) | by_run(command.unredirected)
    return Part(hits, rest, tuple(effects.allowances(one, cwd, project) for one in command.writes))


def without_tame(reading: Reading) -> Reading:
    """Remove the words of tame commands, which rules of packs ignore, but not what they read or write."""
    wild = [command for command in reading.commands if not command.tame]
    names = {command.written for command in reading.commands if command.tame}
    names -= {command.written for command in wild}
    texts = [text for text in reading.deny if text not in names]
    if reading.deny and texts and texts[0] == reading.deny[0]:
        texts[0] = _cut_commands(texts[0], names)
    effects = tuple(one for one in reading.effects if one.kind is not EffectKind.RUN or one.by not in names)
    return msgspec.structs.replace(reading, deny=tuple(texts), commands=tuple(wild), effects=effects)


def _cut_commands(text: str, names: set[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?![\w-])", "", text)
    return text
