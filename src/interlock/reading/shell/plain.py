"""Texts and commands of the plainest kind, which most are: words joined by `&&`, a program that only acts."""

from __future__ import annotations

from functools import cache
from typing import Final

from interlock.reading.command import Command
from interlock.reading.effect import Effect, EffectKind
from interlock.reading.programs.arguments import Arguments, sort_arguments
from interlock.reading.programs.git_shown import shown_by_git
from interlock.reading.programs.lookup import every_name
from interlock.reading.programs.program import Program
from interlock.reading.shell.call import MEANING_MORE, WRAPPING
from interlock.reading.shell.consequences import note_consequences, note_downloads
from interlock.reading.shell.easy import easy_words
from interlock.reading.shell.feed import COPYING, Feed, FeedKind
from interlock.reading.shell.findings import Findings
from interlock.reading.shell.handed import hands_on
from interlock.reading.shell.run import FEW
from interlock.reading.shell.scope import Scope
from interlock.reading.shell.signs import BEGINNING, PLAIN
from interlock.reading.shell.syntax import Chain, Node, Simple
from interlock.reading.word import Word

# Names of the module are found sooner than members of a class.
_RUN, _READ, _OPEN = EffectKind.RUN, EffectKind.READ, FeedKind.OPEN
_AND: Final = "&&"


def plain_chain(text: str) -> Node | None:
    """The commands of a text that is nothing but plain ones, each run if the one before it succeeds."""
    first: Simple | None = None
    rest: list[tuple[str, Node]] = []
    position, length = 0, len(text)
    while len(rest) < FEW:
        found = BEGINNING.match(text, position)
        if found is None or found.lastindex != PLAIN:
            return None
        plain = found[PLAIN]
        words = easy_words(plain)
        if not words:
            return None
        start, position = found.span(PLAIN)
        command = Simple(start, start + len(plain.rstrip()), (), tuple(map(Word, words)))
        if first is None:
            first = command
        else:
            rest.append((_AND, command))
        if position == length:
            return Chain(first, tuple(rest)) if rest else first
        if text[position : position + 2] != _AND:
            return None
        position += 2
    return None


def run_plain(node: Simple, text: str, scope: Scope, via: tuple[str, ...], found: Findings) -> Feed | None:
    """Note a plain command, as `run` would; None, and nothing noted, where it takes a closer look."""
    words = node.plain
    if words is None or scope.functions or scope.shadowed or len(found.commands) >= FEW:
        return None
    name = words[0].text
    written = text[node.start : node.end]
    if name not in _acting_only() or "\\\n" in written:
        return None
    arguments = sort_arguments(words)
    entry = arguments.program
    if entry is None or not _only_acts(arguments, entry):
        found.keep_sorted(words, arguments)
        return None
    folders = scope.folders
    cwd = folders[0] if len(folders) == 1 else None
    found.command(Command(words, written, written, written, (), arguments, (), cwd, via))
    found.effects.append(Effect(_RUN, name, None, True, written))
    network = False
    if arguments.operands or entry.does or entry.start:
        network = note_consequences(arguments.operands, (), entry, scope, found, by=written)
    if network:
        note_downloads(arguments, scope, written)
    if name == "git":
        for path in shown_by_git(arguments):
            found.path(_READ, path, scope, written)
    return Feed(_OPEN, written, entry.decodes, network)


def _only_acts(arguments: Arguments, entry: Program) -> bool:
    """Whether no word has a meaning beyond that of the operands."""
    if entry.transparent or entry.shell or entry.interpreter or arguments.commands:
        return False
    for flag in arguments.flags:
        if flag.option is None or not flag.option.idle:
            return False
    return not entry.hands_on or not hands_on(arguments)


@cache
def _acting_only() -> frozenset[str]:
    """The names of programs that neither run others in their place nor change what this shell means."""
    plain = {name for name in every_name() if name.isascii() and not {"/", ".", " "} & set(name)}
    return frozenset(plain - MEANING_MORE - WRAPPING - COPYING - {"xargs"})
