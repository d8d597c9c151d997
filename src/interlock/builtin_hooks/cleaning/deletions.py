"""What the commands of a call would delete or empty: `rm`, `find … -delete`, `: > "$f"` in a loop."""

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
from interlock.effects.shell.findings import ACTING, OR, select_tests

UNKNOWN: Final = "…"  # in place of a command that is not known


class NameList(msgspec.Struct, frozen=True, gc=False):
    """A word with one substitution in it."""

    before: str
    run: str  # the command that prints the names
    after: str
    written: str  # the substitution


def parse_name_list(text: str) -> NameList | None:
    """A word split at its substitution, or None if it has none."""
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
# `rmdir` only deletes empty folders, and `trash` can be undone.
_ALWAYS_DEEP: Final = frozenset({"wipe", "rimraf", "del-cli"})
_REMOVING: Final = frozenset({"rm", "unlink", "srm", "shred", _FIND}) | _ALWAYS_DEEP
# To empty one file is a change like any other; to empty all files of a list deletes them.
_EMPTYING: Final = frozenset({"truncate", "tee", "cp", "dd"})
_COPYING: Final = frozenset({"cp", "dd"})
_EMPTY_SOURCES: Final = frozenset({"/dev/null", "if=/dev/null"})
_PRINTING: Final = frozenset({"echo", "printf"})
_PRINTING_NOTHING: Final = frozenset({"", "-n"})
_WITHOUT_OUTPUT: Final = frozenset({"", ":", "true", "truncate"})
_DELETED: Final = frozenset({Role.DELETE})
_OPERANDS: Final = frozenset({Role.TEXT})  # of a program that is not in the table of programs
_NAMES: Final = frozenset({"-name", "-iname"})
_PATHS: Final = frozenset({"-path", "-ipath"})
_RESULT: Final = "{}"
_XARGS_MARK: Final = re.compile(r"[%@+_^a-z]|[A-Z]+")  # what `xargs -I` replaces by each result
_WHOLE: Final = re.compile(r"\^([\w-][\w.-]*)\$")
_ANY: Final = frozenset({"", ".", ".*"})
_FD: Final = frozenset({"fd", "fdfind"})
_WILD: Final = re.compile(r"[*?\[]")


class Deletion(msgspec.Struct, frozen=True, gc=False):
    """One path that would be deleted."""

    target: str  # as written; empty if it is only known when the command runs
    base: str | None  # the folder that a relative path starts from; None if it is not known
    known: bool
    deep: bool  # with all that lies below it
    by: str  # the command, as written
    names: tuple[str, ...] = ()  # of `find`: only files with these names, anywhere below the target


def find_deletions(commands: Sequence[Command]) -> list[Deletion]:
    """Everything that the commands of one text would delete."""
    deletions: list[Deletion] = []
    for at, command in enumerate(commands):
        name = program_key(command.words[0].text) if command.words else ""
        if command.in_turn:
            continue
        if name in _REMOVING:
            deletions += _find_deleted(command, commands[:at], commands)
        elif name in _EMPTYING or (command.writes and ">>" not in command.written):
            deletions += _find_emptied(name, command, commands[:at])
    return deletions


def _find_deleted(
    command: Command, before: Sequence[Command], all_of: Sequence[Command]
) -> Iterator[Deletion]:
    arguments = sort_arguments(command.words)
    if arguments.name == _FIND:
        if _has_flag(arguments, "-delete"):
            yield from _list_find_results(command, arguments)
        return
    deep = _has_flag(arguments, "-r") or arguments.name in _ALWAYS_DEEP
    roles = _OPERANDS if arguments.program is None else _DELETED
    targets = [operand.word for operand in arguments.operands if operand.role in roles]
    named = [word for word in targets if word.text != _RESULT]
    for word in named:
        if command.more and not word.fixed and (glob := _glob_of_results(word.text)):
            yield Deletion(glob, command.cwd, False, True, command.written)
            continue
        known = word.fixed and roles is _DELETED  # the others expand globs themselves
        if not word.fixed and (listed := parse_name_list(word.text)) is not None:
            yield from _expand_list(listed, command, before, deep=deep)
        else:
            yield Deletion(word.text, command.cwd, known, deep, command.written)
    takes_results = len(named) < len(targets) or (
        (command.more or (command.via and command.via[-1] in _FD)) and not targets
    )
    if takes_results and not (command.more and _is_spelled_out(command, all_of)):
        yield from _list_piped_results(command, before, deep=deep)


def _glob_of_results(text: str) -> str:
    """All that `src/{}` may stand for: `src/*`; empty if there is more text around it."""
    folder, slash, name = text.rpartition("/")
    is_mark = name == _RESULT or (_RESULT not in text and _XARGS_MARK.fullmatch(name))
    return f"{folder}/*" if slash and is_mark else ""


def _find_emptied(name: str, command: Command, before: Sequence[Command]) -> Iterator[Deletion]:
    """The files of a list or a glob that are overwritten."""
    texts = [effect.target for effect in command.writes if not effect.known]
    given = frozenset(word.text for word in command.words[1:])
    writes_nothing = name in _WITHOUT_OUTPUT or not given.isdisjoint(_EMPTY_SOURCES)
    writes_nothing = writes_nothing or (
        name in _PRINTING and given != frozenset() and given <= _PRINTING_NOTHING
    )
    is_emptying = name in _EMPTYING and (name not in _COPYING or writes_nothing)
    if is_emptying and (command.more or any(_RESULT in text for text in given)):
        yield from _list_piped_results(command, before, deep=False)
    if is_emptying:
        texts += [word.text for word in command.words[1:] if not word.fixed]
    for text in dict.fromkeys(texts):
        listed = parse_name_list(text)
        if listed is not None and not listed.after and listed.run not in command.written:
            yield from _expand_list(listed, command, before, deep=False)
        elif listed is None and writes_nothing and _RESULT not in text:
            yield Deletion(text, command.cwd, False, bool(_WILD.search(text)), command.written)


def _expand_list(
    listed: NameList, command: Command, before: Sequence[Command], *, deep: bool
) -> Iterator[Deletion]:
    """What a list of names stands for: what `find` finds, what `ls` shows, or something unknown."""
    path = f"{listed.before}{listed.written}{listed.after}"
    if listed.run in command.written and (listed.before or listed.after):
        yield Deletion(path, command.cwd, False, deep, command.written)
        return
    if _is_ls_result(listed, before):
        yield Deletion(f"{listed.before}*{listed.after}", command.cwd, False, deep, command.written)
        return
    if listed.after:  # a name made of it: `rm "$f.bak"`
        yield Deletion(f"{listed.before}$_{listed.after}", command.cwd, False, deep, command.written)
        return
    if listed.run == UNKNOWN and not listed.before:
        yield from _list_piped_results(command, before, deep=deep)
        return
    printing = next((other for other in reversed(before) if other.written == listed.run), None)
    name = program_key(printing.words[0].text) if printing is not None and printing.words else ""
    if printing is not None and name == _FIND and listed.before in {"", "./"}:
        for deletion in _list_find_results(printing, sort_arguments(printing.words)):
            yield msgspec.structs.replace(deletion, by=command.written)
    elif printing is not None and name == "ls":
        for glob in _list_ls_results(printing, listed.before):
            yield Deletion(glob, command.cwd, False, True, command.written)
    else:
        yield Deletion(path, command.cwd, False, deep, command.written)


def _is_ls_result(listed: NameList, before: Sequence[Command]) -> bool:
    """Whether it stands for a name that `ls` shows, between two slashes: `packages/$d/dist`."""
    if not (listed.before.endswith("/") and listed.after.startswith("/")):
        return False
    printing = next((other for other in reversed(before) if other.written == listed.run), None)
    return printing is not None and bool(printing.words) and program_key(printing.words[0].text) == "ls"


def _list_ls_results(command: Command, folder: str) -> Iterator[str]:
    """What `ls` shows: the files it is given, and the names in a folder it is given."""
    operands = [operand.word.text for operand in sort_arguments(command.words).operands]
    globs = [text for text in operands if _WILD.search(text)]
    yield from (folder + glob for glob in globs)
    if len(globs) < len(operands) or not operands:
        yield f"{folder}*"


def _is_spelled_out(command: Command, all_of: Sequence[Command]) -> bool:
    """Whether its arguments are known, so that the command is listed once more with them."""
    return any(
        other is not command
        and other.more
        and other.via == command.via
        and len(other.words) > len(command.words)
        for other in all_of
    )


def _list_piped_results(command: Command, before: Sequence[Command], *, deep: bool) -> Iterator[Deletion]:
    """What a command deletes that gets the results of a `find` before it, or of something unknown."""
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
    flags = select_tests(arguments.flags)
    is_branching = _is_branching(flags)
    if not is_branching and any(flag.name == "-empty" for flag in flags):
        return
    names = () if is_branching else _names(flags)
    for word in [operand.word for operand in arguments.operands] or [Word(".")]:
        yield Deletion(word.text, command.cwd, word.fixed, True, command.written, names)


def _list_fd_results(command: Command, arguments: Arguments) -> Iterator[Deletion]:
    """What `fd` finds by extensions, or by a pattern that is a whole name."""
    extensions = [flag.value.text for flag in arguments.flags if flag.name == "-e" and flag.value is not None]
    pattern = arguments.operands[0].word.text if arguments.operands else "."
    whole = _WHOLE.fullmatch(pattern)
    names = tuple(f"*.{extension.lstrip('.')}" for extension in extensions) or ((whole[1],) if whole else ())
    if not names and pattern not in _ANY:
        yield Deletion("", command.cwd, False, True, command.written)
        return
    for word in [operand.word for operand in arguments.operands[1:]] or [Word(".")]:
        yield Deletion(word.text, command.cwd, word.fixed, True, command.written, names)


def _names(flags: Sequence[Flag]) -> tuple[str, ...]:
    """The names in the tests of `find`: `-path '*/build/*'` is about folders called `build`."""
    named = (flag.value.text for flag in flags if flag.name in _NAMES and flag.value is not None)
    paths = (flag.value.text.split("/") for flag in flags if flag.name in _PATHS and flag.value is not None)
    last = (next((part for part in reversed(path) if part.strip("*")), "*") for path in paths)
    return tuple(named) or tuple(last)


def _is_branching(flags: Sequence[Flag]) -> bool:
    """Whether more may be deleted than the names say: an alternative outside of brackets."""
    depth = 0
    alternatives = sum(flag.name in OR for flag in flags)
    if alternatives and alternatives + 1 != len(_names(flags)):
        return True  # one of them has no name
    for flag in flags:
        depth += (flag.name == "(") - (flag.name == ")")
        if (depth == 0 and flag.name in OR) or (depth and flag.name in ACTING):
            return True
    return False


def _has_flag(arguments: Arguments, name: str) -> bool:
    return any(flag.name == name for flag in arguments.flags)


_CHECKOUT: Final = "git checkout"
# These make a branch, ask about each change, or take one side of a conflict.
_HARMLESS_FLAGS: Final = frozenset({"-b", "-B", "--orphan", "-t", "-d", "-p", "-2", "-3"})
_VARIABLE: Final = re.compile(r"[$`]")


def find_discards(commands: Sequence[Command]) -> Iterator[str]:
    """The paths whose changes `git checkout` would discard."""
    for command in commands:
        words = command.words
        if words and words[0].text.endswith("git") and any(word.text == "checkout" for word in words):
            arguments = command.arguments or sort_arguments(words)
            if arguments.name == _CHECKOUT and (path := _restored_path(arguments, command.cwd)) is not None:
                yield path


def _restored_path(arguments: Arguments, folder: str | None) -> str | None:
    """The only operand, unless it is a branch: git takes the name of a file for the file."""
    if len(arguments.operands) != 1 or any(flag.name in _HARMLESS_FLAGS for flag in arguments.flags):
        return None
    word = arguments.operands[0].word
    if _VARIABLE.search(word.text):
        return None
    if _WILD.search(word.text) or word.text.endswith("/") or word.text.startswith(":"):
        return word.text
    for flag in arguments.flags:
        if flag.name == "-C" and flag.value is not None:
            folder = str(Path(folder, flag.value.text)) if folder and flag.value.fixed else None
    exists = folder is not None and os.path.lexists(Path(folder, word.text))
    return word.text if exists else None
