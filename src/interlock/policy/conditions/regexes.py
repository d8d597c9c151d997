"""The expressions of a condition, compiled once: CEL itself compiles them anew at every run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import re2

from interlock.policy.conditions.syntax import FieldPath

_ASCII_EDGE: Final = r"(?-u:\b)"
# What both engines read alike. Classes of letters, sets inside of sets and the like they do not.
_ALIKE: Final = re.compile(
    r"""(?:
        \\[tnr\\.+*?()|\[\]{}^$-] | \\x[0-9A-Fa-f]{2} | \(\?-u:\\b\)
      | \((?:\?i?:)? | \(\?i\) | [)|^$.]
      | \[\^?(?:-(?![-\]]))?(?:\\[tnr\\.+*?()|\[\]{}^$-] | \\x[0-9A-Fa-f]{2} | [A-Za-z0-9]-[A-Za-z0-9]
          | -(?=\]) | &(?!&) | ~(?!~) | [^\\\[\]&~^-])+\]
      | (?:(?<![*+?|(]) | (?<=\\[*+?|(]))[*+?] | (?<=[*+?])\?(?![*+?])
      | (?<=[\])A-Za-z0-9_])\{[0-9]{1,3}(?:,[0-9]{0,3})?\}
      | [^\\\[\](){}*+?|^$.]
    )+""",
    re.VERBOSE,
)


def as_re2(expression: str) -> str | None:
    """The same expression for RE2, or None where the two engines might differ."""
    return expression.replace(_ASCII_EDGE, r"\b") if _ALIKE.fullmatch(expression) else None


class Regexes:
    """Expressions over one field, each under a name; all are asked in one pass."""

    def __init__(self, expressions: Iterable[tuple[str, str]]) -> None:
        named = list(expressions)
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        self._names: Final = tuple(name for name, _ in named)
        self._filter: Final = re2.Filter()
        for _, expression in named:
            self._filter.Add(expression, options)
        # Matches every text: when it goes missing, the engine did not look at the text at all.
        self._sentinel: Final[int] = self._filter.Add("", options)
        self._filter.Compile()

    def answers(self, text: str) -> dict[str, bool] | None:
        """Per name whether it is found in the text; None when the text could not be searched."""
        try:
            found = self._filter.Match(text) or ()
        except UnicodeEncodeError:  # lone surrogates
            return None
        if self._sentinel not in found:
            return None
        return {name: index in found for index, name in enumerate(self._names)}


def compiled(asked: Mapping[str, tuple[FieldPath, str]]) -> dict[FieldPath, Regexes] | None:
    """The expressions by the field they are asked of, or None where RE2 cannot run one of them."""
    by_field: dict[FieldPath, list[tuple[str, str]]] = {}
    for name, (path, expression) in asked.items():
        by_field.setdefault(path, []).append((name, expression))
    try:
        return {path: Regexes(found) for path, found in by_field.items()}
    except re2.error:
        return None


def answers(fields: Mapping[FieldPath, Any], regexes: Mapping[FieldPath, Regexes]) -> dict[str, bool] | None:
    """The answers about all fields; None where one of them is not text."""
    found: dict[str, bool] = {}
    for path, some in regexes.items():
        text = fields[path]
        said = some.answers(text) if isinstance(text, str) else None
        if said is None:
            return None
        found |= said
    return found
