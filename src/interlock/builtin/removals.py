"""What the commands of a call would remove or empty: `rm`, `find … -delete`, `: > "$f"` in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from interlock.builtin.listed import UNKNOWN, Listed, listed_names
from interlock.reading.command import Command
from interlock.reading.programs.arguments import Arguments, sort_arguments
from interlock.reading.programs.program import Role

_FIND: Final = "find"
# `rmdir` takes empty folders only, and what `trash` takes can be had back.
_ALWAYS_WHOLE: Final = frozenset({"wipe", "rimraf", "del-cli"})
_REMOVING: Final = frozenset({"rm", "unlink", "srm", "shred", _FIND}) | _ALWAYS_WHOLE
# Of one file they are a change like any other; of all the files of a list, they leave nothing.
_EMPTYING: Final = frozenset({"truncate", "tee", "cp"})
_NOTHING: Final = "/dev/null"
_OF_LISTED: Final = frozenset({Role.DELETE})
_OF_UNLISTED: Final = frozenset({Role.TEXT})  # the table of programs does not know it, but we do
_NAMES: Final = frozenset({"-name", "-iname"})
_OR: Final = frozenset({"-o", "-or", ","})
_STANDS_FOR_RESULTS: Final = "{}"
_GLOB: Final = re.compile(r"[*?\[]")


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
        name = _base_name(command.words[0].text) if command.words else ""
        if name in _REMOVING:
            found += _removed(command, commands[:at], commands)
        elif name in _EMPTYING or (command.writes and ">>" not in command.written):
            found += _emptied(name, command, commands[:at])
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
        if not word.fixed and (listed := listed_names(word.text)) is not None:
            yield from _listed(listed, command, before, deep=deep)
        else:
            yield Removal(word.text, command.cwd, known, deep, command.written)
    takes_results = len(named) < len(targets) or (command.more and not targets)
    if takes_results and not (command.more and _is_spelled_out(command, all_of)):
        yield from _results(command, before, deep=deep)


def _emptied(name: str, command: Command, before: Sequence[Command]) -> Iterator[Removal]:
    """The files of a list that are written over."""
    texts = [effect.target for effect in command.writes if not effect.known]
    if name == "truncate" and command.more:
        yield from _results(command, before, deep=False)
    if name in _EMPTYING and (name != "cp" or any(word.text == _NOTHING for word in command.words)):
        texts += [word.text for word in command.words[1:] if not word.fixed]
    for text in dict.fromkeys(texts):
        listed = listed_names(text)
        if listed is not None and not listed.behind and listed.run not in command.written:
            yield from _listed(listed, command, before, deep=False)


def _listed(listed: Listed, command: Command, before: Sequence[Command], *, deep: bool) -> Iterator[Removal]:
    """What a list of names stands for: what `find` finds, what `ls` shows, else nobody knows."""
    path = f"{listed.before}{listed.written}{listed.behind}"
    if listed.run in command.written and (listed.before or listed.behind):
        yield Removal(path, command.cwd, False, deep, command.written)
        return
    if listed.behind:  # a name made of it: `rm "$f.bak"`
        yield Removal(f"{listed.before}$_{listed.behind}", command.cwd, False, deep, command.written)
        return
    if listed.run == UNKNOWN and not listed.before:
        yield from _results(command, before, deep=deep)
        return
    printing = next((other for other in reversed(before) if other.written == listed.run), None)
    name = _base_name(printing.words[0].text) if printing is not None and printing.words else ""
    if printing is not None and name == _FIND and listed.before in {"", "./"}:
        for one in _found(printing, sort_arguments(printing.words)):
            yield msgspec.structs.replace(one, by=command.written)
    elif printing is not None and name == "ls":
        for shown in _shown(printing, listed.before):
            yield Removal(shown, command.cwd, False, True, command.written)
    else:
        yield Removal(path, command.cwd, False, deep, command.written)


def _shown(command: Command, folder: str) -> Iterator[str]:
    """What `ls` shows: the files it is given, and of a folder the names in it."""
    given = [one.word.text for one in sort_arguments(command.words).operands]
    globs = [text for text in given if _GLOB.search(text)]
    yield from (folder + text for text in globs)
    if len(globs) < len(given) or not given:
        yield f"{folder}*"


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
