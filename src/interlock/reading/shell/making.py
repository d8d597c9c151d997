"""Files that a command makes and later ones may run: copies, links, pipes, what was put into them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from interlock.reading.programs.arguments import Arguments
from interlock.reading.programs.program import Role
from interlock.reading.shell.feed import DESCRIPTOR, STANDARD_INPUT, Feed, FeedKind
from interlock.reading.shell.scope import Made, Scope
from interlock.reading.word import Word

_COPYING_INPUT: Final = frozenset({"tee", "dd", "sponge"})
_NAMING: Final = frozenset({"cp", "mv", "ln", "link", "install"})
_PIPING: Final = frozenset({"mkfifo", "mknod"})
MAKING: Final = _COPYING_INPUT | _NAMING | _PIPING
_OPEN: Final = frozenset("$`)")  # in a name that only the run decides


def note_made(name: str, arguments: Arguments, feed: Feed, written: str, scope: Scope) -> None:
    """Remember what one of these programs puts where."""
    if name in _NAMING:
        _name(name, arguments, feed, scope)
    elif name in _COPYING_INPUT:
        _copy_input(name, arguments, feed, scope)
    else:  # what comes out of a pipe is written to it somewhere else
        for operand in arguments.operands:
            scope.make(operand.word.text, Made(content=Feed(FeedKind.OPEN, written)))


def _name(name: str, arguments: Arguments, feed: Feed, scope: Scope) -> None:
    """`cp`, `mv`, `ln` and `install` give a file another name, or put it into a folder."""
    scope.linked = scope.linked or name.endswith("ln") or name == "link"
    sources = [operand.word for operand in arguments.operands]
    targets = [flag.value for flag in arguments.flags if flag.option and flag.option.value is Role.WRITE]
    target = targets[-1] if targets else sources.pop() if len(sources) > 1 else None
    for source in sources:
        if target is not None:
            _give(source, target.text, feed, scope)


def _give(source: Word, target: str, feed: Feed, scope: Scope) -> None:
    """What is at one path is at another, too, and whatever lies below it."""
    last = source.text.rstrip("/").rpartition("/")[2]
    made = scope.made(source.text)
    if source.text in STANDARD_INPUT and feed.kind is not FeedKind.NONE:
        made = Made(content=feed)
    elif DESCRIPTOR.fullmatch(source.text):
        made = Made(content=Feed(FeedKind.OPEN, source.text))
    elif made is None:
        known = source.fixed or _OPEN.isdisjoint(last)
        made = Made(name=last) if known else Made(content=Feed(FeedKind.OPEN, source.text))
    for place in scope.places(source.text):
        for path, below in tuple(scope.files.items()):
            if path.startswith(place + "/"):
                rest = path[len(place) :]
                scope.make(target + rest, below)
                scope.make(f"{target}/{last}{rest}", below)
            elif not source.fixed and fnmatchcase(path, place):
                scope.make(f"{target}/{path.rpartition('/')[2]}", below)
    scope.make(target, made)
    scope.make(f"{target}/{last}", made)


def _copy_input(name: str, arguments: Arguments, feed: Feed, scope: Scope) -> None:
    """`tee` puts its input into files that may be run further on; `dd` also another file."""
    if name != "tee" and feed.kind is FeedKind.TEXT:
        feed = Feed(FeedKind.OPEN, feed.text)
    values = {flag.name: flag.value for flag in arguments.flags if flag.value is not None}
    if name == "dd" and "if" in values and "of" in values:
        _give(values["if"], values["of"].text, feed, scope)
        return
    for word in (*values.values(), *(operand.word for operand in arguments.operands)):
        scope.make(word.text, Made(content=feed))
