"""Words of random shell texts: every kind of quote, expansion and odd spelling, nested."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from tests.effects.oracle.corpus import groups

PIECES: Final = groups("pieces")
SET_NAMES: Final = ("v", "w", "x", "a", "y")
_KINDS: Final = (
    *("plain words", "plain words", "globs", "braces", "tildes", "escapes", "single", "single", "ansi"),
    *("double", "double", "double", "expansion", "expansion", "expansion", "process"),
)
_EXPANSIONS: Final = (
    *("name", "name", "braced", "default", "default", "slice", "replace", "case"),
    *("command", "command", "command", "backtick", "backtick", "sum", "odd"),
)


class Words:
    """Draws words; `nested` gives the command list of a substitution."""

    def __init__(self, rng: random.Random, nested: Callable[[int], str]) -> None:
        self._rng = rng
        self._nested = nested

    def one(self, group: str) -> str:
        """Any text of a group."""
        return self._rng.choice(PIECES[group])

    def word(self, depth: int) -> str:
        """One word; deeper than the depth it is plain."""
        if depth <= 0 or self._rng.random() < 0.55:
            return self.one("plain words")
        count = self._rng.choice((1, 1, 1, 2, 2, 3))
        return "".join(self._piece(depth) for _ in range(count))

    def words(self, depth: int, most: int = 3) -> str:
        """Some words with some kind of space between."""
        return "".join(self.space() + self.word(depth) for _ in range(self._rng.randint(0, most)))

    def space(self) -> str:
        """What separates words, mostly one space."""
        return self._rng.choice((*(" ",) * 12, "  ", "\t", " \\\n", "\\\n "))

    def _piece(self, depth: int) -> str:
        kind = self._rng.choice(_KINDS)
        match kind:
            case "single":
                return "'" + self.one("inside quotes") + self.one("inside quotes") + "'"
            case "ansi":
                return "$'" + "".join(self.one("coded letters") for _ in range(self._rng.randint(0, 3))) + "'"
            case "double":
                return self._rng.choice(("", "", "", "", "$")) + self.double(depth)
            case "process":
                return f"{self._rng.choice('<>')}({self._nested(depth - 1)})"
            case "expansion":
                return self.expansion(depth)
            case _:
                return self.one(kind)

    def double(self, depth: int) -> str:
        """A double-quoted text."""
        parts = []
        for _ in range(self._rng.randint(0, 3)):
            if self._rng.random() < 0.5:
                parts.append(self.expansion(depth))
            else:
                inside = self._rng.choice((self.one("inside quotes"), "'", '\\"', "\\$", "\\`", "\\a"))
                parts.append({"\\": "\\\\", "$": "\\$"}.get(inside, inside))
        return '"' + "".join(parts) + '"'

    def expansion(self, depth: int) -> str:
        """A parameter, a substitution or arithmetic."""
        match self._rng.choice(_EXPANSIONS):
            case "name":
                return "$" + self.one("names of variables")
            case "braced":
                return "${" + self._rng.choice(("", "", "", "#", "!")) + self.one("names of variables") + "}"
            case "command" | "backtick" | "sum" as kind:
                return self._substitution(kind, depth)
            case "odd":
                return self.one("odd expansions")
            case kind:
                return "${" + self._rng.choice(SET_NAMES) + self._operation(kind, depth) + "}"

    def _substitution(self, kind: str, depth: int) -> str:
        if kind == "sum":
            return f"$(({self.arithmetic(depth)}))"
        inner = self._nested(depth - 1)
        if kind == "backtick":
            return "`" + inner.replace("\\", "\\\\").replace("`", "\\`") + "`"
        return f"$({self._rng.choice(('', '', ' '))}{inner})"

    def _operation(self, kind: str, depth: int) -> str:
        match kind:
            case "default":
                return self.one("operators") + self.word(depth - 1)
            case "replace":
                return self._rng.choice(("/", "//", "/#", "/%")) + "a/" + self.word(depth - 1)
            case "slice":
                return self.one("slices")
            case _:
                return self.one("cases")

    def arithmetic(self, depth: int) -> str:
        """An arithmetic expression, sometimes with a substitution inside."""
        if depth > 0 and self._rng.random() < 0.25:
            inner = f"$({self._nested(depth - 1)})"
            return self._rng.choice((inner, f"a[{inner}]", f"1 + {inner}"))
        return self.one("arithmetic")
