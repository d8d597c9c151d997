"""Names of records: a prefix that tells the kind, and eight hexadecimal digits."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Container
from typing import Final

_PREFIX: Final = {"capture": "mem", "commit": "cmt", "publish": "pub"}
_OTHER: Final = "op"
SHAPE: Final = re.compile(r"(?:mem|cmt|op|pub)_[0-9a-f]{8}")


def new_id(op: str, taken: Container[str], digits: Callable[[], int] = lambda: secrets.randbits(32)) -> str:
    """A name for what an operation makes that nothing else has."""
    prefix = _PREFIX.get(op, _OTHER)
    while True:
        name = f"{prefix}_{digits():08x}"
        if name not in taken:
            return name
