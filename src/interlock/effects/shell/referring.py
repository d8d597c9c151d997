"""`${!v}`: the value of the variable whose name another one holds."""

from __future__ import annotations

import re
from functools import lru_cache

from interlock.effects.shell.scope import Scope


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
