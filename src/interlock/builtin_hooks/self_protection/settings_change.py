"""A change of the agent's settings while it runs: one that would switch our hooks off is not taken over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final, final

from interlock.builtin_hooks.project_files import read_file
from interlock.events.hook import CallView, Hook, Layer, Source
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.hosts.claude_code.settings import UNHOOKING
from interlock.patterns.matcher import Everything
from interlock.policy.protected_paths import Guarded

NAME: Final = "interlock/settings-change"
_OFF: Final = frozenset({"", "0", "false", "no", "off"})
_PROGRAMS: Final = ("interlock-hook", "interlock-launcher")
_SECONDS: Final = 5.0
_SHORT: Final = 5  # an entry of ours waits at least this long
_IN_PROJECT: Final = (".claude/settings.json", ".claude/settings.local.json")


@final
class SettingsChange(Rule):
    """Looks at the file that changed and at those of the project, which the client reads again with it."""

    kind: Final = "settings_change"

    def __init__(self, guarded: Guarded) -> None:
        self._installed: Final = frozenset(guarded.files)

    def fingerprint(self) -> Any:
        return self.kind

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        changed = event.extra.get("file_path")
        if not isinstance(changed, str):
            return NO_OPINION
        folder = event.project or event.cwd
        own = [f"{folder}/{name}" for name in _IN_PROJECT] if folder else []
        for file in dict.fromkeys((changed, *own)):
            found = self._fault(file)
            if found is not None:
                return deny(
                    f"{found} `{file}` would turn off Interlock's hooks in this session, so the change was "
                    "not applied. Correct the file, then start a new session to apply its other changes."
                )
        return NO_OPINION

    def _fault(self, file: str) -> str | None:
        """What in a file takes our hooks away."""
        content = read_file(file)
        document = None if content is None else _document(content)
        if document is not None and (key := next(switched_off(document), None)) is not None:
            return f"`{key}` in"
        if file in self._installed and not any(map(_is_ours, _before_calls(document or {}))):
            return "without Interlock's entry before tool calls,"
        return None


def switched_off(document: JsonObject) -> Iterator[str]:
    """The keys of a settings file that switch hooks of ours off, whatever other files say."""
    if document.get("disableAllHooks") is True:
        yield "disableAllHooks"
    variables, plugins = document.get("env"), document.get("enabledPlugins")
    if isinstance(variables, dict) and str(variables.get(UNHOOKING, "")).lower() not in _OFF:
        yield f"env.{UNHOOKING}"
    if isinstance(plugins, dict):
        off = (name for name, value in plugins.items() if value is False and name.startswith("interlock"))
        yield from (f"enabledPlugins.{name}" for name in off)
    if any(_is_ours(handler) and _is_blunt(handler) for handler in _handlers(document)):
        yield "hooks"


def _document(content: bytes) -> JsonObject | None:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _handlers(document: JsonObject) -> Iterator[JsonObject]:
    hooks = document.get("hooks")
    for groups in hooks.values() if isinstance(hooks, dict) else ():
        yield from _of_groups(groups)


def _before_calls(document: JsonObject) -> Iterator[JsonObject]:
    hooks = document.get("hooks")
    return _of_groups(hooks.get(EventName.PRE_TOOL_USE)) if isinstance(hooks, dict) else iter(())


def _of_groups(groups: Any) -> Iterator[JsonObject]:
    for group in groups if isinstance(groups, list) else ():
        inner = group.get("hooks") if isinstance(group, dict) else None
        yield from (one for one in (inner if isinstance(inner, list) else ()) if isinstance(one, dict))


def _is_ours(handler: JsonObject) -> bool:
    command = handler.get("command")
    return isinstance(command, str) and PurePosixPath(command.split(" ", 1)[0]).name in _PROGRAMS


def _is_blunt(handler: JsonObject) -> bool:
    """Whether an entry of ours has no say: nobody waits for its answer."""
    timeout = handler.get("timeout")
    short = isinstance(timeout, int | float) and timeout < _SHORT
    return short or handler.get("async") is True or handler.get("asyncRewake") is True


def settings_change(guarded: Guarded) -> Hook:
    """The hook that every loaded policy has."""
    return Hook(
        name=NAME,
        events=(EventName.CONFIG_CHANGE,),
        handler=SettingsChange(guarded),
        matcher=Everything("*"),
        timeout=_SECONDS,
        source=Source(layer=Layer.MANAGED, file="<built in>"),
    )
