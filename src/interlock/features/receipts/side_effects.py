"""What a shell text creates, writes and deletes, whom it reaches, and what it runs that nobody has read."""

from __future__ import annotations

import os.path
from typing import Final

from interlock.effects.effect import Effect, EffectKind
from interlock.events.hook import Sight
from interlock.events.tool import JsonObject
from interlock.features.receipts.classification.shell import unread_programs

_MOST: Final = 50  # targets of one kind
_NOWHERE: Final = frozenset({"", "*"})


def side_effects(sight: Sight) -> JsonObject:
    """By kind, the targets in the order of the text; what could not be read is said."""
    found: dict[str, dict[str, None]] = {}
    for effect in sight.effects:
        word = _word(effect)
        if word is not None:
            found.setdefault(word, {})[_place(effect, sight.event.cwd)] = None
    unknown = unread_programs(sight)
    if unknown and sight.unread is None:
        found["unknown"] = dict.fromkeys(unknown)
    data: JsonObject = {word: list(targets)[:_MOST] for word, targets in found.items()}
    if sight.unread is not None:
        data["unread"] = sight.unread
    return data


def _place(effect: Effect, cwd: str) -> str:
    """The target, seen from where the call is made: `touch rel` behind `cd docs` is `docs/rel`."""
    target = effect.target
    if target in _NOWHERE:
        return "?"
    if effect.kind is EffectKind.NETWORK or target.startswith(("/", "~")) or not effect.base:
        return target
    path = os.path.normpath(f"{effect.base}/{target}")
    inside = path.startswith(f"{cwd.rstrip('/')}/")
    return os.path.relpath(path, cwd) if inside else path


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
