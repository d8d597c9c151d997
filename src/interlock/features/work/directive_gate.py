"""Holds an agent that works on although instructions for the place it works in are still unread."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Any, Final

import msgspec

GRACE: Final = 3  # calls that may still be made
_LISTED: Final = 10


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate says of one call."""

    waited: int  # calls made while something was unread, this one among them; to be kept
    reason: str | None = None  # why the call is held

    @property
    def held(self) -> bool:
        """Whether the call may not be made."""
        return self.reason is not None


OPEN: Final = Gate(waited=0)


def unread(directives: Iterable[str], loaded: Collection[str]) -> tuple[str, ...]:
    """The directives nobody has read yet, in the order they were found; one that is gone needs no reading."""
    return tuple(
        path
        for path in dict.fromkeys(directives)
        if path not in loaded and os.path.isfile(path)  # noqa: PTH113 texts in, texts out
    )


def judged(pending: Collection[str], waited: int, target: str | None, *, grace: int = GRACE) -> Gate:
    """Judge a call that reads `target`, if any: reading what is asked for is always free."""
    if not pending:
        return OPEN
    if target is not None and target in pending:
        return Gate(waited=waited)
    if waited < grace:
        return Gate(waited=waited + 1)
    listed = ", ".join(f"`{path}`" for path in sorted(pending)[:_LISTED])
    return Gate(waited=waited, reason=f"directive-gate: read {listed} first; then repeat this call")


def read_target(tool: str, tool_input: Mapping[str, Any], cwd: str) -> str | None:
    """The file a call of the reading tool reads, by its real path."""
    path = tool_input.get("file_path")
    if tool != "Read" or not isinstance(path, str) or not path or "\0" in path:
        return None
    return os.path.realpath(PurePath(cwd, path))
