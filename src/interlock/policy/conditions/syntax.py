"""Takes a condition's text apart: which fields it reads, which names its macros bind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
import re2

from interlock.errors import ConditionError

FieldPath: TypeAlias = tuple[str, ...]

ROOTS: Final = ("event", "tool", "actor", "session", "effort", "commitment")
MACROS: Final = frozenset({"all", "exists", "exists_one", "map", "filter"})
_BUILDING: Final = frozenset({"map", "filter"})
# Names of our own begin so; a macro may not bind one.
_OWN: Final = "__"

_TOKEN: Final = re.compile(
    r"""(?P<string>[bB]?[rR](?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|"[^"\n]*"|'[^'\n]*')"""
    r"""|[bB]?(?:\"{3}(?:\\[\s\S]|[^\\])*?\"{3}|'{3}(?:\\[\s\S]|[^\\])*?'{3}"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))"""
    r"""|(?P<gap>\s+|//[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<other>[\s\S])"""
)
_PLAIN_STRING: Final = re.compile(r"""(["'])([^"'\\\n]*)\1""")
_RAW_STRING: Final = re.compile(r"""[rR](["'])(?!\1)([^\n]*)\1""")


class ConditionText(msgspec.Struct, frozen=True, kw_only=True):
    """The same condition, every field it reads being one variable that is always bound."""

    text: str
    reads: dict[str, FieldPath]  # variable → the field's value, null when missing
    searches: dict[str, tuple[FieldPath, str]]  # variable → whether an expression is found in a field
    asks: dict[str, FieldPath]  # variable → whether the field is there
    bound: frozenset[str]  # names its macros bind
    builds: bool  # a macro of it makes a list, whose cost is the square of its length
    as_text: frozenset[str]  # whole records that are used as if they were text


class _Token(msgspec.Struct, frozen=True):
    text: str
    kind: str
    before: str  # blanks and comments in front of it


def rewrite(text: str, expression: Callable[[str], str | None] | None = None) -> ConditionText:
    """Replace every `tool.input.x` by a variable: a missing field reads as null, and nothing else changes.

    With a translator of expressions, every `tool.input.x.matches('…')` that it knows becomes a variable too.
    """
    tokens = list(_tokens(text))
    bound = frozenset(_macro_names(tokens))
    return _Rewriter(tokens, bound, expression or (lambda _: None)).result()


def _tokens(text: str) -> Iterator[_Token]:
    before = ""
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "gap":
            # A comment ends at its line; one blank keeps words apart.
            before = " "
            continue
        yield _Token(match[0], str(match.lastgroup), before)
        before = ""


def _macro_names(tokens: Sequence[_Token]) -> Iterator[str]:
    """Walk the parentheses once; a macro inside a macro's own is refused: its cost multiplies."""
    open_macros: list[bool] = []
    for n, token in enumerate(tokens):
        if token.text == "(":
            macro = _method_name(tokens, n) in MACROS
            if macro and any(open_macros):
                raise ConditionError(f"`{tokens[n - 1].text}` inside another macro; write two conditions")
            open_macros.append(macro)
            if macro and n + 1 < len(tokens):
                name = tokens[n + 1].text
                if name in ROOTS or name.startswith(_OWN):
                    raise ConditionError(f"a macro cannot bind `{name}`; choose another name")
                yield name
        elif token.text == ")" and open_macros:
            open_macros.pop()


def _method_name(tokens: Sequence[_Token], n: int) -> str:
    """The method whose parenthesis is token `n`, or nothing."""
    dot, name = "".join(token.text for token in tokens[max(n - 2, 0) : n - 1]), tokens[n - 1].text
    return name if n > 1 and dot == "." else ""


class _Rewriter:
    def __init__(
        self, tokens: Sequence[_Token], bound: frozenset[str], expression: Callable[[str], str | None]
    ) -> None:
        self._tokens: Final = tokens
        self._bound: Final = bound
        self._expression: Final = expression
        self._names: Final[dict[tuple[str, FieldPath], str]] = {}
        self._searches: Final[dict[tuple[FieldPath, str], str]] = {}
        self._as_text: Final[set[str]] = set()

    def result(self) -> ConditionText:
        text = "".join(self._pieces())
        named = {kind: {v: path for (k, path), v in self._names.items() if k == kind} for kind in ("r", "a")}
        builds = any(
            token.text == "(" and _method_name(self._tokens, n) in _BUILDING
            for n, token in enumerate(self._tokens)
        )
        return ConditionText(
            text=text,
            reads=named["r"],
            searches={name: search for search, name in self._searches.items()},
            asks=named["a"],
            bound=self._bound,
            builds=builds,
            as_text=frozenset(self._as_text),
        )

    def _pieces(self) -> Iterator[str]:
        n = 0
        while n < len(self._tokens):
            token = self._tokens[n]
            has_field = self._read_has(n)
            if has_field is not None:
                path, n = has_field
                yield token.before + self._variable("a", path)
            elif self._is_root(n):
                begun = n
                path, n = self._chain(n)
                if len(path) == 1 and self._is_taken_for_text(begun, n):
                    self._as_text.add(path[0])
                expression = self._searched(n)
                if expression is None:
                    yield token.before + self._variable("r", path)
                else:
                    n += 5
                    yield token.before + self._search(path, expression)
            else:
                yield token.before + token.text
                n += 1

    def _variable(self, kind: str, path: FieldPath) -> str:
        return self._names.setdefault((kind, path), f"{_OWN}{kind}{len(self._names)}")

    def _search(self, path: FieldPath, expression: str) -> str:
        return self._searches.setdefault((path, expression), f"{_OWN}s{len(self._searches)}")

    def _searched(self, n: int) -> str | None:
        """Read `.matches('…')` if RE2 can evaluate the expression."""
        if not (self._is(n, ".") and self._is(n + 1, "matches") and self._is(n + 2, "(")):
            return None
        if not self._is(n + 4, ")"):
            return None
        literal = self._tokens[n + 3].text
        match = _RAW_STRING.fullmatch(literal) or _PLAIN_STRING.fullmatch(literal)
        return self._expression(match[2]) if match else None

    def _is_taken_for_text(self, begun: int, end: int) -> bool:
        """Whether the tokens from `begun` to `end` are compared with a string, or have a method called."""
        after = self._is(end, "=") or self._is(end, "!")
        before = self._is(begun - 1, "=") and (self._is(begun - 2, "=") or self._is(begun - 2, "!"))
        return (
            (after and self._is(end + 1, "=") and self._is_string(end + 2))
            or (before and self._is_string(begun - 3))
            or (self._is(end, ".") and self._is_name(end + 1) and self._is(end + 2, "("))
        )

    def _is_string(self, n: int) -> bool:
        return 0 <= n < len(self._tokens) and self._tokens[n].kind == "string"

    def _is(self, n: int, text: str) -> bool:
        return 0 <= n < len(self._tokens) and self._tokens[n].text == text

    def _is_root(self, n: int) -> bool:
        return n < len(self._tokens) and self._tokens[n].text in ROOTS and not self._is(n - 1, ".")

    def _read_has(self, n: int) -> tuple[FieldPath, int] | None:
        """Read `has(root.a.b)` as one question."""
        if not (self._is(n, "has") and self._is(n + 1, "(") and self._is_root(n + 2)):
            return None
        path, end = self._chain(n + 2)
        return (path, end + 1) if self._is(end, ")") else None

    def _chain(self, n: int) -> tuple[FieldPath, int]:
        """Follow `root.a["b"].c` up to a method call or whatever else comes."""
        path, n = [self._tokens[n].text], n + 1
        while True:
            key = self._index(n)
            if key is not None:
                path, n = [*path, key], n + 3
            elif self._is(n, ".") and self._is_name(n + 1) and not self._is(n + 2, "("):
                path, n = [*path, self._tokens[n + 1].text], n + 2
            else:
                return tuple(path), n

    def _is_name(self, n: int) -> bool:
        return n < len(self._tokens) and self._tokens[n].kind == "name"

    def _index(self, n: int) -> str | None:
        if not (self._is(n, "[") and self._is(n + 2, "]")):
            return None
        match = _PLAIN_STRING.fullmatch(self._tokens[n + 1].text)
        return match[2] if match else None


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
    """Expressions over one field, each under a name; one pass searches for all of them."""

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

    def search(self, text: str) -> dict[str, bool] | None:
        """Per name whether it is found in the text; None when the text could not be searched."""
        try:
            found = self._filter.Match(text) or ()
        except UnicodeEncodeError:  # lone surrogates
            return None
        if self._sentinel not in found:
            return None
        return {name: index in found for index, name in enumerate(self._names)}


def compile_regexes(searches: Mapping[str, tuple[FieldPath, str]]) -> dict[FieldPath, Regexes] | None:
    """The expressions by the field they search, or None if RE2 cannot run one of them."""
    by_field: dict[FieldPath, list[tuple[str, str]]] = {}
    for name, (path, expression) in searches.items():
        by_field.setdefault(path, []).append((name, expression))
    try:
        return {path: Regexes(expressions) for path, expressions in by_field.items()}
    except re2.error:
        return None


def search_fields(
    fields: Mapping[FieldPath, Any], regexes: Mapping[FieldPath, Regexes]
) -> dict[str, bool] | None:
    """Per name whether it is found in its field; None if one of the fields is not text."""
    answers: dict[str, bool] = {}
    for path, expressions in regexes.items():
        text = fields[path]
        found = expressions.search(text) if isinstance(text, str) else None
        if found is None:
            return None
        answers |= found
    return answers
