"""Reading `Tool`, `Tool(glob)`, `Tool(field:glob)`, `effect(glob)` and `unread(kind)`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from interlock.effects.command import MARKS, Gap, GapKind
from interlock.effects.effect import EffectKind
from interlock.errors import PatternError
from interlock.events.hook import Pattern
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS

_SHAPE: Final = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*)(?:\((?P<argument>.*)\))?", re.DOTALL)
# `https://…` is a text, not the field `https`.
_FIELD: Final = re.compile(r"(?P<field>[A-Za-z_]\w*):(?!//)(?P<glob>.*)", re.DOTALL)
_MAX_LENGTH: Final = 4_096
_EFFECTS: Final = frozenset(kind.value for kind in EffectKind)


def parse_pattern(text: str, tools: ToolTable = STANDARD_TOOLS) -> Pattern:
    """Read one pattern; raise PatternError with the next step when it is none."""
    if len(text) > _MAX_LENGTH:
        raise PatternError(f"pattern of {len(text)} characters; the limit is {_MAX_LENGTH}")
    if mark := MARKS.search(text):
        raise PatternError(f"pattern with the private character U+{ord(mark.group()):04X}; remove it")
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise PatternError(f"`{text}` is not a pattern; write `Tool` or `Tool(glob)`, such as `Bash(git *)`")
    tool, argument = shape["tool"], shape["argument"]
    if tool in _EFFECTS and tools.spec(tool) is None:
        return _effect(text, tool, argument)
    if tool == UNREAD and tools.spec(tool) is None:
        return unread_pattern(text, argument)
    if argument is None:
        return Pattern(text=text, tool=tools.canonical(tool))
    if argument == "":
        raise PatternError(f"`{text}` has an empty argument; write `{tool}` for every call of {tool}")
    field, glob = _split_field(tool, argument, tools)
    everything = glob == "*" and field is None
    return Pattern(text=text, tool=tools.canonical(tool), field=field, glob=None if everything else glob)


def _effect(text: str, kind: str, argument: str | None) -> Pattern:
    if argument == "" or (argument is not None and _FIELD.fullmatch(argument)):
        raise PatternError(
            f"`{text}` is not an effect; write `{kind}(glob)`, or `{kind}(*)` for every {kind}"
        )
    everything = argument is None or not argument.strip("*")
    return Pattern(text=text, tool=kind, glob=None if everything else argument, effect=True)


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
    return f"`{field}` is not a field of {tool} ({', '.join(known) or 'it has none'}); {hint}"


UNREAD: Final = "unread"
_KINDS: Final = tuple(kind.value for kind in GapKind)


def unread_pattern(text: str, argument: str | None) -> Pattern:
    """Read `unread`, `unread(*)` or `unread(kind)`."""
    if argument is not None and argument != "*" and argument not in _KINDS:
        near = get_close_matches(argument, _KINDS, n=1)
        cure = f"did you mean `{UNREAD}({near[0]})`?" if near else f"use one of {', '.join(_KINDS)}"
        raise PatternError(f"`{argument}` is not a kind of unread text; {cure}")
    return Pattern(text=text, tool=UNREAD, glob=None if argument == "*" else argument, effect=True)


class UnreadPatterns:
    """The patterns of a policy that speak of gaps, by kind."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._by_kind: Final[dict[GapKind, list[str]]] = {kind: [] for kind in GapKind}
        for pattern in patterns:
            for kind in GapKind if pattern.glob is None else (GapKind(pattern.glob),):
                self._by_kind[kind].append(pattern.text)

    def denials(self, gap: Gap) -> list[str]:
        """The patterns that a gap is met by."""
        return self._by_kind[gap.kind]
