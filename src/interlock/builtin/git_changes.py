"""What is changed and not committed, asked of git with everything off that a repository could run by it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Final

from interlock.builtin.git_ignored import QUIET, environment
from interlock.errors import HookFailedError
from interlock.handlers.process import run_program

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


class GitChanges:
    """Asks about the repository a folder lies in; silence means that nothing can be said."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ: Final = environment(environ)
        self._git: Final = shutil.which("git", path=self._environ["PATH"])

    async def stat(self, folder: str) -> str:
        """The files that are changed since the last commit, each with how much; empty when none is."""
        changed = await self._run(folder, *_STATUS)
        if not changed:
            return ""
        # Before the first commit there is nothing to compare with, and the list alone must do.
        found = await self._run(folder, *_DIFF, "HEAD", "--") or changed
        lines = found.decode("utf-8", "replace").rstrip()
        return lines if len(lines) <= _MOST else f"{lines[:_MOST]}\n…\n{lines.splitlines()[-1]}"

    async def _run(self, folder: str, *words: str) -> bytes:
        if self._git is None or not folder.startswith("/"):
            return b""
        argv = (self._git, *QUIET, "-C", folder, *words)
        try:
            ended = await run_program(argv, stdin=None, cwd="/", env=self._environ, seconds=_SECONDS)
        except (HookFailedError, OSError, ValueError):
            return b""
        return ended.stdout if ended.code == 0 else b""
