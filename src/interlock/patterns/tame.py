"""A call without its commands that only show something, or work on an image file."""

from __future__ import annotations

import re

import msgspec

from interlock.effects.effect import EffectKind
from interlock.effects.text import Reading


def without_tame(reading: Reading) -> Reading:
    """What rules of packs are about: what such a command reads or writes is left, its words are not."""
    wild = [command for command in reading.commands if not command.tame]
    names = {command.written for command in reading.commands if command.tame}
    names -= {command.written for command in wild}
    texts = [text for text in reading.deny if text not in names]
    if reading.deny and texts and texts[0] == reading.deny[0]:
        texts[0] = _cut(texts[0], names)
    effects = tuple(one for one in reading.effects if one.kind is not EffectKind.RUN or one.by not in names)
    return msgspec.structs.replace(reading, deny=tuple(texts), commands=tuple(wild), effects=effects)


def _cut(text: str, names: set[str]) -> str:
    """The whole text with nothing where those commands stood."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?![\w-])", "", text)
    return text
