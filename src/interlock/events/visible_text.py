"""Text for an approver: nothing in it is invisible, and nothing changes what stands around it."""

from __future__ import annotations

import unicodedata
from typing import Final

# Controls, formats (bidi, zero width), surrogates, private and unassigned ones, separators and odd blanks.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
# Letters and symbols that show as nothing: fillers, the empty braille cell, joiners, variation selectors.
_EMPTY: Final = frozenset(
    [*"\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"]
    + [
        chr(code)
        for codes in ((0x180B, 0x1810), (0xFE00, 0xFE10), (0xE0100, 0xE01F0))
        for code in range(*codes)
    ]
)


def visible(text: str) -> str:
    """One line of text, every character that could not be seen written out as `<U+202E>`."""
    if text.isascii() and text.isprintable() and "<U+" not in text:
        return text
    # The mark itself is written out too, or a text could hold what looks like an escape.
    return "".join(
        "<U+003C>" if character == "<" and text.startswith("U+", index + 1) else _escape(character)
        for index, character in enumerate(text)
    )


def visible_lines(text: str) -> list[str]:
    """The same for a text of several lines; a line ends only where a newline stands."""
    return [visible(line) for line in text.split("\n")]


def strange(text: str) -> list[str]:
    """The characters outside ASCII that look like ordinary ones may, each once, by name."""
    found = dict.fromkeys(c for c in text if not c.isascii() and not _hides(c) and c.isalpha())
    return [f"{c} is U+{ord(c):04X} {unicodedata.name(c, 'unnamed')}" for c in found]


def _escape(character: str) -> str:
    return f"<U+{ord(character):04X}>" if _hides(character) else character


def _hides(character: str) -> bool:
    if character == " ":
        return False
    return character in _EMPTY or unicodedata.category(character) in _HIDDEN
