"""The simple commands a text would run, and what of it could not be read."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from interlock.effects.effect import Effect, Word
from interlock.effects.programs.arguments import Arguments


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
