"""What is known at one place in a text: the folder, the variables, the functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import reduce
from os.path import basename, dirname, expanduser, isabs, join, normpath
from typing import Final

import msgspec
from msgspec.structs import replace

from interlock.effects.effect import Word
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.names import ANY, is_list, may_be_named, names_in, spelled_out
from interlock.effects.shell.syntax import Node, TooMuchError

_MAX_FOLDERS: Final = 6
_FEW: Final = 32  # variables
_MAX_WRITES: Final = 2_000  # of files by one text
_MAX_VALUE: Final = 4_096  # a longer value is not followed: values can be doubled again and again
_SET_BY_SHELL: Final = frozenset(
    "_ LINENO RANDOM SRANDOM SECONDS BASHPID EPOCHSECONDS EPOCHREALTIME BASH_COMMAND FUNCNAME DIRSTACK"
    " HISTCMD GROUPS BASH_LINENO BASH_SOURCE BASH_SUBSHELL BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_VERSINFO"
    " PIPESTATUS UID EUID PPID SHELLOPTS BASHOPTS OPTIND OPTARG".split()
)
_NONE: Final[frozenset[str]] = frozenset()
_UNSET: Final = object()
_UNUSUAL_END: Final = frozenset({"", "/"})  # of a path that is not normalized
_WILD: Final = frozenset("*?[")
_OPEN_STARTS: Final = frozenset("$`~/")  # of a path that does not start in the current folder
_VALUES, _FUNCTIONS, _NAMES = 1, 2, 4  # what scopes may share
_EVERYTHING: Final = _VALUES | _FUNCTIONS | _NAMES
_SYSTEM: Final = frozenset({"HOME", "PWD", "IFS"})  # have values although the text has not set them


class MadeFile(msgspec.Struct, frozen=True, gc=False):
    """A file that the text itself makes before it may run it."""

    content: Feed | None = None  # what was written into it
    name: str | None = None  # the program it is a copy of or a link to
    origin: Word | None = None  # where that is, by a path from the folder
    folder: str | None = None
    link: bool = False  # whatever happens to it happens to its origin


class Scope(msgspec.Struct, gc=False):  # it refers to no other scope, so it needs no garbage collector
    """The state of one shell process; a subshell works on a copy."""

    folders: tuple[str, ...]  # where it may be, the likeliest first; empty if unknown
    given_home: str | None = None  # None: the home of this process, looked up when needed
    variables: dict[str, str | None] = {}  # set in this text; None if the value is unknown
    arrays: dict[str, tuple[Word, ...]] = {}  # set in this text; elements may be unknown
    origins: dict[str, str] = {}  # how unknown values are written, if they are written in the text
    foreign: frozenset[str] = frozenset()  # variables that contain unchanged text from another machine
    near: str = ""  # the glob for the current folder, if `cd` was given one
    lists: dict[str, str] = {}  # variables that a loop fills, with the substitution that prints their values
    printed: dict[str, str] = {}  # variables that contain the whole output of a substitution
    frozen: set[str] = set()  # readonly or with attributes: later values are unknown
    functions: dict[str, tuple[str, Node]] = {}  # with the text they stand in
    unsure: frozenset[str] = frozenset()  # functions that may be undefined; then a program of that name runs
    shadowed: set[str] = set()  # names that aliases and the like redefine
    parameters: tuple[Word, ...] | None = None  # of a function or `sh -c … a b`; they may be unknown
    lost: bool = False  # unknown code ran in this shell, so nothing is known any more
    linked: bool = False  # the text made links, so a path may lead elsewhere
    input: Feed | None = None  # the standard input that `exec` opened for this shell
    files: dict[str, MadeFile] = {}  # the files this text has made; all processes share them
    log: list[tuple[str, MadeFile | None]] = []  # every change of `files`, with the file before it
    mark: int = -1  # in a remembered state: the length of the log
    early: bool = False  # a function may have returned before its end
    own: frozenset[str] = frozenset()  # the local variables of a function
    lent: int = 0  # which dictionaries and sets are shared with a copy; they are copied before a change

    def copy(self) -> Scope:
        """Return the same state for another process."""
        self.lent = _EVERYTHING
        return replace(self)

    def remember(self) -> Scope:
        """Return a snapshot of the state, including the files."""
        self.lent = _EVERYTHING
        before = replace(self)
        before.mark = len(self.log)
        return before

    def is_as(self, before: Scope) -> bool:
        """Return whether at most the folder has changed since this snapshot."""
        return (
            self.variables is before.variables
            and self.arrays is before.arrays
            and self.functions is before.functions
            and self.shadowed is before.shadowed
            and self.parameters is before.parameters
            and self.input is before.input
            and (len(self.log) == before.mark or not self.replaced(before))
        )

    def replaced(self, before: Scope) -> dict[str, MadeFile]:
        """Return the files of a snapshot that have been replaced since."""
        since = self.log[before.mark :] if before.mark >= 0 else ()  # a plain copy shares the files
        for _, was in since:
            if was is not None:
                break
        else:
            return {}  # only new files were made
        first = dict(reversed(since))  # for a path written twice, its first state
        return {path: old for path, old in first.items() if old is not None and self.files[path] != old}

    def _own(self, which: int) -> None:
        """Copy these dictionaries and sets before changing them."""
        if which & _VALUES:
            self.variables, self.arrays = self.variables.copy(), self.arrays.copy()
            self.origins = self.origins.copy()
        if which & _FUNCTIONS:
            self.functions = self.functions.copy()
        if which & _NAMES:
            self.frozen, self.shadowed = self.frozen.copy(), self.shadowed.copy()
        self.lent &= ~which

    @property
    def home(self) -> str:
        """The home that `~` and `$HOME` stand for."""
        if self.given_home is None:
            # Remembered for this text only, since the variable may change.
            self.given_home = os.environ.get("HOME") or expanduser("~")
        return self.given_home

    @property
    def folder(self) -> str | None:
        """The current folder, if it is certain."""
        return self.folders[0] if len(self.folders) == 1 else None

    def made(self, path: str) -> MadeFile | None:
        """Return the file that this text has made at a path."""
        if not self.files:
            return None
        places = self.places(path)
        files = [made for place in places if (made := self.files.get(place)) is not None]
        files += self._alike(places[0])
        return reduce(merge_files, dict.fromkeys(files)) if files else None

    def _alike(self, path: str) -> Iterator[MadeFile]:
        """Yield files of the same name if their unknown folders may be the same."""
        name = basename(path)
        ending = f"/{name}"
        somewhere = self.linked or _is_open(path)
        for place, made in self.files.items():
            if somewhere or _is_open(place):
                open_name = "$" in place and made.content is not None
                if place.endswith(ending) or place == name or (
                    open_name and may_be_named(basename(place), name)
                ):  # fmt: skip
                    yield made
            elif made.content is not None and not _WILD.isdisjoint(place) and fnmatchcase(path, place):
                yield made

    def make(self, path: str, made: MadeFile) -> None:
        """Remember what this text puts at a path."""
        for place in self.places(path):
            self.put(place, made)

    def put(self, place: str, made: MadeFile) -> None:
        """Remember what is in one place now."""
        if len(self.log) >= _MAX_WRITES:  # copying a folder may double the files each time
            raise TooMuchError
        self.log.append((place, self.files.get(place)))
        self.files[place] = made

    def led_to(self, path: str) -> list[Word]:
        """Return where else a path leads through links that this text has made."""
        targets: list[Word] = []
        for place in self.places(path):
            above, below = place, ""
            while above:
                made = self.files.get(above)
                if made is not None and made.link and made.origin is not None:
                    text, fixed = made.origin.text, made.origin.fixed
                    # A hard link is relative to the current folder, a symbolic link to its own.
                    bases = ("",) if text[:1] in _OPEN_STARTS else (made.folder or "", dirname(above))
                    targets += [Word(_at(base, text) + below, fixed) for base in dict.fromkeys(bases)]
                above, slash, last = above.rpartition("/")
                below = f"{slash}{last}{below}"
        return targets

    def places(self, path: str) -> tuple[str, ...]:
        """Return the full path from every possible current folder."""
        if "$" in path or "`" in path:
            path = spelled_out(path, self.variables, self.origins)
        if path.startswith("//"):  # `normpath` keeps two slashes
            path = "/" + path.lstrip("/")
        folders = self.folders
        if len(folders) > 1:
            return tuple([_at(folder, path) for folder in folders])
        return (_at(folders[0] if folders else "", path),)

    def value(self, name: str) -> str | None:
        """Return the value of a variable, None if unknown."""
        if self.lost:
            return None
        if name in self.variables:
            return self.variables[name]
        return self._unset(name) if name in _SYSTEM or name.isdigit() else None

    def _unset(self, name: str) -> str | None:
        """Return the value of a variable that this text has not set."""
        if name == "HOME":
            return self.home or None
        if name == "PWD":
            return self.folder
        if name.isdigit() and self.parameters is not None:
            return self._parameter(int(name), self.parameters)
        # Blanks of every kind split alike; one of them stands for the default.
        return " \t\n" if name == "IFS" else None

    @staticmethod
    def _parameter(index: int, given: tuple[Word, ...]) -> str | None:
        """Return the value of `$1`, None if a word before it may become none or several."""
        for word in given[1 : index + 1]:
            if word.splits:
                return None
        if index >= len(given):
            return ""
        return given[index].text if given[index].fixed else None

    def all_parameters(self) -> tuple[Word, ...] | None:
        """Return the words of `$@`, None if unknown."""
        return None if self.lost or self.parameters is None else self.parameters[1:]

    def array(self, name: str) -> tuple[Word, ...] | None:
        """Return the elements of an array, None if unknown."""
        return None if self.lost else self.arrays.get(name)

    def assign(self, name: str, value: str | None) -> None:
        """Set a variable; None means that its value is unknown."""
        if name in _SET_BY_SHELL:
            value = None
        if value is not None and (name in self.frozen or self.lost or len(value) > _MAX_VALUE):
            self.forget_any(names_in(value) if name in self.frozen else _NONE)  # it may be counted
            value = None
        if self.printed and name in self.printed:
            self.printed = {other: text for other, text in self.printed.items() if other != name}
        if self.lists and value is not None:
            self.stand_for(name, None)
        if self.variables.get(name, _UNSET) == value and not (
            self.arrays or name in self.origins or name in self.foreign
        ):
            return  # unchanged, so the dictionaries can stay shared
        if self.lent & _VALUES:
            self._own(_VALUES)
        if self.arrays:
            self.arrays.pop(name, None)
        if self.origins:
            self.origins.pop(name, None)
        if name in self.foreign:
            self.foreign -= {name}
        self.variables[name] = value

    def assign_open(self, name: str, written: str, *, foreign: bool = False) -> None:
        """Set a variable to an unknown value that is written like this."""
        self.stand_for(name, None)
        whole = spelled_out(written, self.variables, self.origins) if "$" in written else ANY
        if whole == ANY:  # nothing is known about it
            self.assign(name, None)
        elif self.origins.get(name) != whole or name in self.foreign or self.arrays:
            self.assign(name, None)
            if self.lent & _VALUES:
                self._own(_VALUES)
            self.origins[name] = whole
        if foreign:
            self.foreign |= {name}
        if is_list(written):
            self.printed = {**self.printed, name: written}

    def stand_for(self, name: str, listed: str | None) -> None:
        """Note that a variable stands for each name a substitution prints; None: for one value."""
        if listed is not None:
            self.lists = {**self.lists, name: listed}
        elif name in self.lists:
            self.lists = {other: text for other, text in self.lists.items() if other != name}

    def keep_arrays(self, arrays: dict[str, tuple[Word, ...]]) -> None:
        """Set arrays."""
        if self.lent & _VALUES:
            self._own(_VALUES)
        self.arrays.update(arrays)

    def listed(self, name: str) -> str | None:
        """Return the substitution whose names a variable stands for, None if it has one value."""
        if name in self.lists:
            return self.lists[name]
        given = self.parameters
        if given is None or not name.isdigit() or int(name) >= len(given):
            return None
        word = given[int(name)]
        return word.text if not word.fixed and is_list(word.text) else None

    def input_of(self, feed: Feed) -> Feed:
        """What a command reads: what it is given, else what `exec` has opened for the whole shell."""
        return self.input if feed.kind is FeedKind.NONE and self.input is not None else feed

    def define(self, name: str, text: str, body: Node) -> None:
        """Define a function by its body and the text it is written in."""
        if self.lent & _FUNCTIONS:
            self._own(_FUNCTIONS)
        self.functions[name] = (text, body)

    def doubt(self, names: Iterable[str]) -> None:
        """Note that these functions may or may not be defined."""
        self.unsure |= self.functions.keys() & names

    def freeze(self, name: str) -> None:
        """Note that later values of a variable are unknown."""
        if self.lent & _NAMES:
            self._own(_NAMES)
        self.frozen.add(name)

    def shadow(self, names: Iterable[str]) -> None:
        """Note that these names are redefined."""
        if self.lent & _NAMES:
            self._own(_NAMES)
        self.shadowed.update(names)

    def forget(self, names: Iterable[str]) -> None:
        """Make the values of these variables unknown."""
        unknown = dict.fromkeys(names)
        known = self.arrays or (self.origins and not self.origins.keys().isdisjoint(unknown))
        if not known and unknown.items() <= self.variables.items():
            return  # they are unknown already
        if self.lent & _VALUES:
            self._own(_VALUES)
        self.variables.update(unknown)
        for name in unknown if self.arrays or self.origins else ():
            self.arrays.pop(name, None)
            self.origins.pop(name, None)

    def knows_any_in(self, text: str) -> bool:
        """Return whether a text may contain the name of a variable with a known value."""
        if self.arrays or len(self.variables) > _FEW:  # searching for many names takes too long
            return True
        known = [name for name, value in self.variables.items() if value is not None]
        return any(map(text.__contains__, known))

    def forget_any(self, names: frozenset[str]) -> None:
        """Make those of these variables unknown whose values are known."""
        variables, known = self.variables, list[str]()
        if not names.isdisjoint(variables):
            known = [name for name in names.intersection(variables) if variables[name] is not None]
        if self.arrays:
            known += names.intersection(self.arrays)
        if known:
            self.forget(known)

    def enter(self, folder: str | None) -> None:
        """Change the current folder; None means that it is unknown."""
        self.near = ""
        if "PWD" in self.variables or "OLDPWD" in self.variables:
            self.forget(("PWD", "OLDPWD"))
        if folder is None or self.linked or "CDPATH" in self.variables:
            self.folders = ()
        elif isabs(folder):  # `normpath` keeps two slashes
            self.folders = (normpath("/" + folder.lstrip("/")),)
        else:
            self.folders = tuple(dict.fromkeys([normpath(join(before, folder)) for before in self.folders]))

    def perhaps(self, before: tuple[str, ...]) -> None:
        """Keep the folders from before a step as well, since it may have failed or not happened."""
        if not self.folders or not before:
            self.folders = ()
            return
        both = tuple(dict.fromkeys((*self.folders, *before)))
        self.folders = both if len(both) <= _MAX_FOLDERS else ()


def merge_files(first: MadeFile, second: MadeFile) -> MadeFile:
    """Return a file that is one of two: its content is unknown, but may be that of either."""
    if first.content is not None and first.content.kind is FeedKind.OPEN:
        return first
    texts = [made.content.text if made.content is not None else made.name or "" for made in (first, second)]
    return MadeFile(content=Feed(FeedKind.OPEN, "\n".join(texts)))


def _at(folder: str, path: str) -> str:
    """Return a normalized path, starting from a folder."""
    whole = f"{folder}/{path}" if folder and path[:1] != "/" else path
    if "//" in whole or "/." in whole or whole[:1] == "." or whole[-1:] in _UNUSUAL_END:
        return normpath(join(folder, path))
    return whole  # already normalized, as most are


def _is_open(path: str) -> bool:
    """Return whether the folder of a file is only known at run time."""
    return path[:1] != "/" or "$" in path or "`" in path or path.startswith("/proc/")
