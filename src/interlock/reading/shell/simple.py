"""Simple commands: words, assignments and redirects, the usual ones of a command all at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from interlock.reading.shell import blocks
from interlock.reading.shell.assigning import read_array, read_assignment
from interlock.reading.shell.pieces import PIECES, Spelling, spell
from interlock.reading.shell.signs import (
    ASSIGNMENT,
    EASY_TARGET,
    ELEMENT,
    FUNCTION_NAME,
    REDIRECT,
    REDIRECT_START,
    SPACE_START,
    USUAL_REST,
)
from interlock.reading.shell.stuck import StuckError
from interlock.reading.shell.syntax import Assignment, Node, Redirect, Simple, Spelled

if TYPE_CHECKING:
    from interlock.reading.shell.grammar import Grammar

_DECLARING: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_CLOSED_AND_MORE: Final = re.compile(r"-.")
_COMMAND_ENDS: Final = frozenset({"", "\n", ";", "|", ")"})
_BLANKS: Final = frozenset(" \t")
_AROUND_OPERATOR: Final = " \t0123456789"
_MAX_REDIRECTS: Final = 100


class _Command:
    """What has been read of a command."""

    __slots__ = ("assignments", "end", "redirects", "start", "words")

    def __init__(self, start: int) -> None:
        self.start = self.end = start
        self.words: list[Spelled] = []
        self.assignments: list[Assignment] = []
        self.redirects: list[Redirect] = []

    def node(self) -> Simple:
        """All of it."""
        words, assignments, redirects = self.words, self.assignments, self.redirects
        return Simple(self.start, self.end, tuple(words), None, tuple(assignments), tuple(redirects))


def read_usual(grammar: Grammar, start: int, stop: int, after: int) -> Node:
    """A command whose pieces from `start` to `stop` are usual; `after` its end, or -1 if it goes on."""
    if after < 0 and grammar.text.startswith("(", stop) and (function := _function(grammar, start, stop)):
        return function
    command = _Command(start)
    return _take_usual(grammar, command, start, stop, after) or _go_on(grammar, command)


def read_simple(grammar: Grammar) -> Node:
    """The command that begins here with something unusual."""
    return _go_on(grammar, _Command(grammar.scan.position))


def _function(grammar: Grammar, start: int, stop: int) -> Node | None:
    """`name()`, if that is what stands here."""
    name = grammar.text[start:stop]
    if not FUNCTION_NAME.fullmatch(name) or not blocks.PARENTHESES.match(grammar.text, stop):
        return None
    grammar.scan.position = stop
    return blocks.named_function(grammar, Spelled(start, stop, name), start)


def _take_usual(grammar: Grammar, command: _Command, position: int, stop: int, after: int) -> Simple | None:
    """Take the pieces up to `stop`, or to one that is not usual; the command, if it ends there."""
    pieces = PIECES.findall(grammar.text, position, stop)
    if after < 0 and pieces and not pieces[-1][-1]:
        pieces.pop()  # the word may go on
    known = grammar.scan.known
    words, redirects, taken = command.words, command.redirects, command.end
    for plain, other, operator, target, blanks in pieces:
        end = position + len(plain or other)
        if plain and (words or not (redirects or "=" in plain)):
            words.append(Spelled(position, end, plain))
        elif operator:
            if len(redirects) >= _MAX_REDIRECTS:
                break
            begin = position + len(operator)
            end = begin + len(target)
            text, parts = known.get(target) or known.setdefault(target, spell(target))
            sign = operator.strip(_AROUND_OPERATOR)
            redirects.append(Redirect(sign, Spelled(begin, end, text, parts), position, end))
        elif not words:
            if redirects or not _take_first(known, command, plain or other, position):
                break
        elif other:
            text, parts = known.get(other) or known.setdefault(other, spell(other))
            words.append(Spelled(position, end, text, parts))
        else:
            break
        taken = end
        position = end + len(blanks)
    command.end = taken
    if position == stop and after >= 0:
        grammar.scan.position = after
        return command.node()
    grammar.scan.position = position
    return None


def _take_first(known: dict[str, Spelling], command: _Command, written: str, position: int) -> bool:
    """Take an assignment or a first word that is not plain, if this is one of them for sure."""
    if not written:
        return False
    end = position + len(written)
    if "=" not in written:
        text, parts = known.get(written) or known.setdefault(written, spell(written))
        command.words.append(Spelled(position, end, text, parts))
        return True
    name, _, value = written.partition("=")
    if not (name.isidentifier() and name.isascii()):
        return False
    text, parts = (known.get(value) or known.setdefault(value, spell(value))) if value else ("", None)
    command.assignments.append(Assignment(name, Spelled(end - len(value), end, text, parts)))
    return True


def _go_on(grammar: Grammar, command: _Command) -> Node:
    """The rest of a command, from a piece on that is not usual."""
    text, scan = grammar.text, grammar.scan
    words, start = command.words, command.start
    while True:
        character = text[scan.position : scan.position + 1]
        if character in SPACE_START:
            grammar.skip_space()
            character = text[scan.position : scan.position + 1]
        if character == "(" and len(words) == 1 and blocks.PARENTHESES.match(text, scan.position):
            return blocks.named_function(grammar, words[0], start)
        if character in _COMMAND_ENDS or not _hard_piece(grammar, character, command):
            break
        command.end = scan.position
        if text[scan.position : scan.position + 1] in _BLANKS and (whole := _take_rest(grammar, command)):
            return whole
    if command.end == start:
        raise StuckError(f"misplaced `{text[start : start + 2].strip()}`", start)
    return command.node()


def _take_rest(grammar: Grammar, command: _Command) -> Simple | None:
    """Take what is usual after a piece that is not; the command, if it ends there."""
    found = USUAL_REST.match(grammar.text, grammar.scan.position)
    if found is None:
        return None
    begin, stop = found.span(1)
    return _take_usual(grammar, command, begin, stop, -1 if found.lastindex == 1 else found.end())


def _hard_piece(grammar: Grammar, character: str, command: _Command) -> bool:
    """Take what is not usual; False at the end of the command."""
    text, scan, words = grammar.text, grammar.scan, command.words
    position = scan.position
    if character in REDIRECT_START and (match := REDIRECT.match(text, position)):
        read_redirect(grammar, match, command.redirects)
        return True
    if character == "&":
        return False
    if not words and (assignment := ASSIGNMENT.match(text, position)):
        command.assignments.append(read_assignment(grammar, assignment))
        return True
    if not words and ELEMENT.match(text, position):
        raise StuckError("subscript that is not understood", position)
    if not words and command.redirects and grammar.keyword():
        raise StuckError(f"`{grammar.keyword()}` after a redirect", position)
    word = scan.word()
    if word is None:
        raise StuckError(f"misplaced `{character}`", position)
    if not words and "=" in text[position : word.end] and "\\\n" in text[position : word.end]:
        raise StuckError("assignment over several lines", position)
    words.append(word)
    if text.startswith("(", scan.position):
        _after_word(grammar, words, command.assignments)
    return True


def _after_word(grammar: Grammar, words: list[Spelled], assignments: list[Assignment]) -> None:
    """`(` right after a word: a function, an array to declare, or no bash."""
    if len(words) == 1 and blocks.PARENTHESES.match(grammar.text, grammar.scan.position):
        return
    declared = words[-1]
    if words[0].text in _DECLARING and declared.text.endswith("=") and declared.parts is None:
        assignments.append(Assignment(declared.text.rstrip("+="), None, read_array(grammar), False))
        return
    raise StuckError("misplaced `(`", grammar.scan.position)


def read_redirect(grammar: Grammar, match: re.Match[str], found: list[Redirect]) -> None:
    """One redirect, from its operator on."""
    text, scan = grammar.text, grammar.scan
    if len(found) >= _MAX_REDIRECTS:
        raise StuckError("too many redirects", scan.position, limit=True)
    operator = match["operator"] or match["both"]
    start, scan.position = scan.position, match.end()
    if match.group()[:1] == "{" or match.group()[:2].isdigit():
        grammar.doubts.append(
            (f"`{match.group()}` begins with an argument to some shells", start, match.end())
        )
    if (easy := EASY_TARGET.match(text, match.end())) and operator[:2] != "<<":
        scan.position = easy.end()
        found.append(Redirect(operator, Spelled(*easy.span(1), easy[1]), start, easy.end()))
        return
    scan.skip_blanks()
    if operator.startswith(">") and text.startswith("!", scan.position):
        # One shell writes to the file `!`, another overwrites the file named after it.
        grammar.doubts.append(("`>!` means different things to different shells", start, match.end() + 1))
        scan.position += 1
        scan.skip_blanks()
    target = scan.word()
    raw = text[target.start : target.end] if target else ""
    if target is None or (operator.endswith("&") and _CLOSED_AND_MORE.match(target.text or raw)):
        raise StuckError("redirect without a target", start)
    body = None
    if operator in {"<<", "<<-"}:
        body = grammar.documents.announce(target, raw, operator)
    found.append(Redirect(operator, target, start, scan.position, body))
