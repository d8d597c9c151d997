"""What the commands of a call would remove or empty: `rm`, `find … -delete`, `: > "$f"` in a loop."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from interlock.effects.canonical_form import program_key
from interlock.effects.command import Command
from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Arguments, Flag, Role
from interlock.effects.shell.findings import ACTING, OR, saying_what

UNKNOWN: Final = "…"  # the command, where nobody knows it


class NameList(msgspec.Struct, frozen=True, gc=False):
    """A word with one substitution in it."""

    before: str
    run: str  # the command that prints the names
    behind: str
    written: str  # the substitution


def parse_name_list(text: str) -> NameList | None:
    """A word taken apart at its substitution, or None where it has none."""
    start, opened, closed = text.find("$("), 2, ")"
    if start < 0:
        start, opened, closed = text.find("`"), 1, "`"
    end = text.rfind(closed)
    if start < 0 or end <= start:
        return None
    before, written = text[:start], text[start : end + 1]
    if "$" in before:
        return NameList(before, UNKNOWN, text[end + 1 :], written)
    return NameList(before, written[opened:-1].strip(), text[end + 1 :], written)


_FIND: Final = "find"
# `rmdir` takes empty folders only, and what `trash` takes can be had back.
_ALWAYS_WHOLE: Final = frozenset({"wipe", "rimraf", "del-cli"})
_REMOVING: Final = frozenset({"rm", "unlink", "srm", "shred", _FIND}) | _ALWAYS_WHOLE
# Of one file they are a change like any other; of all the files of a list, they leave nothing.
_EMPTYING: Final = frozenset({"truncate", "tee", "cp", "dd"})
_COPYING: Final = frozenset({"cp", "dd"})
_NOTHINGS: Final = frozenset({"/dev/null", "if=/dev/null"})
_PRINTING: Final = frozenset({"echo", "printf"})
_PRINTING_NOTHING: Final = frozenset({"", "-n"})
_WITHOUT_OUTPUT: Final = frozenset({"", ":", "true", "truncate"})
_OF_LISTED: Final = frozenset({Role.DELETE})
_OF_UNLISTED: Final = frozenset({Role.TEXT})  # the table of programs does not know it, but we do
_NAMES: Final = frozenset({"-name", "-iname"})
_PATHS: Final = frozenset({"-path", "-ipath"})
_STANDS_FOR_RESULTS: Final = "{}"
_MARK: Final = re.compile(r"[%@+_^a-z]|[A-Z]+")  # what `xargs -I` puts each result for
_WHOLE: Final = re.compile(r"\^([\w-][\w.-]*)\$")
_ANY: Final = frozenset({"", ".", ".*"})
_FD: Final = frozenset({"fd", "fdfind"})
_WILD: Final = re.compile(r"[*?\[]")


class Deletion(msgspec.Struct, frozen=True, gc=False):
    """One thing that would be removed."""

    target: str  # as written; empty when it arrives when the command runs
    base: str | None  # the folder a relative path starts from; None when that is not known
    known: bool
    deep: bool  # with all that lies below it
    by: str  # the command, as written
    names: tuple[str, ...] = ()  # of `find`: only what is called so, anywhere below the target


def find_deletions(commands: Sequence[Command]) -> list[Deletion]:
    """All that the commands of one text would remove."""
    found: list[Deletion] = []
    for at, command in enumerate(commands):
        name = program_key(command.words[0].text) if command.words else ""
        if command.in_turn:
            continue
        if name in _REMOVING:
            found += _find_deleted(command, commands[:at], commands)
        elif name in _EMPTYING or (command.writes and ">>" not in command.written):
            found += _find_emptied(name, command, commands[:at])
    return found


def _find_deleted(
    command: Command, before: Sequence[Command], all_of: Sequence[Command]
) -> Iterator[Deletion]:
    arguments = sort_arguments(command.words)
    if arguments.name == _FIND:
        if _has_flag(arguments, "-delete"):
            yield from _list_find_results(command, arguments)
        return
    deep = _has_flag(arguments, "-r") or arguments.name in _ALWAYS_WHOLE
    roles = _OF_UNLISTED if arguments.program is None else _OF_LISTED
    targets = [one.word for one in arguments.operands if one.role in roles]
    named = [word for word in targets if word.text != _STANDS_FOR_RESULTS]
    for word in named:
        if command.more and not word.fixed and (start := _of_each_result(word.text)):
            yield Deletion(start, command.cwd, False, True, command.written)
            continue
        known = word.fixed and roles is _OF_LISTED  # the others expand globs themselves
        if not word.fixed and (listed := parse_name_list(word.text)) is not None:
            yield from _expand_list(listed, command, before, deep=deep)
        else:
            yield Deletion(word.text, command.cwd, known, deep, command.written)
    takes_results = len(named) < len(targets) or (
        (command.more or (command.via and command.via[-1] in _FD)) and not targets
    )
    if takes_results and not (command.more and _is_spelled_out(command, all_of)):
        yield from _list_piped_results(command, before, deep=deep)


def _of_each_result(text: str) -> str:
    """All that `src/{}` may come to, or nothing where more is around it."""
    folder, slash, name = text.rpartition("/")
    is_mark = name == _STANDS_FOR_RESULTS or (_STANDS_FOR_RESULTS not in text and _MARK.fullmatch(name))
    return f"{folder}/*" if slash and is_mark else ""


def _find_emptied(name: str, command: Command, before: Sequence[Command]) -> Iterator[Deletion]:
    """The files of a list, or of a glob, that are written over."""
    texts = [effect.target for effect in command.writes if not effect.known]
    given = frozenset(word.text for word in command.words[1:])
    of_nothing = name in _WITHOUT_OUTPUT or not given.isdisjoint(_NOTHINGS)
    of_nothing = of_nothing or (name in _PRINTING and given != frozenset() and given <= _PRINTING_NOTHING)
    is_emptying = name in _EMPTYING and (name not in _COPYING or of_nothing)
    if is_emptying and (command.more or any(_STANDS_FOR_RESULTS in text for text in given)):
        yield from _list_piped_results(command, before, deep=False)
    if is_emptying:
        texts += [word.text for word in command.words[1:] if not word.fixed]
    for text in dict.fromkeys(texts):
        listed = parse_name_list(text)
        if listed is not None and not listed.behind and listed.run not in command.written:
            yield from _expand_list(listed, command, before, deep=False)
        elif listed is None and of_nothing and _STANDS_FOR_RESULTS not in text:
            yield Deletion(text, command.cwd, False, bool(_WILD.search(text)), command.written)


def _expand_list(
    listed: NameList, command: Command, before: Sequence[Command], *, deep: bool
) -> Iterator[Deletion]:
    """What a list of names stands for: what `find` finds, what `ls` shows, else nobody knows."""
    path = f"{listed.before}{listed.written}{listed.behind}"
    if listed.run in command.written and (listed.before or listed.behind):
        yield Deletion(path, command.cwd, False, deep, command.written)
        return
    if _is_ls_result(listed, before):
        yield Deletion(f"{listed.before}*{listed.behind}", command.cwd, False, deep, command.written)
        return
    if listed.behind:  # a name made of it: `rm "$f.bak"`
        yield Deletion(f"{listed.before}$_{listed.behind}", command.cwd, False, deep, command.written)
        return
    if listed.run == UNKNOWN and not listed.before:
        yield from _list_piped_results(command, before, deep=deep)
        return
    printing = next((other for other in reversed(before) if other.written == listed.run), None)
    name = program_key(printing.words[0].text) if printing is not None and printing.words else ""
    if printing is not None and name == _FIND and listed.before in {"", "./"}:
        for one in _list_find_results(printing, sort_arguments(printing.words)):
            yield msgspec.structs.replace(one, by=command.written)
    elif printing is not None and name == "ls":
        for shown in _list_ls_results(printing, listed.before):
            yield Deletion(shown, command.cwd, False, True, command.written)
    else:
        yield Deletion(path, command.cwd, False, deep, command.written)


def _is_ls_result(listed: NameList, before: Sequence[Command]) -> bool:
    """Whether it stands for one of the names that `ls` shows, between two slashes: `packages/$d/dist`."""
    if not (listed.before.endswith("/") and listed.behind.startswith("/")):
        return False
    printing = next((other for other in reversed(before) if other.written == listed.run), None)
    return printing is not None and bool(printing.words) and program_key(printing.words[0].text) == "ls"


def _list_ls_results(command: Command, folder: str) -> Iterator[str]:
    """What `ls` shows: the files it is given, and of a folder the names in it."""
    given = [one.word.text for one in sort_arguments(command.words).operands]
    globs = [text for text in given if _WILD.search(text)]
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


def _list_piped_results(command: Command, before: Sequence[Command], *, deep: bool) -> Iterator[Deletion]:
    """What a command removes that gets the results of a `find` before it, or of something unknown."""
    for other in reversed(before):
        name = program_key(other.words[0].text) if other.words else ""
        if name == _FIND:
            yield from _list_find_results(other, sort_arguments(other.words))
            return
        if name in _FD:
            yield from _list_fd_results(other, sort_arguments(other.words))
            return
    yield Deletion("", command.cwd, False, deep, command.written)


def _list_find_results(command: Command, arguments: Arguments) -> Iterator[Deletion]:
    told = saying_what(arguments.flags)
    is_branching = _is_branching(told)
    if not is_branching and any(flag.name == "-empty" for flag in told):
        return
    names = () if is_branching else _names(told)
    starts = [one.word for one in arguments.operands]
    for word in starts:
        yield Deletion(word.text, command.cwd, word.fixed, True, command.written, names)
    if not starts:
        yield Deletion(".", command.cwd, True, True, command.written, names)


def _list_fd_results(command: Command, arguments: Arguments) -> Iterator[Deletion]:
    """What `fd` finds, by its extensions or a pattern that is a whole name."""
    extensions = [flag.value.text for flag in arguments.flags if flag.name == "-e" and flag.value is not None]
    pattern = arguments.operands[0].word.text if arguments.operands else "."
    whole = _WHOLE.fullmatch(pattern)
    names = tuple(f"*.{one.lstrip('.')}" for one in extensions) or ((whole[1],) if whole else ())
    if not names and pattern not in _ANY:
        yield Deletion("", command.cwd, False, True, command.written)
        return
    for word in [one.word for one in arguments.operands[1:]] or [Word(".")]:
        yield Deletion(word.text, command.cwd, word.fixed, True, command.written, names)


def _names(flags: Sequence[Flag]) -> tuple[str, ...]:
    """What the tests say it is called, or lies in: `-path '*/build/*'` is about folders called `build`."""
    named = (flag.value.text for flag in flags if flag.name in _NAMES and flag.value is not None)
    paths = (flag.value.text.split("/") for flag in flags if flag.name in _PATHS and flag.value is not None)
    last = (next((one for one in reversed(path) if one.strip("*")), "*") for path in paths)
    return tuple(named) or tuple(last)


def _is_branching(flags: Sequence[Flag]) -> bool:
    """Whether more may be removed than what the names say: an alternative outside of brackets."""
    depth = 0
    alternatives = sum(flag.name in OR for flag in flags)
    if alternatives and alternatives + 1 != len(_names(flags)):
        return True  # one of them names nothing
    for flag in flags:
        depth += (flag.name == "(") - (flag.name == ")")
        if (depth == 0 and flag.name in OR) or (depth and flag.name in ACTING):
            return True
    return False


def _has_flag(arguments: Arguments, name: str) -> bool:
    return any(flag.name == name for flag in arguments.flags)


_CHECKOUT: Final = "git checkout"
# They make a branch, ask about each change, or take a side of a conflict.
_OTHERWISE: Final = frozenset({"-b", "-B", "--orphan", "-t", "-d", "-p", "-2", "-3"})
_OPEN: Final = re.compile(r"[$`]")


def find_discards(commands: Sequence[Command]) -> Iterator[tuple[str, str]]:
    """The paths whose changes are lost, each with the command that does it."""
    for command in commands:
        words = command.words
        if words and words[0].text.endswith("git") and any(one.text == "checkout" for one in words):
            arguments = command.arguments or sort_arguments(words)
            if arguments.name == _CHECKOUT and (path := _path(arguments, command.cwd)) is not None:
                yield path, command.written


def _path(arguments: Arguments, folder: str | None) -> str | None:
    """The one operand, where it is not a branch: git takes no name for one that is also a file."""
    if len(arguments.operands) != 1 or any(flag.name in _OTHERWISE for flag in arguments.flags):
        return None
    word = arguments.operands[0].word
    if _OPEN.search(word.text):
        return None
    if _WILD.search(word.text) or word.text.endswith("/") or word.text.startswith(":"):
        return word.text
    for flag in arguments.flags:
        if flag.name == "-C" and flag.value is not None:
            folder = str(Path(folder, flag.value.text)) if folder and flag.value.fixed else None
    there = folder is not None and os.path.lexists(Path(folder, word.text))
    return word.text if there else None
