"""The texts a call is judged by, and whether all of it was understood."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from interlock.effects.command import Gap, GapKind, Reading, Script, reading_of, repaired
from interlock.effects.effect import Effect
from interlock.effects.paths.path import read_path
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import TooMuchError
from interlock.effects.shell.walk import Walker
from interlock.effects.tool_effects import effects_of_call
from interlock.events.tool import FALLBACK_FIELDS, SubjectKind, ToolCall, ToolSpec

_NOTHING = Reading(deny=(), allow=())
_SHELL = SubjectKind.SHELL  # module names are looked up faster than class members


def read_call(call: ToolCall, spec: ToolSpec | None, cwd: str, project: str | None = None) -> Reading:
    """Read the main field of a call in the way its tool demands."""
    if spec is None:
        return _read_unlisted(call)
    if spec.main is None:
        return _NOTHING
    if spec.kind is _SHELL:
        value = call.input.get(spec.main)
        if type(value) is str and value.isascii():  # as nearly every command is
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
        # No shell gets this text as it is, but nothing denied may hide in it.
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
    readings = [read_field(call, name) for name in FALLBACK_FIELDS]
    return Reading(
        deny=tuple(text for reading in readings for text in reading.deny),
        allow=tuple(part for reading in readings for part in reading.allow),
        unread=next((reading.unread for reading in readings if reading.unread), None),
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


# A longer text is unread rather than slow.
MAX_TEXT: Final = 262_144
_FEW: Final = 2  # so few effects are compared faster than put into a dictionary
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ue000\ue001]")
_QUOTING: Final = re.compile(r"\\\n?|['\"]")
# What makes a command run later or again; quotes are removed first.
_AGAIN: Final = re.compile(r"\b(?:for|while|until|select|trap)\b|&(?![&>])|\(\s*+\)")
_CONTROL_BYTES: Final = bytes(byte for byte in range(128) if _CONTROL.match(chr(byte)))


def read_script(text: str, cwd: str = "", *, home: str | None = None) -> Script:
    """Read a command as the simple commands it would run, their effects, and what is unread."""
    findings = Findings()
    if len(text) > MAX_TEXT:
        findings.gap(GapKind.LIMIT, f"longer than {MAX_TEXT} characters", text)
        return _script(findings)
    # Most texts are ASCII lines, and these checks are much faster than the expression.
    plain = text.isprintable() or (text.isascii() and not _has_control(text.encode()))
    control = None if plain else _CONTROL.search(text)
    if control is not None:
        findings.gap(GapKind.SYNTAX, f"control character {control.group()!r}", text, control.start())
    scope = Scope((cwd,) if cwd else (), home)
    try:
        Walker(text, findings, text).read(scope)
        if findings.ran and scope.files and _AGAIN.search(_QUOTING.sub("", text)):
            findings.look_back(scope)
    except TooMuchError:
        findings.gap(GapKind.LIMIT, "too many commands", text)
    except RecursionError:  # our own depth is limited, but the caller's stack may already be deep
        findings.gap(GapKind.LIMIT, "nested too deep", text)
    return _script(findings)


def _has_control(text: bytes) -> bool:
    return len(text.translate(None, _CONTROL_BYTES)) != len(text)


def _script(findings: Findings) -> Script:
    effects = findings.effects
    if len(effects) > _FEW or effects[:1] == effects[1:]:
        effects = list(dict.fromkeys(effects))
    return Script(tuple(findings.commands), tuple(effects), tuple(findings.gaps))
