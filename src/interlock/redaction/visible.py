"""The words of a call nobody may hide from those who judge it: what it runs, touches and reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_call, read_effects
from interlock.effects.text import INLINE
from interlock.events.event import Event
from interlock.events.tool import SubjectKind, ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS

# A variable's value may be the very secret; all other targets are shown.
_SHOWN: Final = frozenset(EffectKind) - {EffectKind.ENV}
# In a text too long to be read while others wait: what begins a command, what has a path's or a host's shape.
_BEGINS: Final = re.compile(r"(?:^|[\n;|&({`]|\$\()[ \t]*([^\s;|&(){}<>\"'`=]+)(?:[\s;|&)]|$)")
_PATHS: Final = re.compile(r"(?<![\w.~-])(?:~[\w-]*|\.{1,2})?/[^\s;|&(){}<>\"'`:,=]+")
_HOSTS: Final = re.compile(r"://(?:[^\s/@\"']*@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])")
_MOST: Final = 2_048


def visible_words(event: Event, tools: ToolTable = STANDARD_TOOLS) -> frozenset[str]:
    """Programs, paths and hosts as they are written in a call; the folder it runs in, too."""
    found = {event.cwd, event.project or ""}
    if event.tool is not None:
        found.update(word for word, _ in zip(_words(event.tool, event, tools), range(_MOST), strict=False))
    return frozenset(word for word in found if word)


def _words(tool: ToolCall, event: Event, tools: ToolTable) -> Iterator[str]:
    spec = tools.spec(tool.name)
    main = tool.input.get(spec.main or "") if spec is not None else None
    if isinstance(main, str) and spec is not None and spec.kind is SubjectKind.SHELL and len(main) > INLINE:
        yield from _by_looks(main)
        return
    reading = read_call(tool, spec, event.cwd, event.project)
    for command in reading.commands:
        if command.words:
            yield command.words[0].text
    for effect in read_effects(reading, tool, spec, event.cwd, event.project):
        if effect.kind in _SHOWN and effect.target not in {"", "*", ".", "/"}:
            yield effect.target
    for text in _texts(tool.input):
        yield from _HOSTS.findall(text)


def _by_looks(text: str) -> Iterator[str]:
    for pattern in (_BEGINS, _PATHS, _HOSTS):
        yield from (found.group(found.lastindex or 0) for found in pattern.finditer(text))


def _texts(value: Any) -> Iterator[str]:
    """The texts of an input that may hold an address; those deep inside are contents, not calls."""
    for inner in value.values() if isinstance(value, dict) else ():
        if isinstance(inner, str) and len(inner) <= INLINE:
            yield inner
