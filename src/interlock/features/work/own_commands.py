"""Calls that run a command of ours and nothing else: they are no work, so they are not counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Final

import msgspec

from interlock.effects.classification.classify import is_shell
from interlock.effects.command import Command
from interlock.events.hook import CallView

PROGRAM: Final = "interlock"
_VARIABLES: Final = frozenset({"INTERLOCK_HOME", "AGENT_ID"})  # ours to read; others may change what runs
# What stands around a command without doing anything; with a file to read, those of the second row would.
_HELPERS: Final = frozenset({"cd", "true", ":", "echo", "printf"})
_FILTERS: Final = frozenset({"cat", "head", "tail"})
_HEAD: Final = 2  # words before the verb
# What speaks of the work itself. A command that runs others, as `watch` does, is none of these.
_WORDS: Final = frozenset({"log", "effort", "task", "session", "agents", "messages", "fleet"})


class OwnCommand(msgspec.Struct, frozen=True, kw_only=True):
    """`interlock WORD VERB …`."""

    word: str
    verb: str | None = None  # as in `effort phase`; None where only the run decides what it is


def own_command(view: CallView, is_program: Callable[[str], bool] = lambda _: False) -> OwnCommand | None:
    """The command of ours a shell call is, when its text runs nothing else.

    By the reader, never by how the text begins: `interlock log x; rm -rf y` runs something else. What only
    runs it, as `timeout 5` does, what gives it its text, and a path that leads to our program are other
    spellings of the same. Of several it is the one about an effort, which may bring what the effort needs.
    """
    tool = view.event.tool
    if tool is None or not is_shell(tool.name) or view.unread is not None or view.gaps:
        return None
    found: list[OwnCommand] = []
    for command in view.commands:
        if command.writes or command.more or not {name for name, _ in command.environment} <= _VARIABLES:
            return None
        ours = _ours(command, is_program)
        if ours is not None:
            found.append(ours)
        elif not (_only_runs_others(command) or _only_helps(command)):
            return None
    return next((one for one in found if one.word == "effort"), found[0]) if found else None


def _ours(command: Command, is_program: Callable[[str], bool]) -> OwnCommand | None:
    if len(command.words) <= 1:
        return None
    program, word = command.words[:2]
    ours = program.text == PROGRAM or _leads_to_it(program.text, command.cwd, is_program)
    if not (program.fixed and word.fixed and ours) or word.text not in _WORDS:
        return None
    verb = command.words[2] if len(command.words) > _HEAD else None
    return OwnCommand(word=word.text, verb=verb.text if verb and verb.fixed else None)


def _only_runs_others(command: Command) -> bool:
    """Whether this is a wrapper around another command of the text."""
    return command.transparent or (bool(command.words) and command.words[0].text == "env")


def _only_helps(command: Command) -> bool:
    """Whether this gives a command its folder or its text, or shortens what it prints, and does no work."""
    name, *operands = [word.text for word in command.words] or [""]
    if name in _FILTERS:
        return all(word.startswith("-") or word.isdecimal() for word in operands)  # a file would be read
    return name in _HELPERS


def _leads_to_it(path: str, cwd: str | None, is_program: Callable[[str], bool]) -> bool:
    if PurePath(path).name != PROGRAM or not (path.startswith("/") or cwd):
        return False
    return is_program(str(PurePath(cwd or "/", path)))
