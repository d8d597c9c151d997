"""The law of the reader: whatever ran was said, or the text was called unread."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.effects.oracle.sandbox import HOME, Ran, Run

from interlock.effects.command import Command, Script
from interlock.effects.effect import Effect, EffectKind, Word


@dataclass(frozen=True)
class Miss:
    """Something that happened and was not said."""

    text: str
    what: str

    def __str__(self) -> str:
        return f"{self.text!r}\n    {self.what}"


def misses(text: str, script: Script, run: Run) -> list[Miss]:
    """Every program, written and deleted file the script does not name; none where the script has a gap."""
    if script.gaps:
        return []
    return [Miss(text, what) for what in dict.fromkeys((*_unsaid(script, run), *_untold(script, run)))]


def unused(script: Script, run: Run) -> int:
    """How many commands were said and not seen to run; builtins are among them."""
    return sum(not any(says(command, ran) for ran in run.ran) for command in script.commands if command.words)


def _unsaid(script: Script, run: Run) -> Iterator[str]:
    for ran in run.ran:
        named = [command for command in script.commands if says(command, ran)]
        if not named:
            yield f"ran {list(ran.words)}"
        elif not any(command.cwd is None or command.cwd == ran.cwd for command in named):
            folders = sorted({str(command.cwd) for command in named})
            yield f"ran {list(ran.words)} in {ran.cwd}, said to be in {' or '.join(folders)}"


def _untold(script: Script, run: Run) -> Iterator[str]:
    writes = [effect for effect in script.effects if effect.kind is EffectKind.WRITE]
    deletes = [effect for effect in script.effects if effect.kind in {EffectKind.DELETE, EffectKind.WRITE}]
    yield from (
        f"wrote {path}" for path in run.written if not any(reaches(effect, path) for effect in writes)
    )
    yield from (
        f"deleted {path}" for path in run.deleted if not any(reaches(effect, path) for effect in deletes)
    )


def reaches(effect: Effect, path: str) -> bool:
    """Whether an effect, as far as its target is known, is on this file or on a folder it lies in."""
    if not effect.known:
        return True
    target = effect.target
    if target.startswith("~/") or target == "~":
        target = HOME + target[1:]
    if not target.startswith("/"):
        if effect.base is None:
            return True
        target = f"{effect.base}/{target}"
    target = os.path.normpath(target)
    return path == target or path.startswith(f"{target}/")


def says(command: Command, ran: Ran) -> bool:
    """Whether a command, as far as it is known, may have become this call."""
    words = command.words
    if command.more:  # `find` and `xargs` put what they found in the place of `{}`
        words = tuple(
            Word(word.text, fixed=False, splits=True) if "{}" in word.text else word for word in words
        )
    return _fits(words, ran.words, more=command.more)


def _fits(words: Sequence[Word], given: Sequence[str], *, more: bool) -> bool:
    """Walk both at once, keeping every number of arguments the words so far may have taken."""
    taken = {0}
    for word in words:
        if word.splits:
            taken = set(range(min(taken), len(given) + 1))
        elif word.fixed:
            taken = {at + 1 for at in taken if at < len(given) and _same(word.text, given, at)}
        else:
            taken = {at + 1 for at in taken if at < len(given)}
        if not taken:
            return False
    return more or len(given) in taken


def _same(text: str, given: Sequence[str], at: int) -> bool:
    return text == given[at] if at else text.rpartition("/")[2] == given[0]
