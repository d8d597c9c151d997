"""Parses a shell text into lists, pipes and commands, up to the first place it cannot read."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.shell import blocks
from interlock.effects.shell.scan import MAX_DEPTH, Scanner
from interlock.effects.shell.simple import Documents, read_redirect, read_simple
from interlock.effects.shell.syntax import (
    FUNCTION,
    FUNCTION_NAME,
    KEYWORD_START,
    PLAIN_COMMAND,
    REDIRECT_START,
    WORD,
    Block,
    BlockKind,
    Chain,
    Function,
    Node,
    Pipe,
    Redirect,
    Sequence,
    Simple,
    StuckError,
    beginning_at,
    is_easy,
    keyword_at,
    lines_at,
    next_keyword_at,
    read_easy,
    redirect_at,
    space_at,
)

# Keywords that close or continue a block; at the start of a command they are a mistake.
_CLOSERS: Final = frozenset({"}", "then", "elif", "else", "fi", "do", "done", "esac", "in", "]]"})
_NO_WORD: Final = frozenset({"", "(", ")", ";"})
_LIST_ENDS: Final = frozenset({"", ")"})
_CASE_ENDS: Final = frozenset({";", "&"})
_KEYWORDS: Final = _CLOSERS | blocks.READERS.keys() | {"!", "time"}
_BLANKS: Final = frozenset({"", " ", "\t"})
_AND: Final = " && "
_LONGEST_PLAIN: Final = 2_000
_AT_ONCE: Final = frozenset("\n;)")  # mostly follow a block; then there is no redirect
_JOINING: Final = frozenset({"&", "|"})
_CHAINING: Final = frozenset({"&&", "||"})
_PREFIXES: Final = frozenset({"!", "time"})
_TIME_OPTIONS: Final = (re.compile(r"-p(?=\s|\\\n)"), re.compile(r"--(?=\s|\\\n)"))  # in this order
_MAX_NODES: Final = 20_000
_NOTHING: Final[frozenset[str]] = frozenset()


def plain_commands(text: str) -> Simple | Chain | None:
    """Return a command, or some joined by ` && `, if all of their words are plain; None for any other text.

    Seven of ten texts are. Without the grammar, reading takes 5 % less time (p50 of `bench/read.py`).
    """
    if len(text) > _LONGEST_PLAIN:
        return None
    commands: list[Simple] = []
    start = 0
    for part in text.split(_AND):
        if part[:1] in _BLANKS or not is_easy(part):
            return None
        words, width = read_easy(part)
        if not words or words[0].text in _KEYWORDS:
            return None
        commands.append(Simple(start, start + width, words))
        start += len(part) + len(_AND)
    if len(commands) == 1:
        return commands[0]
    return Chain(commands[0], tuple([("&&", command) for command in commands[1:]]))


class Grammar:
    """Reads commands; those before a mistake are returned."""

    def __init__(self, text: str, position: int = 0, depth: int = 0) -> None:
        self.text: Final = text
        self.scan: Final = Scanner(text, self._inside, position, depth)
        self.documents = Documents(self.scan)
        self.doubts: list[tuple[str, int, int]] = []  # read here, but other shells read it differently
        self._nodes = 0
        self.met = ""  # the keyword at which a list ended; the position is on it

    def read(self) -> tuple[list[Node], StuckError | None]:
        """Return the commands of the text, and the mistake that stopped the reading, if any."""
        items: list[Node] = []
        scan, mistake = self.scan, None
        try:
            self._list(items, _NOTHING)
            if scan.position == len(self.text):
                self.documents.finish()
            else:
                shown = self.text[scan.position : scan.position + 2].strip()
                mistake = StuckError(f"misplaced `{shown}`", scan.position)
        except StuckError as stuck:
            mistake = stuck
        finally:
            scan.release()
        return items, mistake

    def _inside(self, scanner: Scanner) -> Sequence:
        """The commands of a substitution, up to its `)`."""
        if scanner is not self.scan:
            inner = Grammar(scanner.text, scanner.position, scanner.depth)
            inner._nodes = self._nodes + 1
            body = inner._inside(inner.scan)
            inner.scan.release()
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
        """Read commands up to one of these keywords, which is left to the caller."""
        items: list[Node] = []
        self._list(items, stop)
        return Sequence(tuple(items))

    def skip_space(self) -> None:
        """Move over blanks, joined lines and comments."""
        if match := space_at(self.text, self.scan.position):
            self.scan.position = match.end()

    def skip_lines(self) -> None:
        """Move over blank lines and comments, and read the here-documents there."""
        while self.documents.awaited:
            self.skip_space()
            if not self.text.startswith("\n", self.scan.position):
                return
            self.scan.position += 1
            self.documents.take()
        if match := lines_at(self.text, self.scan.position):
            self.scan.position = match.end()

    def keyword(self) -> str:
        """Return the keyword that begins here, if there is one."""
        text, position = self.text, self.scan.position
        if position >= len(text) or text[position] not in KEYWORD_START:
            return ""
        match = keyword_at(text, position)
        return match.group() if match else ""

    def expect(self, word: str) -> None:
        """Move over one keyword; raise StuckError if it is missing."""
        met, self.met = self.met, ""
        if met == word:
            self.scan.position += len(word)
            return
        if not self.documents.awaited:
            match = next_keyword_at(self.text, self.scan.position)
            if match is not None and match[1] == word:
                self.scan.position = match.end()
                return
        self.skip_lines()
        if self.keyword() != word:
            raise StuckError(f"`{word}` is missing", self.scan.position)
        self.scan.position += len(word)

    def _list(self, items: list[Node], stop: frozenset[str]) -> None:
        text, scan, length = self.text, self.scan, len(self.text)
        while (node := self._next(stop)) is not None:
            character = text[at] if (at := scan.position) < length else ""
            if character in _JOINING:
                node = self._read_chain(node)
                character = text[at] if (at := scan.position) < length else ""
                if character == "&":
                    node = Block(BlockKind.BACKGROUND, (Sequence((node,)),))
            items.append(node)
            if character in _LIST_ENDS:
                self.met = ""
                return
            if character == "\n":
                continue
            if character == ";":
                if at + 1 < length and text[at + 1] in _CASE_ENDS:
                    self.met = ""
                    return
            elif character != "&":
                self.met = self._closing(node, stop, character)
                return
            if self.documents.first is not None:
                self.documents.refuse_more()
            scan.position += 1

    def _closing(self, node: Node, stop: frozenset[str], character: str) -> str:
        """Return the keyword right after a block without redirects: `(cd x) done`."""
        while isinstance(node, Chain | Pipe):
            node = node.rest[-1][1] if isinstance(node, Chain) else node.parts[-1]
        word = self.keyword() if type(node) is Block and not node.redirects else ""
        if not word or word not in stop:
            raise StuckError(f"misplaced `{character}`", self.scan.position)
        return word

    def _next(self, stop: frozenset[str]) -> Node | None:
        """Return the next command; None at one of these keywords or if there is none."""
        text, scan = self.text, self.scan
        if self.documents.awaited:
            self.skip_lines()
        match = beginning_at(text, scan.position)
        if match is None:  # never: the expression also matches nothing
            return None
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise StuckError("too many commands", scan.position, limit=True)
        last = match.lastindex
        if last == PLAIN_COMMAND:
            words, width = read_easy(match[PLAIN_COMMAND])
            if words:
                start = match.start(PLAIN_COMMAND)
                scan.position = match.end()
                return Simple(start, start + width, words)
        elif last == WORD:
            word = match[WORD]
            scan.position = match.start(WORD)
            if word in stop:
                self.met = word
                return None
            return self._read_prefixed() if word in _PREFIXES else self.command(word)
        return self._simple(match)

    def _simple(self, match: re.Match[str]) -> Node | None:
        """Return a command that is not plain, or None, given the match of its beginning."""
        scan, last = self.scan, match.lastindex
        if last is None:
            scan.position = match.end()
            if self.text[scan.position : scan.position + 1] in _NO_WORD:
                self.met = ""
                return self.command("") if self.text.startswith("(", scan.position) else None
        else:
            scan.position = match.start(PLAIN_COMMAND)
        if last == FUNCTION and FUNCTION_NAME.fullmatch(match[PLAIN_COMMAND]):
            scan.position = match.end()
            return self.function_body(match[PLAIN_COMMAND], match.start(PLAIN_COMMAND))
        return read_simple(self)

    def _read_chain(self, first: Node) -> Node:
        """Read the rest of a chain or pipe after its first command."""
        text, scan = self.text, self.scan
        rest: list[tuple[str, Node]] = []
        node, operator = first, ""
        while True:
            following = text[scan.position : scan.position + 2]
            if following[:1] == "|" and following != "||":
                node = self._read_pipe(node)
                following = text[scan.position : scan.position + 2]
            if operator:
                rest.append((operator, node))
            else:
                first = node
            if following not in _CHAINING:
                return Chain(first, tuple(rest)) if rest else first
            operator = following
            scan.position += 2
            node = self._next(_NOTHING) or self.command("")  # this raises an error

    def _read_pipe(self, first: Node) -> Node:
        """Read the rest of a pipe after its first command."""
        parts = [first]
        while True:
            following = self.text[self.scan.position : self.scan.position + 2]
            if following[:1] != "|" or following == "||":
                return Pipe(tuple(parts)) if len(parts) > 1 else first
            self.scan.position += 2 if following == "|&" else 1
            node = self._next(_PREFIXES)
            if node is None and self.met:
                raise StuckError(f"`{self.met}` inside a pipe", self.scan.position)
            parts.append(node or self.command(""))

    def _read_prefixed(self) -> Node:
        """Return the command after `!` and `time`."""
        while (word := self.keyword()) in _PREFIXES:
            self.scan.position += len(word)
            self.skip_space()
            for option in _TIME_OPTIONS if word == "time" else ():
                if option.match(self.text, self.scan.position):
                    self.scan.position += 2
                    self.skip_space()
        if word or self.text.startswith("\n", self.scan.position):
            return self.command(word)
        return self._next(_NOTHING) or self.command("")

    # --- commands ----------------------------------------------------------------------------------

    def command(self, word: str) -> Node:
        """Read one simple or compound command; `word` is the keyword it begins with."""
        start = self.scan.position
        if not word and self.text.startswith("(", start):
            word = "("
        reader = blocks.READERS.get(word)
        if reader is None:
            if word in _CLOSERS:
                raise StuckError(f"misplaced `{word}`", start)
            return read_simple(self)
        if self.scan.depth >= MAX_DEPTH:
            raise StuckError("nested too deep", start, limit=True)
        self.scan.depth += 1
        node = reader(self)
        self.scan.depth -= 1
        return node

    def redirects(self) -> tuple[Redirect, ...]:
        """Read the redirects after a block."""
        redirects: list[Redirect] = []
        text, scan = self.text, self.scan
        if scan.position >= len(text) or text[scan.position] in _AT_ONCE:
            return ()
        while True:
            self.skip_space()
            if text[scan.position : scan.position + 1] not in REDIRECT_START:
                return tuple(redirects)
            match = redirect_at(text, scan.position)
            if match is None:
                return tuple(redirects)
            read_redirect(self, match, redirects)

    def function_body(self, name: str, start: int) -> Function:
        """Read the body of a function."""
        self.skip_lines()
        body = self.command(self.keyword())
        if not isinstance(body, Block):
            raise StuckError("function without a block", start)
        return Function(name, body, start, self.scan.position)
