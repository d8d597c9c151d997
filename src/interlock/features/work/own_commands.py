"""Our own command line: how an agent types it, and which of its calls are nothing else."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Final, final

import msgspec

from interlock.daemon.process_tree import environment
from interlock.effects.classification.classify import is_shell
from interlock.effects.command import Command
from interlock.events.hook import CallView
from interlock.hosts.launching import PROGRAM
from interlock.policy.locations import locate

_VARIABLES: Final = frozenset({"INTERLOCK_HOME", "AGENT_ID"})  # ours to read; others may change what runs
# What stands around a command without doing anything; with a file to read, those of the second row would.
_HELPERS: Final = frozenset({"cd", "true", ":", "echo", "printf"})
_FILTERS: Final = frozenset({"cat", "head", "tail"})
_HEAD: Final = 2  # words before the verb
# Commands about the work itself. A command that runs others, as `watch` does, is none of these.
_WORDS: Final = frozenset({"effort", "task", "session", "agents", "messages", "fleet"})


class OwnCommand(msgspec.Struct, frozen=True, kw_only=True):
    """`interlock WORD VERB …`."""

    word: str
    verb: str | None = None  # as in `effort phase`; None where only the run decides what it is


def own_command(view: CallView, is_program: Callable[[str], bool] = lambda _: False) -> OwnCommand | None:
    """The command of ours a shell call is, when its text runs nothing else.

    By the reader, never by how the text begins: `interlock effort log x; rm -rf y` runs something else. What
    only runs it, as `timeout 5` does, what gives it its text, and a path that leads to our program are other
    spellings of the same. Of several it is the one about an effort, which may bring what the effort needs.
    """
    tool = view.event.tool
    if tool is None or not is_shell(tool.name) or view.unread is not None or view.gaps:
        return None
    own_commands: list[OwnCommand] = []
    for command in view.commands:
        if command.writes or command.more or not {name for name, _ in command.environment} <= _VARIABLES:
            return None
        ours = _read_own(command, is_program)
        if ours is not None:
            own_commands.append(ours)
        elif not (_only_runs_others(command) or _only_helps(command)):
            return None
    if not own_commands:
        return None
    return next((own for own in own_commands if own.word == "effort"), own_commands[0])


def _read_own(command: Command, is_program: Callable[[str], bool]) -> OwnCommand | None:
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


@final
class OwnProgram:
    """Requester when a text for an agent names a command, and when an agent has typed a path."""

    def __init__(self, installed: Path, state: Path) -> None:
        self._installed: Final = installed
        self._state: Final = state  # of the home it speaks for

    def typed(self, host: int | None) -> str:
        """What the agent of a host types; the whole path always works, the name only on its PATH."""
        if not os.access(self._installed, os.X_OK) or self._on_path(host):
            return PROGRAM
        return shlex.quote(str(self._installed))

    def is_at(self, path: str) -> bool:
        ours = (self._installed, Path(sys.executable).with_name(PROGRAM))
        return os.path.realpath(path) in {os.path.realpath(place) for place in ours}

    def _on_path(self, host: int | None) -> bool:
        """Whether the bare name leads an agent to this home; not where nobody knows its environment."""
        environ = environment(host) if host is not None else None
        if environ is None:
            return False
        search = [folder for folder in environ.get("PATH", "").split(os.pathsep) if folder.startswith(os.sep)]
        path = shutil.which(PROGRAM, path=os.pathsep.join(search))
        if path is None or not self.is_at(path):
            return False
        home = Path(environ.get("HOME") or Path.home())
        places = locate(environ, home=home, cwd=Path("/"), uid=os.getuid())
        return os.path.realpath(places.state) == os.path.realpath(self._state)
