"""Every pattern of one policy revision, compiled once and shared by all its hooks."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import msgspec

from interlock.effects.command import Command, Reading, has_marks
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
from interlock.patterns.matcher import UNREAD, UnreadPatterns


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


RUN: Final = EffectKind.RUN


class Part(msgspec.Struct, frozen=True):
    """One part, by the patterns that cover it: as it stands, or its redirects and the rest apart."""

    hits: AbstractSet[str]
    rest: AbstractSet[str] = frozenset()
    writes: tuple[AbstractSet[str], ...] = ()

    def covered(self, patterns: PatternList) -> Pattern | None:
        """The pattern of a list that covers it, or None."""
        found = patterns.first(self.hits)
        if found is None and self.rest and all(patterns.first(one) for one in self.writes):
            return patterns.first(self.rest)
        return found


class Surroundings(msgspec.Struct, frozen=True):
    """What is needed to ask which patterns cover a command."""

    texts: Callable[[str], AbstractSet[str]]  # the globs of the tool that cover a marked text
    effects: EffectPatterns | None
    of_runs: bool  # whether effects of running a program are among them
    cwd: str
    project: str | None


def command_part(command: Command, by: Surroundings) -> Part:
    """A simple command; what it writes by redirects may also be covered by `write(…)`."""
    # A command that gets further arguments when it runs is not the one that ends here.
    ending = " " if command.more else ""
    hits = by.texts(command.marked + ending if ending else command.marked)
    if by.of_runs:
        hits = hits | _by_run(command.marked, command, by)
    if not command.writes or by.effects is None:
        return Part(hits)
    rest: AbstractSet[str] = frozenset()
    if command.unredirected:
        rest = by.texts(command.unredirected + ending) | _by_run(command.unredirected, command, by)
    return Part(hits, rest, tuple(by.effects.allowances(one, by.cwd, by.project) for one in command.writes))


def _by_run(text: str, command: Command, by: Surroundings) -> AbstractSet[str]:
    """The patterns about running its program, which cover it if it does no more than that."""
    if by.effects is None or not by.of_runs:
        return frozenset()
    if not command.words or command.environment or has_marks(text):
        return frozenset()
    program = command.words[0]
    run = Effect(RUN, program.text, None, program.fixed)
    return by.effects.allowances(run, by.cwd, by.project)


def without_tame(reading: Reading) -> Reading:
    """What rules of packs are about: what such a command reads or writes is left, its words are not."""
    wild = [command for command in reading.commands if not command.tame]
    names = {command.written for command in reading.commands if command.tame}
    names -= {command.written for command in wild}
    texts = [text for text in reading.deny if text not in names]
    if reading.deny and texts and texts[0] == reading.deny[0]:
        texts[0] = _cut(texts[0], names)
    effects = tuple(one for one in reading.effects if one.kind is not EffectKind.RUN or one.by not in names)
    return msgspec.structs.replace(reading, deny=tuple(texts), commands=tuple(wild), effects=effects)


def _cut(text: str, names: set[str]) -> str:
    """The whole text with nothing where those commands stood."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?![\w-])", "", text)
    return text
