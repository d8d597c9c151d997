"""What every reader gives back, and how a shell text becomes it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from interlock.effects.command import Command, Gap, Script
from interlock.effects.effect import Effect
from interlock.effects.shell.place import POWER_MARK, REDIRECT_MARK

# A longer one is read elsewhere where others wait.
INLINE: Final = 2_048
_LONE: Final = re.compile("[\ud800-\udfff]")
MARKS: Final = re.compile(f"[{REDIRECT_MARK}{POWER_MARK}]")


def unmarked(text: str) -> str:
    """The text that was marked."""
    return text if text.isascii() else text.replace(REDIRECT_MARK, ">").replace(POWER_MARK, "")


def has_marks(text: str) -> bool:
    """Whether a text does more than a plain pattern covers."""
    return not text.isascii() and MARKS.search(text) is not None


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


_ASSIGNMENTS: Final = re.compile(
    r"""(?:[A-Za-z_]\w*+\+?=(?:'[^']*+'|"[^"\\`$]*+"|\\.|[^\s'"\\`$()]++)*\s++)+""", re.DOTALL
)


def reading_of(script: Script, text: str) -> Reading:
    """The raw text and every command as written; their one form is made when a pattern asks for it."""
    texts = {text: None}
    plain: list[str] = []
    for command in script.commands:
        texts[command.written] = None
        if command.environment and command.words:
            plain.append(_plain(command))
    for one in plain:
        texts[one] = None
    gaps = script.gaps
    return Reading(tuple(texts), (), gaps[0].why if gaps else None, script.commands, script.effects, gaps)


def _plain(command: Command) -> str:
    """The command without the assignments before it."""
    before = _ASSIGNMENTS.match(command.written)
    if before is not None and before.group().count("=") >= len(command.environment):
        return command.written[before.end() :]
    return " ".join(word.text for word in command.words)
