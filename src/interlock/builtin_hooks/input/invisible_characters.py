"""Letters of a text that a reader does not see, or takes for others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

_CONTROL: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_TURNING: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_NOTHING: Final = "\u00ad\u034f\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef"
# A joiner is part of many scripts and of emoji; between plain letters it only hides.
_JOINER: Final = "(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
_LETTERS: Final = re.compile(f"[{_CONTROL}{_TURNING}{_NOTHING}]|{_JOINER}")
_IN_LINE: Final = re.compile(r"[\t\n]")
_BLANKS: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_LATIN: Final = re.compile("[A-Za-z]")
_ALIKE: Final = re.compile("[\u0370-\u03ff\u0400-\u052f\u0561-\u0587\u13a0-\u13f5\uff01-\uff5e]")


class Letter(NamedTuple):
    """One that is not what it seems."""

    character: str
    place: int

    @property
    def name(self) -> str:
        """Its number and its name, as in the standard."""
        known = unicodedata.name(self.character, "a control character")
        return f"U+{ord(self.character):04X} ({known.lower()}) at {self.place + 1}"


def unseen_in(text: str, *, one_line: bool = False) -> Iterator[Letter]:
    """Letters nobody sees or that turn the order of others; in a path, line ends and tabs as well."""
    if text.isascii() and text.isprintable():
        return
    for match in _LETTERS.finditer(text):
        yield Letter(match[0], match.start())
    for match in _IN_LINE.finditer(text) if one_line else ():
        yield Letter(match[0], match.start())


def mistaken_in(name: str) -> Iterator[Letter]:
    """Letters of a program's or a host's name that look like blanks or like Latin ones."""
    if name.isascii():
        return
    patterns = (_BLANKS, _ALIKE) if _LATIN.search(name) else (_BLANKS,)
    for pattern in patterns:
        for match in pattern.finditer(name):
            yield Letter(match[0], match.start())


def blanks_in(text: str) -> Iterator[Letter]:
    """Blanks that no shell takes for one."""
    return (Letter(match[0], match.start()) for match in _BLANKS.finditer(text))


def cleaned(text: str, *, one_line: bool = False) -> str:
    """The text as it looks."""
    seen = _BLANKS.sub(" ", _LETTERS.sub("", text.replace("\r\n", "\n")))
    return _IN_LINE.sub(" ", seen) if one_line else seen
