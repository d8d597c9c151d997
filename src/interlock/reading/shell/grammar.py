"""Commands of a shell text: lists, pipes and simple commands, or the place where the grammar ends."""

from __future__ import annotations

import re
from typing import Final

from interlock.reading.shell import blocks
from interlock.reading.shell.assigning import read_array, read_assignment
from interlock.reading.shell.documents import Documents
from interlock.reading.shell.easy import easy_words, without_quotes
from interlock.reading.shell.scan import MAX_DEPTH, Scanner
from interlock.reading.shell.signs import (
    ASSIGNMENT,
    BEGINNING,
    EASY_TARGET,
    EASY_WORD,
    ELEMENT,
    KEYWORD,
    KEYWORD_START,
    LINES,
    LINES_ONLY,
    LINES_START,
    NEXT_KEYWORD,
    REDIRECT,
    SPACE,
    SPACE_START,
    WORD,
)
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
        if self.text[self.scan.position : self.scan.position + 1] in SPACE_START:
            found = SPACE.match(self.text, self.scan.position)
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
        if self.text[self.scan.position : self.scan.position + 1] in LINES_START:
            found = LINES.match(self.text, self.scan.position)
            if found:
                self.scan.position = found.end()

    def keyword(self) -> str:
        """The plain word that begins here, if it could be a word of the grammar."""
        position = self.scan.position
        if self.text[position : position + 1] not in KEYWORD_START:
            return ""
        found = KEYWORD.match(self.text, position)
        return found.group() if found else ""

    def expect(self, word: str) -> None:
        """Move over one word of the grammar, or give up."""
        if not self.documents.awaited:
            found = NEXT_KEYWORD.match(self.text, self.scan.position)
            if found is not None and found[1] == word:
                self.scan.position = found.end()
                return
        self.skip_lines()
        if self.keyword() != word:
            raise StuckError(f"`{word}` is missing", self.scan.position)
        self.scan.position += len(word)

    def _list(self, items: list[Node], stop: frozenset[str]) -> None:
        text, scan = self.text, self.scan
        while True:
            word = self._beginning()
            character = text[scan.position : scan.position + 1]
            if self._ready is None and (word in stop or character in _LIST_ENDS):
                return
            if self._ready is None or character == "|":
                node = self._pipeline(word)
                character = text[scan.position : scan.position + 1]
            else:
                node = self.command(word)
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
        if self.documents.awaited or not (found := BEGINNING.match(self.text, self.scan.position)):
            self.skip_lines()
            return self.keyword()
        last = found.lastindex
        if last is None:
            return ""
        if last == LINES_ONLY:
            self.scan.position = found.end()
            return ""
        start = self.scan.position = found.start(last)
        if last == WORD:
            return found[WORD]
        plain = found[last]
        if words := easy_words(plain):
            self.scan.position = found.end()
            end = start + len(plain.rstrip())
            self._ready = Simple(start, end, (), tuple(map(Word, words)))
        return ""

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
            match = REDIRECT.match(self.text, self.scan.position)
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
            easy = EASY_WORD.match(text, scan.position)
            if easy and (words or ("=" not in easy[1] and not redirects)):
                value = easy[1]
                begin, end = easy.span(1)
                scan.position = easy.end()
                if "'" in value or '"' in value:
                    value = without_quotes(value)
                words.append(Spelled(begin, end, value))
                continue
            character = text[scan.position : scan.position + 1]
            if character == " ":
                scan.position += 1
                character = text[scan.position : scan.position + 1]
            if character in SPACE_START:
                self.skip_space()
                character = text[scan.position : scan.position + 1]
            if character == '"' and words and (word := scan.variables()) is not None:
                words.append(word)
                end = scan.position
                continue
            if character == "(" and len(words) == 1 and blocks.PARENTHESES.match(text, scan.position):
                return blocks.named_function(self, words[0], start)
            if character in _COMMAND_ENDS or not self._hard_piece(character, words, assignments, redirects):
                break
            end = scan.position
        if end == start:
            raise StuckError(f"misplaced `{self.text[start : start + 2].strip()}`", start)
        return Simple(start, end, tuple(words), None, tuple(assignments), tuple(redirects))

    def _hard_piece(
        self,
        character: str,
        words: list[Spelled],
        assignments: list[Assignment],
        redirects: list[Redirect],
    ) -> bool:
        """Take what is no plain word; False at the end of the command."""
        position = self.scan.position
        if character in "<>&{0123456789" and (match := REDIRECT.match(self.text, position)):
            self._redirect(match, redirects)
            return True
        if character == "&":
            return False
        if not words and (assignment := ASSIGNMENT.match(self.text, position)):
            assignments.append(read_assignment(self, assignment))
            return True
        if not words and ELEMENT.match(self.text, position):
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
                Assignment(
                    name=declared.text.rstrip("+="), value=None, elements=read_array(self), plain=False
                )
            )
            return
        raise StuckError("misplaced `(`", self.scan.position)

    def function_body(self, name: str, start: int) -> Function:
        """The block a function stands for."""
        self.skip_lines()
        body = self.command(self.keyword())
        if not isinstance(body, Block):
            raise StuckError("function without a block", start)
        return Function(name=name, body=body, start=start, end=self.scan.position)

    def _redirect(self, match: re.Match[str], found: list[Redirect]) -> None:
        if len(found) >= _MAX_REDIRECTS:
            raise StuckError("too many redirects", self.scan.position, limit=True)
        operator = match["operator"] or match["both"]
        start, self.scan.position = self.scan.position, match.end()
        if match.group()[:1] == "{" or match.group()[:2].isdigit():
            self.doubts.append(
                (f"`{match.group()}` begins with an argument to some shells", start, match.end())
            )
        if (easy := EASY_TARGET.match(self.text, match.end())) and operator[:2] != "<<":
            self.scan.position = easy.end()
            plain = Spelled(*easy.span(1), easy[1])
            found.append(Redirect(operator=operator, target=plain, start=start, end=easy.end()))
            return
        self.scan.skip_blanks()
        if operator.startswith(">") and self.text.startswith("!", self.scan.position):
            # One shell writes to the file `!`, another overwrites the file named after it.
            self.doubts.append(("`>!` means different things to different shells", start, match.end() + 1))
            self.scan.position += 1
            self.scan.skip_blanks()
        target = self.scan.word()
        raw = self.text[target.start : target.end] if target else ""
        if target is None or (operator.endswith("&") and _CLOSED_AND_MORE.match(target.text or raw)):
            raise StuckError("redirect without a target", start)
        body = None
        if operator in {"<<", "<<-"}:
            body = self.documents.announce(target, raw, operator)
        found.append(
            Redirect(operator=operator, target=target, start=start, end=self.scan.position, body=body)
        )
