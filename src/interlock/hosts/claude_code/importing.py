"""Existing hooks of Claude Code settings as entries of a policy; what cannot be carried over is listed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import yaml

from interlock.events.hook import MAX_TIMEOUT
from interlock.events.names import EventName, snake_case
from interlock.events.tool import JsonObject
from interlock.hosts.claude_code.entries import handlers_of, is_ours
from interlock.hosts.claude_code.import_matcher import NotCarriedError, where
from interlock.hosts.claude_code.lint import Weight, lint
from interlock.hosts.claude_code.moments import MOMENTS

_DEFAULTS: Final = {EventName.USER_PROMPT_SUBMIT: 30, EventName.MESSAGE_DISPLAY: 10}
_VARIABLE: Final = re.compile(r"\$(?:([A-Z_][A-Z0-9_]*)|\{([A-Z_][A-Z0-9_]*)\})")
_PLUGIN: Final = re.compile(r"\$\{?(CLAUDE_PLUGIN_\w+|user_config\.\w+)")
_PROJECT_DIR: Final = "CLAUDE_PROJECT_DIR"
_NO_PROGRAM: Final = {"mcp_tool": "Interlock calls no MCP tools from hooks"}
_ASKED: Final = {"prompt": 30, "agent": 60}  # the seconds a model has


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """A handler that stays behind, or a part of one that does not mean quite the same."""

    path: str
    message: str
    carried: bool = False  # the hook itself was carried over


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one settings file."""

    hooks: dict[str, list[JsonObject]]  # by event, as a genesis key spells it
    left: tuple[Left, ...]

    @property
    def count(self) -> int:
        return sum(len(entries) for entries in self.hooks.values())


def import_hooks(document: JsonObject, project: Path | None = None) -> Imported:
    """Carry over every handler that is not ours; `project` is whose settings these are, if a project's."""
    hooks: dict[str, list[JsonObject]] = {}
    left: list[Left] = [_voided(one.path, one.message) for one in lint(document) if one.weight is Weight.VOID]
    if not left:
        raw = document.get("hooks", {})
        for event, i, j, handler, matcher in handlers_of(raw):
            place = f"hooks.{event}[{i}].hooks[{j}]"
            if is_ours(handler):
                continue
            try:
                entry = _entry(handler, event, matcher, project)
            except NotCarriedError as error:
                left.append(Left(path=place, message=str(error)))
                continue
            hooks.setdefault(snake_case(event), []).append(entry)
            left += [Left(path=place, message=note, carried=True) for note in _notes(handler, project)]
    return Imported(hooks=hooks, left=tuple(left))


def policy_text(imported: Imported, source: str) -> str:
    """The policy file, with what was left behind in its comments."""
    comments = [f"# Imported from {source}."]
    comments += [f"# {'changed' if one.carried else 'left out'}: {_one_line(one)}" for one in imported.left]
    document: JsonObject = {"version": "2.0"}
    if imported.hooks:
        document["hooks"] = imported.hooks
    body = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100, default_style=None)
    return "\n".join(comments) + "\n" + body


def _one_line(left: Left) -> str:
    # A line break in a path or a message would end the comment and become policy.
    return " ".join(f"{left.path}: {left.message}".split())


def _voided(path: str, message: str) -> Left:
    return Left(
        path=path, message=f"{message} (Claude Code skips this whole file, so nothing is carried over)"
    )


def _entry(handler: JsonObject, event: str, matcher: Any, project: Path | None) -> JsonObject:
    if event not in MOMENTS:
        raise NotCarriedError("Claude Code has no event of this name, so it never ran")
    if MOMENTS[event].takes_over:
        raise NotCarriedError(f"a hook at `{event}` does the client's own work; leave it in the settings")
    kind = handler["type"]
    if kind in _NO_PROGRAM:
        raise NotCarriedError(f"{_NO_PROGRAM[kind]} (`{kind}`); leave it in the settings")
    if kind in _ASKED:
        return _asking(handler, event, matcher)
    entry: JsonObject = {"type": "command" if kind == "command" else "webhook", "dialect": "claude"}
    entry |= where(event, matcher, handler.get("if"))
    entry["timeout"] = min(handler.get("timeout", _DEFAULTS.get(EventName(event), 600)), MAX_TIMEOUT)
    return entry | (_command(handler, project) if kind == "command" else _webhook(handler, event))


def _asking(handler: JsonObject, event: str, matcher: Any) -> JsonObject:
    """A question to a model; no answer lets the call pass, as the client has it."""
    seconds = min(handler.get("timeout", _ASKED[handler["type"]]), MAX_TIMEOUT)
    model = {"model": handler["model"]} if isinstance(handler.get("model"), str) else {}
    place = {"type": handler["type"], **where(event, matcher, handler.get("if"))}
    return {
        **place,
        "timeout": seconds,
        "on_failure": "open",
        "config": {"prompt": handler["prompt"], **model},
    }


def _command(handler: JsonObject, project: Path | None) -> JsonObject:
    if handler.get("async") or handler.get("asyncRewake"):
        raise NotCarriedError("it runs in the background and decides nothing; leave it in the settings")
    if handler.get("shell") == "powershell":
        raise NotCarriedError("commands run by /bin/sh here, and this one is for PowerShell")
    words = [handler["command"], *handler.get("args", [])]
    if any(_PLUGIN.search(word) for word in words):
        raise NotCarriedError("it uses a plugin's folder or settings, which only the client knows")
    text = handler["command"] if "args" not in handler else " ".join(_word(word) for word in words)
    if _uses_project(handler):
        folder = shlex.quote(str(project)) if project else '"$PWD"'
        text = f"export {_PROJECT_DIR}={folder}; {text}"
    return {"config": {"command": text}}


def _word(word: str) -> str:
    """One argument of the exec form for a shell; only the project's folder was ever filled in."""
    parts = re.split(rf"(\$\{{{_PROJECT_DIR}\}})", word)
    return (
        "".join(f'"${_PROJECT_DIR}"' if i % 2 else shlex.quote(p) if p else "" for i, p in enumerate(parts))
        or "''"
    )


def _uses_project(handler: JsonObject) -> bool:
    return any(_PROJECT_DIR in word for word in [handler.get("command", ""), *handler.get("args", [])])


def _webhook(handler: JsonObject, event: str) -> JsonObject:
    if event in {EventName.SESSION_START, EventName.SETUP}:
        raise NotCarriedError(f"http handlers are skipped at `{event}`, so it never ran")
    allowed = set(handler.get("allowedEnvVars", []))
    used: dict[str, None] = {}
    headers = {name: _header(value, allowed, used) for name, value in handler.get("headers", {}).items()}
    config: JsonObject = {"url": handler["url"], **({"headers": headers} if headers else {})}
    if _private(handler["url"]):
        config["allow_private"] = True  # the client calls such an address when it is written as a number
    return {**({"pass_env": list(used)} if used else {}), "config": config}


def _private(url: str) -> bool:
    try:
        address = ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return address.is_private and not address.is_loopback


def _header(value: str, allowed: set[str], used: dict[str, None]) -> str:
    def put(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in allowed:
            return ""  # what the client makes of it
        used[name] = None
        return f"${{{name}}}"

    return _VARIABLE.sub(put, value)


def _notes(handler: Mapping[str, Any], project: Path | None) -> Iterable[str]:
    if handler.get("timeout", 0) > MAX_TIMEOUT:
        yield f"a hook has {MAX_TIMEOUT:g} seconds at most, so its timeout became that"
    if handler["type"] == "command" and _uses_project(dict(handler)) and project is None:
        yield "CLAUDE_PROJECT_DIR is the event's folder here, which follows `cd`"
    if handler["type"] in _ASKED:
        yield "it asks by your own key now, as `settings.model` says"
    if handler["type"] == "command":
        names = [
            n for n in ("CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_CODE_REMOTE") if n in handler["command"]
        ]
        yield from (f"`{name}` is not set for hooks of a policy" for name in names)
