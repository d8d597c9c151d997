"""Simple commands: words, assignments and redirects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.shell import blocks
from interlock.effects.shell.names import is_sensitive
from interlock.effects.shell.scan import Scanner
from interlock.effects.shell.syntax import (
    ASSIGNMENT,
    EASY_TARGET,
    ELEMENT,
    REDIRECT_START,
    Assignment,
    Node,
    Part,
    Redirect,
    ShellWord,
    Simple,
    StuckError,
    Text,
    first_word_at,
    plain_word_at,
    redirect_at,
    space_at,
)

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
            raise StuckError("array that Interlock cannot read", grammar.scan.position)
        elements.append(word)


_DECLARING: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_RESERVED: Final = frozenset(
    "if then elif else fi for while until do done case esac in function select time coproc".split()
)
_CLOSED_AND_MORE: Final = re.compile(r"-.")
_COMMAND_ENDS: Final = frozenset({"", "\n", ";", "|", ")"})
_REDIRECTING: Final = frozenset("<>")
_MAX_REDIRECTS: Final = 100


def read_simple(grammar: Grammar) -> Node:
    """The command that begins here."""
    text, scan = grammar.text, grammar.scan
    start = scan.position
    words: list[ShellWord] = []
    assignments: list[Assignment] = []
    redirects: list[Redirect] = []
    while True:
        end = scan.position = _take_plain(text, scan.position, words)
        if blanks := space_at(text, scan.position):
            scan.position = blanks.end()
        position = scan.position
        character = text[position : position + 1]
        if character in _COMMAND_ENDS:
            break
        if character == "(" and len(words) == 1 and blocks.PARENTHESES.match(text, position):
            return blocks.named_function(grammar, words[0], start)
        if character in REDIRECT_START and (match := redirect_at(text, position)):
            if words and words[-1].end == position and words[-1].braces:  # `{a[$x]}>f` opens a descriptor
                grammar.doubts.append(("a redirect right after braces", words[-1].start, position))
            read_redirect(grammar, match, redirects)
        elif character == "&":
            break
        elif not words and (assignment := _assignment_here(grammar, redirected=bool(redirects))):
            assignments.append(assignment)
        else:
            _read_word(grammar, words, assignments)
    if end == start:
        raise StuckError(f"misplaced `{text[start : start + 2].strip()}`", start)
    return Simple(start, end, (), tuple(words), tuple(assignments), tuple(redirects))


def _take_plain(text: str, position: int, words: list[ShellWord]) -> int:
    """Take the words from here on in which nothing is quoted or expanded; where they end."""
    match = plain_word_at(text, position) if words else first_word_at(text, position)
    while match:
        position = match.end()
        words.append(ShellWord(*match.span(1), match[1]))
        match = plain_word_at(text, position)
    return position


def _assignment_here(grammar: Grammar, *, redirected: bool) -> Assignment | None:
    """The assignment where the first word might stand; what looks like one and is none is a mistake."""
    text, position = grammar.text, grammar.scan.position
    if match := ASSIGNMENT.match(text, position):
        return read_assignment(grammar, match)
    if ELEMENT.match(text, position):
        raise StuckError("subscript that Interlock cannot read", position)
    if redirected and grammar.keyword():
        raise StuckError(f"`{grammar.keyword()}` after a redirect", position)
    return None


def _read_word(grammar: Grammar, words: list[ShellWord], assignments: list[Assignment]) -> None:
    text, scan = grammar.text, grammar.scan
    position = scan.position
    word = scan.word()
    if word is None:
        raise StuckError(f"misplaced `{text[position : position + 1]}`", position)
    if "\\\n" in text[position : word.end]:
        _refuse_parted(text, position, word, named=bool(words))
    words.append(word)
    if text.startswith("(", scan.position):
        _read_parentheses(grammar, words, assignments)


def _refuse_parted(text: str, position: int, word: ShellWord, *, named: bool) -> None:
    """Lines are joined before a shell looks for assignments, words of its grammar and redirects."""
    if not named and ("=" in text[position : word.end] or word.text in _RESERVED):
        raise StuckError("an assignment or keyword over several lines", position)
    if text[word.end : word.end + 1] in _REDIRECTING and (word.text.isdigit() or word.text[:1] == "{"):
        raise StuckError("a redirect over several lines", position)


def _read_parentheses(grammar: Grammar, words: list[ShellWord], assignments: list[Assignment]) -> None:
    """`(` right after a word: a function, an array to declare, or no bash."""
    if len(words) == 1 and blocks.PARENTHESES.match(grammar.text, grammar.scan.position):
        return
    declared = words[-1]
    if words[0].text in _DECLARING and declared.text.endswith("=") and declared.parts is None:
        assignments.append(Assignment(declared.text.rstrip("+="), None, read_array(grammar), False))
        return
    raise StuckError("misplaced `(`", grammar.scan.position)


def read_redirect(grammar: Grammar, match: re.Match[str], redirects: list[Redirect]) -> None:
    """One redirect, from its operator on."""
    text, scan = grammar.text, grammar.scan
    if len(redirects) >= _MAX_REDIRECTS:
        raise StuckError("too many redirects", scan.position, limit=True)
    operator = match["operator"] or match["both"]
    start, scan.position = scan.position, match.end()
    # To some shells `12>f` and `{fd}>f` give the program one more argument: a number, or that name.
    if match["name"] and is_sensitive(match["name"]):
        grammar.doubts.append(
            (f"`{match.group()}` sets a variable that other programs obey", start, match.end())
        )
    if (easy := EASY_TARGET.match(text, match.end())) and operator[:2] != "<<":
        scan.position = easy.end()
        redirects.append(Redirect(operator, ShellWord(*easy.span(1), easy[1]), start, easy.end()))
        return
    scan.skip_blanks()
    if operator.startswith(">") and text.startswith("!", scan.position):
        # One shell writes to the file `!`, another overwrites the file named after it.
        grammar.doubts.append(("`>!` means different things in different shells", start, match.end() + 1))
        scan.position += 1
        scan.skip_blanks()
    target = scan.word()
    raw = text[target.start : target.end] if target else ""
    if target is None or (operator.endswith("&") and _CLOSED_AND_MORE.match(target.text or raw)):
        raise StuckError("redirect without a target", start)
    body = None
    if operator in {"<<", "<<-"}:
        body = grammar.documents.announce(target, raw, operator)
    redirects.append(Redirect(operator, target, start, scan.position, body))


_LINE_ENDS: Final = frozenset({"", "\n"})


class _Awaited(msgspec.Struct, frozen=True):
    delimiter: str
    literal: bool
    tabs: bool  # leading tabs are taken off
    body: list[Part]
    start: int


class Documents(msgspec.Struct):
    """The here-documents whose lines have not been reached yet."""

    scanner: Scanner
    nested: bool = False
    awaited: list[_Awaited] = []
    first: int | None = None  # where the first stands that a substitution holds

    def announce(self, delimiter: ShellWord, raw: str, operator: str) -> list[Part]:
        """Expect a document after this line; its parts will be in the list."""
        if delimiter.parts is not None or not delimiter.text:
            raise StuckError("here-document whose end is not plain", delimiter.start)
        literal = "'" in raw or '"' in raw or "\\" in raw
        body: list[Part] = []
        if self.nested and self.first is None:
            self.first = delimiter.start
        self.awaited.append(_Awaited(delimiter.text, literal, operator == "<<-", body, delimiter.start))
        return body

    def take(self) -> None:
        """Read what was announced on the line that has just ended."""
        awaited, self.awaited = self.awaited, []
        for document in awaited:
            self._read(document)

    def refuse_more(self) -> None:
        """Inside a substitution, some shells lose what separates commands beside or behind a document."""
        if self.first is not None:
            raise StuckError("commands after a here-document in a substitution", self.first)

    def finish(self) -> None:
        """At the end of the commands none may be missing."""
        if self.awaited:
            raise StuckError("here-document without its lines", self.awaited[0].start)

    def _read(self, document: _Awaited) -> None:
        text, start = self.scanner.text, self.scanner.position
        if document.tabs:
            whole, position = self._without_tabs(document, start)
        else:
            end = _find_line(text, document.delimiter, start)
            if end < 0:
                raise StuckError("here-document without an end", document.start)
            whole, position = text[start:end], end + len(document.delimiter) + 1
        self.scanner.position = min(position, len(text))
        if document.literal:
            document.body.append(Text(whole, quoted=True))
        else:
            document.body.extend(self.scanner.document(whole))

    def _without_tabs(self, document: _Awaited, position: int) -> tuple[str, int]:
        """The lines of a document whose leading tabs are taken off, and where it ends."""
        text, lines = self.scanner.text, list[str]()
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            line = text[position:end].lstrip("\t")
            position = end + 1
            if line == document.delimiter:
                return "".join(lines), position
            lines.append(line + "\n")
        raise StuckError("here-document without an end", document.start)


def _find_line(text: str, line: str, start: int) -> int:
    """Where the first such line begins, from a place on where a line does; -1 if there is none."""
    if "\n" in line or start >= len(text):
        return -1
    if text.startswith(line, start) and text[start + len(line) : start + len(line) + 1] in _LINE_ENDS:
        return start
    position = text.find(f"\n{line}\n", start)
    if position < 0 and text.endswith(f"\n{line}") and len(text) - len(line) > start:
        position = len(text) - len(line) - 1
    return position + 1 if position >= 0 else -1
