"""All that surrounds one command while it is read."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from interlock.reading.command import Command
from interlock.reading.effect import Effect, EffectKind
from interlock.reading.programs.arguments import Arguments
from interlock.reading.programs.lookup import base_name
from interlock.reading.shell.feed import NO_FEED, Feed
from interlock.reading.shell.findings import Findings
from interlock.reading.shell.place import Place
from interlock.reading.shell.scope import Scope
from interlock.reading.word import Word

_RUN: Final = EffectKind.RUN  # a name of the module is found sooner than a member of a class


class Setting(msgspec.Struct, frozen=True, gc=False):
    """All that surrounds one command."""

    place: Place
    scope: Scope
    via: tuple[str, ...] = ()
    feed: Feed = NO_FEED
    environment: tuple[tuple[str, Word], ...] = ()
    writes: tuple[Effect, ...] = ()
    more: bool = False
    transparent: bool = False


class Texts(Protocol):
    """Who reads the texts and functions a program is handed."""

    def read_text(self, text: str, scope: Scope, via: tuple[str, ...]) -> None:
        """Read a text that a shell will run."""

    def call(self, name: str, words: tuple[Word, ...], scope: Scope, feed: Feed) -> None:
        """Read the body of a function."""

    def run(self, words: tuple[Word, ...], setting: Setting) -> Feed:
        """Follow another command."""


def note(
    words: tuple[Word, ...],
    setting: Setting,
    found: Findings,
    written: str,
    powers: list[int] | None = None,
    *,
    arguments: Arguments | None = None,
    transparent: bool = False,
) -> None:
    """Note one command with the effect that it runs."""
    place, folders = setting.place, setting.scope.folders
    marked, bare = place.marked(powers or []) if powers or place.redirects else (written, written)
    found.command(
        Command(
            words, written, marked, bare, setting.writes, arguments, setting.environment,
            folders[0] if len(folders) == 1 else None, setting.via, setting.more,
            transparent or setting.transparent,
        )
    )  # fmt: skip
    program = words[0]
    name = program.text
    if program.fixed and ("/" in name or "." in name):
        name = base_name(name)
    found.effects.append(Effect(_RUN, name, None, program.fixed, written))
