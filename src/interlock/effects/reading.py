"""The texts a call is judged by, and whether all of it was understood."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.effects.command import Gap, GapKind
from interlock.effects.effect import Effect
from interlock.effects.paths.path import read_path
from interlock.effects.script import read_script
from interlock.effects.text import Reading, reading_of, repaired
from interlock.effects.tools.effects import effects_of_call
from interlock.events.tool import FALLBACK_FIELDS, SubjectKind, ToolCall, ToolSpec

_NOTHING = Reading(deny=(), allow=())
_SHELL = SubjectKind.SHELL  # a name of the module is found sooner than a member of a class


def read_call(call: ToolCall, spec: ToolSpec | None, cwd: str, project: str | None = None) -> Reading:
    """Read the main field of a call in the way its tool demands."""
    if spec is None:
        return _read_unlisted(call)
    if spec.main is None:
        return _NOTHING
    if spec.kind is _SHELL:
        value = call.input.get(spec.main)
        if type(value) is str and value.isascii():  # what nearly every command is
            return reading_of(read_script(value, cwd), value)
    reading = read_field(call, spec.main)
    if reading.deny and spec.kind is _SHELL:
        return _read_shell(reading, cwd)
    if reading.deny and spec.kind is SubjectKind.PATH and not reading.unread:
        return read_path(reading.deny[0], cwd, project)
    return reading


def _read_shell(field: Reading, cwd: str) -> Reading:
    text = field.deny[0]
    if field.unread:
        # No shell will get this as it stands, but what is denied must not hide in it.
        gap = Gap(kind=GapKind.SYNTAX, why=field.unread, text=text)
        return msgspec.structs.replace(field, gaps=(gap,))
    return reading_of(read_script(text, cwd), text)


def read_effects(
    reading: Reading, call: ToolCall, spec: ToolSpec | None, cwd: str, project: str | None = None
) -> tuple[Effect, ...]:
    """What a call does: a shell text as it was read, any other tool by its fields."""
    if spec is not None and spec.kind is _SHELL:
        return reading.effects
    return effects_of_call(call, spec, cwd, project)


def _read_unlisted(call: ToolCall) -> Reading:
    """Read every field that could be the subject: the agent must not choose which of them counts."""
    found = [read_field(call, name) for name in FALLBACK_FIELDS]
    return Reading(
        deny=tuple(text for reading in found for text in reading.deny),
        allow=tuple(part for reading in found for part in reading.allow),
        unread=next((reading.unread for reading in found if reading.unread), None),
    )


def read_field(call: ToolCall, field: str) -> Reading:
    """Read one field as plain text; what is not a string is judged by its JSON and never allowed by it."""
    value = call.input.get(field)
    if value is None:
        return _NOTHING
    if not isinstance(value, str):
        text = _as_json(value)
        return Reading(deny=(text,), allow=((text,),), unread=f"`{field}` is not text")
    text = repaired(value)
    unread = None if text is value else f"`{field}` contains characters that are not text"
    return Reading(deny=(text,), allow=((text,),), unread=unread)


def _as_json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, UnicodeError):  # an agent in this process may pass what JSON does not know
        return repaired(repr(value))
