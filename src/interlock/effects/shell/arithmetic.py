"""What arithmetic does with a text it is given: it sets variables, and it runs what stands in a subscript."""

from __future__ import annotations

import re
from typing import Final

_QUOTES: Final = frozenset("\"'\\")
_SET: Final = re.compile(r"([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=")
_SIGNS: Final = re.compile(r"\w\[|[\"'\\][\[\]][\"']?|[\[\]]|\$\(|`|\$\{[\s|]")
_CHANGES: Final = re.compile(r"(?<![=<>!])=(?!=)|<<=|>>=|\+\+|--")
# A name whose length alone is asked for (`${#x}`) is not evaluated.
_NAMES: Final = re.compile(r"(?<!\{#)\b[A-Za-z_]\w*")


def set_in(text: str) -> tuple[str, ...]:
    """The variables that a text sets where it is counted with."""
    return tuple(_SET.findall(text)) if "=" in text else ()


def names_counted(text: str) -> tuple[str, ...]:
    """The variables that arithmetic evaluates."""
    return tuple(_NAMES.findall(text))


def runs_in(text: str) -> bool:
    """Whether a shell that counts with this text runs a command in it: `a[$(…)]`."""
    if "[" not in text:
        return False
    depth = 0  # of subscripts, and of brackets in them; quoted ones are none
    for sign in _SIGNS.findall(text):
        if sign[0] in _QUOTES:
            continue
        if sign[-1] == "[":
            depth += 1 if depth or len(sign) > 1 else 0
        elif sign == "]":
            depth -= 1 if depth else 0
        elif depth:
            return True
    return False


def changes(text: str) -> bool:
    """Whether arithmetic that stands in a text itself sets a variable."""
    return _CHANGES.search(text) is not None
