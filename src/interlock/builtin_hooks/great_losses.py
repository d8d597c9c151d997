"""The words of several rules for the greatest losses, and who can still cause them.

Self-protection comes first: without this, it would name our own files when a whole home is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from interlock.effects.effect import Effect, EffectKind

ONLY_THE_USER: Final = "Only the user can run this, in a terminal of their own."
_EVERYTHING: Final = frozenset({"", ".", "*", ".*"})


def lost_with(target: str, base: str, home: str) -> str | None:
    """A sentence if deleting a path with all that is in it would delete the whole home."""
    folder, _, name = target.rpartition("/")
    if name in _EVERYTHING:
        target = folder or ("/" if target.startswith("/") else ".")
    if target == "~" or target.startswith("~/"):
        target = f"{home}{target[1:]}"
    try:
        deleted, own_home = os.path.realpath(Path(base, target)), os.path.realpath(home)
    except ValueError:  # a path no system has, with a zero byte in it
        return None
    if deleted == "/":
        return "This would delete everything on this machine, including your home folder."
    if deleted == own_home:
        return "This would delete your home folder."
    if own_home.startswith(f"{deleted}/"):
        return f"This would delete `{deleted}`, which contains your home folder."
    return None


def greatest_loss(effects: Iterable[Effect], cwd: str, home: str) -> str | None:
    """That sentence for the first of these effects that would delete the home."""
    deletions = (effect for effect in effects if effect.kind is EffectKind.DELETE and effect.target)
    return next(
        filter(None, (lost_with(effect.target, effect.base or cwd or "/", home) for effect in deletions)),
        None,
    )
