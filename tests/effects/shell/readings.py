"""What the reader tells of a text, in the short forms that laws are written in."""

from __future__ import annotations

from typing import Final

from interlock.effects.command import Command, GapKind, Script
from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_script

FOLDER: Final = "/project"
HOME: Final = "/home/ann"
# Why a text that would run is not known: it comes from a variable, a decoder or the network.
ELSEWHERE: Final = frozenset({GapKind.OPEN, GapKind.DECODED, GapKind.NETWORK})


def read(text: str) -> Script:
    """A text read in one folder with one home."""
    return read_script(text, FOLDER, home=HOME)


def ran(text: str) -> list[str]:
    """Every command that would run, its words joined; a word that is not settled begins with `?`."""
    return [shown(command) for command in read(text).commands if command.words]


def shown(command: Command) -> str:
    """A command's words as one line."""
    return " ".join(word.text if word.fixed else f"?{word.text}" for word in command.words)


def command(text: str, program: str) -> Command:
    """The last command of this name."""
    return [found for found in read(text).commands if found.words and found.words[0].text == program][-1]


def kinds(text: str) -> set[GapKind]:
    """Why parts of a text are unread."""
    return {gap.kind for gap in read(text).gaps}


def effects(text: str, *wanted: EffectKind) -> list[str]:
    """The effects of these kinds, `?` before a target that is not known."""
    return [
        f"{effect.kind} {'' if effect.known else '?'}{effect.target}"
        for effect in read(text).effects
        if effect.kind in wanted
    ]
