"""`interlock status-line`: one line about a session, for hosts that show one under the prompt."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from interlock.daemon.client import DaemonError, call_daemon
from interlock.daemon.paths import places_of
from interlock.daemon.protocol import Call, FrameError
from interlock.events.names import EventName
from interlock.hosts.claude_code.read import HOST
from interlock.hosts.launching import locate_installed
from interlock.policy.locations import Locations
from interlock.store.clock import timestamp
from interlock.store.statements import statements
from interlock.version import __version__

_SECONDS: Final = 0.5


class SessionStatus(NamedTuple):
    """The figures; what is not known is empty."""

    calls: int = 0
    denied: int = 0
    asked: int = 0
    waiting: tuple[str, ...] = ()  # requests nobody has answered: `ap_7`
    skill: str | None = None
    phase: str | None = None
    heartbeat: int = 0
    usage: float | None = None  # of the window, 0 to 1


def session_status(database: Path, session: str, now: str) -> SessionStatus | None:
    """How a session stands; None where no database can be read."""
    sql, values = statements("status_line"), {"session": session, "now": now}
    address = f"{database.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_SECONDS)) as connection:
            counts: dict[str, int] = dict(connection.execute(sql["decisions"], values))
            waiting = tuple(f"ap_{row[0]}" for row in connection.execute(sql["waiting"], values))
            effort = connection.execute(sql["effort"], values).fetchone()
    except sqlite3.Error:
        return None
    skill, phase, heartbeat, usage = effort or (None, None, 0, None)
    return SessionStatus(
        calls=sum(counts.values()),
        denied=counts.get("deny", 0),
        asked=counts.get("ask", 0),
        waiting=waiting,
        skill=skill,
        phase=phase,
        heartbeat=heartbeat,
        usage=usage,
    )


# The variables that tell the daemon which agent and project this is; the shim sends them too.
_SENT: Final = ("INTERLOCK_ACTOR", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "AI_AGENT")


def hook_words(event: EventName, told: dict[str, Any], locations: Locations) -> list[str]:
    """The lines that hooks have for the person. None without a daemon: it is not started for this."""
    places = places_of(locations)
    payload = json.dumps({"cwd": str(Path.cwd()), **told, "hook_event_name": event}).encode()
    env = {name: os.environ[name] for name in _SENT if name in os.environ}
    try:
        call = Call(host=HOST, payload=payload, env=env, shim=__version__, home=places.home)
        reply = call_daemon(places.socket, call)
    except (DaemonError, FrameError):
        return []
    lines = reply.stdout.decode("utf-8", "replace").splitlines() if reply.exit_code == 0 else []
    return [shown for line in lines if (shown := _without_controls(line).strip())]


def _without_controls(text: str) -> str:
    """Names of folders and texts of hooks may hold anything, and a terminal would obey it."""
    return "".join(character for character in text if character.isprintable())


SECONDS: Final = 5  # a host does not wait longer
_MOST: Final = 1 << 20
_SHOWN: Final = 200
_ANSWERS: Final = 0.2  # seconds; a running daemon takes a connection at once


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
        return 0  # a missing line is better than an error under the prompt
    finally:
        signal.alarm(0)
    return 0


def line_of(told: dict[str, Any], places: Locations) -> str:
    """Put together what the host says of a session and what the database knows of it."""
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
    return _without_controls(line)[:_SHOWN]


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
