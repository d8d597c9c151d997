"""What a stretch of text may do if it runs: the names it may set, whether it goes to another folder."""

from __future__ import annotations

import re
from typing import Final

# A name that is only used keeps its `$` or `{`, and so is no name that is set; all else becomes a blank.
_PARTING: Final = bytes(
    byte if chr(byte) in "_${" or (chr(byte).isascii() and chr(byte).isalnum()) else 32 for byte in range(256)
)
_MOVES: Final = re.compile(r"\b(?:cd|pushd|popd|chdir)\b")


def names_in(text: str) -> frozenset[str]:
    """Every name in a stretch that it could set."""
    # As bytes, which are told apart by a table: much sooner than an expression finds the names.
    parted = text.encode("utf-8", "replace").translate(_PARTING)
    return frozenset(parted.replace(b"$", b" $").replace(b"{", b" {").decode("ascii").split())


def moves_in(text: str) -> bool:
    """Whether a stretch may go to another folder."""
    # Each is looked for first: the expression that tells words apart is much slower.
    moving = "cd" in text or "pushd" in text or "popd" in text or "chdir" in text
    return moving and _MOVES.search(text) is not None
