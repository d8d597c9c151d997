"""What every reader gives back."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from interlock.effects.command import Command, Gap
from interlock.effects.effect import Effect

_LONE: Final = re.compile("[\ud800-\udfff]")


class Reading(msgspec.Struct, frozen=True):
    """The texts to judge: one match among `deny` denies; `allow` needs a match for each of its parts."""

    deny: tuple[str, ...]
    allow: tuple[tuple[str, ...], ...]  # per part, the spellings of which one must match
    unread: str | None = None  # what could not be accounted for
    commands: tuple[Command, ...] = ()  # of a shell text: each is a further part, and denied in one form
    effects: tuple[Effect, ...] = ()
    gaps: tuple[Gap, ...] = ()  # the stretches that are unread


def repaired(text: str) -> str:
    """The same text, or, where it holds lone surrogates, a copy with U+FFFD in their place."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE.sub("\ufffd", text)
    return text
