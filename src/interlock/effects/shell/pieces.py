"""Pieces of a command as most are written: words of plain text and variables, and redirects to them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from interlock.effects.shell.easy import PLAIN
from interlock.effects.shell.syntax import Expansion, Glob, Part, Text, Variable

# There is only one way to match any of these: single characters are repeated possessively, and what may
# follow a group cannot begin one more turn of it. So no text makes them slow.
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*+"
_SHORT: Final = rf"{_NAME}|[0-9#?$!@*-]"
_OPERATOR: Final = r"(?::[-+=?]?+|[-+=?]|\#\#?+|%%?+|//?+|\^\^?+|,,?+)"
_INNER: Final = rf"(?:[^}}$`\"\\'<>]++|\$(?:{_SHORT}|\{{{_NAME}\}}))*"
_TERM: Final = r"[A-Za-z0-9_]{1,60}+[ \t]*+"
_SUM: Final = rf"\(\([ \t]*+{_TERM}(?:[-+*/%][ \t]*+{_TERM}){{0,20}}\)\)"
_VARIABLE: Final = rf"\$(?:{_SHORT}|\{{(?:{_NAME}|[0-9]++)(?:{_OPERATOR}{_INNER})?\}}|{_SUM})"
_DOUBLE: Final = rf'"[^"\\$`]*+(?:{_VARIABLE}[^"\\$`]*+)*"'
# A word of plain text, quotes, variables and globs.
USUAL_WORD: Final = rf"(?:{PLAIN}++|{_DOUBLE}|{_VARIABLE}|'[^']*+'|[*?])+"
_TARGET: Final = r"[ \t]*+(?=[A-Za-z0-9_./\"'$])"
# Where a word ends: asked so, there is only one thing to try for each character.
_ENDED: Final = r"(?![^ \t\n;|)&]|&>)"
# Quotes around at most one variable, which is what most words are that are not plain, need no second look.
_QUOTED: Final = rf'"[^"\\$`]*+(?:\${_NAME}[^"\\$`]*+)?"'
_WORD: Final = rf"(?:{_QUOTED}{_ENDED}|{USUAL_WORD})"
# A piece of a command: a plain word, another word, or a redirect and its target, and what separates it from
# the next; else all the rest of the text in one step, so that nothing behind the command is looked at.
PIECES: Final = re.compile(
    rf"(?:({PLAIN}++{_ENDED}|\[(?=[ \t]))|({_WORD}){_ENDED}"
    rf"|((?:[0-9]?(?:>>|<<<|[<>](?:&(?![ \t]*+[\"'$]))?)|&>>?){_TARGET})({_WORD}){_ENDED}"
    r"|.++)([ \t]*+(?:\\\n[ \t]*+)*)",
    re.DOTALL,
)
pieces_from: Final = PIECES.findall  # quicker than to ask for the method each time
_PARTS: Final = re.compile(rf"{PLAIN}++|{_DOUBLE}|{_VARIABLE}|'[^']*+'|[*?]")
_BY_VARIABLE: Final = re.compile(rf"({_VARIABLE})")
_BY_SHORT: Final = re.compile(rf"(\$(?:{_SHORT}|\{{{_NAME}\}}))")
_CHANGED: Final = re.compile(rf"\$\{{({_NAME}|[0-9]++)({_OPERATOR})({_INNER})\}}")
_MORE_THAN_ONE: Final = re.compile(r"\$[@*({]")  # what may be no word or several; any other is one word
_NAMES: Final = re.compile(_NAME)
OPENED: Final = Text("", True)  # a quote was opened: the word is there even if it is empty

_MOST_KEPT: Final = 40  # characters
Spelling = tuple[str, tuple[Part, ...] | None]  # what a word is: its value, or the parts to expand


def spell(written: str) -> Spelling:
    """What such a word is made of."""
    return _spell_again(written) if len(written) <= _MOST_KEPT and "$" in written else _spell(written)


@lru_cache(maxsize=1_024)
def _spell_again(written: str) -> Spelling:
    """Short words with variables stand in one text after the other (`"$1"`, `"$file"`): they are kept."""
    return _spell(written)


def _spell(written: str) -> Spelling:
    parts: list[Part] = []
    if written[0] == '"' and written.find('"', 1) == len(written) - 1:
        return _spell_quoted(written, parts)
    for piece in _PARTS.findall(written):
        first = piece[0]
        if first == '"':
            parts.append(OPENED)
            _add_parts(_BY_VARIABLE.split(piece[1:-1]), parts, quoted=True)
        elif first == "$":
            parts.append(_variable(piece, quoted=False))
        elif first == "'":
            parts.append(Text(piece[1:-1], True))
        elif first in "*?":
            parts.append(Glob(piece))
        else:
            parts.append(Text(piece))
    value = only_text(parts)
    return ("", tuple(parts)) if value is None else (value, None)


def only_text(parts: list[Part]) -> str | None:
    """What parts are together, if nothing in them is expanded."""
    texts: list[str] = []
    for part in parts:
        if type(part) is not Text:
            return None
        texts.append(part.text)
    return "".join(texts)


def _spell_quoted(written: str, parts: list[Part]) -> Spelling:
    """The same for a word that is one pair of double quotes."""
    pieces = _BY_VARIABLE.split(written[1:-1])
    if len(pieces) == 1:
        return pieces[0], None
    if _MORE_THAN_ONE.search(written):
        parts.append(OPENED)
    _add_parts(pieces, parts, quoted=True)
    return "", tuple(parts)


def _add_parts(pieces: list[str], parts: list[Part], *, quoted: bool) -> None:
    """Texts, and the variables between them."""
    for at, piece in enumerate(pieces):
        if at % 2:
            parts.append(_variable(piece, quoted=quoted))
        elif piece:
            parts.append(Text(piece, quoted))


def _variable(written: str, *, quoted: bool) -> Part:
    if written[1] not in "{(":
        return Variable(written[1:], written, quoted)
    if written[1] == "(":
        return Expansion(written, quoted, (), None, tuple(_NAMES.findall(written)))
    changed = _CHANGED.fullmatch(written)
    if changed is None:
        return Variable(written[2:-1], written, quoted)
    name, operator, inside = changed.groups()
    inner: list[Part] = []
    _add_parts(_BY_SHORT.split(inside), inner, quoted=False)
    counts = tuple(_NAMES.findall(inside)) if operator == ":" else ()  # where to cut is counted
    return Expansion(written, quoted, tuple(inner), name if operator in {"=", ":="} else None, counts)
