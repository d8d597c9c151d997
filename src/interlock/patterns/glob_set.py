"""Many globs matched against one text in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from weakref import WeakValueDictionary

import re2

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
