"""The shape of a shell text: what its grammar says, before anything is looked up."""

from __future__ import annotations

import re
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


# A possessive `++` never gives back what it took: no text makes an expression try a second way. Only single
# characters are repeated so: a group is matched wrongly before Python 3.11.5. Where a group is repeated, what
# may follow it cannot begin one more turn of it, so giving turns back finds nothing, either.
# Every blank by its number: a set that names a class of characters is compared one by one.
_BLANKS: Final = r"\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_MEANING: Final = r"""'"\\$`;&|<>()*?\[{~#"""
PLAIN: Final = rf"[^{_MEANING}\x00-\x20{_BLANKS}]"
_QUOTED: Final = r"""'[^']*+'|"[^"\\$`]*+\""""
# A stretch of words in which nothing is expanded.
PLAIN_OR_BLANK: Final = rf"[^{_MEANING}\x00-\x08\x0a-\x1f{_BLANKS}]"
EASY_WORDS: Final = rf"{PLAIN_OR_BLANK}++(?:(?:{_QUOTED}){PLAIN_OR_BLANK}*+)*"
# A word that needs no shell to be known: nothing in it is expanded.
EASY: Final = rf"(?:{PLAIN}++|{_QUOTED})+"
_EASY: Final = re.compile(EASY)
_QUOTES: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def read_easy(text: str) -> tuple[tuple[Word, ...], int]:
    """A command of such words and how wide it stands there; no words where the first may be an assignment."""
    single, double = "'" in text, '"' in text
    if not (single or double):
        words = text.split()
    elif single and double:
        words = [_QUOTES.sub(_quoted_text, word) for word in _EASY.findall(text)]
    else:
        words = [word.replace("'" if single else '"', "") for word in _EASY.findall(text)]
    if "=" in words[0]:
        return (), 0
    return tuple(map(Word, words)), len(text.rstrip())


def _quoted_text(quotes: re.Match[str]) -> str:
    return quotes[1] if quotes[1] is not None else quotes[2]


SPACE: Final = re.compile(r"(?:[ \t]++|\\\n|#[^\n]*+)+")
LINES: Final = re.compile(r"[ \t\n]*+(?:(?:\\\n|#[^\n]*+)[ \t\n]*+)*")
KEYWORD_START: Final = frozenset("itefwudcs{}![]")
# The usual characters behind such a word are asked for first.
_KEYWORD_TEXT: Final = (
    r"(?:i[fn]|t(?:hen|ime)|e(?:l(?:if|se)|sac)|f(?:i|or|unction)|while|until|do|done|c(?:ase|oproc)|select"
    r"|[{}!]|\[\[|\]\])(?:(?=[ \n;])|(?=(?:\\\n)*(?:[\s;&|()]|[<>](?!\()|\Z)))"
)
KEYWORD: Final = re.compile(_KEYWORD_TEXT)
NEXT_KEYWORD: Final = re.compile(rf"{LINES.pattern}({_KEYWORD_TEXT})")
# What the beginning of a command was found to be, by its last group: a word of the grammar, a whole command
# of words that the shell only takes apart, or the name of a function.
WORD, PLAIN_COMMAND, FUNCTION = 1, 2, 3
_COMMAND_END: Final = r"(?:(?=[\n;|)]|&(?!>)|\Z)|#(?<=[ \t]#)[^\n]*+)"
BEGINNING: Final = re.compile(
    rf"{LINES.pattern}"
    rf"(?:({_KEYWORD_TEXT})|({EASY_WORDS})(?:{_COMMAND_END}|(\([ \t]*+\)))|)"
)
# Where a redirect leads, when it is plain: neither the `!` nor the `-` that means something else to some.
EASY_TARGET: Final = re.compile(r"[ \t]*+([\w./][\w./-]*+)(?=[ \t\n;&|)]|\Z)", re.ASCII)
FUNCTION_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_:.-]*+")
REDIRECT_START: Final = frozenset("<>&{0123456789")
REDIRECT: Final = re.compile(
    r"(?:\d+|\{(?P<name>[A-Za-z_]\w*)\})?(?P<operator><<<|<<-?|<>|>>|>\||<&|>&|[<>](?!\())|(?P<both>&>>?)"
)
ASSIGNMENT: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?P<key>\[(?:[\w$@*+\-\"' ./:]|\$\{#\w+(?:\[[@*]\])?\})*\])?(?P<add>\+)?="
)
ELEMENT: Final = re.compile(r"[A-Za-z_]\w*\[")
# By these names, since to ask an expression of another module for its method takes long each time.
is_easy: Final = re.compile(EASY_WORDS).fullmatch
beginning_at: Final = BEGINNING.match
keyword_at: Final = KEYWORD.match
next_keyword_at: Final = NEXT_KEYWORD.match
lines_at: Final = LINES.match
space_at: Final = SPACE.match
redirect_at: Final = REDIRECT.match
# A first word that is neither an assignment nor a redirect, and one more, in which nothing is expanded.
first_word_at: Final = re.compile(rf"([^={_MEANING}\x00-\x20{_BLANKS}]++)(?=[ \t\n;&|)]|\Z)").match
plain_word_at: Final = re.compile(rf"[ \t]++({PLAIN}++)(?=[ \t\n;&|)]|\Z)").match
