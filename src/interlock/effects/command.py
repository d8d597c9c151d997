"""The simple commands a text would run, and what of it could not be read."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.effect import Effect, Word
from interlock.effects.programs.program import Arguments

# Private characters that no readable text holds: what a plain pattern must not cover.
REDIRECT_MARK: Final = "\ue000"
POWER_MARK: Final = "\ue001"


class Command(msgspec.Struct, frozen=True, gc=False):
    """One program with its arguments, found anywhere in the text."""

    words: tuple[Word, ...]  # the program first; empty for a redirect or assignment alone
    written: str  # as it stands in the text, line joins taken out
    marked: str = ""  # the same with U+E000 for each `>` that writes a file and U+E001 before each power
    unredirected: str = ""  # `marked` without its redirects
    writes: tuple[Effect, ...] = ()  # what its redirects write
    arguments: Arguments | None = None  # its words, sorted; None where nobody did
    environment: tuple[tuple[str, Word], ...] = ()  # assignments before it
    cwd: str | None = None  # where it runs; None when that is not known
    via: tuple[str, ...] = ()  # what wraps it, outermost first: `sudo`, `bash -c`, `$(…)`
    more: bool = False  # further arguments arrive when it runs (`xargs`, `find -exec … {}`)
    transparent: bool = False  # only a wrapper around others: they need the allow, it does not
    tame: bool = False  # it only shows something, or works on an image file: rules of packs pass over it
    in_turn: bool = False  # it stands there for each word of a loop as well, and nothing else in it is open


class GapKind(StrEnum):
    """Why a stretch of text is unread."""

    SYNTAX = "syntax"  # the grammar was not understood, or means different things to different shells
    CODE = "code"  # a literal program text for an interpreter we do not read (`python -c`)
    OPEN = "open"  # text that comes from a variable or another program would run as a program
    NETWORK = "network"  # the same, and the text comes from another machine
    DECODED = "decoded"  # the same, and a decoder made the text: nobody hides what is harmless
    ENDLESS = "endless"  # it starts itself over and over in new processes, until the machine stands still
    LIMIT = "limit"  # too long, too deep, too many parts


class Gap(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One stretch the reader cannot account for."""

    kind: GapKind
    why: str  # one short phrase
    text: str  # the stretch itself
    start: int = 0  # where it begins in the whole text
    folders: tuple[str, ...] = ()  # where the code may run; none where that is not known


class Script(msgspec.Struct, frozen=True, gc=False):
    """All a shell text would do, as far as it can be read."""

    commands: tuple[Command, ...] = ()
    effects: tuple[Effect, ...] = ()
    gaps: tuple[Gap, ...] = ()


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
