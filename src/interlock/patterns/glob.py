"""Globs as RE2 expressions, which match in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final
from weakref import WeakValueDictionary

import re2

from interlock.effects.command import POWER_MARK, REDIRECT_MARK, has_marks
from interlock.effects.paths.globs import denied_paths, folders_above, pattern_path

_WILD: Final = re.compile(r"[*?]")
_LITERAL: Final = re.compile(r"[*?]|[^*?]+")
_BEFORE_WORD: Final = re.compile(r"(?<=\s)(?=\S)")
_UNMARKED: Final = f"[^{REDIRECT_MARK}{POWER_MARK}]"
_FINAL_FLAG: Final = re.compile(r"(?P<before>.*\S) (?P<flag>--[A-Za-z0-9][\w-]*)", re.DOTALL)


def glob_expression(glob: str) -> str:
    """Translate a glob: `*` is any run of characters, `?` is one, everything else is literal."""
    parts: list[str] = []
    last = 0
    for wild in _WILD.finditer(glob):
        parts.append(re2.escape(glob[last : wild.start()]))
        parts.append(".*" if wild.group() == "*" else ".")
        last = wild.end()
    parts.append(re2.escape(glob[last:]))
    return "".join(parts)


def command_denial_expression(glob: str) -> str:
    """Translate a deny of shell commands: a final ` --flag` stands anywhere, a final ` *` may be empty."""
    flagged = _FINAL_FLAG.fullmatch(glob)
    if flagged is not None:
        before, flag = glob_expression(flagged["before"]), re2.escape(flagged["flag"])
        return rf"{before}(?:\s.*)?\s{flag}(?:[\s=].*)?"
    if glob.endswith(" *") and glob.strip(" *"):
        return rf"{glob_expression(glob[:-2])}(?:\s.*)?"
    return glob_expression(glob)


def allow_expression(glob: str) -> str:
    """Translate an allow of shell commands: only literal words, not wildcards, cover what is marked."""
    parts: list[str] = []
    for literal in _LITERAL.finditer(glob):
        text = literal.group()
        if text in {"*", "?"}:
            parts.append(_UNMARKED + ("*" if text == "*" else ""))
        else:
            at_word = literal.start() == 0 or glob[literal.start() - 1].isspace()
            parts.append((f"{POWER_MARK}?" if at_word else "") + _escape_literal(text))
    return "".join(parts)


def _escape_literal(literal: str) -> str:
    """Escape text without wildcards; its words may be powers, and a `>` may be a redirect that writes."""
    words = (re2.escape(word).replace(r"\>", f"[>{REDIRECT_MARK}]") for word in _BEFORE_WORD.split(literal))
    return f"{POWER_MARK}?".join(words)


def as_written(glob: str) -> Callable[[str], bool]:
    """Return a test of whether a text that matches the glob as a deny also matches it as an allow."""
    marked = compiled(lambda: allow_expression(glob))
    begin = glob[:-1] if glob.endswith(" *") else ""
    if begin and not _WILD.search(begin):  # most patterns; this saves a call
        return lambda text: text.startswith(begin) if text.isascii() or not has_marks(text) else marked(text)
    expression = glob_expression(glob)
    same = command_denial_expression(glob) == expression
    plain = (lambda _: True) if same else compiled(lambda: expression)
    # Most texts are ASCII and have no marks.
    return lambda text: plain(text) if text.isascii() or not has_marks(text) else marked(text)


def compiled(expression: Callable[[], str]) -> Callable[[str], bool]:
    """Return a test of whether an expression matches a whole text; it is compiled on first use."""
    found: list[Callable[[str], object]] = []

    def matches(text: str) -> bool:
        if not found:
            options = re2.Options()
            options.dot_nl = True
            found.append(re2.compile(expression(), options).fullmatch)
        return found[0](text) is not None

    return matches


def path_denial_expression(glob: str, home: str) -> str:
    """Translate a deny of paths: `~`, links and letter case make no difference."""
    return _any_of(denied_paths(glob, home))


def deletion_denial_expression(glob: str, home: str) -> str:
    """Translate a deny of deletions: deleting a folder deletes what is in it."""
    return _any_of((*denied_paths(glob, home), *folders_above(glob, home)))


def path_allow_expression(glob: str, home: str) -> str:
    return _any_of(pattern_path(glob, home))


def path_as_written(glob: str, home: str) -> Callable[[str], bool]:
    """Return a test of whether a path that matches the glob as a deny also matches it as an allow."""
    return compiled(lambda: path_allow_expression(glob, home))


def _any_of(globs: Iterable[str]) -> str:
    return "|".join(glob_expression(glob) for glob in globs)


_OPTIONS: Final = re2.Options()
_OPTIONS.dot_nl = True
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True

# RE2 holds the literals of one filter in a fixed memory; about twice as many still compile.
_SHARD: Final = 4_000


class GlobSet:
    """Expressions with a key each; `hits` returns the keys whose expression matches the whole text."""

    def __init__(
        self, expressions: Iterable[tuple[str, str]], *, begin: str = r"\A", end: str = r"\z"
    ) -> None:
        """Compile the expressions; `begin` and `end` match what stands around the text."""
        self._shards: Final = _compile_all(
            [(key, f"{begin}(?:{expression}){end}") for key, expression in expressions]
        )

    @property
    def keys(self) -> list[str]:
        return [key for shard in self._shards for key in shard.keys]

    def all_hits(self, texts: Iterable[str]) -> dict[str, list[str] | None]:
        return {text: self.hits(text) for text in texts}

    def hits(self, text: str) -> list[str] | None:
        """Return the keys that match, None if the text cannot be matched."""
        if len(self._shards) == 1:
            return self._shards[0].hits(text)
        found: list[str] = []
        for shard in self._shards:
            keys = shard.hits(text)
            if keys is None:
                return None
            found += keys
        return found


class Sieve:
    """Tells for many texts at once whether an expression may match one of them."""

    def __init__(self, expressions: Iterable[tuple[str, str]]) -> None:
        """Compile expressions, each with the mark of the texts it applies to."""
        self._shards: Final = _compile_all(
            [("", rf"\x00{mark}(?:{expression})\x00") for mark, expression in expressions]
        )

    def may_hit(self, marked: Iterable[str]) -> bool:
        """Return whether an expression could match one of the texts, which have their marks in front."""
        # An expression that matches a text alone also matches it between these marks.
        joined = "\0" + "\0".join(marked) + "\0"
        return any(shard.hits(joined) != [] for shard in self._shards)


class _Shard:
    def __init__(self, expressions: Sequence[tuple[str, str]]) -> None:
        every = re2.Filter()
        self.keys: Final = [key for key, _ in expressions]
        for _, expression in expressions:
            every.Add(expression, _OPTIONS)
        # It matches every text; if it is missing, the engine gave up on the text.
        self._sentinel: Final[int] = every.Add(r"\A.*\z", _OPTIONS)
        every.Compile()
        self._filter: Final = every

    def hits(self, text: str) -> list[str] | None:
        found = self._filter.Match(text.encode())
        # Matches come in the order of adding, so the sentinel is last.
        if not found or found.pop() != self._sentinel:
            return None
        return [self.keys[index] for index in found] if found else []


# Policies of different projects share most patterns, so filters are shared, too.
_in_use: Final = WeakValueDictionary[tuple[tuple[str, str], ...], _Shard]()


def _compile_all(expressions: Sequence[tuple[str, str]]) -> list[_Shard]:
    starts = range(0, len(expressions), _SHARD)
    return [shard for start in starts for shard in _compile(expressions[start : start + _SHARD])]


def _compile(expressions: Sequence[tuple[str, str]]) -> list[_Shard]:
    """Compile one filter, shared for equal expressions, or two halves if the literals do not fit into one."""
    wanted = tuple(expressions)
    if (known := _in_use.get(wanted)) is not None:
        return [known]
    try:
        shard = _in_use[wanted] = _Shard(wanted)
    except re2.error:
        if len(wanted) == 1:
            raise
    else:
        return [shard]
    middle = len(wanted) // 2
    return _compile(wanted[:middle]) + _compile(wanted[middle:])


def compile_quietly(pattern: str, *, caseless: bool = False, memory: int | None = None) -> Any:
    """An expression; one that is none raises `re2.error`, and nothing is printed."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not caseless
    if memory is not None:
        options.max_mem = memory
    return re2.compile(pattern, options)
