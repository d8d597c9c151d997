"""Globs as expressions of a linear-time engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final
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
    """`*` is any run of characters, `?` is one, everything else is itself."""
    parts: list[str] = []
    last = 0
    for wild in _WILD.finditer(glob):
        parts.append(re2.escape(glob[last : wild.start()]))
        parts.append(".*" if wild.group() == "*" else ".")
        last = wild.end()
    parts.append(re2.escape(glob[last:]))
    return "".join(parts)


def command_denial_expression(glob: str) -> str:
    """As a deny of shell commands: a final ` --flag` stands anywhere, a final ` *` may be nothing."""
    flagged = _FINAL_FLAG.fullmatch(glob)
    if flagged is not None:
        before, flag = glob_expression(flagged["before"]), re2.escape(flagged["flag"])
        return rf"{before}(?:\s.*)?\s{flag}(?:[\s=].*)?"
    if glob.endswith(" *") and glob.strip(" *"):
        return rf"{glob_expression(glob[:-2])}(?:\s.*)?"
    return glob_expression(glob)


def allow_expression(glob: str) -> str:
    """As an allow of shell commands: wildcards do not cover what is marked, written words do."""
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
    """A stretch without wildcards; the words in it may be powers, a `>` may be a redirect that writes."""
    words = (re2.escape(word).replace(r"\>", f"[>{REDIRECT_MARK}]") for word in _BEFORE_WORD.split(literal))
    return f"{POWER_MARK}?".join(words)


def as_written(glob: str) -> Callable[[str], bool]:
    """Whether a text that `command_denial_expression` matches is also matched by the glob as an allow."""
    marked = compiled(lambda: allow_expression(glob))
    begin = glob[:-1] if glob.endswith(" *") else ""
    if begin and not _WILD.search(begin):  # what most patterns are: one call less
        return lambda text: text.startswith(begin) if text.isascii() or not has_marks(text) else marked(text)
    plain = _as_it_stands(glob)
    # Marks are not ASCII, and most texts are nothing else.
    return lambda text: plain(text) if text.isascii() or not has_marks(text) else marked(text)


def _as_it_stands(glob: str) -> Callable[[str], bool]:
    expression = glob_expression(glob)
    if command_denial_expression(glob) == expression:
        return lambda _: True
    return compiled(lambda: expression)


def compiled(expression: Callable[[], str]) -> Callable[[str], bool]:
    """Whether an expression matches a whole text; it is compiled when first asked."""
    found: list[Callable[[str], object]] = []

    def matches(text: str) -> bool:
        if not found:
            options = re2.Options()
            options.dot_nl = True
            found.append(re2.compile(expression(), options).fullmatch)
        return found[0](text) is not None

    return matches


def path_denial_expression(glob: str, home: str) -> str:
    """As a deny of paths: `~`, links and letter case make no difference."""
    return _any_of(denied_paths(glob, home))


def deletion_denial_expression(glob: str, home: str) -> str:
    """As a deny of deleting: a folder that goes takes with it what is in it."""
    return _any_of((*denied_paths(glob, home), *folders_above(glob, home)))


def path_allow_expression(glob: str, home: str) -> str:
    """As an allow of paths."""
    return _any_of(pattern_path(glob, home))


def path_as_written(glob: str, home: str) -> Callable[[str], bool]:
    """Whether a path that `path_denial_expression` matches is also matched by the glob as an allow."""
    return compiled(lambda: path_allow_expression(glob, home))


def _any_of(globs: Iterable[str]) -> str:
    return "|".join(glob_expression(glob) for glob in globs)


_OPTIONS: Final = re2.Options()
_OPTIONS.dot_nl = True
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True

# The engine holds the literals of one filter in a fixed memory; about twice as many still compile.
_SHARD: Final = 4_000


class GlobSet:
    """Expressions with a key each; `hits` gives the keys whose expression matches the whole text."""

    def __init__(
        self, expressions: Iterable[tuple[str, str]], *, begin: str = r"\A", end: str = r"\z"
    ) -> None:
        """`begin` and `end` are what stands around the text that an expression is to match."""
        rest = [(key, f"{begin}(?:{expression}){end}") for key, expression in expressions]
        shards = [rest[start : start + _SHARD] for start in range(0, len(rest), _SHARD)]
        self._shards: Final = [small for shard in shards for small in _compile(shard)]

    @property
    def keys(self) -> list[str]:
        """Every key of the set."""
        return [key for shard in self._shards for key in shard.keys]

    def all_hits(self, texts: Iterable[str]) -> dict[str, list[str] | None]:
        """The same for the texts of one call."""
        return {text: self.hits(text) for text in texts}

    def hits(self, text: str) -> list[str] | None:
        """The keys that match, or None when the text could not be matched at all."""
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
    """The same over many texts at once, as a question of whether it is worth asking about each of them."""

    def __init__(self, expressions: Iterable[tuple[str, str]]) -> None:
        """Expressions, each with the mark of the texts it is for."""
        rest = [("", rf"\x00{mark}(?:{expression})\x00") for mark, expression in expressions]
        shards = [rest[start : start + _SHARD] for start in range(0, len(rest), _SHARD)]
        self._shards: Final = [small for shard in shards for small in _compile(shard)]

    def may_hit(self, marked: Iterable[str]) -> bool:
        """Whether an expression could match one of the texts, each with its mark before it."""
        # Whatever an expression finds in a text by itself it finds between these marks, too.
        joined = "\0" + "\0".join(marked) + "\0"
        return any(shard.hits(joined) != [] for shard in self._shards)


class _Shard:
    def __init__(self, expressions: Sequence[tuple[str, str]]) -> None:
        every = re2.Filter()
        self.keys: Final = [key for key, _ in expressions]
        for _, expression in expressions:
            every.Add(expression, _OPTIONS)
        # Matches every text: when it goes missing, the engine did not look at the text at all.
        self._sentinel: Final[int] = every.Add(r"\A.*\z", _OPTIONS)
        every.Compile()
        self._filter: Final = every

    def hits(self, text: str) -> list[str] | None:
        found = self._filter.Match(text.encode())
        # Found in the order they were added, so that the sentinel comes last.
        if not found or found.pop() != self._sentinel:
            return None
        return [self.keys[index] for index in found] if found else []


# Policies of different projects have most patterns in common, and a filter grows with every new text.
_in_use: Final = WeakValueDictionary[tuple[tuple[str, str], ...], _Shard]()


def _compile(expressions: Sequence[tuple[str, str]]) -> list[_Shard]:
    """One filter, the same for the same expressions, or halves where the literals do not fit into one."""
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
