"""Calls that are a command of ours and nothing else: they are no work, so they are not counted."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.calls.classify import is_shell
from interlock.hooks import Sight

_PROGRAM: Final = "interlock"
_HEAD: Final = 2  # words before the verb
# What speaks of the work itself. A command that runs others, as `watch` does, is none of these.
_WORDS: Final = frozenset({"log", "effort", "task", "session", "agents", "messages", "fleet"})


class OwnCommand(msgspec.Struct, frozen=True, kw_only=True):
    """`interlock WORD VERB …`."""

    word: str
    verb: str | None = None  # as in `effort phase`; None where only the run decides what it is


def own_command(sight: Sight) -> OwnCommand | None:
    """The command of ours a shell call is, when the whole of its text is that one simple command.

    By the reader, never by how the text begins: `interlock log x; rm -rf y` is two commands.
    """
    tool = sight.event.tool
    if tool is None or not is_shell(tool.name):
        return None
    commands = sight.commands
    if len(commands) != 1 or sight.unread is not None or sight.gaps:
        return None
    (command,) = commands
    if command.via or command.writes or command.environment or command.more or len(command.words) <= 1:
        return None
    program, word = command.words[:2]
    if not (program.fixed and word.fixed) or program.text != _PROGRAM or word.text not in _WORDS:
        return None
    verb = command.words[2] if len(command.words) > _HEAD else None
    return OwnCommand(word=word.text, verb=verb.text if verb and verb.fixed else None)
