"""Shell text as the simple commands of a plain chain; anything beyond that is unread."""

from __future__ import annotations

import re
from typing import Final

from interlock.reading.text import Reading

# Each alternative eats at least one character and none can be split two ways: one pass, linear time.
_TOKEN: Final = re.compile(
    r"""
      (?P<join>\\\n)
    | (?P<space>[ \t]+)
    | (?P<chain>\n|&&|\|\||;;|;|\|&|\||&(?!>))
    | (?P<duplicate>\d*[<>]&(?:\d+(?=[\s;&|<>]|$)|-)|(?:\d*|&)>>?[ \t]*/dev/null(?=[\s;&|]|$))
    | (?P<redirect>\d*(?:<<<|<<-?|>>|>\||<>|[<>]&?)|&>>?)
    | (?P<single>'[^']*')
    | (?P<double>"(?:[^"\\]|\\.)*")
    | (?P<escape>\\.)
    | (?P<variable>\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9#?@*!_-]))
    | (?P<word>[^\s'"\\$`;&|<>(){}\#]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE: Final = re.compile(
    r"\\.|\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9#?@*!_-])|(?P<run>`|\$\(|\$\{)", re.DOTALL
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_COMPOUND: Final = frozenset(
    {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select"}
    | {"function", "time", "coproc", "[[", "!"}
)
# A longer text is unread rather than slow.
_MAX_TEXT: Final = 262_144


# Most commands hold only words, whole quotes without expansions, and these separators. They are read by two
# expressions at the speed of C; what does not fit is left to the splitter, which gives the same answer.
# Every `++` is possessive: no text makes them try a second way.
_NO_SPACES: Final = r"\x00-\x1f\x7f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_EASY_PIECE: Final = (
    rf"""(?:[^{_NO_SPACES}'"\\$`;&|<>(){{}}#]++|'[^'\x00-\x1f\x7f]*+'|"[^"\\$`\x00-\x1f\x7f]*+")++"""
)
_EASY: Final = re.compile(rf"{_EASY_PIECE}(?:(?:&&|\|\||[;|&]){_EASY_PIECE})*+")
_PIECES: Final = re.compile(_EASY_PIECE)


def _read_easy(text: str) -> Reading | None:
    if "  " in text or not _EASY.fullmatch(text):
        return None
    parts = [part.strip(" ") for part in _PIECES.findall(text)]
    for part in parts:
        first = part.partition(" ")[0]
        if not part or "=" in first or first in _COMPOUND:
            return None
    return Reading(deny=tuple(dict.fromkeys((text, *parts))), allow=tuple((part,) for part in parts))


def read_shell(text: str) -> Reading:
    """Split a command at `;`, `&&`, `||`, `|`, `&` and newlines, outside quotes."""
    if len(text) > _MAX_TEXT:
        return Reading(deny=(text,), allow=((text,),), unread=f"longer than {_MAX_TEXT} characters")
    return _read_easy(text) or _read_fully(text)


def _read_fully(text: str) -> Reading:
    split = _Splitter(text)
    split.run()
    deny = dict.fromkeys((text, *split.written, *split.plain))
    return Reading(deny=tuple(deny), allow=tuple((part,) for part in split.written), unread=split.unread)


class _Splitter:
    """One pass over the text; collects parts and the first thing it cannot account for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.written: list[str] = []  # each simple command as written
        self.plain: list[str] = []  # the same with single spaces and without leading assignments
        self.unread: str | None = None
        self._start = 0
        self._words: list[str] = []
        self._pieces: list[str] = []  # of the word under way; joined once, or long words cost their square

    def run(self) -> None:
        if control := _CONTROL.search(self._text):
            self.unread = f"control character {control.group()!r}"
        position = 0
        while match := _TOKEN.match(self._text, position):
            position = match.end()
            kind = match.lastgroup or "other"
            if kind == "space":
                self._end_word()
            elif kind == "chain":
                self._end_part(match.start(), match.end())
            elif kind == "other" and match.group() == "#" and not self._pieces:
                line = self._text.find("\n", position)
                self._end_part(match.start(), len(self._text) if line < 0 else line)
                position = self._start
            elif kind != "join":
                self._take(kind, match.group())
        self._end_part(len(self._text), len(self._text))

    def _take(self, kind: str, piece: str) -> None:
        if kind == "double" and any(inner["run"] for inner in _IN_DOUBLE.finditer(piece)):
            self._give_up("substitution inside quotes")
        elif kind in {"variable", "double"} and "$" in piece and not self._words:
            self._give_up(f"`{piece}` decides which program runs")
        elif kind in {"redirect", "duplicate"}:
            self._end_word()
            if kind == "redirect":
                self._give_up(f"redirect `{piece}`")
        elif kind == "other" and piece != "#":
            self._give_up(_UNREAD.get(piece, f"`{piece}`"))
        if kind != "duplicate":
            self._pieces.append(piece)

    def _give_up(self, reason: str) -> None:
        self.unread = self.unread or reason

    def _end_word(self) -> None:
        if not self._pieces:
            return
        word = "".join(self._pieces)
        if word in _COMPOUND and not self._words:
            self._give_up(f"compound command `{word}`")
        if self._words or not _ASSIGNMENT.match(word):
            self._words.append(word)
        self._pieces = []

    def _end_part(self, end: int, following: int) -> None:
        self._end_word()
        part = self._text[self._start : end].replace("\\\n", "").strip()
        if part:
            self.written.append(part)
            if self._words:
                self.plain.append(" ".join(self._words))
        self._start, self._words = following, []


_UNREAD: Final = {
    "`": "command substitution",
    "$": "expansion",
    "(": "group or substitution",
    ")": "group or substitution",
    "{": "group or brace expansion",
    "}": "group or brace expansion",
    "'": "unclosed quote",
    '"': "unclosed quote",
    "\\": "unfinished escape",
}
