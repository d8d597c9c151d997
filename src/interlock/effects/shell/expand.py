"""Expands words of the text into arguments, as far as they are known."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Final

from interlock.effects.effect import Word
from interlock.effects.shell.expansions import brace_words
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import (
    OPENED,
    Expansion,
    Glob,
    Part,
    ShellWord,
    Substitution,
    Text,
    Tilde,
    TooMuchError,
    Variable,
)

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

_MAX_ARGUMENTS: Final = 20_000  # of one command, after braces, arrays and parameters are expanded
_BLANKS: Final = " \t\n"
_BLANK_RUN: Final = re.compile(r"[ \t\n]++")
_ARRAY: Final = re.compile(r"\$\{([A-Za-z_]\w*)\[([@*])\]\}")
_NAMED: Final = re.compile(r"\$\{(\w+)(?!\w)")
_WILD: Final = frozenset("*?[")
_MANY: Final = frozenset("@*")


def expand_all(spelled: tuple[ShellWord, ...], scope: Scope, walker: Walker) -> list[Word]:
    """Return the program and its arguments, as far as they are known."""
    words: list[Word] = []
    for word in spelled:
        parts = word.parts
        if parts is None:
            words.append(Word(word.text))
            continue
        if len(parts) == 1 and type(part := parts[0]) is Variable and part.quoted and part.name not in _MANY:
            value = scope.value(part.name)  # most words that are not plain are such a variable
            stands_for = scope.listed(part.name) or part.written if value is None else value
            words.append(Word(stands_for, value is not None))
            continue
        if word.braces:
            words += _expand_braces(parts, scope, walker)
        else:
            _put(parts, scope, walker, words)
        if len(words) > _MAX_ARGUMENTS:
            raise TooMuchError
    if len(words) > _MAX_ARGUMENTS:
        raise TooMuchError
    return words


def expand(spelled: ShellWord, scope: Scope, walker: Walker) -> list[Word]:
    """Return the arguments that a word becomes, usually one."""
    return expand_all((spelled,), scope, walker)


def _expand_braces(parts: tuple[Part, ...], scope: Scope, walker: Walker) -> list[Word]:
    """Return the arguments that a word with braces becomes."""
    arguments: list[Word] = []
    words = brace_words(parts)
    if words is None:
        _put(parts, scope, walker, arguments)
        return [Word(arguments[0].text if arguments else "", fixed=False, splits=True)]
    for alternative in words:
        if alternative:  # in `{a,}`, the empty alternative is no argument
            _put(_without_tilde(alternative), scope, walker, arguments)
    return arguments


def _without_tilde(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Make a leading tilde unknown: braces may have moved it to the front, where shells expand it."""
    if parts and type(parts[0]) is Text and not parts[0].quoted and parts[0].text.startswith("~"):
        return (Expansion(written="~", quoted=True), Text(parts[0].text[1:]), *parts[1:])
    return parts


def single(spelled: ShellWord, scope: Scope, walker: Walker) -> Word:
    """Return the value of an assignment or a redirect, which is never split."""
    if spelled.parts is None:
        return Word(spelled.text)
    return Word(*text_of(spelled.parts, scope, walker))


def expand_target(spelled: ShellWord, scope: Scope, walker: Walker) -> Word:
    """Return the target of a redirect; a glob or braces make it unknown."""
    if spelled.parts is None:
        return Word(spelled.text)
    word = single(spelled, scope, walker)
    for part in spelled.parts:
        if type(part) is Glob:
            return Word(word.text, fixed=False)
    return Word(word.text, fixed=False) if spelled.braces else word


def text_of(parts: tuple[Part, ...] | list[Part], scope: Scope, walker: Walker) -> tuple[str, bool]:
    """Join parts to one text; return it and whether all of it is known."""
    pieces: list[str] = []
    settled = True
    for part in parts:
        if type(part) is Text:
            pieces.append(part.text)
        elif type(part) is Glob:
            pieces.append(part.written)
        elif type(part) is Variable:
            value = scope.value(part.name)
            settled = settled and value is not None
            pieces.append(scope.listed(part.name) or part.written if value is None else value)
        else:
            written, value = _value(part, scope, walker)
            settled = settled and value is not None
            pieces.append(written if value is None else value)
    return "".join(pieces), settled


def _value(part: Part, scope: Scope, walker: Walker) -> tuple[str, str | None]:
    """Return a part as written, and its value if known; the part is neither text nor a variable."""
    if type(part) is Substitution:
        printed = walker.substitution(part, scope)
        return part.written, None if part.process else printed
    if type(part) is Expansion:
        walker.expansion(part, scope)
        return part.written, None
    return (part.written, _home(part.written, scope)) if type(part) is Tilde else ("", None)


class _Line:
    """Builds the arguments of one word."""

    __slots__ = ("done", "fixed", "pieces", "splits")

    def __init__(self, pieces: list[str], fixed: bool, splits: bool, done: list[Word]) -> None:
        self.pieces, self.fixed, self.splits, self.done = pieces, fixed, splits, done

    def open(self, written: str, splits: bool) -> None:
        """Add something that is only known at run time."""
        self.pieces.append(written)
        self.fixed = False
        self.splits = self.splits or splits

    def end(self) -> None:
        """Finish one argument."""
        if self.pieces:
            self.done.append(Word("".join(self.pieces), self.fixed, self.splits))
        self.pieces = []
        self.fixed, self.splits = True, False


def _put(parts: tuple[Part, ...], scope: Scope, walker: Walker, words: list[Word]) -> None:
    """Add the arguments of a word, nearly always one."""
    pieces: list[str] = []  # one per part
    settled, splits = True, False
    for part in parts:
        if type(part) is Text:
            pieces.append(part.text)
            continue
        if type(part) is Variable and part.name not in _MANY:
            value = scope.value(part.name)
        elif type(part) is Substitution and part.quoted and not part.process:
            value = walker.substitution(part, scope)
        elif type(part) is Expansion and "[" not in part.written:
            walker.expansion(part, scope)
            value = None
        elif type(part) is Glob:
            pieces.append(part.written)
            settled, splits = False, True
            continue
        else:
            break
        if value is None:
            pieces.append(_stands_for(part, scope, alone=len(parts) == 1))
            settled = False
            splits = splits or not part.quoted
        elif part.quoted:
            pieces.append(value)
        else:
            break
    else:
        words.append(Word("".join(pieces), settled, splits))
        return
    if not _is_nothing(parts, scope):
        _put_rest(parts[len(pieces) :], _Line(pieces, settled, splits, words), scope, walker)


def _stands_for(part: Variable | Substitution | Expansion, scope: Scope, *, alone: bool) -> str:
    """Return a part as written, or the list of names that its variable stands for."""
    if type(part) is Variable:
        if alone and not part.quoted and part.name in scope.printed:
            return scope.printed[part.name]
        return scope.listed(part.name) or part.written
    named = _NAMED.match(part.written) if type(part) is Expansion and scope.lists else None
    return (scope.listed(named[1]) if named else None) or part.written


def _put_rest(rest: tuple[Part, ...], line: _Line, scope: Scope, walker: Walker) -> None:
    """Add the remaining parts of a word, which may become several arguments."""
    for part in rest:
        _take(part, line, scope, walker)
    line.end()


def _is_nothing(parts: tuple[Part, ...], scope: Scope) -> bool:
    """Return whether a word is an empty `"$@"` or `"${a[@]}"`, which is no argument at all."""
    if len(parts) % 2 or any(part is not OPENED for part in parts[::2]):
        return False
    return all(_values(part, scope) == () for part in parts[1::2])


def _values(part: Part, scope: Scope) -> tuple[Word, ...] | None:
    """Return the words of `"$@"` or `"${a[@]}"`, None if unknown."""
    if type(part) is Variable:
        return scope.all_parameters() if part.name == "@" and part.quoted else None
    array = _ARRAY.fullmatch(part.written) if type(part) is Expansion and part.quoted else None
    return scope.array(array[1]) if array and array[2] == "@" else None


def _take(part: Part, line: _Line, scope: Scope, walker: Walker) -> None:
    if type(part) is Text:
        line.pieces.append(part.text)
    elif type(part) is Variable:
        _variable(part, line, scope)
    elif type(part) is Expansion:
        walker.expansion(part, scope)
        _expansion(part, line, scope)
    elif type(part) is Glob:
        line.open(part.written, True)
    else:
        written, value = _value(part, scope, walker)
        if type(part) is not Substitution:
            _whole(written, value, line, False)
        elif part.process:
            line.open(written, not part.body.items)
        else:
            _perhaps_split(part, value, line, scope)


def _variable(part: Variable, line: _Line, scope: Scope) -> None:
    many = part.name in _MANY
    values = scope.all_parameters() if many else None
    if values is not None and (part.name == "@" or not part.quoted) and not _may_join(values, line):
        _several(values, line, scope, quoted=part.quoted)
        return
    value = scope.value(part.name)
    if value is None and many:
        line.open(scope.lists.get("@", part.written), True)
    else:
        _perhaps_split(part, value, line, scope)


def _expansion(part: Expansion, line: _Line, scope: Scope) -> None:
    array = _ARRAY.fullmatch(part.written)
    values = scope.array(array[1]) if array else None
    if values is not None and array and (array[2] == "@" or not part.quoted) and not _may_join(values, line):
        _several(values, line, scope, quoted=part.quoted)
    else:
        named = _NAMED.match(part.written)
        listed = scope.listed(named[1]) if named and scope.lists else None
        line.open(listed or part.written, not part.quoted or "[@]" in part.written)


def _perhaps_split(part: Variable | Substitution, value: str | None, line: _Line, scope: Scope) -> None:
    if value is None or part.quoted:
        _whole(part.written, value, line, not part.quoted)
    elif _WILD.intersection(value) or "IFS" in scope.variables:
        line.open(value, True)
    else:
        _split_value(value, line)


def _whole(written: str, value: str | None, line: _Line, splits: bool) -> None:
    """Add a value in one piece, or the part as written if the value is unknown."""
    if value is None:
        line.open(written, splits)
    else:
        line.pieces.append(value)


def _may_join(values: tuple[Word, ...], line: _Line) -> bool:
    """Return whether the text before several words may be joined to any of them: the first may vanish."""
    return any(line.pieces) and any(word.splits for word in values)


def _several(values: tuple[Word, ...], line: _Line, scope: Scope, *, quoted: bool) -> None:
    """Add the elements of an array or the parameters: one argument each, or split again."""
    for index, word in enumerate(values):
        value = word.text
        if index:
            line.end()
        if not word.fixed:
            line.open(value, word.splits or not quoted)
        elif quoted:
            line.pieces.append(value)
        elif _WILD.intersection(value) or "IFS" in scope.variables:
            line.open(value, True)
        else:
            _split_value(value, line)


def _split_value(value: str, line: _Line) -> None:
    """Split an unquoted value at its blanks."""
    fields = [field for field in _BLANK_RUN.split(value) if field]
    if not fields:
        if value:
            line.end()
        return
    if value[0] in _BLANKS and line.pieces:
        line.end()
    for index, field in enumerate(fields):
        if index:
            line.end()
        line.pieces.append(field)
    if value[-1] in _BLANKS:
        line.end()


def _home(written: str, scope: Scope) -> str | None:
    """Return the home folder, None if unknown."""
    if written == "~":
        return scope.value("HOME")
    home = os.path.expanduser(written)
    return None if home == written else home
