"""Which of many short texts a long one holds: found in one pass, since one for each would take too long."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import re2

LONG: Final = 32_768  # bytes; in shorter texts, looking for each is as quick
_REPEATS: Final = 16  # of hints that were found, before what is left is looked for alone


def latin_options() -> Any:
    """Bytes as they are: no text can fail to be read, and letters of other scripts fold into none of ours."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


def hints_in(text: bytes, hints: frozenset[bytes]) -> frozenset[bytes]:
    """Those of the hints that stand in a text, also where they overlap."""
    missing, at, repeats, pattern = set(hints), 0, 0, _any_of(hints)
    while pattern is not None and (match := pattern.search(text, at)) is not None:
        hint, at = match.group(), match.start() + 1
        # The longest is what is matched; whatever else begins at the same place is a beginning of it.
        fresh = missing.intersection([hint[: end + 1] for end in range(len(hint))])
        missing -= fresh
        repeats = 0 if fresh else repeats + 1
        if repeats == _REPEATS:
            repeats, pattern = 0, _any_of(frozenset(missing))
    return hints - missing


@lru_cache(maxsize=64)
def _any_of(hints: frozenset[bytes]) -> Any | None:
    """What matches the longest of some hints; None for none."""
    longest_first = sorted(hints, key=lambda hint: (-len(hint), hint))
    return re2.compile(b"|".join(map(re2.escape, longest_first)), latin_options()) if hints else None
