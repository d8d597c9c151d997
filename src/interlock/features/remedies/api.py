"""What worked after an error before, and how two errors are known to be the same."""

from __future__ import annotations

import re
from typing import Final, Protocol

import msgspec

_MOST: Final = 20_000  # characters of an error that are looked at
_LONGEST: Final = 200  # characters of a signature
_EMPTY: Final = re.compile(
    r"(?:exit code \d+|traceback \(most recent call last\):?|</?tool_use_error>|\W*)", re.IGNORECASE
)
_RAISED: Final = re.compile(r"\w*(?:Error|Exception)\b\s*(?::|$)")  # the line a Python traceback ends with
_TELLING: Final = re.compile(
    r"error|fatal|fail|not found|no such|denied|refused|cannot|can't|unable|exception|invalid|missing"
    r"|timed? ?out",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,}\b|\d+", re.IGNORECASE)
_FOLDERS: Final = re.compile(r"(?:[\w.~-]*/)+(?=[\w.-])")


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What was done after an error, in the end with success."""

    text: str
    seen: int  # how often the error was met before
    worked: int  # how often this was what helped


class Remedies(Protocol):
    """Gathered beside the work; asking is a look into a table."""

    def want(self) -> None:
        """Somebody will ask: begin to gather."""

    def of(self, folder: str, tool: str, error: str) -> Remedy | None:
        """What helped most often after this error of this tool, in the workspace a folder belongs to."""


def signature(error: str) -> str:
    """The line that tells, without numbers and folders: what two errors of one cause have in common."""
    lines = [line.strip() for line in error[:_MOST].splitlines()]
    lines = [line for line in lines if not _EMPTY.fullmatch(line)]
    if not lines:
        return ""
    raised = [line for line in lines if _RAISED.match(line)]
    telling = [line for line in lines if _TELLING.search(line)]
    line = (raised[-1:] or telling[:1] or lines[-1:])[0].lower()
    return " ".join(_NUMBER.sub("#", _FOLDERS.sub("", line)).split())[:_LONGEST]
