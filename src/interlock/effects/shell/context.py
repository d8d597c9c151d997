"""All that surrounds one command while it is read."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from interlock.effects.command import Command
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.programs.lookup import base_name
from interlock.effects.shell.feed import NO_FEED, Feed
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.place import Place
from interlock.effects.shell.scope import Scope

_RUN: Final = EffectKind.RUN  # a name of the module is found sooner than a member of a class


class CommandContext(msgspec.Struct, frozen=True, gc=False):
    """All that surrounds one command."""

    place: Place
    scope: Scope
    via: tuple[str, ...] = ()
    feed: Feed = NO_FEED
    environment: tuple[tuple[str, Word], ...] = ()
    writes: tuple[Effect, ...] = ()
    more: bool = False
    transparent: bool = False

    def command(self, words: tuple[Word, ...], written: str, *, transparent: bool = False) -> Command:
        """The command that stands here, as far as nobody has sorted its words."""
        marked, bare = self.place.marked()
        return Command(
            words, written, marked, bare, self.writes, None, self.environment, self.scope.folder,
            self.via, self.more, transparent or self.transparent,
        )  # fmt: skip


class Texts(Protocol):
    """Who reads the texts and functions a program is handed."""

    def read_text(self, text: str, scope: Scope, via: tuple[str, ...]) -> None:
        """Read a text that a shell will run."""

    def call(self, name: str, words: tuple[Word, ...], scope: Scope, feed: Feed) -> None:
        """Read the body of a function."""

    def run(self, words: tuple[Word, ...], context: CommandContext) -> Feed:
        """Follow another command."""


def note(command: Command, found: Findings) -> None:
    """Note one command with the effect that it runs."""
    found.command(command)
    program = command.words[0]
    name = program.text
    if program.fixed and not name.isidentifier():  # which most are, and then it is not a path
        name = base_name(name)
    found.effects.append(Effect(_RUN, name, None, program.fixed, command.written))
