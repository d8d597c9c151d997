"""What an allow list has to match: every part of a call, as it is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from interlock.effects.command import Command, Reading, has_marks
from interlock.effects.effect import Effect, EffectKind
from interlock.events.hook import Pattern, PatternList
from interlock.patterns.effects import EffectPatterns

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
