"""What a stretch of text may do if it runs: the names it sets or refers to, a change of folder."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from interlock.effects.shell.scope import Scope


# A name that is only used keeps its `$` or `{`, and so is not a name that is set; all else becomes a blank.
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


def holds_name(name: str | None, scope: Scope, text: str | None) -> bool:
    """Whether a variable surely holds a name: what stands in brackets behind one would be run.

    The text is the whole one, or None inside of a text that another one makes.
    """
    if name is None or scope.lost:
        return False
    held = scope.value(name)
    if held is not None:
        return held.isascii() and held.isidentifier()
    return text is not None and _is_set_to_names(name, text)


@lru_cache(maxsize=64)
def _is_set_to_names(name: str, text: str) -> bool:
    """Whether nothing in the text names it but its uses, and loops over names."""
    if not name.isidentifier():
        return name == "#"
    uses = rf"\$(?:{name}\b|\{{[!#]?{name}\b)"
    loops = rf"\bfor[ \t]+{name}[ \t]+in(?:[ \t]+[A-Za-z_]\w*+)+[ \t]*+(?=[;\n])"
    return re.search(rf"\b{name}\b", re.sub(f"{uses}|{loops}", "", text)) is None
