"""The commands a text would run, and the parts of it that could not be read."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.effect import Effect, Word
from interlock.effects.programs.program import Arguments

# Private characters that no readable text contains. They mark what a plain pattern must not match.
REDIRECT_MARK: Final = "\ue000"
POWER_MARK: Final = "\ue001"


class Command(msgspec.Struct, frozen=True, gc=False):
    """One program with its arguments, found anywhere in the text."""

    words: tuple[Word, ...]  # the program first; empty for a redirect or assignment alone
    written: str  # as it stands in the text, line joins taken out
    marked: str = ""  # the same with U+E000 for each `>` that writes a file and U+E001 before each power
    unredirected: str = ""  # `marked` without its redirects
    writes: tuple[Effect, ...] = ()  # what its redirects write
    arguments: Arguments | None = None  # its words, sorted; None if nobody sorted them
    environment: tuple[tuple[str, Word], ...] = ()  # assignments before it
    cwd: str | None = None  # where it runs; None when that is not known
    via: tuple[str, ...] = ()  # what wraps it, outermost first: `sudo`, `bash -c`, `$(…)`
    more: bool = False  # further arguments arrive when it runs (`xargs`, `find -exec … {}`)
    transparent: bool = False  # only a wrapper: an allow is needed for what it runs, not for itself
    tame: bool = False  # it only shows something, or works on an image file: rules of packs ignore it
    in_turn: bool = False  # it is also listed for each word of a loop, and nothing else in it is unknown


class GapKind(StrEnum):
    """Why a stretch of text is unread."""

    SYNTAX = "syntax"  # the grammar was not understood, or means different things to different shells
    CODE = "code"  # a literal program text for an interpreter we do not read (`python -c`)
    OPEN = "open"  # text that comes from a variable or another program would run as a program
    NETWORK = "network"  # the same, and the text comes from another machine
    DECODED = "decoded"  # the same, and a decoder made the text; harmless code is not hidden
    ENDLESS = "endless"  # it starts itself over and over in new processes (a fork bomb)
    LIMIT = "limit"  # too long, too deep, too many parts


class Gap(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A part of the text that could not be read."""

    kind: GapKind
    why: str  # one short phrase
    text: str  # the part itself
    start: int = 0  # where it begins in the whole text
    folders: tuple[str, ...] = ()  # where the code may run; empty if that is unknown


class Script(msgspec.Struct, frozen=True, gc=False):
    """Everything a shell text would do, as far as it can be read."""

    commands: tuple[Command, ...] = ()
    effects: tuple[Effect, ...] = ()
    gaps: tuple[Gap, ...] = ()


# The daemon reads longer texts in another process.
INLINE: Final = 2_048
_LONE: Final = re.compile("[\ud800-\udfff]")
MARKS: Final = re.compile(f"[{REDIRECT_MARK}{POWER_MARK}]")


def unmarked(text: str) -> str:
    """Return the text without its marks."""
    return text if text.isascii() else text.replace(REDIRECT_MARK, ">").replace(POWER_MARK, "")


def has_marks(text: str) -> bool:
    """Return whether a text does more than a plain pattern covers."""
    return not text.isascii() and MARKS.search(text) is not None


class Reading(msgspec.Struct, frozen=True):
    """The texts to judge: one match among `deny` denies; `allow` needs a match for each of its parts."""

    deny: tuple[str, ...]
    allow: tuple[tuple[str, ...], ...]  # for each part, the spellings; one of them must match
    unread: str | None = None  # what could not be read
    commands: tuple[Command, ...] = ()  # of a shell text; each is one more part to allow or deny
    effects: tuple[Effect, ...] = ()
    gaps: tuple[Gap, ...] = ()  # the parts that could not be read


def repaired(text: str) -> str:
    """Return the text with U+FFFD in place of lone surrogates; the same object if it has none."""
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
    """Return the texts to judge: the raw text and every command, also without its assignments."""
    texts = {text: None}
    bare: list[str] = []
    for command in script.commands:
        texts[command.written] = None
        if command.environment and command.words:
            bare.append(_without_assignments(command))
    for written in bare:
        texts[written] = None
    gaps = script.gaps
    return Reading(tuple(texts), (), gaps[0].why if gaps else None, script.commands, script.effects, gaps)


def _without_assignments(command: Command) -> str:
    before = _ASSIGNMENTS.match(command.written)
    if before is not None and before.group().count("=") >= len(command.environment):
        return command.written[before.end() :]
    return " ".join(word.text for word in command.words)
