"""What is known at one place of a text: the folder, the variables, the functions."""

from __future__ import annotations

import os
import os.path
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from interlock.reading.shell.feed import Feed
from interlock.reading.shell.syntax import Node

_MAX_FOLDERS: Final = 6
_MAX_VALUE: Final = 4_096  # a longer value is not followed: values can be doubled again and again
# A name that is only used keeps its `$` or `{`, and so is no name that is set.
_NAMES: Final = re.compile(r"[${\w]\w*+", re.ASCII)
_MOVING: Final = ("cd", "pushd", "popd", "chdir")
_MOVES: Final = re.compile(r"\b(?:cd|pushd|popd|chdir)\b")


class Made(NamedTuple):
    """A file that the text itself makes before it may run it."""

    content: Feed | None = None  # what was written into it
    name: str | None = None  # the program it is a copy of or a link to


class Scope:
    """The state of one shell process; a subshell works on a copy."""

    __slots__ = (
        "_home", "arrays", "files", "folders", "frozen", "functions", "linked", "lost", "parameters",
        "shadowed", "variables",
    )  # fmt: skip

    def __init__(self, folders: tuple[str, ...], home: str | None) -> None:
        self.folders = folders  # where it may be, likeliest first; empty when that is not known
        self._home = home  # None: that of whoever runs us, looked up when somebody asks
        self.variables: dict[str, str | None] = {}  # set in this text; None when the value is not known
        self.arrays: dict[str, tuple[str, ...]] = {}  # set in this text, every element known
        self.frozen: set[str] = set()  # readonly or with attributes: later values are not known
        self.functions: dict[str, tuple[str, Node]] = {}  # with the text they stand in
        self.shadowed: set[str] = set()  # names that aliases and the like give another meaning
        self.parameters: tuple[str | None, ...] | None = None  # of a function or `sh -c … a b`
        self.lost = False  # foreign code ran in this shell: nothing is known any more
        self.linked = False  # links were made: a folder may be another one
        self.files: dict[str, Made] = {}  # what this text has put where; one disk for all processes

    def copy(self) -> Scope:
        """The same state for a process of its own."""
        other = Scope(self.folders, self._home)
        other.variables = dict(self.variables)
        other.arrays = dict(self.arrays)
        other.frozen = set(self.frozen)
        other.functions = dict(self.functions)
        other.shadowed = set(self.shadowed)
        other.parameters, other.lost, other.linked = self.parameters, self.lost, self.linked
        other.files = self.files
        return other

    @property
    def home(self) -> str:
        """The home that `~` and `$HOME` stand for."""
        if self._home is None:
            # Not kept longer than the text: the variable may change.
            self._home = os.environ.get("HOME") or os.path.expanduser("~")
        return self._home

    @property
    def folder(self) -> str | None:
        """The one folder it must be in."""
        return self.folders[0] if len(self.folders) == 1 else None

    def made(self, path: str) -> Made | None:
        """What this text itself put at a path."""
        if not self.files:
            return None
        return next((made for place in self.places(path) if (made := self.files.get(place))), None)

    def make(self, path: str, made: Made) -> None:
        """Remember what this text puts at a path."""
        for place in self.places(path):
            self.files[place] = made

    def places(self, path: str) -> tuple[str, ...]:
        """Where a path leads from every folder it may be meant from."""
        return tuple(os.path.normpath(os.path.join(folder, path)) for folder in self.folders or ("",))

    def value(self, name: str) -> str | None:
        """The value of a variable, if this text or the system settles it."""
        if self.lost:
            return None
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return self.home or None
        if name == "PWD":
            return self.folders[0] if len(self.folders) == 1 else None
        if name.isdigit() and self.parameters is not None:
            index = int(name)
            return self.parameters[index] if index < len(self.parameters) else ""
        # Blanks of every kind split alike; one of them stands for the default.
        return " \t\n" if name == "IFS" else None

    def all_parameters(self) -> tuple[str, ...] | None:
        """`$@`, when every one of them is known."""
        if self.lost or self.parameters is None:
            return None
        known = tuple(value for value in self.parameters[1:] if value is not None)
        return known if len(known) == len(self.parameters[1:]) else None

    def array(self, name: str) -> tuple[str, ...] | None:
        """The elements of an array, when they are known."""
        return None if self.lost else self.arrays.get(name)

    def assign(self, name: str, value: str | None) -> None:
        """A variable gets a value; None when it is not known."""
        self.arrays.pop(name, None)
        if name in self.frozen or self.lost or (value is not None and len(value) > _MAX_VALUE):
            value = None
        self.variables[name] = value

    def forget(self, names: Iterable[str]) -> None:
        """These have values that depend on what happens."""
        for name in names:
            self.variables[name] = None
            self.arrays.pop(name, None)

    def forget_any(self, names: frozenset[str]) -> None:
        """Whatever a stretch that may run any number of times could set is not known before or after it."""
        if self.variables or self.arrays:
            self.forget(names.intersection((*self.variables, *self.arrays)))

    def enter(self, folder: str | None) -> None:
        """Go to a folder; None when it is not known which."""
        if folder is None or self.linked or "CDPATH" in self.variables:
            self.folders = ()
        elif os.path.isabs(folder):
            self.folders = (os.path.normpath(folder),)
        else:
            self.folders = tuple(
                dict.fromkeys(os.path.normpath(os.path.join(f, folder)) for f in self.folders)
            )

    def perhaps(self, before: tuple[str, ...]) -> None:
        """The last step may have failed, or not have happened: both folders count."""
        if not self.folders or not before:
            self.folders = ()
            return
        both = tuple(dict.fromkeys((*self.folders, *before)))
        self.folders = both if len(both) <= _MAX_FOLDERS else ()


def names_in(text: str) -> frozenset[str]:
    """Every name in a stretch that it could set."""
    return frozenset(_NAMES.findall(text))


def moves_in(text: str) -> bool:
    """Whether a stretch may go to another folder."""
    # Each is looked for first: the expression that tells words apart is much slower.
    return any(name in text for name in _MOVING) and _MOVES.search(text) is not None
