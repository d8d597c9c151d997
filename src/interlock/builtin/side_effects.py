"""Which files a shell text creates, writes and deletes, and whom it reaches, by what was read of it."""

from __future__ import annotations

import os.path
from typing import Final

from interlock.hooks import Sight
from interlock.reading.effect import Effect, EffectKind
from interlock.tool import JsonObject

_MOST: Final = 50  # targets of one kind
_NOWHERE: Final = frozenset({"", "*"})


def side_effects(sight: Sight) -> JsonObject:
    """By kind, the targets in the order of the text; what could not be read is said."""
    found: dict[str, dict[str, None]] = {}
    for effect in sight.effects:
        word = _word(effect)
        if word is not None:
            found.setdefault(word, {})[effect.target if effect.target not in _NOWHERE else "?"] = None
    data: JsonObject = {word: list(targets)[:_MOST] for word, targets in found.items()}
    if sight.unread is not None:
        data["unread"] = sight.unread
    return data


def _word(effect: Effect) -> str | None:
    if effect.kind is EffectKind.WRITE:
        return "creates" if _is_new(effect) else "writes"
    if effect.kind is EffectKind.DELETE:
        return "deletes"
    return "network" if effect.kind is EffectKind.NETWORK else None


def _is_new(effect: Effect) -> bool:
    """Whether nothing is there yet; a target that is not known may be anything."""
    if not effect.known or effect.target in _NOWHERE:
        return False
    path = os.path.expanduser(effect.target)  # noqa: PTH111 - a text as the reader gives it
    if not os.path.isabs(path) and effect.base is None:  # noqa: PTH117 - the same
        return False
    return not os.path.lexists(os.path.join(effect.base or "/", path))  # noqa: PTH118 - the same
