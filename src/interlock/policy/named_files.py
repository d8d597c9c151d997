"""Which files and programs a command names, and what they are at this moment."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.policy.file_watch import note_read
from interlock.policy.locations import inside

MAX_NAMED: Final = 1_000
MAX_KEPT: Final = 256 * 1024
MAX_LOOKED_AT: Final = 64 * 1024 * 1024  # of one file, by a daemon that has others to answer
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe may have taken the file's place
UNREADABLE: Final = "unreadable"
_SEPARATORS: Final = re.compile(r"[\s;|&<>()'\"`={}$,\\]+")
_WRITTEN: Final = re.compile(r"(?:\d*|&)>{1,2}[|&]?\s*[^\s;|&<>()]+")  # `> FILE`: written, not run
_CHANGES_FOLDER: Final = frozenset({"cd", "pushd"})
_OPEN: Final = re.compile(r"[$`*?\[~]")  # the shell decides later what stands here


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """A word of a command, and the file it leads to."""

    word: str
    program: bool = False  # searched in PATH; else a path below the project
    path: str | None = None  # the real path; None: there is no such file
    digest: str | None = None  # None: outside the project, where only the path counts
    content: bytes | None = None  # kept to show later what changed; None when large or outside


def find_named(commands: Iterable[str], root: str, search: str) -> tuple[Named, ...]:
    """Everything the commands name, in the order it is written."""
    words = list(
        dict.fromkeys(word for command in commands for word in _candidates(_words(command), command))
    )
    if len(words) > MAX_NAMED:
        raise InterlockError(
            f"the commands name more than {MAX_NAMED:,} words; move them into a script of the project"
        )
    return tuple(look_again(named, root, search) for word in words for named in _roles(word))


def look_again(named: Named, root: str, search: str) -> Named:
    """The same word, with what it leads to at this moment."""
    path = _program(named.word, search) if named.program else _file(named.word, root)
    if path is None:
        return Named(word=named.word, program=named.program)
    watched = path if named.program else os.path.join(root, named.word)
    # A link of the project that leads out of it counts too.
    inner = inside(path, root) or (not named.program and inside(os.path.normpath(watched), root))
    digest, content = _read(path, watched) if inner else (None, None)
    return Named(word=named.word, program=named.program, path=path, digest=digest, content=content)


def dynamic_words(command: str) -> list[str]:
    """The words of a command whose meaning is only known when it runs."""
    return [word for word in _plain_words(command) if _OPEN.search(word)]


def absolute(search: str, root: str) -> str:
    """A PATH without relative folders and without those of the project: no repository supplies programs."""
    entries = [entry for entry in search.split(os.pathsep) if entry.startswith(os.sep)]
    return os.pathsep.join(entry for entry in entries if not inside(os.path.realpath(entry), root))


def _roles(word: str) -> Iterator[Named]:
    yield Named(word=word)
    if os.sep not in word:
        yield Named(word=word, program=True)


def _words(command: str) -> Iterator[str]:
    """Every word as the shell would see it, and every piece of it: a script may stand inside quotes."""
    text = _WRITTEN.sub(" ", command)
    for word in (*_plain_words(text), *_SEPARATORS.split(text)):
        if word and not word.startswith("-") and word not in {".", ".."}:
            yield word


def _candidates(words: Iterable[str], command: str) -> Iterator[str]:
    """The words from the project's folder, and from every folder the command may have changed to."""
    folders = _entered(command)
    for word in words:
        yield word
        yield from (os.path.join(folder, word) for folder in folders if not word.startswith(os.sep))


def _entered(command: str) -> list[str]:
    """Where `cd` leads: each folder by itself, and below those before it."""
    found: dict[str, None] = {}
    here = ""
    words = [word for word in _SEPARATORS.split(command) if word and not word.startswith("-")]
    for change, folder in pairwise(words):
        if change in _CHANGES_FOLDER:
            here = os.path.join(here, folder)
            found |= {folder: None, here: None}
    return list(found)


def _plain_words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=False)
    except ValueError:  # a quote that does not end; the shell will refuse it too
        return text.split()


def _program(word: str, search: str) -> str | None:
    found = shutil.which(word, path=search)
    return os.path.realpath(found) if found else None


def _file(word: str, root: str) -> str | None:
    try:
        path = os.path.realpath(os.path.join(root, word))
        return path if stat.S_ISREG(os.stat(path).st_mode) else None
    except (OSError, ValueError):  # too long, a NUL, or not there
        return None


def _read(path: str, watched: str) -> tuple[str, bytes | None]:
    try:
        with os.fdopen(os.open(path, _READ), "rb") as file:
            note_read(watched, file.fileno())
            content = file.read(MAX_KEPT + 1)
            if os.fstat(file.fileno()).st_size > MAX_LOOKED_AT:
                return UNREADABLE, None
            digest = hashlib.sha256(content)
            while piece := file.read(MAX_KEPT):
                digest.update(piece)
    except OSError:
        return UNREADABLE, None
    return digest.hexdigest(), content if len(content) <= MAX_KEPT else None
