"""What is found while a text is read, in the order of the text."""

from __future__ import annotations

from typing import Final

from interlock.reading.command import Command, Gap, GapKind
from interlock.reading.effect import Effect, EffectKind
from interlock.reading.shell.scope import Scope
from interlock.reading.word import Word

_MAX_COMMANDS: Final = 500  # different ones
# A command costs ten, two of its words one: about a quarter of a second in all.
_MAX_EFFORT: Final = 100_000


def env_effect(name: str, value: Word, by: str) -> Effect:
    """A variable that is set, with its value where that is known."""
    return Effect(EffectKind.ENV, name, by=by, value=value.text if value.fixed else None)


class TooMuchError(Exception):
    """More commands than anyone could have meant, or the same ones over and over."""


class Findings:
    """Commands, effects and gaps so far."""

    __slots__ = ("_effort", "_seen", "commands", "effects", "gaps", "sources")

    def __init__(self) -> None:
        self._effort = 0
        self._seen: set[object] = set()
        self.commands: list[Command] = []
        self.effects: list[Effect] = []
        self.gaps: list[Gap] = []
        self.sources: dict[str, GapKind] = {}  # substitutions that bring in foreign text, as written

    def command(self, command: Command) -> None:
        """Note one command; the same command over again says nothing new."""
        self.spend(10 + len(command.words) // 2)
        key = (
            command.words, command.written, command.cwd, command.transparent, command.more, command.via,
            command.environment,
        )  # fmt: skip
        if key in self._seen:
            return
        if len(self.commands) >= _MAX_COMMANDS:
            raise TooMuchError
        self._seen.add(key)
        self.commands.append(command)

    def spend(self, effort: int) -> None:
        """Count the work of reading, which even a short text can make endless."""
        self._effort += effort
        if self._effort > _MAX_EFFORT:
            raise TooMuchError

    def gap(self, kind: GapKind, why: str, text: str, start: int = 0) -> None:
        """Note what cannot be accounted for; open text that comes from afar is noted as such."""
        if kind is GapKind.OPEN and self.sources:
            kind = next((source for written, source in self.sources.items() if written in text), kind)
        self.gaps.append(Gap(kind=kind, why=why, text=text, start=start))

    def path(self, kind: EffectKind, word: Word, scope: Scope, by: str) -> tuple[Effect, ...]:
        """Note what happens to a path, from every folder the command may be in."""
        if word.fixed and word.text.startswith("~"):
            word = Word("./" + word.text)  # a tilde that was quoted is a name like any other
        if word.text.startswith("//"):
            word = Word("/" + word.text.lstrip("/"), word.fixed, word.splits)
        if word.text.startswith("/") or not scope.folders:
            found: tuple[Effect, ...] = (Effect(kind, word.text, None, word.fixed, by),)
        else:
            found = tuple(Effect(kind, word.text, folder, word.fixed, by) for folder in scope.folders)
        self.effects += found
        return found
