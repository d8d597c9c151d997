"""The text that a tool of an MCP server gives to a shell or an interpreter, as the shell call it comes to."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from interlock.effects.tools.verbs import words_of
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall

CARRIED_BY: Final = "carried_by"  # the tool that carries the text, among the fields of the event

_OF_SERVERS: Final = "mcp__"
_OWN: Final = "mcp__interlock__"
_SHELL: Final = "Bash"
# In small letters and without `_` and `-`, since servers spell them in several ways.
_COMMANDS: Final = frozenset({"command", "cmd", "commands", "commandline", "shellcommand", "bashcommand"})
_SPELLING: Final = str.maketrans("", "", "_-")
_WORDS: Final = ("args", "arguments", "argv")
_PROGRAMS: Final = ("script", "code")
_LANGUAGE: Final = ("language", "lang")
_FOLDERS: Final = ("cwd", "workdir", "working_directory", "workingDirectory", "working_dir")
_SHELLS: Final = frozenset("shell bash sh zsh ksh dash fish terminal exec console ssh tmux".split())
_INTERPRETERS: Final = {
    **dict.fromkeys(("python", "python3", "py", "ipython", "jupyter", "notebook"), "python3 -c"),
    **dict.fromkeys(("node", "nodejs", "javascript", "js", "typescript", "ts", "deno", "bun"), "node -e"),
    **dict.fromkeys(("ruby", "rb"), "ruby -e"),
    **dict.fromkeys(("perl",), "perl -e"),
    **dict.fromkeys(("php",), "php -r"),
    **dict.fromkeys(("lua",), "lua -e"),
    **dict.fromkeys(("powershell", "pwsh"), "pwsh -Command"),
    **dict.fromkeys(("sql", "postgres", "postgresql", "psql", "mysql", "sqlite", "database"), "psql -c"),
}
_OTHERWISE: Final = "python3 -c"


def carried_call(event: Event) -> Event | None:
    """The event of a shell that would get what this call carries; None where it carries nothing."""
    tool = event.tool
    if tool is None or not tool.name.startswith(_OF_SERVERS) or tool.name.startswith(_OWN):
        return None
    text = "\n".join(_texts(tool))
    if not text.strip():
        return None
    folder = next((one for name in _FOLDERS for one in _strings(tool.input.get(name))), "")
    return msgspec.structs.replace(
        event,
        tool=ToolCall(name=_SHELL, input={"command": text}, use_id=tool.use_id),
        cwd=os.path.join(event.cwd, folder) if folder else event.cwd,
        extra={**event.extra, CARRIED_BY: tool.name},
    )


def commands_of(given: JsonObject) -> str | None:
    """The commands among a tool's fields, whichever tool it is; None where there are none."""
    return "\n".join(_commands(given)) or None


def _texts(tool: ToolCall) -> Iterator[str]:
    """Each text of the call as a shell would get it."""
    given = tool.input
    yield from _commands(given)
    for name in _PROGRAMS:
        interpreter = _interpreter(tool.name, given)
        for text in _strings(given.get(name)):
            yield f"{interpreter} {shlex.quote(text)}" if interpreter else text


def _commands(given: JsonObject) -> Iterator[str]:
    words = [one for name in _WORDS for one in _strings(given.get(name))]
    for field, value in given.items():
        name = field.lower().translate(_SPELLING)
        if name not in _COMMANDS:
            continue
        if isinstance(value, str):
            yield f"{value} {shlex.join(words)}" if words else value
        elif isinstance(value, (list, tuple)):
            yield "\n".join(_strings(value)) if name == "commands" else shlex.join([*_strings(value), *words])


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, (list, tuple)) else []


def _interpreter(name: str, given: JsonObject) -> str:
    """What runs a program text: by the language that is named, or the tool; empty for a shell."""
    said = [word for field in _LANGUAGE for text in _strings(given.get(field)) for word in words_of(text)]
    for words in (said, words_of(name)):
        named = next((_INTERPRETERS[word] for word in words if word in _INTERPRETERS), None)
        if named is not None or not _SHELLS.isdisjoint(words):
            return named or ""
    return _OTHERWISE
