"""What arithmetic does with a text it is given: it sets variables, and it runs what stands in a subscript."""

from __future__ import annotations

import re
from typing import Final

_SET: Final = re.compile(r"([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=")
_RUN: Final = re.compile(r"\w\[[^\]]*(?:\$\(|`)")


def set_in(text: str) -> tuple[str, ...]:
    """The variables that a text sets where it is counted with."""
    return tuple(_SET.findall(text)) if "=" in text else ()


def runs_in(text: str) -> bool:
    """Whether a shell that counts with this text runs a command in it: `a[$(…)]`."""
    return "[" in text and _RUN.search(text) is not None
