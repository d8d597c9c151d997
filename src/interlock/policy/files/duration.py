"""Lengths of time as people write them: `30s`, `10m`, `12h`, `7d`, `2w`."""

from __future__ import annotations

import re
from typing import Final

_SHAPE: Final = re.compile(r"(\d{1,9})\s?([smhdw])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def duration(text: str) -> float:
    """The seconds a text stands for; raise ValueError with the next step when it is not a length of time."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"`{text}` is not a length of time; write `30s`, `10m`, `12h` or `7d`")
    return float(int(found[1]) * _SECONDS[found[2]])
