"""Files of instructions up to the project's root, and the hold on agents that leave them unread."""

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
_FULL: Final = 10_000  # names of a folder that is searched


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    path: str  # real
    kind: Literal[
        "soft", "hard"
    ]  # hard: it holds for everyone who works here; soft: for one skill or command


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    directives: tuple[Directive, ...] = ()
    directories: tuple[str, ...] = ()  # need not be looked at again


def touched_folders(tool_input: Mapping[str, Any], cwd: str) -> tuple[str, ...]:
    """The folders a call is about: that of the file it names, or the folder itself."""
    values = [tool_input.get(name) for name in _TOUCHING]
    paths = [
        os.path.realpath(PurePath(cwd, path))
        for path in values
        if isinstance(path, str) and path and "\0" not in path
    ]
    folders = (path if os.path.isdir(path) else str(PurePath(path).parent) for path in paths)
    return tuple(dict.fromkeys(folders))


def discover(
    folders: Iterable[str],
    *,
    root: str,
    skill_names: Collection[str] | None = None,
    known_folders: Collection[str] = (),
) -> Discovery:
    """Every directive of some folders and of those above them, each file once; nothing outside the root.

    `skill_names` says which of the files for skills count; all do where no skill says so. `known_folders`
    were searched before.
    """
    base = PurePath(os.path.realpath(root))
    names = (*CORE, *(name for name in SKILL if skill_names is None or name in skill_names))
    directories: dict[str, None] = {}
    for folder in folders:
        for step in _way_up(folder, base):
            real = os.path.realpath(step)
            if real not in known_folders and PurePath(real).is_relative_to(base):
                directories[real] = None
    directives: dict[str, Directive] = {}
    for directory in directories:
        for path, kind in _files(directory, names):
            directives.setdefault(path, Directive(path=path, kind=kind))
    return Discovery(directives=tuple(directives.values()), directories=tuple(directories))


def _way_up(folder: str, base: PurePath) -> Iterator[str]:
    here = PurePath(os.path.realpath(folder))
    for _ in range(_MOST_FOLDERS):
        if not here.is_relative_to(base):
            return
        yield str(here)
        if here == base:
            return
        here = here.parent


def _files(directory: str, names: Iterable[str]) -> Iterator[tuple[str, Literal["soft", "hard"]]]:
    """The folder of directives stands before the directory itself; one name counts once."""
    for name in names:
        for path in (f"{directory}/{FOLDER}/{name}", f"{directory}/{name}"):
            real = _resolve_file(path)
            if real is not None:
                yield real, "hard" if name in CORE else "soft"
                break
    for path in _commands(f"{directory}/{FOLDER}/commands"):
        real = _resolve_file(path)
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


def _resolve_file(path: str) -> str | None:
    """Where it really lies; a link to something else than a text is not a directive but a trap."""
    if not os.path.isfile(path):
        return None
    real = os.path.realpath(path)
    return real if real.endswith(".md") else None


GRACE: Final = 3  # calls that may still be made
_LISTED: Final = 10


def find_unread(directives: Iterable[str], loaded: Collection[str]) -> tuple[str, ...]:
    """The directives nobody has read yet, in the order they were found; one that is gone needs no reading."""
    return tuple(path for path in dict.fromkeys(directives) if path not in loaded and os.path.isfile(path))


def judge_reading(
    pending: Collection[str], waited: int, target: str | None, *, grace: int = GRACE
) -> tuple[int, str | None]:
    """Judge a call that reads `target`, if any: reading what is asked for is always free.

    Gives how many calls were made while something was unread, this one among them, and why it is denied.
    """
    if not pending:
        return 0, None
    if target is not None and target in pending:
        return waited, None
    if waited < grace:
        return waited + 1, None
    listing = ", ".join(f"`{path}`" for path in sorted(pending)[:_LISTED])
    return waited, f"directive-gate: read {listing} first; then repeat this call"


def read_target(tool: str, tool_input: Mapping[str, Any], cwd: str) -> str | None:
    """The file a call of the reading tool reads, by its real path."""
    path = tool_input.get("file_path")
    if tool != "Read" or not isinstance(path, str) or not path or "\0" in path:
        return None
    return os.path.realpath(PurePath(cwd, path))
