"""Where settings say a secret is: in a file, or in a variable of the daemon's environment."""

from __future__ import annotations

import os
import re
from typing import Final

from msgspec import UNSET, UnsetType

VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ONE_VARIABLE: Final = "the name of one variable"


def file_fault(file: str | UnsetType, variable: str | UnsetType, key: str, noun: str) -> str | None:
    """What is wrong with a file that holds a `noun`, where `key` may name a variable instead."""
    if file is UNSET:
        return None
    if variable is not UNSET:
        return f"`{key}` says where the {noun} is, too; keep one of them"
    if not os.path.isabs(expanded(file)):  # noqa: PTH117 - a text until it is used
        return f"`{file}` depends on where one stands; write it from `/` or `~/` on"
    return None


def expanded(file: str) -> str:
    """The file from the root on, where it was written from a home on."""
    return os.path.expanduser(file)  # noqa: PTH111 - a text until it is used
