"""Words people write: the nearest one that is known, and durations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

_LISTED: Final = 9
_CANDIDATES: Final = 500
_ALIKE: Final = 0.75  # from here on a word of another system is taken for one of ours, mistyped
_COMPARED: Final = 80  # a longer word is not a typing mistake, and comparing it takes time


def near_miss(word: str, valid: Iterable[str]) -> bool:
    """Whether a word that is not among these was surely meant as one of them."""
    folded = [known.lower() for known in valid]
    return bool(get_close_matches(word[:_COMPARED].lower().replace("-", "_"), folded, n=1, cutoff=_ALIKE))


def hint(word: str, valid: Iterable[str]) -> str:
    """End a message about a wrong word with the next step."""
    words = list(islice(valid, _CANDIDATES))
    folded = {known.lower(): known for known in words}
    near = get_close_matches(word[:_COMPARED].lower(), folded, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{folded[near[0]]}`?"
    listed = ", ".join(f"`{known}`" for known in words[:_LISTED])
    more = ", …" if len(words) > _LISTED else ""
    if len(words) > 1:
        return f"use one of {listed}{more}"
    return f"use {listed}" if words else "remove it"


_SHAPE: Final = re.compile(r"(\d{1,9})\s?([smhdw])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def duration(text: str) -> float:
    """The seconds a text stands for; raise ValueError with the next step when it is not a length of time."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"`{text}` is not a length of time; write `30s`, `10m`, `12h` or `7d`")
    return float(int(found[1]) * _SECONDS[found[2]])
