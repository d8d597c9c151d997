"""Simple commands: words, assignments and redirects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.shell import blocks
from interlock.effects.shell.sensitive import is_sensitive
from interlock.effects.shell.signs import (
    ASSIGNMENT,
    EASY_TARGET,
    ELEMENT,
    REDIRECT_START,
    SPACE_START,
    redirect_at,
)
from interlock.effects.shell.syntax import Assignment, Node, Redirect, ShellWord, Simple, StuckError

if TYPE_CHECKING:
    from interlock.effects.shell.grammar import Grammar

_AFTER_WORD: Final = frozenset({"", " ", "\t", "\n", ";", "&", "|", "<", ">", ")"})


def read_assignment(grammar: Grammar, match: re.Match[str]) -> Assignment:
    """The variable that is set here and its value."""
    grammar.scan.position = match.end()
    plain = not match["key"] and not match["add"]
    if grammar.text.startswith("(", grammar.scan.position):
        adds = bool(match["add"] or match["key"])
        return Assignment(
            name=match["name"], value=None, elements=read_array(grammar), plain=False, adds=adds
        )
    adds = bool(match["add"]) and not match["key"]
    return Assignment(name=match["name"], value=grammar.scan.value(), plain=plain, adds=adds)


def read_array(grammar: Grammar) -> tuple[ShellWord, ...]:
    """The elements of an array, up to and over its `)`."""
    grammar.scan.position += 1
    elements: list[ShellWord] = []
    while True:
        grammar.skip_lines()
        if grammar.text.startswith(")", grammar.scan.position):
            grammar.scan.position += 1
            if grammar.text[grammar.scan.position : grammar.scan.position + 1] not in _AFTER_WORD:
                raise StuckError("text right after an array", grammar.scan.position)
            return tuple(elements)
        word = grammar.scan.word()
        if word is None:
            raise StuckError("array that is not understood", grammar.scan.position)
        elements.append(word)


_DECLARING: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_RESERVED: Final = frozenset(
    "if then elif else fi for while until do done case esac in function select time coproc".split()
)
_CLOSED_AND_MORE: Final = re.compile(r"-.")
_COMMAND_ENDS: Final = frozenset({"", "\n", ";", "|", ")"})
_REDIRECTING: Final = frozenset("<>")
_MAX_REDIRECTS: Final = 100


class _Command(msgspec.Struct, gc=False):
    """What has been read of a command."""

    start: int
    end: int
    words: list[ShellWord]
    assignments: list[Assignment]
    redirects: list[Redirect]

    def node(self) -> Simple:
        """All of it."""
        words, assignments, redirects = tuple(self.words), tuple(self.assignments), tuple(self.redirects)
        return Simple(self.start, self.end, (), words, assignments, redirects)


def read_simple(grammar: Grammar) -> Node:
    """The command that begins here."""
    text, scan = grammar.text, grammar.scan
    start = scan.position
    command = _Command(start, start, [], [], [])
    words = command.words
    while True:
        character = text[scan.position : scan.position + 1]
        if character in SPACE_START:
            grammar.skip_space()
            character = text[scan.position : scan.position + 1]
        if character == "(" and len(words) == 1 and blocks.PARENTHESES.match(text, scan.position):
            return blocks.named_function(grammar, words[0], start)
        if character in _COMMAND_ENDS or not _read_piece(grammar, character, command):
            break
        command.end = scan.position
    if command.end == start:
        raise StuckError(f"misplaced `{text[start : start + 2].strip()}`", start)
    return command.node()


def _read_piece(grammar: Grammar, character: str, command: _Command) -> bool:
    """Take a word, an assignment or a redirect; False at the end of the command."""
    text, scan, words = grammar.text, grammar.scan, command.words
    position = scan.position
    if character in REDIRECT_START and (match := redirect_at(text, position)):
        if words and words[-1].end == position and words[-1].braces:  # `{a[$x]}>f` opens a descriptor
            grammar.doubts.append(("a redirect right after braces", words[-1].start, position))
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
    if "\\\n" in text[position : word.end]:
        _refuse_parted(text, position, word, named=bool(words))
    words.append(word)
    if text.startswith("(", scan.position):
        _after_word(grammar, command)
    return True


def _refuse_parted(text: str, position: int, word: ShellWord, *, named: bool) -> None:
    """Lines are joined before a shell looks for assignments, words of its grammar and redirects."""
    if not named and ("=" in text[position : word.end] or word.text in _RESERVED):
        raise StuckError("an assignment or a word of the grammar over several lines", position)
    if text[word.end : word.end + 1] in _REDIRECTING and (word.text.isdigit() or word.text[:1] == "{"):
        raise StuckError("a redirect over several lines", position)


def _after_word(grammar: Grammar, command: _Command) -> None:
    """`(` right after a word: a function, an array to declare, or no bash."""
    words = command.words
    if len(words) == 1 and blocks.PARENTHESES.match(grammar.text, grammar.scan.position):
        return
    declared = words[-1]
    if words[0].text in _DECLARING and declared.text.endswith("=") and declared.parts is None:
        command.assignments.append(Assignment(declared.text.rstrip("+="), None, read_array(grammar), False))
        return
    raise StuckError("misplaced `(`", grammar.scan.position)


def read_redirect(grammar: Grammar, match: re.Match[str], found: list[Redirect]) -> None:
    """One redirect, from its operator on."""
    text, scan = grammar.text, grammar.scan
    if len(found) >= _MAX_REDIRECTS:
        raise StuckError("too many redirects", scan.position, limit=True)
    operator = match["operator"] or match["both"]
    start, scan.position = scan.position, match.end()
    # To some shells `12>f` and `{fd}>f` give the program one more argument: a number, or that name.
    if match["name"] and is_sensitive(match["name"]):
        grammar.doubts.append((f"`{match.group()}` sets what others obey", start, match.end()))
    if (easy := EASY_TARGET.match(text, match.end())) and operator[:2] != "<<":
        scan.position = easy.end()
        found.append(Redirect(operator, ShellWord(*easy.span(1), easy[1]), start, easy.end()))
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
