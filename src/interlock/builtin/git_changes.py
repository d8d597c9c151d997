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
_FILTERS: Final = ("config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
_OWN: Final = frozenset({b"system", b"global"})
_OFF: Final = (("clean", ""), ("process", ""), ("required", "false"))
_NO_FETCH: Final = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}  # comparing fetches nothing
_MOST: Final = 4_000  # characters; the last line has the sums


class GitChanges:
    """Asks about the repository a folder lies in; silence means that nothing can be said."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ: Final = environment(environ)
        self._git: Final = shutil.which("git", path=self._environ["PATH"])

    async def stat(self, folder: str) -> str:
        """The files that are changed since the last commit, each with how much; empty when none is."""
        quiet = await self._quiet(folder)
        changed = await self._run(folder, *_STATUS, further=quiet)
        if not changed:
            return ""
        # Before the first commit there is nothing to compare with, and the list alone must do.
        found = await self._run(folder, *_DIFF, "HEAD", "--", further=quiet) or changed
        lines = found.decode("utf-8", "replace").rstrip()
        return lines if len(lines) <= _MOST else f"{lines[:_MOST]}\n…\n{lines.splitlines()[-1]}"

    async def _run(self, folder: str, *words: str, further: Mapping[str, str] | None = None) -> bytes:
        if self._git is None or not folder.startswith("/"):
            return b""
        argv = (self._git, *QUIET, "-C", folder, *words)
        env = {**self._environ, **(further or {})}
        try:
            ended = await run_program(argv, stdin=None, cwd="/", env=env, seconds=_SECONDS)
        except (HookFailedError, OSError, ValueError):
            return b""
        return ended.stdout if ended.code == 0 else b""

    async def _quiet(self, folder: str) -> dict[str, str]:
        """Variables that switch off the filters a repository has set up: an agent can write such a line.

        Filters of the person's own configuration stay: large files are compared by one.
        """
        fields = (await self._run(folder, *_FILTERS)).split(b"\0")
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
