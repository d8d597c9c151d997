"""`interlock status-line`: one line about a session, for hosts that show one under the prompt."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, Final

from interlock.cli.host.hook_words import hook_words
from interlock.events.names import EventName
from interlock.hosts.launching import locate_installed
from interlock.policy.locations import Locations
from interlock.store.clock import timestamp
from interlock.store.session_status import SessionStatus, session_status

SECONDS: Final = 5  # a host waits no longer, and shows what it has
_MOST: Final = 1 << 20
_SHOWN: Final = 200
_ANSWERS: Final = 0.2  # seconds; a daemon that is there takes a connection at once


def status_line() -> int:
    """Print one line about the session whose JSON is on standard input, or nothing."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.alarm(SECONDS)
    try:
        told: Any = json.loads(sys.stdin.buffer.read(_MOST) or b"{}")
        places = locate_installed(os.environ, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())
        line = line_of(told if isinstance(told, dict) else {}, places)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except (OSError, ValueError, RecursionError):
        return 0  # a line that is missing disturbs nobody
    finally:
        signal.alarm(0)
    return 0


def line_of(told: dict[str, Any], places: Locations) -> str:
    """What a host told of a session, and what we know of it."""
    there = _is_there(places.socket)
    session = told.get("session_id")
    now = timestamp(time.time())
    known = session_status(places.database, session, now) if isinstance(session, str) else None
    parts = [
        _text(told, "model", "display_name"),
        Path(_text(told, "workspace", "current_dir") or _text(told, "cwd")).name,
        _used(told, known),
        *(_work(known) if known else ()),
        _calls(known) if known else "no ledger yet",
        f"{', '.join(known.waiting[:3])} waits for you" if known and known.waiting else "",
        *(hook_words(EventName.STATUS_LINE, told, places) if there else ["the daemon is not running"]),
    ]
    line = " · ".join(filter(None, parts))
    # A name of a folder may hold anything, and a terminal takes it at its word.
    return "".join(character for character in line if character.isprintable())[:_SHOWN]


def _text(told: Any, *names: str) -> str:
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told if isinstance(told, str) else ""


def _used(told: dict[str, Any], known: SessionStatus | None) -> str:
    window = told.get("context_window")
    used = window.get("used_percentage") if isinstance(window, dict) else None
    if not isinstance(used, int | float) or isinstance(used, bool):
        used = known.usage * 100 if known and known.usage is not None else None
    return "" if used is None else f"context {used:.0f} %"


def _work(known: SessionStatus) -> list[str]:
    if known.skill is None:
        return []
    place = f"{known.skill} {known.phase}" if known.phase else known.skill
    return [f"{place}, {known.heartbeat} calls since the last log"]


def _calls(known: SessionStatus) -> str:
    told = [f"{known.calls} calls"]
    told += [f"{known.denied} denied"] if known.denied else []
    told += [f"{known.asked} asked"] if known.asked else []
    return ", ".join(told)


def _is_there(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(_ANSWERS)
        try:
            peer.connect(str(path))
        except OSError:
            return False
    return True
