"""The files that `find` may find, by what it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice, product
from os.path import basename
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.paths.components import ANY_DEPTH
from interlock.effects.programs.argument import Flag
from interlock.effects.programs.arguments import Arguments, sort_arguments
from interlock.effects.shell.signs import read_easy

_MOST: Final = 32  # folders and names that are put together
_NAMING: Final = frozenset({"-name", "-iname", "-path", "-ipath"})
_NOT: Final = frozenset({"!", "-not"})
_DEPTH: Final = {"(": 1, ")": -1}
OR: Final = frozenset({"-o", "-or", ","})
ACTING: Final = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
_EVERY: Final = "*"
_WHOLE_DISK: Final = frozenset({"locate", "mlocate", "plocate"})
_BY_PATTERN: Final = _WHOLE_DISK | {"fd", "fdfind"}
# How a command begins that prints what it finds.
FINDING: Final = tuple(f"{name}{blank}" for name in sorted({"find"} | _BY_PATTERN) for blank in " \t")
_PLAIN: Final = re.compile(r"[\w.-]+")
_WILD: Final = frozenset("*?[")


def saying_what(flags: Sequence[Flag]) -> list[Flag]:
    """The tests of `find` without those that only leave files out: `-path ./a -prune -o`, `! -name x`."""
    left = list(flags[_behind_pruned(flags) :])
    found: list[Flag] = []
    while left:
        flag = left.pop(0)
        if flag.name in _NOT:
            _drop_test(left)
        else:
            found.append(flag)
    return found


def _behind_pruned(flags: Sequence[Flag]) -> int:
    """Where the tests start that are about what is not left out; nothing may be done before."""
    depth = start = 0
    for at, flag in enumerate(flags):
        depth += _DEPTH.get(flag.name, 0)
        if flag.name in ACTING:
            break
        if not depth and flag.name == "-prune" and flags[at + 1 : at + 2] and flags[at + 1].name in OR:
            start = at + 2
    return start


def _drop_test(left: list[Flag]) -> None:
    """Take one test off the front, or all that stands in brackets there."""
    depth = 0
    while left:
        name = left.pop(0).name
        depth += _DEPTH.get(name, 0)
        if not depth and name not in _NOT:
            return


def paths_of(arguments: Arguments) -> Iterator[Word]:
    """What `find` may find, for each folder and name it is told, there and below; nobody knows of others."""
    operands = [operand.word for operand in arguments.operands]
    if arguments.name == "find":
        told = saying_what(arguments.flags)
        values = [flag.value for flag in told if flag.name in _NAMING and flag.value is not None]
        names = [value.text.rpartition("/")[2] for value in values] or [_EVERY]
        folders = operands or [Word(".")]
    elif arguments.name in _BY_PATTERN and operands and (name := _name_of_pattern(operands[0].text)):
        names = [name]
        folders = [Word("/")] if arguments.name in _WHOLE_DISK else operands[1:] or [Word(".")]
    else:
        yield Word("", fixed=False)
        return
    for folder, name in product(folders, names):
        own = basename(folder.text)
        if own.strip(".") and fnmatchcase(own, name):  # it may be a file itself
            yield folder
        fixed = folder.fixed and _WILD.isdisjoint(name)
        start = folder.text.rstrip("/")
        yield Word(f"{start}/{name}", fixed)
        yield Word(f"{start}/{ANY_DEPTH}/{name}", fixed=False, splits=True)


def _name_of_pattern(pattern: str) -> str:
    """The name that an expression is about; nothing where it is about more than one."""
    name = pattern.removeprefix("^").removesuffix("$").replace("\\.", ".").rpartition("/")[2]
    return name if _PLAIN.fullmatch(name) and name.strip(".") else ""


def paths_printed(substitution: str) -> Iterator[Word]:
    """The same of `$(find …)`, or of `` `find …` ``."""
    command = substitution.strip("`").removeprefix("$(").removesuffix(")")
    words = [word for word in read_easy(command.partition("|")[0])[0] if ">" not in word.text]
    return islice(paths_of(sort_arguments(words)), _MOST)
