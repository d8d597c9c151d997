"""What was changed in a repository since it was last shared: secrets in it, and files outside the scope."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import re2

from interlock.builtin_hooks.git import QuietGit
from interlock.builtin_hooks.project_files import read_file
from interlock.builtin_hooks.worker_thread import in_thread
from interlock.patterns.glob import glob_expression
from interlock.redaction.finding import Finder

_SECONDS: Final = 10.0
_DIFF: Final = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=dirty",  # looking into one would read its own settings
)
_NO_COMMIT: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree without files, in every repository
_MOST_FILES: Final = 500
_MOST_BYTES: Final = 256 * 1024
_LISTED: Final = 10


class Changes:
    """Asks git about one project; where it gives no answer, nothing can be said."""

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        self._root: Final = root
        self._git: Final = QuietGit(environ, _SECONDS)
        self._base: str | None = None
        self.unsure = False  # git gave no answer to something that was asked

    async def secrets(self) -> list[str]:
        """Where something that looks like a secret was added; never the secret itself."""
        base = await self._from()
        if base is None:
            return []
        diff, new = await self._compared("-U0", base, "--"), await self._new()
        return await in_thread(self._root, lambda: _few(dict.fromkeys(self._secrets_in(diff, new))), _SECONDS)

    def _secrets_in(self, diff: bytes, new: Sequence[str]) -> Iterator[str]:
        finder = Finder()
        for name, text in chain(_added(diff), self._texts(new)):
            if kinds := sorted({span.kind for span in finder.spans(text)}):
                yield f"`{name}` adds what looks like a secret ({', '.join(kinds)})"

    async def outside(self, scope: Sequence[str]) -> list[str]:
        """The changed files no glob of the scope covers."""
        base = await self._from()
        if base is None or not scope:
            return []
        changed = _names(await self._compared("--name-only", "-z", base, "--"))
        covers = [re2.compile(f"(?s){glob_expression(glob)}") for glob in scope]
        names = dict.fromkeys((*changed, *await self._new()))
        return _few(
            f"`{name}` was changed and is out of scope ({', '.join(scope)})"
            for name in names
            if not any(one.fullmatch(name) for one in covers) and not _below(name, scope)
        )

    async def _from(self) -> str | None:
        """What is compared with: where the branch left its upstream, else the last commit."""
        if self._base is None:
            inside = await self._git.ask(self._root, "rev-parse", "--is-inside-work-tree")
            if inside is None:
                self.unsure = True
                return None
            shared = await self._git.ask(self._root, "merge-base", "HEAD", "@{upstream}")
            last = shared or await self._git.ask(self._root, "rev-parse", "--verify", "HEAD")
            self._base = last.decode().strip() if last else _NO_COMMIT
        return self._base

    async def _new(self) -> list[str]:
        """Files git does not know and does not ignore."""
        found = _names(
            self._noted(await self._git.ask(self._root, "ls-files", "-o", "--exclude-standard", "-z"))
        )
        self.unsure = self.unsure or len(found) > _MOST_FILES
        return found[:_MOST_FILES]

    def _texts(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for name in names:
            path = Path(self._root, name)
            content = None if path.is_symlink() else read_file(str(path), _MOST_BYTES)
            if content is not None:
                yield name, content

    async def _compared(self, *words: str) -> bytes:
        return self._noted(await self._git.compare(self._root, *_DIFF, *words))

    def _noted(self, found: bytes | None) -> bytes:
        """What git says; nothing where it gives no answer, which is remembered."""
        self.unsure = self.unsure or found is None
        return found or b""


def _added(diff: bytes) -> Iterator[tuple[str, bytes]]:
    """The added lines of each file in a diff."""
    name = ""
    lines: list[bytes] = []
    for line in diff.split(b"\n"):
        if line.startswith(b"+++ "):
            if lines:
                yield name, b"\n".join(lines)
            name, lines = line[4:].decode("utf-8", "replace").removeprefix("b/"), []
        elif line.startswith(b"+"):
            lines.append(line[1:])
    if lines:
        yield name, b"\n".join(lines)


def _names(listed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _below(name: str, scope: Sequence[str]) -> bool:
    """A folder named without a glob means everything below it."""
    return any(name.startswith(f"{folder.rstrip('/')}/") for folder in scope if "*" not in folder)


def _few(found: Iterable[str]) -> list[str]:
    listed = list(found)
    more = [f"… and {len(listed) - _LISTED} more like these"] if len(listed) > _LISTED else []
    return [*listed[:_LISTED], *more]
