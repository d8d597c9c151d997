"""Commands of a shell text: lists, pipes and simple commands, or the place where the grammar ends."""

from __future__ import annotations

import re
from typing import Final

from interlock.reading.shell import blocks
from interlock.reading.shell.documents import Documents
from interlock.reading.shell.scan import MAX_DEPTH, PLAIN_WORDS, Scanner, easy_word, without_quotes
from interlock.reading.shell.stuck import StuckError
from interlock.reading.shell.syntax import (
    Assignment,
    Block,
    BlockKind,
    Chain,
    Function,
    Node,
    Pipe,
    Redirect,
    Sequence,
    Simple,
    Spelled,
)
from interlock.reading.word import Word

_SPACE_START: Final = frozenset(" \t\\#")
_SPACE: Final = re.compile(r"(?:[ \t]++|\\\n|#[^\n]*+)++")
_LINES_START: Final = _SPACE_START | {"\n"}
_LINES: Final = re.compile(r"(?:[ \t\n]++|\\\n|#[^\n]*+)++")
_KEYWORD_START: Final = frozenset("itefwudcs{}![]")
_KEYWORD_TEXT: Final = (
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|in|function|time|coproc"
    r"|[{}!]|\[\[|\]\])(?=(?:\\\n)*+(?:[\s;&|()]|[<>](?!\()|\Z))"
)
_KEYWORD: Final = re.compile(_KEYWORD_TEXT)
# A whole command of words that the shell only takes apart, and what may follow it.
_PLAIN_COMMAND: Final = rf"({PLAIN_WORDS})(?=[\n;|)]|&(?!>)|\Z)"
_BEGINNING: Final = re.compile(rf"({_LINES.pattern})?+(?:({_KEYWORD_TEXT})|{_PLAIN_COMMAND})?+")
_EASY_WORD: Final = re.compile(r"[ \t]*+(" + easy_word(r"\s;&|)") + r")[ \t]*+")
_REDIRECT: Final = re.compile(
    r"(?:\d+|\{[A-Za-z_]\w*\})?(?P<operator><<<|<<-?|<>|>>|>\||<&|>&|[<>](?!\())|(?P<both>&>>?)"
)
_ASSIGNMENT: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<key>\[[\w$@*+\-\"' ]*\])?(?P<add>\+)?=")
_ELEMENT: Final = re.compile(r"[A-Za-z_]\w*\[")
# Words that only close or continue what was opened: met where a command begins, they are a mistake.
_CLOSERS: Final = frozenset({"}", "then", "elif", "else", "fi", "do", "done", "esac", "in", "]]", "coproc"})
_DECLARING: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_CLOSED_AND_MORE: Final = re.compile(r"-.")
_LIST_ENDS: Final = frozenset({"", ")", ";"})
_CASE_ENDS: Final = frozenset({";", "&"})
_SEPARATORS: Final = frozenset({";", "&"})
_JOINING: Final = frozenset({"&", "|"})
_PREFIXES: Final = frozenset({"!", "time"})
_COMMAND_ENDS: Final = frozenset({"", "\n", ";", "|", ")"})
_AFTER_WORD: Final = frozenset({"", " ", "\t", "\n", ";", "&", "|", "<", ">", ")"})
_MAX_REDIRECTS: Final = 100
_PORTABLE: Final = re.compile(r"-p(?=\s|\\\n)")
_MAX_NODES: Final = 20_000
_NOTHING: Final[frozenset[str]] = frozenset()


class Grammar:
    """Reads commands from a scanner; what was whole before a mistake is kept."""

    def __init__(self, text: str, position: int = 0, depth: int = 0) -> None:
        self.text: Final = text
        self.scan: Final = Scanner(text, self._inside, position, depth)
        self.documents = Documents(self.scan)
        self.doubts: list[tuple[str, int, int]] = []  # read, but other shells read it otherwise
        self._nodes = 0
        self._ready: Simple | None = None  # a plain command that was read where it begins

    def read(self) -> tuple[list[Node], StuckError | None]:
        """Every command at the top, and where the reading stopped if it did."""
        items: list[Node] = []
        try:
            self._list(items, _NOTHING)
            self._finish()
        except StuckError as stuck:
            return items, stuck
        return items, None

    def _finish(self) -> None:
        if self.scan.position < len(self.text):
            shown = self.text[self.scan.position : self.scan.position + 2].strip()
            raise StuckError(f"misplaced `{shown}`", self.scan.position)
        self.documents.finish()

    def _inside(self, scanner: Scanner) -> Sequence:
        """The commands of a substitution, up to its `)`."""
        if scanner is not self.scan:
            inner = Grammar(scanner.text, scanner.position, scanner.depth)
            inner._nodes = self._nodes + 1
            body = inner._inside(inner.scan)
            self._nodes = inner._nodes
            scanner.position = inner.scan.position
            self.doubts += inner.doubts
            return body
        outer, start = self.documents, scanner.position
        self.documents = Documents(scanner, nested=True)
        items: list[Node] = []
        self._list(items, _NOTHING)
        self.documents.finish()
        self.documents = outer
        if outer.awaited and "\n" in self.text[start : scanner.position]:
            raise StuckError("here-document before a substitution of several lines", start)
        return Sequence(tuple(items))

    # --- lists -------------------------------------------------------------------------------------

    def sequence(self, stop: frozenset[str]) -> Sequence:
        """Commands up to one of these words, which is left to the caller."""
        items: list[Node] = []
        self._list(items, stop)
        return Sequence(tuple(items))

    def skip_space(self) -> None:
        """Move over blanks, joined lines and comments."""
        if self.text[self.scan.position : self.scan.position + 1] in _SPACE_START:
            found = _SPACE.match(self.text, self.scan.position)
            if found:
                self.scan.position = found.end()

    def skip_lines(self) -> None:
        """Move over all that separates commands without meaning, and take here-documents on the way."""
        while self.documents.awaited:
            self.skip_space()
            if not self.text.startswith("\n", self.scan.position):
                return
            self.scan.position += 1
            self.documents.take()
        if self.text[self.scan.position : self.scan.position + 1] in _LINES_START:
            found = _LINES.match(self.text, self.scan.position)
            if found:
                self.scan.position = found.end()

    def keyword(self) -> str:
        """The plain word that begins here, if it could be a word of the grammar."""
        position = self.scan.position
        if self.text[position : position + 1] not in _KEYWORD_START:
            return ""
        found = _KEYWORD.match(self.text, position)
        return found.group() if found else ""

    def expect(self, word: str) -> None:
        """Move over one word of the grammar, or give up."""
        self.skip_lines()
        if self.keyword() != word:
            raise StuckError(f"`{word}` is missing", self.scan.position)
        self.scan.position += len(word)

    def _list(self, items: list[Node], stop: frozenset[str]) -> None:
        text, scan = self.text, self.scan
        while True:
            word = self._beginning()
            if not self._ready and (word in stop or text[scan.position : scan.position + 1] in _LIST_ENDS):
                return
            node = self._pipeline(word)
            character = text[scan.position : scan.position + 1]
            if character in _JOINING:
                node = self._chain(node)
                character = text[scan.position : scan.position + 1]
                if character == "&":
                    node = Block(kind=BlockKind.BACKGROUND, bodies=(Sequence((node,)),))
            items.append(node)
            if character == "\n":
                continue
            if character == ";" and text[scan.position + 1 : scan.position + 2] in _CASE_ENDS:
                return
            if character in _SEPARATORS:
                self.documents.refuse_more()
                scan.position += 1
            elif character and character != ")":
                raise StuckError(f"misplaced `{character}`", scan.position)

    def _beginning(self) -> str:
        """Move to the next command; the word of the grammar it begins with. A plain one is read at once."""
        if not self.documents.awaited and (found := _BEGINNING.match(self.text, self.scan.position)):
            lines, word, plain = found.groups("")
            self.scan.position += len(lines)
            if plain and "=" not in (words := plain.split())[0]:
                start, self.scan.position = self.scan.position, found.end()
                self._ready = Simple(
                    plain=tuple(map(Word, words)), start=start, end=start + len(plain.rstrip())
                )
            return word
        self.skip_lines()
        return self.keyword()

    def _chain(self, first: Node) -> Node:
        rest: list[tuple[str, Node]] = []
        while True:
            operator = self.text[self.scan.position : self.scan.position + 2]
            if operator not in {"&&", "||"}:
                return Chain(first, tuple(rest)) if rest else first
            self.scan.position += 2
            rest.append((operator, self._pipeline(self._beginning())))

    def _pipeline(self, word: str) -> Node:
        """A command and those that read from it; `word` is the word of the grammar it begins with."""
        first = self.command(self._skip_prefixes() if word in _PREFIXES else word)
        if not self.text.startswith("|", self.scan.position):
            return first
        parts = [first]
        while True:
            following = self.text[self.scan.position + 1 : self.scan.position + 2]
            if not self.text.startswith("|", self.scan.position) or following == "|":
                return Pipe(tuple(parts)) if len(parts) > 1 else first
            self.scan.position += 2 if following == "&" else 1
            word = self._beginning()
            if word in _PREFIXES:
                raise StuckError(f"`{word}` inside a pipe", self.scan.position)
            parts.append(self.command(word))

    def _skip_prefixes(self) -> str:
        """`!` and `time` say how a pipeline is run, not what; the word of the grammar after them."""
        while (word := self.keyword()) in _PREFIXES:
            self.scan.position += len(word)
            self.skip_space()
            if word == "time" and _PORTABLE.match(self.text, self.scan.position):
                self.scan.position += 2
                self.skip_space()
        return word

    # --- commands ----------------------------------------------------------------------------------

    def command(self, word: str) -> Node:
        """One simple or compound command, and the blanks after it; `word` is its word of the grammar."""
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise StuckError("too many commands", self.scan.position, limit=True)
        ready = self._ready
        if ready is not None:
            self._ready = None
            return ready
        start = self.scan.position
        if not word:
            if not self.text.startswith("(", start):
                return self._simple()
            word = "("
        reader = blocks.READERS.get(word)
        if reader is None:
            if word in _CLOSERS:
                raise StuckError(f"misplaced `{word}`", start)
            return self._simple()
        if self.scan.depth >= MAX_DEPTH:
            raise StuckError("nested too deep", start, limit=True)
        self.scan.depth += 1
        node = reader(self)
        self.scan.depth -= 1
        return node

    def redirects(self) -> tuple[Redirect, ...]:
        """The redirects that follow a block."""
        found: list[Redirect] = []
        while True:
            self.skip_space()
            match = _REDIRECT.match(self.text, self.scan.position)
            if match is None:
                return tuple(found)
            self._redirect(match, found)

    def _simple(self) -> Node:
        text, scan = self.text, self.scan
        start = end = scan.position
        words: list[Spelled] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        while True:
            easy = _EASY_WORD.match(text, scan.position)
            if easy and (words or ("=" not in easy[1] and not redirects)):
                word, end = easy[1], easy.end(1)
                scan.position = easy.end()
                value = without_quotes(word) if "'" in word or '"' in word else word
                words.append(Spelled(end - len(word), end, value))
                continue
            character = text[scan.position : scan.position + 1]
            if character in _SPACE_START:
                self.skip_space()
                character = text[scan.position : scan.position + 1]
            if character == "(" and len(words) == 1 and blocks.PARENTHESES.match(text, scan.position):
                return self._function(words[0], start)
            if character in _COMMAND_ENDS or not self._hard_piece(character, words, assignments, redirects):
                break
            end = scan.position
        if end == start:
            raise StuckError(f"misplaced `{self.text[start : start + 2].strip()}`", start)
        return Simple(
            words=tuple(words), assignments=tuple(assignments), redirects=tuple(redirects),
            start=start, end=end,
        )  # fmt: skip

    def _hard_piece(
        self,
        character: str,
        words: list[Spelled],
        assignments: list[Assignment],
        redirects: list[Redirect],
    ) -> bool:
        """Take what is no plain word; False at the end of the command."""
        position = self.scan.position
        if character in "<>&{0123456789" and (match := _REDIRECT.match(self.text, position)):
            self._redirect(match, redirects)
            return True
        if character == "&":
            return False
        if not words and (assignment := _ASSIGNMENT.match(self.text, position)):
            assignments.append(self._assignment(assignment))
            return True
        if not words and _ELEMENT.match(self.text, position):
            raise StuckError("subscript that is not understood", position)
        if not words and redirects and self.keyword():
            raise StuckError(f"`{self.keyword()}` after a redirect", position)
        # The usual kind of word has been tried.
        word = self.scan.hard_word() if character in '"$' else self.scan.word()
        if word is None:
            raise StuckError(f"misplaced `{character}`", position)
        if not words and "=" in self.text[position : word.end] and "\\\n" in self.text[position : word.end]:
            raise StuckError("assignment over several lines", position)
        words.append(word)
        if self.text.startswith("(", self.scan.position):
            self._after_word(words, assignments)
        return True

    def _after_word(self, words: list[Spelled], assignments: list[Assignment]) -> None:
        """`(` right after a word: a function, an array to declare, or no bash."""
        if len(words) == 1 and blocks.PARENTHESES.match(self.text, self.scan.position):
            return
        declared = words[-1]
        if words[0].text in _DECLARING and declared.text.endswith("=") and declared.parts is None:
            assignments.append(
                Assignment(name=declared.text.rstrip("+="), value=None, elements=self._array(), plain=False)
            )
            return
        raise StuckError("misplaced `(`", self.scan.position)

    def _function(self, name: Spelled, start: int) -> Function:
        found = blocks.PARENTHESES.match(self.text, self.scan.position)
        if found is None or name.parts is not None or name.start != start:
            raise StuckError("function name that is not plain", start)
        self.scan.position = found.end()
        return self.function_body(name.text, start)

    def function_body(self, name: str, start: int) -> Function:
        """The block a function stands for."""
        self.skip_lines()
        body = self.command(self.keyword())
        if not isinstance(body, Block):
            raise StuckError("function without a block", start)
        return Function(name=name, body=body, start=start, end=self.scan.position)

    def _assignment(self, match: re.Match[str]) -> Assignment:
        self.scan.position = match.end()
        plain = not match["key"] and not match["add"]
        if self.text.startswith("(", self.scan.position):
            adds = bool(match["add"] or match["key"])
            return Assignment(name=match["name"], value=None, elements=self._array(), plain=False, adds=adds)
        return Assignment(name=match["name"], value=self.scan.value(), plain=plain)

    def _array(self) -> tuple[Spelled, ...]:
        self.scan.position += 1
        elements: list[Spelled] = []
        while True:
            self.skip_lines()
            if self.text.startswith(")", self.scan.position):
                self.scan.position += 1
                if self.text[self.scan.position : self.scan.position + 1] not in _AFTER_WORD:
                    raise StuckError("text right after an array", self.scan.position)
                return tuple(elements)
            word = self.scan.word()
            if word is None:
                raise StuckError("array that is not understood", self.scan.position)
            elements.append(word)

    def _redirect(self, match: re.Match[str], found: list[Redirect]) -> None:
        if len(found) >= _MAX_REDIRECTS:
            raise StuckError("too many redirects", self.scan.position, limit=True)
        operator = match["operator"] or match["both"]
        start, self.scan.position = self.scan.position, match.end()
        if match.group()[:1] == "{" or match.group()[:2].isdigit():
            self.doubts.append(
                (f"`{match.group()}` begins with an argument to some shells", start, match.end())
            )
        self.scan.skip_blanks()
        if operator.startswith(">") and self.text.startswith("!", self.scan.position):
            # One shell writes to the file `!`, another overwrites the file named after it.
            self.doubts.append(("`>!` means different things to different shells", start, match.end() + 1))
            self.scan.position += 1
            self.scan.skip_blanks()
        target = self.scan.word()
        if target is None or (operator.endswith("&") and _CLOSED_AND_MORE.match(target.text)):
            raise StuckError("redirect without a target", start)
        body = None
        if operator in {"<<", "<<-"}:
            raw = self.text[target.start : target.end]
            body = self.documents.announce(target, raw, operator)
        found.append(
            Redirect(operator=operator, target=target, start=start, end=self.scan.position, body=body)
        )
