"""From a word in the text to the arguments a program gets, as far as that is settled."""

from __future__ import annotations

import os.path
import re
from typing import Final, Protocol

from interlock.reading.shell.braces import brace_words
from interlock.reading.shell.scope import Scope
from interlock.reading.shell.syntax import Expansion, Glob, Part, Spelled, Substitution, Text, Tilde, Variable
from interlock.reading.word import Word

_BLANKS: Final = " \t\n"
_BLANK_RUN: Final = re.compile(r"[ \t\n]++")
_ARRAY: Final = re.compile(r"\$\{([A-Za-z_]\w*)\[([@*])\]\}")
_WILD: Final = frozenset("*?[")
_MANY: Final = frozenset("@*")


class Inner(Protocol):
    """Who reads the commands inside a word."""

    def substitution(self, part: Substitution, scope: Scope) -> str | None:
        """Read the commands; what they print, when that is settled."""

    def expansion(self, part: Expansion, scope: Scope) -> None:
        """Take note of what an expansion may do."""


def expand(spelled: Spelled, scope: Scope, inner: Inner) -> list[Word]:
    """The arguments one word becomes: usually one."""
    if spelled.parts is None:
        return [Word(spelled.text)]
    if not spelled.braces:
        if (whole := unsplit(spelled.parts, scope)) is not None:
            return [whole]
        return _fields(spelled.parts, scope, inner)
    words = brace_words(spelled.parts)
    if words is None:
        word = _fields(spelled.parts, scope, inner)[:1]
        return [Word(word[0].text if word else "", fixed=False, splits=True)]
    return [field for parts in words for field in _fields(_without_tilde(parts), scope, inner)]


def _without_tilde(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Braces may bring a tilde to the front, where shells expand it."""
    if parts and type(parts[0]) is Text and not parts[0].quoted and parts[0].text.startswith("~"):
        return (Expansion(written="~", quoted=True), Text(parts[0].text[1:]), *parts[1:])
    return parts


def single(spelled: Spelled, scope: Scope, inner: Inner) -> Word:
    """The value of an assignment or a redirect: never split."""
    if spelled.parts is None:
        return Word(spelled.text)
    if (whole := unsplit(spelled.parts, scope)) is not None:
        return whole
    text, settled = text_of(spelled.parts, scope, inner)
    return Word(text, settled)


def target(spelled: Spelled, scope: Scope, inner: Inner) -> Word:
    """Where a redirect leads: a glob that matches one file is that file."""
    if spelled.parts is None:
        return Word(spelled.text)
    word = single(spelled, scope, inner)
    if spelled.braces or any(type(part) is Glob for part in spelled.parts):
        return Word(word.text, fixed=False)
    return word


def text_of(parts: tuple[Part, ...] | list[Part], scope: Scope, inner: Inner) -> tuple[str, bool]:
    """Parts as one text, and whether all of it is settled."""
    line = _Line()
    for part in parts:
        if type(part) is Text:
            line.pieces.append(part.text)
        else:
            _take(part, line, scope, inner, whole=True)
    return "".join(line.pieces), line.fixed


class _Line:
    """The fields of one word while they are put together."""

    __slots__ = ("done", "fixed", "pieces", "real", "splits")

    def __init__(self) -> None:
        self.done: list[Word] = []
        self.pieces: list[str] = []
        self.fixed, self.splits = True, False
        self.real = False  # holds something that makes an argument even if it is empty

    def open(self, written: str, *, splits: bool) -> None:
        """Something only the run decides."""
        self.pieces.append(written)
        self.fixed, self.real = False, True
        self.splits = self.splits or splits

    def end(self) -> None:
        """One field is complete."""
        if self.real or self.pieces:
            self.done.append(Word("".join(self.pieces), self.fixed, self.splits))
        self.pieces = []
        self.fixed, self.splits, self.real = True, False, False


def unsplit(parts: tuple[Part, ...], scope: Scope) -> Word | None:
    """The one argument of text and quoted variables, which most words are; None for any other word."""
    pieces: list[str] = []
    settled = True
    for part in parts:
        if type(part) is Text:
            pieces.append(part.text)
        elif type(part) is Variable and part.quoted and part.name not in _MANY:
            value = scope.value(part.name)
            settled = settled and value is not None
            pieces.append(part.written if value is None else value)
        else:
            return None
    return Word("".join(pieces), settled)


def _fields(parts: tuple[Part, ...], scope: Scope, inner: Inner) -> list[Word]:
    line = _Line()
    for part in parts:
        _take(part, line, scope, inner, whole=False)
    line.end()
    return line.done


def _take(part: Part, line: _Line, scope: Scope, inner: Inner, *, whole: bool) -> None:
    if type(part) is Text:
        line.pieces.append(part.text)
        line.real = line.real or part.quoted or bool(part.text)
    elif type(part) is Variable:
        _variable(part, line, scope, whole=whole)
    elif type(part) is Substitution:
        printed = inner.substitution(part, scope)
        if part.process:
            line.open(part.written, splits=not part.body.items)
        else:
            _value(part, printed, line, scope, whole=whole)
    elif type(part) is Expansion:
        inner.expansion(part, scope)
        _expansion(part, line, scope, whole=whole)
    elif type(part) is Glob and whole:
        line.pieces.append(part.written)
        line.real = True
    elif type(part) is Glob:
        line.open(part.written, splits=True)
    elif type(part) is Tilde:
        _tilde(part, line, scope)


def _variable(part: Variable, line: _Line, scope: Scope, *, whole: bool) -> None:
    values = scope.all_parameters() if part.name in _MANY else None
    if values is not None and not whole and (part.name == "@" or not part.quoted):
        _several(values, line, scope, quoted=part.quoted)
    else:
        _value(part, scope.value(part.name), line, scope, whole=whole)


def _expansion(part: Expansion, line: _Line, scope: Scope, *, whole: bool) -> None:
    array = _ARRAY.fullmatch(part.written)
    values = scope.array(array[1]) if array else None
    if values is not None and array and not whole and (array[2] == "@" or not part.quoted):
        _several(values, line, scope, quoted=part.quoted)
    else:
        line.open(part.written, splits=not whole and (not part.quoted or "[@]" in part.written))


def _value(
    part: Variable | Substitution, value: str | None, line: _Line, scope: Scope, *, whole: bool
) -> None:
    if value is None:
        many = type(part) is Variable and part.name in _MANY
        line.open(part.written, splits=not whole and (many or not part.quoted))
    elif whole or part.quoted:
        line.pieces.append(value)
        line.real = True
    elif _WILD.intersection(value) or "IFS" in scope.variables:
        line.open(value, splits=True)
    else:
        _split(value, line)


def _several(values: tuple[str, ...], line: _Line, scope: Scope, *, quoted: bool) -> None:
    """The elements of an array or the parameters: an argument each, or split once more."""
    for index, value in enumerate(values):
        if index:
            line.end()
        if quoted:
            line.pieces.append(value)
            line.real = True
        elif _WILD.intersection(value) or "IFS" in scope.variables:
            line.open(value, splits=True)
        else:
            _split(value, line)


def _split(value: str, line: _Line) -> None:
    """An unquoted value becomes fields at its blanks."""
    fields = [field for field in _BLANK_RUN.split(value) if field]
    if not fields:
        if value:
            line.end()
        return
    if value[0] in _BLANKS and (line.pieces or line.real):
        line.end()
    for index, field in enumerate(fields):
        if index:
            line.end()
        line.pieces.append(field)
        line.real = True
    if value[-1] in _BLANKS:
        line.end()


def _tilde(part: Tilde, line: _Line, scope: Scope) -> None:
    line.real = True
    if part.written == "~":
        home = scope.value("HOME")
        if home is None:
            line.open(part.written, splits=False)
        else:
            line.pieces.append(home)
        return
    found = os.path.expanduser(part.written)
    if found == part.written:
        line.open(part.written, splits=False)
    else:
        line.pieces.append(found)
