"""A recorded call in a line, made of what is left when secrets are taken out."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.receipts.kept import Kept

_LONGEST: Final = 200
_MEMBER: Final = 80


def summary_of(tool: ToolCall, request: Kept) -> str:
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
    return text if len(text) <= _MEMBER else text[: _MEMBER - 1] + "…"


def _line(text: str) -> str:
    clean = "".join(one if one.isprintable() else " " for one in text[: _LONGEST + 1])
    return clean if len(clean) <= _LONGEST else clean[: _LONGEST - 1] + "…"
