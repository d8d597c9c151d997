"""Text as people and agents read it: cut short, on one line, with nothing in it that is invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final


def shorten(text: str, most: int) -> str:
    """This many characters, the last of them a mark where more was there."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(text: str, most: int) -> str:
    """The words with single blanks between them."""
    return shorten(" ".join(text.split()), most)


def printable_line(text: str, most: int) -> str:
    """Every character that a terminal would act on becomes a blank."""
    return shorten("".join(one if one.isprintable() else " " for one in text[: most + 1]), most)


def and_more(count: int, most: int) -> str:
    """What stands behind a list of which only this many are shown."""
    return f" and {count - most} more" if count > most else ""


def first_few(texts: Iterable[str], most: int) -> str:
    """The first so many of a list, and how many more there are."""
    found = list(texts)
    return ", ".join(found[:most]) + and_more(len(found), most)


def plural(count: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


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
