"""What the commands of a call would remove, and how deep: `rm`, `unlink`, `shred -u`, `find … -delete`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from interlock.reading.command import Command
from interlock.reading.programs.arguments import Arguments, sort_arguments
from interlock.reading.programs.program import Role

_FIND: Final = "find"
# `rmdir` takes empty folders only, and what `trash` takes can be had back.
_ALWAYS_WHOLE: Final = frozenset({"wipe", "rimraf", "del-cli"})
_REMOVING: Final = frozenset({"rm", "unlink", "srm", "shred", _FIND}) | _ALWAYS_WHOLE
_OF_LISTED: Final = frozenset({Role.DELETE})
_OF_UNLISTED: Final = frozenset({Role.TEXT})  # the table of programs does not know it, but we do
_NAMES: Final = frozenset({"-name", "-iname"})
_OR: Final = frozenset({"-o", "-or", ","})
_STANDS_FOR_RESULTS: Final = "{}"


class Removal(msgspec.Struct, frozen=True, gc=False):
    """One thing that would be removed."""

    target: str  # as written; empty when it arrives when the command runs
    base: str | None  # the folder a relative path starts from; None when that is not known
    known: bool
    deep: bool  # with all that lies below it
    by: str  # the command, as written
    names: tuple[str, ...] = ()  # of `find`: only what is called so, anywhere below the target


def removals(commands: Sequence[Command]) -> list[Removal]:
    """All that the commands of one text would remove."""
    found: list[Removal] = []
    for at, command in enumerate(commands):
        if command.words and _base_name(command.words[0].text) in _REMOVING:
            found += _removed(command, commands[:at], commands)
    return found


def _base_name(program: str) -> str:
    return program.rpartition("/")[2]


def _removed(command: Command, before: Sequence[Command], all_of: Sequence[Command]) -> Iterator[Removal]:
    arguments = sort_arguments(command.words)
    if arguments.name == _FIND:
        if _has(arguments, "-delete"):
            yield from _found(command, arguments)
        return
    deep = _has(arguments, "-r") or arguments.name in _ALWAYS_WHOLE
    roles = _OF_UNLISTED if arguments.program is None else _OF_LISTED
    targets = [one.word for one in arguments.operands if one.role in roles]
    named = [word for word in targets if word.text != _STANDS_FOR_RESULTS]
    for word in named:
        known = word.fixed and roles is _OF_LISTED  # the others expand globs themselves
        yield Removal(word.text, command.cwd, known, deep, command.written)
    takes_results = len(named) < len(targets) or (command.more and not targets)
    if takes_results and not (command.more and _is_spelled_out(command, all_of)):
        yield from _results(command, before, deep=deep)


def _is_spelled_out(command: Command, all_of: Sequence[Command]) -> bool:
    """Whether what arrives is known, so that the command stands there once more with its arguments."""
    return any(
        other is not command
        and other.more
        and other.via == command.via
        and len(other.words) > len(command.words)
        for other in all_of
    )


def _results(command: Command, before: Sequence[Command], *, deep: bool) -> Iterator[Removal]:
    """What a command removes that gets the results of a `find` before it, or of something unknown."""
    for other in reversed(before):
        if other.words and _base_name(other.words[0].text) == _FIND:
            yield from _found(other, sort_arguments(other.words))
            return
    yield Removal("", command.cwd, False, deep, command.written)


def _found(command: Command, arguments: Arguments) -> Iterator[Removal]:
    if _has(arguments, "-empty") and not _is_branching(arguments):
        return
    names = () if _is_branching(arguments) else _names(arguments)
    starts = [one.word for one in arguments.operands]
    for word in starts:
        yield Removal(word.text, command.cwd, word.fixed, True, command.written, names)
    if not starts:
        yield Removal(".", command.cwd, True, True, command.written, names)


def _names(arguments: Arguments) -> tuple[str, ...]:
    return tuple(
        flag.value.text for flag in arguments.flags if flag.name in _NAMES and flag.value is not None
    )


def _is_branching(arguments: Arguments) -> bool:
    """Whether more may be removed than what the names say: an alternative or a `not` outside of brackets."""
    depth = 0
    alternatives = sum(flag.name in _OR for flag in arguments.flags)
    if alternatives and alternatives + 1 != len(_names(arguments)):
        return True  # one of them names nothing
    for flag in arguments.flags:
        depth += (flag.name == "(") - (flag.name == ")")
        if flag.name in {"!", "-not"} or (depth == 0 and flag.name in _OR):
            return True
        if depth and flag.name in {"-delete", "-exec", "-execdir", "-ok", "-okdir"}:
            return True
    return False


def _has(arguments: Arguments, name: str) -> bool:
    return any(flag.name == name for flag in arguments.flags)
