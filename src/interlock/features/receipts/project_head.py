"""The commit a project stands at, read from its files: no program of a repository is run for it."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from interlock.events.tool import JsonObject

_MOST: Final = 256 * 1024  # bytes of a file; more refs than that are not looked through
_UPWARDS: Final = 64
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF: Final = re.compile(r"refs/[\w./+@-]{1,200}", re.ASCII)


def project_head(folder: str) -> JsonObject | None:
    """`ref` and `commit` of the repository around a folder, as far as they can be told; None: none."""
    try:
        found = _git_folder(Path(folder)) if folder.startswith("/") else None
        if found is None:
            return None
        head = _text(found / "HEAD")
        if not head.startswith("ref: "):
            return {"commit": head} if _COMMIT.fullmatch(head) else None
        ref = head.removeprefix("ref: ")
        if not _REF.fullmatch(ref) or ".." in ref:
            return None
        commit = _commit(found, ref)
    except (OSError, ValueError):
        return None
    return {"ref": ref, "commit": commit} if commit else {"ref": ref}


def _git_folder(folder: Path) -> Path | None:
    for place in [folder, *folder.parents][:_UPWARDS]:
        git = place / ".git"
        try:
            mode = git.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            return git
        if stat.S_ISREG(mode):  # a worktree: the file says where its folder is
            written = _text(git).removeprefix("gitdir: ")
            return place / written
    return None


def _commit(git: Path, ref: str) -> str | None:
    common = git / (_maybe(git / "commondir") or ".")  # worktrees share their refs
    found = _maybe(git / ref) or _maybe(common / ref)
    if found:
        return found if _COMMIT.fullmatch(found) else None
    for line in _maybe(common / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref and _COMMIT.fullmatch(commit):
            return commit
    return None


def _maybe(path: Path) -> str:
    try:
        return _text(path)
    except OSError:
        return ""


def _text(path: Path) -> str:
    """A short file; what is no file is an error, for a pipe in its place would hold everybody up."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is no file")
        return file.read(_MOST).decode("utf-8", "replace").strip()
