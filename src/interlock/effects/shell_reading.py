"""What a shell text would do, as texts and commands to judge."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.command import Command, Script
from interlock.effects.text import Reading

_ASSIGNMENTS: Final = re.compile(
    r"""(?:[A-Za-z_]\w*+\+?=(?:'[^']*+'|"[^"\\`$]*+"|\\.|[^\s'"\\`$()]++)*\s++)+""", re.DOTALL
)


def reading_of(script: Script, text: str) -> Reading:
    """The raw text and every command as written; their one form is made when a pattern asks for it."""
    texts = {text: None}
    plain: list[str] = []
    for command in script.commands:
        texts[command.written] = None
        if command.environment and command.words:
            plain.append(_plain(command))
    for one in plain:
        texts[one] = None
    gaps = script.gaps
    return Reading(tuple(texts), (), gaps[0].why if gaps else None, script.commands, script.effects, gaps)


def _plain(command: Command) -> str:
    """The command without the assignments before it."""
    before = _ASSIGNMENTS.match(command.written)
    if before is not None and before.group().count("=") >= len(command.environment):
        return command.written[before.end() :]
    return " ".join(word.text for word in command.words)
