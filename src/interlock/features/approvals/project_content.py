"""What a project holds, as git sees it: committing it changes nothing, ignored files do not count."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from interlock.builtin_hooks.git import QuietGit
from interlock.builtin_hooks.worker_thread import in_thread
from interlock.handlers.process import STDOUT_CAP

_SECONDS: Final = 5.0
_NAMED: Final = 200  # files of which a name is kept
_PLACES: Final = ("--path-format=absolute", "--show-toplevel", "--git-path", "index", "--git-path", "objects")
_ASKED: Final = 3  # places
_RAW: Final = ("-z", "--raw", "--no-renames", "--ignore-submodules=none")
_TAKE_UP: Final = (
    *("-c", "core.compression=0"),
    *("update-index", "--add", "--remove", "--replace", "-z", "--stdin"),
)

Files: TypeAlias = dict[str, str]  # a path → the mode and the id of what it holds


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """The files of the last commit, and what is otherwise in the folder."""

    base: str  # the tree of the last commit
    digest: str  # of everything that is otherwise
    files: Files = {}  # the same by name, unless there are too many

    @property
    def text(self) -> str:
        """As it is kept."""
        return msgspec.json.encode(self).decode()


class WorkContent:
    """Asks git about the repository a folder lies in; where it gives no answer, nothing can be said."""

    def __init__(self, environ: Mapping[str, str], seconds: float = _SECONDS) -> None:
        self._git: Final = QuietGit(environ, seconds)

    async def now(self, folder: str) -> Content | None:
        """What the project holds now."""
        base = await self._head(folder)
        files = await self._files(folder, base) if base else None
        return _content(base, files) if base and files is not None else None

    async def changed(self, folder: str, before: Content) -> tuple[str, ...] | None:
        """The files that hold something else than before, or are committed so; None when nobody can tell."""
        files = await self._files(folder, before.base)
        head = await self._head(folder)
        if files is None or head is None:
            return None
        committed = await self._committed(folder, before.base, head) if head != before.base else {}
        if committed is None:
            return None
        if _content(before.base, files).digest != before.digest:
            if not before.files and before.digest != _content(before.base, {}).digest:
                return ("more files than are listed",)
            known = before.files
            return tuple(sorted(n for n in {**known, **files} if known.get(n) != files.get(n)))
        # The folder is as it was; what was committed since must be a part of that.
        return tuple(sorted(name for name, held in committed.items() if files.get(name) != held))

    async def _head(self, folder: str) -> str | None:
        """The tree of the last commit; the one without files before the first."""
        found = await self._git.ask(folder, "rev-parse", "--verify", "-q", "HEAD^{tree}")
        if found is None:
            found = await self._git.ask(folder, "hash-object", "-t", "tree", "--stdin", given=b"")
        return found.decode().strip() if found else None

    async def _committed(self, folder: str, base: str, head: str) -> Files | None:
        return _read(await self._git.ask(folder, "diff-tree", "-r", *_RAW, base, head))

    async def _files(self, folder: str, base: str) -> Files | None:
        """Everything in the repository that is otherwise than in a tree, new files too."""
        found = await self._git.ask(folder, "rev-parse", *_PLACES)
        places = os.fsdecode(found).splitlines() if found else []
        if len(places) != _ASKED:
            return None
        try:
            with tempfile.TemporaryDirectory(prefix="interlock-content-") as scratch:
                return await self._taken_up(places, base, scratch)
        except (OSError, TimeoutError):
            return None

    async def _taken_up(self, places: list[str], base: str, scratch: str) -> Files | None:
        """Take everything up into an index of our own: the repository stays as it is."""
        top, index, objects = places
        await in_thread(top, lambda: _prepare(Path(index), Path(scratch)), _SECONDS)
        quoted = objects.replace("\\", "\\\\").replace('"', '\\"')
        more = {
            "GIT_INDEX_FILE": f"{scratch}/index",
            "GIT_OBJECT_DIRECTORY": f"{scratch}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{quoted}"',
        }
        git = self._git
        changed = await git.compare(
            top, "diff-files", "--name-only", "-z", "--ignore-submodules=dirty", more=more
        )
        new = await git.ask(top, "ls-files", "-o", "--exclude-standard", "-z", more=more)
        if changed is None or new is None or len(changed) + len(new) >= STDOUT_CAP:
            return None
        # A repository inside this one is not part of it.
        names = [name for name in (changed + new).split(b"\0") if name and not name.endswith(b"/")]
        given = b"".join(name + b"\0" for name in names)
        if await git.compare(top, *_TAKE_UP, given=given, more=more) is None:
            return None
        return _read(await git.ask(top, "diff-index", "--cached", *_RAW, base, more=more))


def content_of(text: str) -> Content | None:
    """What was kept; None where it cannot be read."""
    try:
        return msgspec.json.decode(text, type=Content)
    except msgspec.DecodeError:
        return None


def _content(base: str, files: Files) -> Content:
    digest = hashlib.sha256(msgspec.json.encode(files, order="sorted")).hexdigest()
    return Content(base=base, digest=digest, files=files if len(files) <= _NAMED else {})


def _prepare(index: Path, scratch: Path) -> None:
    """Copy the index with its time: by that git knows which files it has to read again."""
    (scratch / "objects").mkdir()
    if index.exists():
        shutil.copy2(index, scratch / "index")


def _read(raw: bytes | None) -> Files | None:
    """`:100644 100644 OLD NEW M`, then the path; what is gone has an id of zeros."""
    if raw is None or len(raw) >= STDOUT_CAP:  # what is longer was cut
        return None
    fields = raw.split(b"\0")
    found = {}
    for about, name in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, held, _ = about.decode().split(" ")
        found[os.fsdecode(name).encode("utf-8", "backslashreplace").decode()] = f"{mode} {held}"
    return found
