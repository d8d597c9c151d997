"""What is kept of an input or an output: all of it, or head, tail and digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.events.short_text import printable_line, shorten
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS

WHOLE: Final = 16 * 1024
_HALF: Final = WHOLE // 2
RedactBody = Callable[[bytes], bytes]


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """A text as it is stored; the tail is empty where the head is all of it."""

    head: str
    tail: str
    bytes: int
    sha256: str

    @property
    def text(self) -> str:
        """The text as people read it, with a line where something was left out."""
        if not self.tail:
            return self.head
        left_out = self.bytes - 2 * _HALF
        return f"{self.head}\n… {left_out:,} bytes left out, sha256 of all: {self.sha256} …\n{self.tail}"


def truncate(value: Any, redact: RedactBody | None = None) -> Excerpt:
    """Keep a JSON value; secrets are taken out first, or half a secret would be none that anybody knows."""
    written = _written(value)
    kept = redact(written) if redact else written
    whole = len(kept) <= WHOLE
    return Excerpt(
        head=(kept if whole else kept[:_HALF]).decode("utf-8", "replace"),
        tail="" if whole else kept[-_HALF:].decode("utf-8", "replace"),
        bytes=len(kept),
        sha256=hashlib.sha256(kept).hexdigest(),
    )


def _written(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (
        TypeError,
        ValueError,
        RecursionError,
    ):  # an agent in this process may pass what JSON does not know
        return msgspec.json.encode(repr(value).encode("utf-8", "replace").decode())


_LONGEST: Final = 200
_MEMBER: Final = 80


def summary_of(tool: ToolCall, request: Excerpt) -> str:
    """The tool's main argument, or its arguments by name."""
    if request.tail:
        return _line(request.head)
    fields = msgspec.json.decode(request.head)
    if not isinstance(fields, dict):
        return _line(str(fields))
    spec = STANDARD_TOOLS.spec(tool.name)
    main = fields.get(spec.main) if spec is not None and spec.main else None
    if isinstance(main, str):
        return _line(main)
    return _line(", ".join(f"{name}: {_value(value)}" for name, value in fields.items()))


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return shorten(text, _MEMBER)


def _line(text: str) -> str:
    return printable_line(text, _LONGEST)
