"""The shape of a shell text: what its grammar says, before anything is looked up."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.effect import Word


class StuckError(Exception):
    """The grammar does not go on here; the text from here is unread."""

    def __init__(self, why: str, position: int, *, limit: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.position = position
        self.limit = limit


class TooMuchError(Exception):
    """More commands or files than anyone could have meant, or the same ones over and over."""


class Text(msgspec.Struct, frozen=True, gc=False):
    """Characters that stand for themselves."""

    text: str
    quoted: bool = False  # quoted characters are not braces, globs or tildes


OPENED: Final = Text("", True)  # a quote was opened: the word is there even if it is empty


class Variable(msgspec.Struct, frozen=True, gc=False):
    """`$name` or `${name}`."""

    name: str
    written: str
    quoted: bool


class Substitution(msgspec.Struct, frozen=True, gc=False):
    """`$(…)`, backticks, `<(…)` or `>(…)`."""

    body: Sequence
    written: str
    quoted: bool
    source: str  # the text its places count in: that of backticks and here-documents is another
    process: bool = False  # the word becomes the path of a pipe


class Expansion(msgspec.Struct, frozen=True, gc=False):
    """Any other expansion: its value is not known, what stands inside it is."""

    written: str
    quoted: bool
    parts: tuple[Part, ...] = ()  # words inside it
    assigns: str | None = None  # `${x:=…}`
    counts: tuple[str, ...] = ()  # names whose values are evaluated as arithmetic
    hides: str | None = None  # why it may run what is not written here: `${v@P}`
    refers: str | None = None  # whose value is the name that is meant: `${!v}`


class Glob(msgspec.Struct, frozen=True, gc=False):
    """An unquoted `*`, `?` or `[`."""

    written: str


class Tilde(msgspec.Struct, frozen=True, gc=False):
    """`~` or `~user` where a home folder is meant."""

    written: str


Part = Text | Variable | Substitution | Expansion | Glob | Tilde


class ShellWord(msgspec.Struct, frozen=True, gc=False):
    """A word in the text."""

    start: int
    end: int
    text: str  # its value, when there are no parts
    parts: tuple[Part, ...] | None = None  # None: nothing has to be expanded
    braces: bool = False  # holds an unquoted `{`


class Redirect(msgspec.Struct, frozen=True, gc=False):
    """`2> file`, `<<< word`, a here-document."""

    operator: str
    target: ShellWord
    start: int
    end: int
    body: list[Part] | None = None  # of a here-document: filled when the line below it is read


class Assignment(msgspec.Struct, frozen=True, gc=False):
    """`name=value` before or instead of a program."""

    name: str
    value: ShellWord | None  # None for an array
    elements: tuple[ShellWord, ...] = ()
    plain: bool = True  # False for `+=` and `name[…]=`
    adds: bool = False  # a value or an array that is added to


class Simple(msgspec.Struct, frozen=True, gc=False):
    """A program with its words, assignments and redirects."""

    start: int
    end: int
    plain: tuple[Word, ...] = ()  # its words, where nothing in it is expanded, as in most commands
    words: tuple[ShellWord, ...] | None = None  # its words; None where they are plain
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()

    @property
    def name(self) -> str:
        """The program's name as it is written; empty where it is expanded."""
        if self.plain:
            return self.plain[0].text
        return self.words[0].text if self.words and self.words[0].parts is None else ""


class Pipe(msgspec.Struct, frozen=True, gc=False):
    """Commands of which each reads what the one before it prints."""

    parts: tuple[Node, ...]


class Chain(msgspec.Struct, frozen=True, gc=False):
    """`a && b || c`: whether a part runs depends on the one before it."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Sequence(msgspec.Struct, frozen=True, gc=False):
    """Commands one after the other."""

    items: tuple[Node, ...]


class BlockKind(StrEnum):
    """How the bodies of a block are run."""

    GROUP = "{"
    SUBSHELL = "("
    BACKGROUND = "&"
    BRANCH = "if"
    LOOP = "loop"
    TEST = "[["


class Block(msgspec.Struct, frozen=True, gc=False):
    """A compound command."""

    kind: BlockKind
    bodies: tuple[Sequence, ...] = ()
    words: tuple[ShellWord, ...] = ()
    parts: tuple[Part, ...] = ()
    variable: str | None = None  # what `for` sets
    redirects: tuple[Redirect, ...] = ()
    start: int = 0
    end: int = 0


class Function(msgspec.Struct, frozen=True, gc=False):
    """A name that stands for a block from here on."""

    name: str
    body: Node
    start: int
    end: int


Node = Simple | Pipe | Chain | Block | Function
