"""Words of a shell text: quotes, escapes and expansions, each accounted for or refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from interlock.effects.shell.expansions import decode_ansi_c, names_counted, read_braced
from interlock.effects.shell.syntax import (
    OPENED,
    PLAIN,
    Expansion,
    Glob,
    Part,
    Sequence,
    ShellWord,
    StuckError,
    Substitution,
    Text,
    Tilde,
    Variable,
)

_PLAIN_WORD: Final = re.compile(rf"{PLAIN}++(?=[\s;&|()]|[<>](?!\()|\Z)")
_RUN: Final = re.compile(rf"{PLAIN}++")
# Text, and then the end or a variable, where it is one of these that follows.
_IN_DOUBLE: Final = re.compile(r"""([^"\\$`]++)?(?:(")|\$([A-Za-z_][A-Za-z0-9_]*+))?""")
_DOLLAR: Final = Text("$", quoted=True)  # one that begins nothing and stands in no quotes
_IN_DOCUMENT: Final = re.compile(r"""[^\\$`]++""")
_IN_BACKTICKS: Final = re.compile(r"([^`\\]*+(?:\\[\s\S][^`\\]*+)*)`")
_BLANK: Final = re.compile(r"(?:[ \t]++|\\\n)+")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_TILDE: Final = re.compile(r"~[A-Za-z0-9_.+-]*+(?=[/:\s;&|<>()]|\\\n|\Z)")
_SPECIAL: Final = frozenset("0123456789@*#?$!-")
_ARITHMETIC: Final = re.compile(r"[\w\s+\-*/%<>=!&|^~?:,()\[\]#.$'\"{}@;`\\]*+")
_IN_SUM: Final = re.compile(r"[^()$`\"'\\]++")
_TWO_NAMES: Final = re.compile(r"[A-Za-z_]\w*\s+[A-Za-z_]")
MAX_DEPTH: Final = 40
_MAX_ARITHMETIC: Final = 4_096  # tried again at every depth
_DELIMITERS: Final = frozenset(" \t\n;&|<>()")
_ENDS: Final = _DELIMITERS | {""}


def _unread(scanner: Scanner) -> Sequence:
    raise StuckError("a text that was already read", scanner.position)


class Scanner:  # a plain class: its position is set over and over, which takes a record four times as long
    """A position in a text that moves over whole words."""

    def __init__(
        self, text: str, commands: Callable[[Scanner], Sequence], position: int = 0, depth: int = 0
    ) -> None:
        self.text: Final = text
        self.commands = commands  # reads commands up to an unquoted `)`
        self.position = position
        self.depth = depth

    def release(self) -> None:
        """Let go of who reads commands, and holds this scanner: both are then freed without a collector."""
        self.commands = _unread

    def skip_blanks(self) -> None:
        """Move over blanks and joined lines."""
        match = _BLANK.match(self.text, self.position)
        if match:
            self.position = match.end()

    def word(self, comment: bool = True) -> ShellWord | None:
        """The word that begins here, or None when there is none."""
        match = _PLAIN_WORD.match(self.text, self.position)
        if match is None:
            return self._pieces(comment=comment)
        start, self.position = match.span()
        return ShellWord(start, self.position, match[0])

    def value(self) -> ShellWord:
        """The value of an assignment: a word that may be empty and may begin with a tilde."""
        start = self.position
        return self.word(comment=False) or ShellWord(start, start, "")

    def regex(self) -> ShellWord:
        """The right side of `=~`, where parentheses and bars are not operators."""
        return self._pieces(extra="()|<>&;") or ShellWord(self.position, self.position, "")

    def _pieces(self, extra: str = "", *, comment: bool = True) -> ShellWord | None:
        start = self.position
        parts: list[Part] = []
        braces = False
        while self.position < len(self.text):
            character = self.text[self.position]
            if character == '"':
                self.position += 1
                self._double(parts)
                continue
            if character in _DELIMITERS and not self.goes_on(character, extra):
                break
            if comment and character == "#" and self.position == start:
                break
            braces = braces or character == "{"
            self.part(character, parts, at_start=self.position == start)
        if self.position == start:
            return None
        return _make_word(start, self.position, parts, braces=braces)

    def goes_on(self, character: str, extra: str = "") -> bool:
        """Whether a word does not end here although the character could end one."""
        if character in "<>" and self.text.startswith("(", self.position + 1):
            return True
        return bool(extra) and character in extra

    def part(self, character: str, parts: list[Part], *, at_start: bool = False) -> None:
        """Take the next piece of a word."""
        if character == '"':
            self.position += 1
            self._double(parts)
        elif character == "$":
            self._dollar(parts, quoted=False)
        elif run := _RUN.match(self.text, self.position):
            self.position = run.end()
            parts.append(Text(run.group()))
        elif character == "'":
            end = self._find("'", self.position + 1, "unclosed quote")
            parts.append(Text(self.text[self.position + 1 : end], quoted=True))
            self.position = end + 1
        elif character == "\\":
            self._escape(parts)
        elif character == "`":
            self._backticks(parts, quoted=False)
        elif character in "<>" and self.text.startswith("(", self.position + 1):
            self._substitution(parts, self.position + 2, quoted=False, process=True)
        elif character in "*?[":
            self.position += 1
            alone = character == "[" and at_start and self.text[self.position : self.position + 1] in _ENDS
            parts.append(Text(character) if alone else Glob(character))
        else:
            self._odd(character, parts, at_start=at_start)

    def _odd(self, character: str, parts: list[Part], *, at_start: bool) -> None:
        """A tilde, or a character that stands for itself here."""
        if character == "~" and at_start and (tilde := _TILDE.match(self.text, self.position)):
            self.position = tilde.end()
            joined = self.text.startswith("\\", self.position)  # the name may go on in the next line
            parts.append(Expansion(written="~", quoted=True) if joined else Tilde(tilde.group()))
            return
        if character not in "{~#()|<>&;" and (character.isspace() or not character.isprintable()):
            raise StuckError(f"the blank {character!r} is not a space", self.position)
        self.position += 1
        if character == "~" and self.text[self.position - 2 : self.position - 1] in {"=", ":"}:
            # Some shells expand it here, some do not.
            parts.append(Expansion(written="~", quoted=True))
        else:
            parts.append(Text(character))

    def _escape(self, parts: list[Part]) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        if not following:
            raise StuckError("unfinished escape", self.position)
        if following != "\n":
            parts.append(Text(following, quoted=True))
        elif not parts:
            parts.append(Text(""))  # a word that begins with a joined line
        self.position += 2

    def _double(self, parts: list[Part]) -> None:
        """The rest of a double-quoted stretch, with its closing quote."""
        opened = self.position - 1
        parts.append(OPENED)
        while match := _IN_DOUBLE.match(self.text, self.position):
            run, end, name = match.groups()
            self.position = match.end()
            if run:
                parts.append(Text(run, quoted=True))
            if end:
                return
            if name:
                parts.append(Variable(name, f"${name}", quoted=True))
                continue
            character = self.text[self.position : self.position + 1]
            if not character:
                raise StuckError("unclosed quote", opened)
            self._quoted_part(character, parts, '$`"\\')

    def _quoted_part(self, character: str, parts: list[Part], escapable: str) -> None:
        if character == "$":
            self._dollar(parts, quoted=True)
        elif character == "`":
            self._backticks(parts, quoted=True, in_double='"' in escapable)
        else:
            following = self.text[self.position + 1 : self.position + 2]
            if following and following in escapable:
                parts.append(Text(following, quoted=True))
            elif following != "\n":
                parts.append(Text("\\" + following, quoted=True))
            self.position += 2

    def document(self, body: str) -> tuple[Part, ...]:
        """The parts of a here-document that the shell expands."""
        inner = Scanner(body, self.commands, 0, self.depth + 1)
        parts: list[Part] = []
        while inner.position < len(body):
            run = _IN_DOCUMENT.match(body, inner.position)
            if run:
                inner.position = run.end()
                parts.append(Text(run.group(), quoted=True))
            else:
                inner._quoted_part(body[inner.position], parts, "$`\\")
        return tuple(parts)

    def _dollar(self, parts: list[Part], *, quoted: bool) -> None:
        start = self.position
        if name := _NAME.match(self.text, start + 1):
            self.position = name.end()
            parts.append(Variable(name.group(), self.text[start : self.position], quoted))
            return
        following = self.text[start + 1 : start + 2]
        if following == "(":
            if self.text.startswith("(", start + 2) and self._arithmetic(parts, quoted=quoted):
                return
            self._substitution(parts, start + 2, quoted=quoted)
        elif following == "{":
            read_braced(self, parts, quoted=quoted)
        elif following == "[":
            raise StuckError("`$[` is the old form of arithmetic", start)
        elif following == "'" and not quoted:
            text, self.position = decode_ansi_c(self.text, start + 2)
            if self.position < 0:
                self.position = start
                raise StuckError("unclosed quote", start)
            parts.append(Text(text, quoted=True))
        elif following == '"' and not quoted:
            self.position += 2
            self._double(parts)
        elif following and following in _SPECIAL:
            self.position += 2
            parts.append(Variable(following, self.text[start : self.position], quoted))
        else:
            self._lone_dollar(parts, following, quoted=quoted)

    def _lone_dollar(self, parts: list[Part], following: str, *, quoted: bool) -> None:
        """A `$` that begins nothing stands for itself."""
        if following == "\\" and self.text.startswith("\n", self.position + 2):
            raise StuckError("a line continued after a `$`", self.position)
        self.position += 1
        parts.append(Text("$", quoted=True) if quoted else _DOLLAR)

    def _substitution(self, parts: list[Part], inside: int, *, quoted: bool, process: bool = False) -> None:
        start = self.position
        body = self._read_nested(inside)
        parts.append(Substitution(body, self.text[start : self.position], quoted, self.text, process))

    def _read_nested(self, inside: int) -> Sequence:
        """Read the commands that begin at `inside`, up to and over their `)`."""
        if self.depth >= MAX_DEPTH:
            raise StuckError("nested too deep", self.position, limit=True)
        start, self.position = self.position, inside
        self.depth += 1
        body = self.commands(self)
        self.depth -= 1
        if not self.text.startswith(")", self.position):
            raise StuckError("unclosed substitution", start)
        self.position += 1
        return body

    def _backticks(self, parts: list[Part], *, quoted: bool, in_double: bool = False) -> None:
        start = self.position
        match = _IN_BACKTICKS.match(self.text, start + 1)
        if match is None:
            raise StuckError("unclosed substitution", start)
        raw = match[1]
        if in_double and '"' in raw and "{" in raw:
            # Bash looks for braces before it knows of backticks: a quote in these ends those around them.
            raise StuckError("braces and quotes in quoted backticks", start)
        if "\\\\\\\n" in raw:
            # Shells do not agree on what comes first, joining the lines or taking out backslashes.
            raise StuckError("a line continued after backslashes in backticks", start)
        escapable = r'\\([$`\\"])' if in_double else r"\\([$`\\])"
        inner = Scanner(re.sub(escapable, r"\1", raw) + ")", self.commands, 0, self.depth)
        body = inner._read_nested(0)
        if inner.position != len(inner.text):
            raise StuckError("unbalanced parenthesis in backticks", start)
        self.position = match.end()
        parts.append(Substitution(body, self.text[start : self.position], quoted, inner.text))

    def _arithmetic(self, parts: list[Part], *, quoted: bool) -> bool:
        """Take `$((…))`; False when it is a substitution that begins with a subshell."""
        start = self.position
        inner: list[Part] = []
        self.position += 3
        if not self.arithmetic_body(inner):
            self.position = start
            return False
        written = self.text[start : self.position]
        parts.append(
            Expansion(written=written, quoted=quoted, parts=tuple(inner), counts=names_counted(written))
        )
        return True

    def arithmetic_body(self, parts: list[Part]) -> bool:
        """Move over an arithmetic expression and its `))`; False when it is none."""
        level, start = 0, self.position
        literal: list[str] = []
        while self.position < len(self.text):
            if self.position - start > _MAX_ARITHMETIC:
                raise StuckError("arithmetic that is too long", start, limit=True)
            character = self.text[self.position]
            if character == ")" and level == 0:
                if self.text.startswith("\\\n", self.position + 1):
                    raise StuckError("arithmetic or commands", start)
                self.position += 2
                if not self.text.startswith("))", self.position - 2):
                    return False
                whole = self.text[start : self.position]
                # Shells count them to tell sums from commands, those of a `case` in a substitution as well.
                if whole.count("(") + 2 != whole.count(")") or "esac" in whole:
                    raise StuckError("arithmetic or commands", start)
                return _is_arithmetic("".join(literal), self.position)
            level += (character == "(") - (character == ")")
            if character in "$`\"'\\":
                self.part(character, parts)
                literal.append("0")
            elif run := _IN_SUM.match(self.text, self.position, start + _MAX_ARITHMETIC + 1):
                self.position = run.end()
                literal.append(run.group())
            else:
                self.position += 1
                literal.append(character)
        return False

    def _find(self, what: str, start: int, why: str) -> int:
        position = self.text.find(what, start)
        if position < 0:
            raise StuckError(why, self.position)
        return position


def _is_arithmetic(expression: str, position: int) -> bool:
    """Whether this can only be a sum, never commands: two names side by side are none."""
    if not _ARITHMETIC.fullmatch(expression):
        return False
    if _TWO_NAMES.search(expression) or ";" in expression or expression.count("[") != expression.count("]"):
        raise StuckError("arithmetic or commands", position)
    return True


def _make_word(start: int, end: int, parts: list[Part], *, braces: bool) -> ShellWord:
    if not braces and all(type(part) is Text for part in parts):
        return ShellWord(start, end, "".join([part.text for part in parts if type(part) is Text]))
    for part in parts:
        if part is _DOLLAR and any(map(_is_split, parts)):
            # Bash leaves such a word whole; others split what was expanded.
            raise StuckError("a lone `$` beside an expansion", start)
    return ShellWord(start, end, "", tuple(parts), braces)


def _is_split(part: Part) -> bool:
    return isinstance(part, Variable | Substitution | Expansion) and not part.quoted
