"""Files of instructions found on the way from a touched file up to the project's root."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, Literal

import msgspec

FOLDER: Final = ".directives"
CORE: Final = ("AGENTS.md", "INVARIANTS.md", "ARCHITECTURE.md", "COMMANDS.md")
SKILL: Final = ("TESTING.md", "PITFALLS.md", "CONTRIBUTING.md", "TEMPLATE.md", "CHECKLIST.md")
_TOUCHING: Final = ("file_path", "notebook_path", "path")  # members of a tool's input that name a file
_MOST_FOLDERS: Final = 64  # on the way up
_MOST_COMMANDS: Final = 200
_FULL: Final = 10_000  # names of a folder that is looked through


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """A file of instructions."""

    path: str  # real
    kind: Literal[
        "soft", "hard"
    ]  # hard: it holds for everyone who works here; soft: for one skill or command
    source: str  # the folder it speaks about


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, and where it was looked for."""

    directives: tuple[Directive, ...] = ()
    directories: tuple[str, ...] = ()  # need not be looked at again


def touched_folders(tool_input: Mapping[str, Any], cwd: str) -> tuple[str, ...]:
    """The folders a call is about: that of the file it names, or the folder itself."""
    named = [tool_input.get(name) for name in _TOUCHING]
    paths = [
        os.path.realpath(PurePath(cwd, path)) for path in named if isinstance(path, str) and _usable(path)
    ]
    folders = (path if os.path.isdir(path) else str(PurePath(path).parent) for path in paths)  # noqa: PTH112 texts in, texts out
    return tuple(dict.fromkeys(folders))


def discover(
    folders: Iterable[str],
    *,
    root: str,
    skill_names: Collection[str] | None = None,
    seen: Collection[str] = (),
    walk_up: bool = True,
) -> Discovery:
    """Every directive of some folders and of those above them, each file once; nothing outside the root.

    `skill_names` says which of the files for skills count; all do where no skill says so. Folders in `seen`
    were looked at before.
    """
    base = PurePath(os.path.realpath(root))
    wanted = (*CORE, *(name for name in SKILL if skill_names is None or name in skill_names))
    directories: dict[str, None] = {}
    for folder in folders:
        for step in _way_up(folder, base) if walk_up else (folder,):
            real = os.path.realpath(step)
            if real not in seen and PurePath(real).is_relative_to(base):
                directories[real] = None
    found: dict[str, Directive] = {}
    for directory in directories:
        for path, kind in _files(directory, wanted):
            found.setdefault(path, Directive(path=path, kind=kind, source=directory))
    return Discovery(directives=tuple(found.values()), directories=tuple(directories))


def _way_up(folder: str, base: PurePath) -> Iterator[str]:
    here = PurePath(os.path.realpath(folder))
    for _ in range(_MOST_FOLDERS):
        if not here.is_relative_to(base):
            return
        yield str(here)
        if here == base:
            return
        here = here.parent


def _files(directory: str, wanted: Iterable[str]) -> Iterator[tuple[str, Literal["soft", "hard"]]]:
    """The folder of directives stands before the directory itself; one name counts once."""
    for name in wanted:
        for path in (f"{directory}/{FOLDER}/{name}", f"{directory}/{name}"):
            real = _text(path)
            if real is not None:
                yield real, "hard" if name in CORE else "soft"
                break
    for path in _commands(f"{directory}/{FOLDER}/commands"):
        real = _text(path)
        if real is not None:
            yield real, "soft"


def _commands(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for _, entry in zip(range(_FULL), entries, strict=False)]
    except OSError:
        return []
    commands = sorted(name for name in names if name.startswith("CMD_") and name.endswith(".md"))
    return [f"{folder}/{name}" for name in commands[:_MOST_COMMANDS]]


def _text(path: str) -> str | None:
    """Where it really lies; a link to something else than a text is no directive but a trap."""
    if not os.path.isfile(path):  # noqa: PTH113 texts in, texts out
        return None
    real = os.path.realpath(path)
    return real if real.endswith(".md") else None


def _usable(path: str) -> bool:
    return bool(path) and "\0" not in path
