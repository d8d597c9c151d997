"""`$'…'`: the one quote in which backslashes mean what they mean in C."""

from __future__ import annotations

import re
import sys
from typing import Final

_PIECE: Final = re.compile(
    r"""(?P<text>[^'\\]++)
      | \\(?:
            x(?P<hex>[0-9A-Fa-f]{1,2})
          | u(?P<short>[0-9A-Fa-f]{1,4})
          | U(?P<long>[0-9A-Fa-f]{1,8})
          | (?P<octal>[0-7]{1,3})
          | c(?P<control>[A-Za-z@\[\]^_])
          | (?P<letter>[^xuUc])
        )
      | (?P<end>')
    """,
    re.VERBOSE | re.DOTALL,
)
_BYTES: Final = frozenset({"hex", "octal"})
_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def decode_ansi_c(text: str, start: int) -> tuple[str, int]:
    """The value of the quote whose content begins at `start`, and where it ends; -1 when it has none."""
    characters: list[str] = []
    high: list[bool] = []  # for each piece that is not ASCII: whether it was written as a byte
    position = start
    while found := _PIECE.match(text, position):
        position = found.end()
        if found["end"]:
            whole = _join("".join(characters), high)
            return ("", -1) if whole is None else (whole, position)
        characters.append(_character(found))
        if not characters[-1].isascii():
            high.append(found.lastgroup in _BYTES)
    return "", -1


def _join(whole: str, high: list[bool]) -> str | None:
    """The value up to a NUL, with which a shell ends it, bytes put together as UTF-8."""
    whole = whole.partition("\0")[0]
    if not any(high):
        return whole
    if not all(high):
        return None  # characters beside bytes: what the shell makes of it depends on its settings
    try:
        return whole.encode("latin-1").decode()
    except UnicodeError:
        return None


def _character(found: re.Match[str]) -> str:
    if found["text"]:
        return found["text"]
    for digits in ("hex", "short", "long"):
        if found[digits]:
            code = int(found[digits], 16)
            return chr(code) if code <= sys.maxunicode else "\ufffd"
    if found["octal"]:
        return chr(int(found["octal"], 8) & 0xFF)
    if found["control"]:
        return chr(ord(found["control"][0]) & 0x1F)
    return _LETTERS.get(found["letter"], "\\" + found["letter"])
