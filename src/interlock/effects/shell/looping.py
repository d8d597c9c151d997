"""What a loop is run for: words that are known, and globs that stand for files."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from interlock.effects.command import Command
from interlock.effects.effect import Effect, Word
from interlock.effects.shell.counting import count_words
from interlock.effects.shell.expand import Inner, expand
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.listing import array_filled, lines_of, list_in, list_read, listed_by, names_read
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import Block, Glob, Text, Tilde, Variable

_LONGEST: Final = 2_000  # characters of a loop; a longer one is read once
_MOST_VALUES: Final = 8
_BODY: Final = re.compile(r"\bdo\b")
_OPEN: Final = re.compile(r"[$`*?\[{~]")
_BESIDE_GLOB: Final = frozenset("$`<>")
_LEADING_AWAY: Final = frozenset("/~.")  # how a path begins that is not simply below the folder
# Parts that do nothing when they are expanded.
_ONLY_LOOKED_AT: Final = frozenset({Text, Glob, Variable, Tilde})


class Looped(msgspec.Struct, frozen=True, gc=False):
    """The words of one loop, as far as they say what its variable stands for."""

    name: str = ""
    values: tuple[str, ...] = ()  # for each of which the body is read
    globs: tuple[str, ...] = ()  # and others, for which the effects of the body on the variable count, too
    whole: bool = False  # there are no others than the values


NOTHING: Final = Looped()


def looped_over(
    node: Block, scope: Scope, inner: Inner, via: tuple[str, ...], text: str, feed: Feed
) -> Looped:
    """Expand the words of `for` and `case`; what a variable is set to, where a short loop uses it."""
    name = node.variable
    if not name:
        for word in node.words:
            if word.parts is not None and not _ONLY_LOOKED_AT.issuperset(map(type, word.parts)):
                expand(word, scope, inner)
        return _loop_over_read(text, feed, scope) if "read" in text else NOTHING
    words = [one for word in node.words for one in expand(word, scope, inner)]
    if not node.words:  # `for f; do …` goes over the parameters
        words = list(scope.all_parameters() or ())
    count_words(words, scope, inner.found, via, text)
    scope.stand_for(name, _list_of(words, scope, given=not node.words))
    if f"${name}" not in text and f"${{{name}" not in text:
        return NOTHING
    few = words[:_MOST_VALUES] if len(text) <= _LONGEST else []
    away = [word.text for word in few if _is_glob(word) and _leads_away(word.text)]
    values = [word.text for word in few if word.fixed]
    # Where the body is not read for each of them, what it does to its variable counts for all.
    globs = [word.text for word in words if _is_glob(word)]
    globs += [word.text for word in words[len(few) :] if word.fixed]
    body = _BODY.search(text)
    whole = len(values) == len(words) and body is not None and not _sets(text[body.end() :], name)
    return Looped(name, (*values, *away), tuple(dict.fromkeys(globs)), whole)


def _sets(body: str, name: str) -> bool:
    """Whether a body may set a variable: its name stands there without a mark before it."""
    return re.search(rf"(?<![\w${{-]){name}\b|-v{name}\b", body) is not None


def _list_of(words: list[Word], scope: Scope, *, given: bool) -> str | None:
    """What prints the words of a loop; `given`: they are the parameters."""
    if given and scope.parameters is None:
        return scope.listed("@")
    return next((listed for word in words if (listed := list_in(word, scope.printed)) is not None), None)


def _loop_over_read(text: str, feed: Feed, scope: Scope) -> Looped:
    """What the condition of a loop reads into its variables, which stand for it from here on."""
    names = names_read(text)
    if feed.kind is FeedKind.NONE and scope.input is not None:
        feed = scope.input
    listed = list_read(text, feed) if names else None
    for name in names:
        scope.stand_for(name, listed)
    lines = lines_of(feed) if len(names) == 1 and len(text) <= _LONGEST else ()
    return Looped(names[0], lines) if lines else NOTHING


def fill_array(words: tuple[Word, ...], feed: Feed, scope: Scope, found: Findings) -> None:
    """An array that a builtin fills holds the names it is given."""
    if feed.kind is FeedKind.NONE and scope.input is not None:
        feed = scope.input
    name, listed = array_filled(words), listed_by(feed)
    if name is not None and listed is not None:
        found.unsettled += 1
        scope.stand_for(name, listed)


def _leads_away(path: str) -> bool:
    """Whether a path is not simply below the folder, or hidden."""
    return path[:1] in _LEADING_AWAY or "/." in path


def _is_glob(word: Word) -> bool:
    """Whether a word is a glob and nothing else in it is open: a loop takes all it stands for."""
    return word.splits and bool(word.text) and _BESIDE_GLOB.isdisjoint(word.text)


def note_loop(looped: Looped, found: Findings, text: str, read: int | None) -> None:
    """What a body does to its variable; `read`: this many commands there were once the values were read."""
    if looped.globs:
        _note_globs(looped, found, text)
    if looped.whole and read is not None:
        commands = found.commands
        commands[read:] = [_in_turn(one, looped.name) for one in commands[read:]]


def _in_turn(command: Command, name: str) -> Command:
    """A command that was read for each value, too, where nothing else in it is open."""
    rest = [one.text.replace(f"${{{name}}}", "") for one in command.words if not one.fixed]
    if not rest or any(_OPEN.search(re.sub(rf"\${name}\b", "", one)) for one in rest):
        return command
    return msgspec.structs.replace(command, in_turn=True)


def _note_globs(looped: Looped, found: Findings, text: str) -> None:
    """What a body does to its variable it does to the files: `for f in src/*; do rm "$f"; done`."""
    found.spend(len(found.open_paths) * len(looped.globs))
    name = looped.name
    for effect in found.open_paths:
        written = effect.target
        if name in written and effect.by in text:
            for glob in looped.globs:
                target = glob if written == f"${name}" else _with(glob, written, name)
                if target != written:
                    found.effects.append(Effect(effect.kind, target, effect.base, False, effect.by))


def _with(glob: str, target: str, name: str) -> str:
    """A path with the glob in place of the variable of this name, and of no other that begins so."""
    first, *rest = target.replace(f"${{{name}}}", glob).split(f"${name}")
    for piece in rest:
        first += f"${name}{piece}" if piece[:1].isalnum() or piece[:1] == "_" else f"{glob}{piece}"
    return first
