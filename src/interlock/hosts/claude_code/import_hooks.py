"""Hooks of a settings file as a policy: each handler with its matcher and `if`, or why it stays behind."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from interlock.errors import PatternError
from interlock.events.hook import MAX_TIMEOUT, Handler, Hook
from interlock.events.names import WITH_TOOL, EventName, snake_case
from interlock.events.tool import JsonObject, SubjectKind
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.hosts.claude_code.capabilities import CAPABILITIES
from interlock.hosts.claude_code.entries import PlacedHandler, handlers_of, is_ours
from interlock.hosts.claude_code.lint import find_voids
from interlock.hosts.claude_code.lint_handler import Finding
from interlock.hosts.claude_code.matchers import (
    SUBJECTS,
    Read,
    compiled_expression,
    patterns_of_rule,
    read_matcher,
    read_rule,
)
from interlock.hosts.claude_code.settings import Scope, Settings
from interlock.patterns.matcher import parse_matcher
from interlock.policy.imported import ImportResult, NotCarriedError, SkippedPart, check_condition

# Fields the event itself has; all others are among those nobody has named yet.
_NAMED: Final = frozenset({"agent_type", "error"})
_SPECIAL_PATH: Final = re.compile(r"^[/~!]|[\[\]{}\\]|\.\.")


def where(event: str, matcher: Any, rule: Any) -> JsonObject:
    """The `matcher` and `if` of an entry that applies to the same events."""
    read = read_matcher(matcher, event)
    if event in WITH_TOOL:
        text = _with_rule(read, rule) if rule else _tools(read)
        return {"matcher": text} if text else {}
    if rule:
        raise NotCarriedError(f"a handler with `if` never runs at `{event}`, so it never did anything")
    return _subject(event, read)


def _tools(read: Read) -> str:
    if read.everything:
        return ""
    text = "|".join(read.names) if read.expression is None else f"/{read.expression}/"
    try:
        parse_matcher(text)
    except PatternError as error:
        raise NotCarriedError(f"its matcher has no equivalent here: {error}") from error
    return text


def _with_rule(read: Read, rule: str) -> str:
    tool_and_spec = read_rule(rule)
    if tool_and_spec is None:
        raise NotCarriedError(f"`{rule}` is not a permission rule, so it never ran")
    tool, spec = tool_and_spec
    if not any(read.meets(name) for name in STANDARD_TOOLS.names(tool)):
        raise NotCarriedError(f"its matcher never matches the tool of its `if` (`{rule}`), so it never ran")
    text = tool if not spec or spec == "*" else _pattern(tool, spec)
    try:
        parse_matcher(text)
    except PatternError as error:
        raise NotCarriedError(f"its `if` has no equivalent here: {error}") from error
    return text


def _pattern(tool: str, spec: str) -> str:
    tool_spec = STANDARD_TOOLS.spec(tool)
    if tool_spec is not None and tool_spec.kind is SubjectKind.PATH:
        if _SPECIAL_PATH.search(spec):
            raise NotCarriedError(
                f"the path rule `{tool}({spec})` has no equivalent here; write a matcher yourself"
            )
        return f"{tool}({re.sub(r'[*]+', '*', spec)})"
    return "|".join(patterns_of_rule(tool, spec))


def _subject(event: str, read: Read) -> JsonObject:
    """Where no tool is named, the matcher becomes a condition on the field it was compared with."""
    field = SUBJECTS.get(event)
    if read.everything or field is None:
        return {}  # the client ignores a matcher at an event that takes none
    if event == EventName.FILE_CHANGED:
        raise NotCarriedError("its matcher is also the list of files to watch, which only the client does")
    path = f"event.{field}" if field in _NAMED else f"event.extra.{field}"
    if read.expression is None:
        return {"if": f"{path} in {_encode(list(read.names))}"}
    if compiled_expression(read.expression) is None:
        raise NotCarriedError(f"RE2 cannot express its matcher `{read.expression}`")
    condition = f"{path}.matches({_encode(read.expression)})"
    return {"if": check_condition(condition)}


def _encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()


_DEFAULTS: Final = {EventName.USER_PROMPT_SUBMIT: 30, EventName.MESSAGE_DISPLAY: 10}
_VARIABLE: Final = re.compile(r"\$(?:([A-Z_][A-Z0-9_]*)|\{([A-Z_][A-Z0-9_]*)\})")
_PLUGIN: Final = re.compile(r"\$\{?(CLAUDE_PLUGIN_\w+|user_config\.\w+)")
_PROJECT_DIR: Final = "CLAUDE_PROJECT_DIR"
_NO_PROGRAM: Final = {"mcp_tool": "Interlock calls no MCP tools from hooks"}
_MODEL_SECONDS: Final = {"prompt": 30, "agent": 60}  # the seconds a model has


def import_hooks(document: JsonObject, project: Path | None = None) -> ImportResult:
    """Carry over every handler that is not ours; `project` is whose settings these are, if a project's."""
    hooks: dict[str, list[JsonObject]] = {}
    skipped = [_skip_file(finding) for finding in find_voids(document)]
    if not skipped:
        for handler in handlers_of(document.get("hooks", {})):
            if is_ours(handler.fields):
                continue
            try:
                entry = _entry(handler, project)
            except NotCarriedError as error:
                skipped.append(SkippedPart(path=handler.path, message=str(error)))
                continue
            hooks.setdefault(snake_case(handler.event), []).append(entry)
            notes = _notes(handler.fields, project)
            skipped += [SkippedPart(path=handler.path, message=note, carried=True) for note in notes]
    return ImportResult(hooks=hooks, left=tuple(skipped))


def doubled_hooks(settings: Settings, scope: Scope, project: Path, hooks: Sequence[Hook]) -> list[str]:
    """The places of handlers that a policy runs too, because they were imported into it."""
    return [handler.path for handler in _find_doubled(settings, scope, project, hooks)]


def without_doubled(settings: Settings, scope: Scope, project: Path, hooks: Sequence[Hook]) -> Settings:
    """The settings without them; groups and events that held nothing else go too."""
    found = _find_doubled(settings, scope, project, hooks)
    doubled = {(handler.event, handler.group, handler.index) for handler in found}
    remaining: JsonObject = {}
    for event, groups in settings.hooks.items():
        renewed = [
            {**group, "hooks": [one for j, one in enumerate(group["hooks"]) if (event, i, j) not in doubled]}
            for i, group in enumerate(groups)
        ]
        renewed = [group for i, group in enumerate(renewed) if group["hooks"] or not groups[i]["hooks"]]
        if renewed or not groups:
            remaining[event] = renewed
    return settings.with_hooks(remaining)


def _find_doubled(
    settings: Settings, scope: Scope, project: Path, hooks: Sequence[Hook]
) -> Iterator[PlacedHandler]:
    running = {(event, _target(hook.handler)) for hook in hooks for event in hook.events}
    if find_voids(settings.document):
        return  # Claude Code runs none of them
    for handler in handlers_of(settings.hooks):
        if is_ours(handler.fields):
            continue
        try:
            config = _entry(handler, project_of(scope, project))["config"]
        except NotCarriedError:
            continue
        if (handler.event, config.get("command") or config.get("url")) in running:
            yield handler


def _target(handler: Handler) -> str | None:
    """The command or the address, by which hooks are told apart."""
    return getattr(handler, "command", None) or getattr(handler, "url", None)


def project_of(scope: Scope, project: Path) -> Path | None:
    """Whose `CLAUDE_PROJECT_DIR` is meant in a scope's hooks; None where that differs from call to call."""
    return project if scope in {Scope.PROJECT, Scope.LOCAL} else None


def _skip_file(finding: Finding) -> SkippedPart:
    message = f"{finding.message} (Claude Code skips this whole file, so nothing is carried over)"
    return SkippedPart(path=finding.path, message=message)


def _entry(placed: PlacedHandler, project: Path | None) -> JsonObject:
    event, handler, matcher = placed.event, placed.fields, placed.matcher
    if event not in CAPABILITIES:
        raise NotCarriedError("Claude Code has no event of this name, so it never ran")
    if CAPABILITIES[event].takes_over:
        raise NotCarriedError(f"a hook at `{event}` does the client's own work; leave it in the settings")
    kind = handler["type"]
    if kind in _NO_PROGRAM:
        raise NotCarriedError(f"{_NO_PROGRAM[kind]} (`{kind}`); leave it in the settings")
    if kind in _MODEL_SECONDS:
        return _model_hook(handler, event, matcher)
    entry: JsonObject = {"type": "command" if kind == "command" else "webhook", "dialect": "claude"}
    entry |= where(event, matcher, handler.get("if"))
    entry["timeout"] = min(handler.get("timeout", _DEFAULTS.get(EventName(event), 600)), MAX_TIMEOUT)
    return entry | (_command(handler, project) if kind == "command" else _webhook(handler, event))


def _model_hook(handler: JsonObject, event: str, matcher: Any) -> JsonObject:
    """A question to a model; no answer allows the call, as the client has it."""
    seconds = min(handler.get("timeout", _MODEL_SECONDS[handler["type"]]), MAX_TIMEOUT)
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
        raise NotCarriedError("it uses a plugin's folder or settings, which only Claude Code knows")
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
        yield f"a hook has at most {MAX_TIMEOUT:g} seconds, so its timeout was lowered to that"
    if handler["type"] == "command" and _uses_project(dict(handler)) and project is None:
        yield "CLAUDE_PROJECT_DIR is the event's folder here, which follows `cd`"
    if handler["type"] in _MODEL_SECONDS:
        yield "it now uses your own key, as set in `settings.model`"
    if handler["type"] == "command":
        names = [
            n for n in ("CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_CODE_REMOTE") if n in handler["command"]
        ]
        yield from (f"`{name}` is not set for hooks of a policy" for name in names)
