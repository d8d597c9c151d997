"""Which events Claude Code tells us of, as it is set up now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from interlock.events.names import EventName
from interlock.hosts.claude_code.doctor import our_entries
from interlock.hosts.claude_code.moments import events_of
from interlock.hosts.claude_code.scopes import Scope
from interlock.hosts.claude_code.settings import Settings

# Events that a command of ours reports, and the setting where it has to stand.
_DRAWN_BY: Final = {
    EventName.STATUS_LINE: ("statusLine", "interlock status-line"),
    EventName.FILE_SUGGESTION: ("fileSuggestion", "interlock file-suggestion"),
}


def why_not_reported(event: str, settings: Mapping[Scope, Settings], project: Path) -> str | None:
    """Why a hook at an event would not run in this client, if so; nothing is said of one we are not in."""
    if event in _DRAWN_BY:
        key, command = _DRAWN_BY[EventName(event)]
        if any(_runs(one, key, command.partition(" ")[2]) for one in settings.values()):
            return None
        return f"no agent reports `{event}` yet; set `{key}` in Claude Code's settings to `{command}`"
    if event not in events_of():
        return f"no agent that Interlock serves reports `{event}`; this hook runs in Python agents only"
    reported = {entry.event for entry in our_entries(settings, project)}
    if not reported or event in reported:
        return None
    return f"Claude Code does not report `{event}` yet; run `interlock install claude-code`"


def _runs(settings: Settings, key: str, word: str) -> bool:
    entry = settings.document.get(key)
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and word in command
