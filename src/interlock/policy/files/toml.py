"""Reads TOML with line numbers: the standard parser gives the values, the scanner the lines."""

from __future__ import annotations

import datetime as dt
import math
import re
import tomllib
from bisect import bisect_right
from contextlib import suppress
from typing import Any, Final

from interlock.errors import ConfigError, Problem
from interlock.policy.files.document import MAX_DEPTH, Node, Path, path_text

_GAP: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*")
_BLANK: Final = re.compile(r"[ \t]*+")
_KEY: Final = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*"|'[^'\n]*+'""")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]++|\\[\s\S]|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*"'
    r"|'[^'\n]*+'"
)
_BARE: Final = re.compile(r"[^\s,\]\}#\[\{\"'=]++(?: [0-9][^\s,\]\}#]*+)?")


class TooDeepError(Exception):
    """The text nests deeper than any policy needs."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"line {line}")


class _LostError(Exception):
    """The text is not TOML from here on; the parser says why."""


def lines_of(text: str) -> dict[Path, int]:
    """Give the line of every key, table and array item that can be followed."""
    scanner = _Scanner(text)
    with suppress(_LostError):  # the parser reads the same text next and names the mistake
        scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: Final[dict[Path, int]] = {(): 1}
        self._text: Final = text
        self._at = 0
        self._ends: Final = [match.start() for match in re.finditer("\n", text)]
        self._last: Final[dict[Path, int]] = {}  # arrays of tables, with the index of the newest

    def document(self) -> None:
        prefix: Path = ()
        while self._skip(_GAP) < len(self._text):
            if self._text.startswith("[", self._at):
                prefix = self._header()
            else:
                self._pair(prefix)

    def _line(self) -> int:
        return bisect_right(self._ends, self._at - 1) + 1

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise _LostError
        self._at = match.end()
        return self._at

    def _word(self, word: str) -> bool:
        found = self._text.startswith(word, self._at)
        self._at += len(word) if found else 0
        return found

    def _expect(self, word: str) -> None:
        if not self._word(word):
            raise _LostError

    def _mark(self, path: Path, line: int) -> None:
        self.lines.setdefault(path, line)

    def _key(self) -> list[str]:
        parts: list[str] = []
        while True:
            start = self._skip(_BLANK)
            self._skip(_KEY)
            parts.append(_unquoted(self._text[start : self._at]))
            if len(parts) > MAX_DEPTH:
                raise TooDeepError(self._line())
            self._skip(_BLANK)
            if not self._word("."):
                return parts

    def _header(self) -> Path:
        line, array = self._line(), self._text.startswith("[[", self._at)
        self._expect("[[" if array else "[")
        *before, name = self._key()
        self._expect("]]" if array else "]")
        path: Path = ()
        for part in before:
            path = self._newest((*path, part))
            self._mark(path, line)
        path = (*path, name)
        self._mark(path, line)
        if array:
            self._last[path] = self._last.get(path, -1) + 1
            path = self._newest(path)
            self._mark(path, line)
        return path

    def _newest(self, path: Path) -> Path:
        return (*path, self._last[path]) if path in self._last else path

    def _pair(self, prefix: Path) -> None:
        line, path = self._line(), prefix
        for part in self._key():
            path = (*path, part)
            self._mark(path, line)
        self._expect("=")
        self._skip(_BLANK)
        self._value(path, len(path))

    def _value(self, path: Path, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise TooDeepError(self._line())
        if self._word("["):
            self._array(path, depth)
        elif self._word("{"):
            self._table(path)
        elif self._text.startswith(('"', "'"), self._at):
            self._skip(_STRING)
        else:
            self._skip(_BARE)

    def _array(self, path: Path, depth: int) -> None:
        index = 0
        while self._skip(_GAP) < len(self._text) and not self._word("]"):
            self._mark((*path, index), self._line())
            self._value((*path, index), depth + 1)
            self._skip(_GAP)
            if not self._word(","):
                self._expect("]")
                return
            index += 1

    def _table(self, path: Path) -> None:
        while self._skip(_GAP) < len(self._text) and not self._word("}"):
            self._pair(path)
            self._skip(_GAP)
            if not self._word(","):
                self._expect("}")
                return


def _unquoted(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"k = {part}")["k"])
    except tomllib.TOMLDecodeError as error:
        raise _LostError from error


_PLACE: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read_toml(text: str, file: str) -> Node:
    """Read one document; an empty one is an empty table."""
    try:
        # Lines come first: the scanner's limits keep deep input away from the standard parser.
        lines = lines_of(text)
        return _node(tomllib.loads(text), (), lines, 1, file)
    except tomllib.TOMLDecodeError as error:
        raise _refusal(file, *_reason(text, str(error))) from error
    except TooDeepError as error:
        message = f"nested deeper than {MAX_DEPTH} levels; flatten this part"
        raise _refusal(file, error.line, message) from error
    except ValueError as error:
        raise _refusal(file, 1, f"invalid TOML: {error}; correct the value") from error


def _reason(text: str, error: str) -> tuple[int, str]:
    place = _PLACE.search(error)
    if place is None:
        return 1, f"invalid TOML: {error}; correct the file"
    line = int(place[1]) if place[1] else text.rstrip("\n").count("\n") + 1
    return line, f"invalid TOML: {error[: place.start()]}; correct this line"


def _node(value: Any, path: Path, lines: dict[Path, int], line: int, file: str) -> Node:
    line = lines.get(path, line)
    if isinstance(value, dict):
        return Node(
            value={key: _node(child, (*path, key), lines, line, file) for key, child in value.items()},
            line=line,
        )
    if isinstance(value, list):
        return Node(
            value=[_node(child, (*path, index), lines, line, file) for index, child in enumerate(value)],
            line=line,
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise _refusal(file, line, f"`{value}` is not a finite number; write a number", path)
    return Node(value=value, line=line, text=_as_text(value))


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def _refusal(file: str, line: int, message: str, path: Path = ()) -> ConfigError:
    return ConfigError((Problem(file=file, line=line, path=path_text(path), message=message),))
