"""The texts a call is judged by, and whether all of it was understood."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.reading.path import read_path
from interlock.reading.shell import read_shell
from interlock.reading.text import Reading, repaired
from interlock.tool import FALLBACK_FIELDS, SubjectKind, ToolCall, ToolSpec

_NOTHING = Reading(deny=(), allow=())


def read_call(call: ToolCall, spec: ToolSpec | None, cwd: str, project: str | None = None) -> Reading:
    """Read the main field of a call in the way its tool demands."""
    if spec is None:
        return _read_unlisted(call)
    if spec.main is None:
        return _NOTHING
    reading = read_field(call, spec.main)
    if not reading.deny or reading.unread:
        return reading
    if spec.kind is SubjectKind.SHELL:
        return read_shell(reading.deny[0])
    if spec.kind is SubjectKind.PATH:
        return read_path(reading.deny[0], cwd, project)
    return reading


def _read_unlisted(call: ToolCall) -> Reading:
    """Read every field that could be the subject: the agent must not choose which of them counts."""
    found = [read_field(call, name) for name in FALLBACK_FIELDS]
    return Reading(
        deny=tuple(text for reading in found for text in reading.deny),
        allow=tuple(part for reading in found for part in reading.allow),
        unread=next((reading.unread for reading in found if reading.unread), None),
    )


def read_field(call: ToolCall, field: str) -> Reading:
    """Read one field as plain text; what is no string is judged by its JSON and never allowed by it."""
    value = call.input.get(field)
    if value is None:
        return _NOTHING
    if not isinstance(value, str):
        text = _as_json(value)
        return Reading(deny=(text,), allow=((text,),), unread=f"`{field}` is no text")
    text = repaired(value)
    unread = None if text is value else f"`{field}` holds characters that are no text"
    return Reading(deny=(text,), allow=((text,),), unread=unread)


def _as_json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, UnicodeError):  # an agent in this process may pass what JSON does not know
        return repaired(repr(value))
