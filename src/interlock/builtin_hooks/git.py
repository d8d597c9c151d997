"""Git, asked with everything off that a repository could run by being looked at."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from interlock.errors import HookFailedError
from interlock.files.system_programs import QUIET, git, git_environment
from interlock.handlers.process import run_program

_FILTERS: Final = ("config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
_OWN: Final = frozenset({b"system", b"global"})
_OFF: Final = (("clean", ""), ("process", ""), ("required", "false"))
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NO_FETCH: Final = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}  # comparing fetches nothing


class QuietGit:
    """Asks about the repository a folder lies in; what takes too long or fails is not an answer."""

    def __init__(self, environ: Mapping[str, str], seconds: float) -> None:
        self._environ: Final = git_environment(environ)
        self._seconds: Final = seconds

    async def ask(
        self, folder: str, *words: str, given: bytes | None = None, more: Mapping[str, str] = _NOTHING
    ) -> bytes | None:
        """What git prints about names and settings; None when it gives no answer."""
        return await self._run(folder, words, more, given)

    async def compare(
        self, folder: str, *words: str, given: bytes | None = None, more: Mapping[str, str] = _NOTHING
    ) -> bytes | None:
        """What git prints when it compares files; it would run a repository's own filters on them."""
        return await self._run(folder, words, {**more, **await self._filters_off(folder)}, given)

    async def _run(
        self, folder: str, words: tuple[str, ...], further: Mapping[str, str], given: bytes | None
    ) -> bytes | None:
        program = git()
        if program is None or not folder.startswith("/"):
            return None
        argv = (program, *QUIET, "-C", folder, *words)
        env = {**self._environ, **further}
        try:
            ended = await run_program(argv, stdin=given, cwd="/", env=env, seconds=self._seconds)
        except (HookFailedError, OSError, ValueError):
            return None
        return ended.stdout if ended.code == 0 else None

    async def _filters_off(self, folder: str) -> dict[str, str]:
        """Variables that switch off the filters a repository has set up: an agent can write such a line.

        Filters of the person's own configuration stay: large files are compared by one.
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
