"""Calls that are a command of ours and nothing else: they are no work, so they are not counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Final

import msgspec

from interlock.calls.classify import is_shell
from interlock.hooks import Sight
from interlock.reading.command import Command

PROGRAM: Final = "interlock"
_VARIABLES: Final = frozenset({"INTERLOCK_HOME", "AGENT_ID"})  # ours to read; others may change what runs
_HEAD: Final = 2  # words before the verb
# What speaks of the work itself. A command that runs others, as `watch` does, is none of these.
_WORDS: Final = frozenset({"log", "effort", "task", "session", "agents", "messages", "fleet"})


class OwnCommand(msgspec.Struct, frozen=True, kw_only=True):
    """`interlock WORD VERB …`."""

    word: str
    verb: str | None = None  # as in `effort phase`; None where only the run decides what it is


def own_command(sight: Sight, is_program: Callable[[str], bool] = lambda _: False) -> OwnCommand | None:
    """The command of ours a shell call is, when the whole of its text is that one simple command.

    By the reader, never by how the text begins: `interlock log x; rm -rf y` is two commands. What only runs
    it, as `timeout 5` does, and a path that leads to our program are other spellings of the same.
    """
    tool = sight.event.tool
    if tool is None or not is_shell(tool.name):
        return None
    commands = [one for one in sight.commands if not _only_runs_others(one)]
    if len(commands) != 1 or sight.unread is not None or sight.gaps:
        return None
    (command,) = commands
    set_before = {name for one in sight.commands for name, _ in one.environment}
    if command.writes or command.more or len(command.words) <= 1 or not set_before <= _VARIABLES:
        return None
    program, word = command.words[:2]
    ours = program.text == PROGRAM or _leads_to_it(program.text, command.cwd, is_program)
    if not (program.fixed and word.fixed and ours) or word.text not in _WORDS:
        return None
    verb = command.words[2] if len(command.words) > _HEAD else None
    return OwnCommand(word=word.text, verb=verb.text if verb and verb.fixed else None)


def _only_runs_others(command: Command) -> bool:
    """Whether this is a wrapper around another command of the text, with no redirect of its own."""
    wraps = command.transparent or (bool(command.words) and command.words[0].text == "env")
    return wraps and not command.writes and not command.more


def _leads_to_it(path: str, cwd: str | None, is_program: Callable[[str], bool]) -> bool:
    if PurePath(path).name != PROGRAM or not (path.startswith("/") or cwd):
        return False
    return is_program(str(PurePath(cwd or "/", path)))
