"""A repository by its files, and git with everything off that a repository could run by being looked at."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from interlock.errors import HookFailedError
from interlock.events.tool import JsonObject
from interlock.files.system_programs import QUIET, git, git_environment
from interlock.handlers.process import run_program

_LONGEST: Final = 256 * 1024  # bytes read of a file; refs beyond that are not searched
_UPWARDS: Final = 64  # parent folders searched for `.git`
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF: Final = re.compile(r"refs/[\w./+@-]{1,200}")


def project_head(folder: str) -> JsonObject | None:
    """The `ref` and `commit` of the repository around a folder, without running git; None: no repository."""
    try:
        git = _find_git_folder(Path(folder)) if folder.startswith("/") else None
        if git is None:
            return None
        head = _read(git / "HEAD")
        if not head.startswith("ref: "):
            return {"commit": head} if _COMMIT.fullmatch(head) else None
        ref = head.removeprefix("ref: ")
        if not _REF.fullmatch(ref) or ".." in ref:
            return None
        commit = _find_commit(git, ref)
    except (OSError, ValueError):
        return None
    return {"ref": ref, "commit": commit} if commit else {"ref": ref}


def _find_git_folder(folder: Path) -> Path | None:
    for place in [folder, *folder.parents][:_UPWARDS]:
        git = place / ".git"
        try:
            mode = git.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            return git
        if stat.S_ISREG(mode):  # a worktree: the file says where its folder is
            return place / _read(git).removeprefix("gitdir: ")
    return None


def _find_commit(git: Path, ref: str) -> str | None:
    common = git / (_read_if_there(git / "commondir") or ".")  # worktrees share their refs
    found = _read_if_there(git / ref) or _read_if_there(common / ref)
    if found:
        return found if _COMMIT.fullmatch(found) else None
    for line in _read_if_there(common / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref and _COMMIT.fullmatch(commit):
            return commit
    return None


def _read_if_there(path: Path) -> str:
    try:
        return _read(path)
    except OSError:
        return ""


def _read(path: Path) -> str:
    """Read a short file; anything else is an error, because a pipe in its place would block every call."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is not a file")
        return file.read(_LONGEST).decode("utf-8", "replace").strip()


_FILTERS: Final = ("config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
_OWN: Final = frozenset({b"system", b"global"})
_OFF: Final = (("clean", ""), ("process", ""), ("required", "false"))
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NO_FETCH: Final = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}  # comparing fetches nothing


_SECONDS: Final = 5.0
_STATUS: Final = ("status", "--porcelain", "-uno", "--ignore-submodules=all")
_DIFF: Final = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--stat=100",
)
_MOST: Final = 4_000  # characters; the last line has the sums


class QuietGit:
    """Asks git about the repository of a folder; there is no answer if it fails or takes too long."""

    def __init__(self, environ: Mapping[str, str], seconds: float = _SECONDS) -> None:
        self._environ: Final = git_environment(environ)
        self._seconds: Final = seconds

    async def ask(
        self, folder: str, *words: str, given: bytes | None = None, more: Mapping[str, str] = _NOTHING
    ) -> bytes | None:
        """What git prints about names and settings; None if it gives no answer."""
        program = git()
        if program is None or not folder.startswith("/"):
            return None
        argv = (program, *QUIET, "-C", folder, *words)
        env = {**self._environ, **more}
        try:
            finished = await run_program(argv, stdin=given, cwd="/", env=env, seconds=self._seconds)
        except (HookFailedError, OSError, ValueError):
            return None
        return finished.stdout if finished.code == 0 else None

    async def compare(
        self, folder: str, *words: str, given: bytes | None = None, more: Mapping[str, str] = _NOTHING
    ) -> bytes | None:
        """What git prints when it compares files, without the filters that the repository sets up."""
        variables = {**more, **await self._filters_off(folder)}
        return await self.ask(folder, *words, given=given, more=variables)

    async def list_changes(self, folder: str) -> str:
        """The files that have changed since the last commit, and how much; empty if none has."""
        changed = await self.compare(folder, *_STATUS)
        if not changed:
            return ""
        # Before the first commit there is nothing to compare with, so the list is shown alone.
        found = await self.compare(folder, *_DIFF, "HEAD", "--") or changed
        lines = found.decode("utf-8", "replace").rstrip()
        return lines if len(lines) <= _MOST else f"{lines[:_MOST]}\n…\n{lines.splitlines()[-1]}"

    async def _filters_off(self, folder: str) -> dict[str, str]:
        """Variables that switch off the filters of the repository, since an agent can write such a line.

        Filters of the person's own configuration stay: Git LFS needs one.
        """
        fields = (await self.ask(folder, *_FILTERS) or b"").split(b"\0")
        keys = [
            key.decode("utf-8", "surrogateescape")
            for scope, key in zip(fields[::2], fields[1::2], strict=False)
            if scope not in _OWN
        ]
        names = dict.fromkeys(key.rpartition(".")[0] for key in keys)
        off = [(f"{name}.{key}", value) for name in names for key, value in _OFF]
        pairs = [
            (f"GIT_CONFIG_{part}_{number}", text)
            for number, pair in enumerate(off)
            for part, text in zip(("KEY", "VALUE"), pair, strict=True)
        ]
        return {**_NO_FETCH, "GIT_CONFIG_COUNT": str(len(off)), **dict(pairs)}
