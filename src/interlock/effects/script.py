"""A shell text in, all it would do out."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.command import GapKind, Script
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import TooMuchError
from interlock.effects.shell.walk import Walker

# A longer text is unread rather than slow.
MAX_TEXT: Final = 262_144
_FEW: Final = 2  # effects, which are compared sooner than a table of them is made
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ue000\ue001]")
_QUOTING: Final = re.compile(r"\\\n?|['\"]")
# What makes a command run later, or once more, without the quotes it may be spelled with.
_AGAIN: Final = re.compile(r"\b(?:for|while|until|select|trap)\b|&(?![&>])|\(\s*+\)")
_CONTROL_BYTES: Final = bytes(byte for byte in range(128) if _CONTROL.match(chr(byte)))


def read_script(text: str, cwd: str = "", *, home: str | None = None) -> Script:
    """Read a command as the simple commands it would run, their effects, and what is unread."""
    found = Findings()
    if len(text) > MAX_TEXT:
        found.gap(GapKind.LIMIT, f"longer than {MAX_TEXT} characters", text)
        return _script(found)
    # Most texts are a line or lines of ASCII: that is seen much sooner than an expression finds it out.
    plain = text.isprintable() or (text.isascii() and not _has_control(text.encode()))
    control = None if plain else _CONTROL.search(text)
    if control is not None:
        found.gap(GapKind.SYNTAX, f"control character {control.group()!r}", text, control.start())
    scope = Scope((cwd,) if cwd else (), home)
    try:
        Walker(text, found, text).read(scope)
        if found.ran and scope.files and _AGAIN.search(_QUOTING.sub("", text)):
            found.look_back(scope)
    except TooMuchError:
        found.gap(GapKind.LIMIT, "too many commands", text)
    except RecursionError:  # the depth is limited; a caller may already stand deep
        found.gap(GapKind.LIMIT, "nested too deep", text)
    return _script(found)


def _has_control(text: bytes) -> bool:
    return len(text.translate(None, _CONTROL_BYTES)) != len(text)


def _script(found: Findings) -> Script:
    effects = found.effects
    if len(effects) > _FEW or effects[:1] == effects[1:]:
        effects = list(dict.fromkeys(effects))
    return Script(tuple(found.commands), tuple(effects), tuple(found.gaps))
