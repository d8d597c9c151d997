"""What is changed and not committed, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from interlock.builtin_hooks.git import QuietGit

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
        self._git: Final = QuietGit(environ, _SECONDS)

    async def stat(self, folder: str) -> str:
        """The files that are changed since the last commit, each with how much; empty when none is."""
        changed = await self._git.compare(folder, *_STATUS)
        if not changed:
            return ""
        # Before the first commit there is nothing to compare with, and the list alone must do.
        found = await self._git.compare(folder, *_DIFF, "HEAD", "--") or changed
        lines = found.decode("utf-8", "replace").rstrip()
        return lines if len(lines) <= _MOST else f"{lines[:_MOST]}\n…\n{lines.splitlines()[-1]}"
