"""Does one glob match everything another one matches?"""

from __future__ import annotations

from typing import Final

# More is no policy that a person wrote; what cannot be settled is not claimed.
_MAX_STATES: Final = 5_000
_FRESH: Final = "\0"  # a letter that stands in no glob: only a wildcard matches it

States = frozenset[int]


def glob_covers(wide: str, narrow: str) -> bool:
    """Whether every text that `narrow` matches is matched by `wide`; False also when it takes too long.

    The wide glob is run over the narrow one: a wildcard there stands for letters the wide glob does not
    name, any number of them for `*`, and each number must be matched.
    """
    waiting: list[tuple[int, States]] = [(0, _closed(wide, {0}))]
    seen: set[tuple[int, States]] = set()
    while waiting:
        at, states = waiting.pop()
        if (at, states) in seen:
            continue
        seen.add((at, states))
        if not states or len(seen) > _MAX_STATES:
            return False
        if at == len(narrow):
            if len(wide) not in states:
                return False
        elif narrow[at] == "*":
            waiting += [(at + 1, states), (at, _step(wide, states, _FRESH))]
        else:
            letter = _FRESH if narrow[at] == "?" else narrow[at]
            waiting.append((at + 1, _step(wide, states, letter)))
    return True


def _step(glob: str, states: States, letter: str) -> States:
    after: set[int] = set()
    for at in states:
        if at == len(glob):
            continue
        if glob[at] == "*":
            after.add(at)
        elif glob[at] in {"?", letter}:
            after.add(at + 1)
    return _closed(glob, after)


def _closed(glob: str, states: set[int]) -> States:
    """With the places that are reached because a `*` may be nothing."""
    closed = set(states)
    for at in states:
        following = at
        while following < len(glob) and glob[following] == "*":
            following += 1
            closed.add(following)
    return frozenset(closed)
