"""What hooks say where a command of ours draws something for a host."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from interlock.daemon.client import DaemonError, call_daemon
from interlock.daemon.paths import places_of
from interlock.daemon.protocol import Call, FrameError
from interlock.events.names import EventName
from interlock.hosts.claude_code.read import HOST
from interlock.policy.locations import Locations
from interlock.version import __version__

# What tells the daemon which agent and project this is, as the shim sends it.
_SENT: Final = ("INTERLOCK_ACTOR", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "AI_AGENT")


def hook_words(event: EventName, told: dict[str, Any], locations: Locations) -> list[str]:
    """The lines that hooks tell the person; none without a daemon, which is not started for them."""
    places = places_of(locations)
    payload = json.dumps({"cwd": str(Path.cwd()), **told, "hook_event_name": event}).encode()
    env = {name: os.environ[name] for name in _SENT if name in os.environ}
    try:
        call = Call(host=HOST, payload=payload, env=env, shim=__version__, home=places.home)
        reply = call_daemon(places.socket, call)
    except (DaemonError, FrameError):
        return []
    lines = reply.stdout.decode("utf-8", "replace").splitlines() if reply.exit_code == 0 else []
    return [shown for line in lines if (shown := _shown(line))]


def _shown(line: str) -> str:
    """A terminal takes what it is shown at its word."""
    return "".join(character for character in line if character.isprintable()).strip()
