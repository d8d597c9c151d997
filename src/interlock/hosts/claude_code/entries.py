"""Our entries among the hooks of a settings file: told apart from others, put in, kept fresh, taken out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.hosts.claude_code.capabilities import entry_timeout, events_of
from interlock.hosts.claude_code.settings import LAUNCHER, SettingsError
from interlock.hosts.launching import SHIM

# Events Interlock always subscribes to; others only when a hook is bound to them.
ALWAYS: Final = (
    EventName.SESSION_START,
    EventName.SESSION_END,
    EventName.USER_PROMPT_SUBMIT,
    EventName.PRE_TOOL_USE,
    EventName.PERMISSION_REQUEST,
    EventName.POST_TOOL_USE,
    EventName.POST_TOOL_USE_FAILURE,
    EventName.STOP,
    EventName.STOP_FAILURE,
    EventName.SUBAGENT_START,
    EventName.SUBAGENT_STOP,
    EventName.PRE_COMPACT,
    EventName.NOTIFICATION,
    EventName.TASK_COMPLETED,
    EventName.TEAMMATE_IDLE,
    EventName.CONFIG_CHANGE,
)
# Here a shim that is missing, dies or takes too long stops the call; clients before 2.1.295 ignore the key.
_CLOSED: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
_NAMES: Final = frozenset({SHIM, LAUNCHER})
_ALL: Final = (None, "", "*")


def wanted_events(hooks: Iterable[Hook], version: str = "") -> tuple[str, ...]:
    """The events to install at, of those this version of the host has; an unknown version has all."""
    bound = {event for hook in hooks for event in hook.events}
    more = (name for name in events_of(version) if name in bound)
    return tuple(dict.fromkeys([*ALWAYS, *more]))


def our_handlers(
    command: str, arguments: list[str], hooks: Iterable[Hook], version: str = ""
) -> dict[str, JsonObject]:
    """The handler for each event; `args` makes the client start the program itself, without a shell."""
    hook_list = list(hooks)
    return {
        str(event): {
            "type": "command",
            "command": command,
            "args": arguments,
            "timeout": entry_timeout(event, hook_list),
            **({"onFailure": "block"} if event in _CLOSED else {}),
        }
        for event in wanted_events(hook_list, version)
    }


def program_of(handler: Any) -> str | None:
    """The program a command handler starts, as far as its text tells."""
    if not isinstance(handler, dict) or not isinstance(handler.get("command"), str):
        return None
    command: str = handler["command"]
    if isinstance(handler.get("args"), list):
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return words[0] if words else None


def is_ours(handler: Any) -> bool:
    """Whether a handler runs Interlock, from whatever place."""
    program = program_of(handler)
    return program is not None and Path(program).name in _NAMES


class PlacedHandler(msgspec.Struct, frozen=True):
    """A handler in the hooks of a settings file, and where it is."""

    event: str
    group: int
    index: int  # in its group
    fields: JsonObject
    matcher: Any  # of its group

    @property
    def path(self) -> str:
        """Its place as people read it: `hooks.PreToolUse[0].hooks[1]`."""
        return f"hooks.{self.event}[{self.group}].hooks[{self.index}]"


def handlers_of(hooks: Mapping[str, Any]) -> Iterator[PlacedHandler]:
    """Every handler, in the order of the file."""
    for event, groups in hooks.items():
        for i, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for j, fields in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(fields, dict):
                    yield PlacedHandler(event, i, j, fields, group.get("matcher"))


def find_ours(hooks: Mapping[str, Any]) -> list[PlacedHandler]:
    """The handlers that run Interlock."""
    return [handler for handler in handlers_of(hooks) if is_ours(handler.fields)]


def merge_entries(hooks: JsonObject, ours: Mapping[str, JsonObject]) -> JsonObject:
    """The hooks with exactly our handlers of today; everything else stays where it is."""
    _check(hooks)
    result = {event: _renew_groups(groups, ours.get(event)) for event, groups in hooks.items()}
    result = {event: groups for event, groups in result.items() if groups or not hooks[event]}
    for event, handler in ours.items():
        if event not in result:
            result[event] = [{"hooks": [handler]}]
    return result


def remove_entries(hooks: JsonObject) -> JsonObject:
    """The hooks without ours; groups and events that only held ours go with them."""
    return merge_entries(hooks, {})


def _renew_groups(groups: list[Any], handler: JsonObject | None) -> list[Any]:
    """The groups of one event: the first of our entries is renewed in place, others go."""
    renewed, has_ours = [], handler is None
    for group in groups:
        handlers = []
        for other in group["hooks"]:
            if not is_ours(other):
                handlers.append(other)
            elif not has_ours and group.get("matcher") in _ALL:
                handlers.append(handler)
                has_ours = True
        if handlers or not group["hooks"]:
            renewed.append(group if handlers == group["hooks"] else {**group, "hooks": handlers})
    return renewed if has_ours else [*renewed, {"hooks": [handler]}]


def _check(hooks: JsonObject) -> None:
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            raise SettingsError(f"hooks.{event}: expected a list of groups; correct it first")
        for index, group in enumerate(groups):
            if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
                place = f"hooks.{event}[{index}]"
                raise SettingsError(f"{place}: expected a group with a list `hooks`; correct it first")
