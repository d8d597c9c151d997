"""Names of tools that came out of a model malformed, and the name that was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from interlock.events.tool_table import STANDARD_TOOLS

_MARKUP: Final = re.compile(r"[<>\"'=\s{}()]")
_TAG: Final = re.compile(r"</?[A-Za-z_:]*\s*/?>|</?[a-z_:]+\s")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]*")
_ATTRIBUTES: Final = frozenset({"name", "invoke", "tool", "tool_name", "tool_use", "function", "parameter"})
_STRAY: Final = "tools"
_LOOKED_AT: Final = 200


def meant_name(name: str, described: Callable[[], Iterable[str]]) -> str | None:
    """The name in place of a malformed one, empty when none can be told; None: the name is well formed."""
    marked, stray = _MARKUP.search(name), name.lower().endswith(_STRAY)
    if not marked and not stray:
        return None
    known = {one.lower(): one for one in (*described(), *STANDARD_TOOLS.known)}
    if name.lower() in known:
        return None
    if not marked:
        return known.get(name[: -len(_STRAY)].rstrip("_-. ").lower())
    found = _WORD.findall(_TAG.sub(" ", name[:_LOOKED_AT]))
    words = [word for word in found if word.lower() not in _ATTRIBUTES]
    return next((known[word.lower()] for word in words if word.lower() in known), (words or [""])[0])
