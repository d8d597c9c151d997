"""Reading `Tool`, `Tool(glob)` and `Tool(field:glob)`."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from interlock.errors import PatternError
from interlock.hooks import Pattern
from interlock.standard_tools import STANDARD_TOOLS
from interlock.tool import ToolTable

_SHAPE: Final = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*)(?:\((?P<argument>.*)\))?", re.DOTALL)
# `https://…` is a text, not the field `https`.
_FIELD: Final = re.compile(r"(?P<field>[A-Za-z_]\w*):(?!//)(?P<glob>.*)", re.DOTALL)
_MAX_LENGTH: Final = 4_096


def parse_pattern(text: str, tools: ToolTable = STANDARD_TOOLS) -> Pattern:
    """Read one pattern; raise PatternError with the next step when it is none."""
    if len(text) > _MAX_LENGTH:
        raise PatternError(f"pattern of {len(text)} characters; {_MAX_LENGTH} at most")
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise PatternError(f"`{text}` is no pattern; write `Tool` or `Tool(glob)`, as in `Bash(git *)`")
    tool, argument = shape["tool"], shape["argument"]
    if argument is None:
        return Pattern(text=text, tool=tools.canonical(tool))
    if argument == "":
        raise PatternError(f"`{text}` has an empty argument; write `{tool}` for every call of {tool}")
    field, glob = _split_field(tool, argument, tools)
    everything = glob == "*" and field is None
    return Pattern(text=text, tool=tools.canonical(tool), field=field, glob=None if everything else glob)


def _split_field(tool: str, argument: str, tools: ToolTable) -> tuple[str | None, str]:
    named = _FIELD.fullmatch(argument)
    if named is None:
        return None, argument
    spec = tools.spec(tool)
    if spec is None:
        return named["field"], named["glob"]
    if named["field"] == spec.main:
        return None, named["glob"]
    if named["field"] in spec.fields:
        return named["field"], named["glob"]
    raise PatternError(_unknown_field(tool, named["field"], named["glob"], (spec.main or "", *spec.fields)))


def _unknown_field(tool: str, field: str, glob: str, fields: tuple[str, ...]) -> str:
    known = [name for name in fields if name]
    near = get_close_matches(field, known, n=1)
    hint = f"did you mean `{tool}({near[0]}:{glob})`" if near else f"for a prefix write `{tool}({field} *)`"
    return f"`{field}` is no field of {tool} ({', '.join(known) or 'it has none'}); {hint}"
