"""What rules of several families say of the greatest losses, and who may still bring them about.

Self-protection stands first: without this it would name our own files where a whole home goes.
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
    """One sentence where deleting a path with all that is in it takes the whole home."""
    folder, _, name = target.rpartition("/")
    if name in _EVERYTHING:
        target = folder or ("/" if target.startswith("/") else ".")
    if target == "~" or target.startswith("~/"):
        target = f"{home}{target[1:]}"
    try:
        gone, own = os.path.realpath(Path(base, target)), os.path.realpath(home)
    except ValueError:  # a path no system has, with a zero byte in it
        return None
    if gone == "/":
        return "This would delete everything on this machine, including your home folder."
    if gone == own:
        return "This would delete your home folder."
    if own.startswith(f"{gone}/"):
        return f"This would delete `{gone}`, which contains your home folder."
    return None


def greatest_loss(effects: Iterable[Effect], cwd: str, home: str) -> str | None:
    """That sentence for the first of these effects that takes a home."""
    gone = (one for one in effects if one.kind is EffectKind.DELETE and one.target)
    return next(filter(None, (lost_with(one.target, one.base or cwd or "/", home) for one in gone)), None)
