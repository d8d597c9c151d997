"""Which processes are agents: those whose hooks ask this daemon, remembered for as long as they live."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from interlock.daemon.frame import Call
from interlock.daemon.processes import Process, ancestors, command_line, process
from interlock.safe_write import write_whole

FILE: Final = "agents.json"  # below the state folder
# A host says by these that it is the one who starts the shim.
_MARKS: Final = frozenset({"CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT"})
_SESSION: Final = re.compile(rb'"session_id"\s*:\s*"([^"\\]{1,200})"')
_SELF_TEST: Final = b'"InterlockSelfTest"'
_START: Final = b'"SessionStart"'
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "busybox"})
_AGAIN_SECONDS: Final = 30.0  # a session may go on in another process
_MOST: Final = 512

Known = dict[int, tuple[str, str]]  # process → when it started, and its session


class Agents:
    """Learns from hook calls who their host is; the kernel says who called."""

    def __init__(self, file: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._file: Final = file
        self._clock: Final = clock
        self._looked: Final[dict[str, float]] = {}  # session → when its host was looked up
        self._known: Known = read_agents(file)
        self.met: Callable[[Process, str], None] = lambda *_: None  # told of the host behind a session
        self.ours: Callable[[int], bool] = lambda _: False  # the daemon's own, which serves people

    def see(self, call: Call, peer: Callable[[], int]) -> None:
        """Take notice of the host behind a call, once in a while for each session."""
        if _MARKS.isdisjoint(call.env) or _SELF_TEST in call.payload:
            return
        found = _SESSION.search(call.payload)
        session = found[1].decode("utf-8", "replace") if found else ""
        now = self._clock()
        lately = now - self._looked.get(session, -_AGAIN_SECONDS) < _AGAIN_SECONDS
        # One that starts may be an old session in a new process, which would count as a person's till then.
        if lately and _START not in call.payload:
            return
        if len(self._looked) >= _MOST:
            self._looked.clear()
        self._looked[session] = now
        host = host_of(peer())
        if host is not None:
            self.met(host, session)
        # One process may go from session to session: the one it reports last is the one it is in.
        if host is not None and self._known.get(host.pid) != (host.started, session):
            self._add(host, session)

    def _add(self, host: Process, session: str) -> None:
        living = {pid: known for pid, known in self._known.items() if _lives(pid, known[0])}
        self._known = {**dict(list(living.items())[-_MOST:]), host.pid: (host.started, session)}
        with suppress(OSError):  # a full disk stops no call; this daemon knows it anyway
            write_whole(self._file, msgspec.json.encode(self._known), mode=0o600)

    def alive(self, session: str) -> bool:
        """Whether a process that runs is in a session, as far as it was seen."""
        return self.process_of(session) is not None

    def process_of(self, session: str) -> int | None:
        """The process that runs and is in a session, as far as it was seen."""
        known = list(self._known.items())
        found = (pid for pid, (started, held) in known if held == session and _lives(pid, started))
        return next(found, None)

    def above(self, pid: int) -> str | None:
        """The session of the agent a process was started by, or None when none is above it.

        A process that has gone may have been anybody's, and a connection outlives the one that made it.
        """
        if self.ours(pid):
            return None
        if self._known and pid > 0 and process(pid) is None:
            return ""
        return agent_above(pid, self._known)


def read_agents(file: Path) -> Known:
    """Those a daemon has seen; nothing where that cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Known)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def agent_above(pid: int, known: Known) -> str | None:
    """The session of the first agent at or above a process."""
    return _first(ancestors(pid), known) if known else None


def _first(line: Iterable[Process], known: Known) -> str | None:
    for one in line:
        started, session = known.get(one.pid, ("", ""))
        if started == one.started:
            return session
    return None


def host_of(shim: int) -> Process | None:
    """Who had a shim run: the first above it that is no shell around this one command."""
    line = ancestors(shim)
    next(line, None)
    for one in line:
        if one.name not in _SHELLS:
            return one
        words = command_line(one.pid).split(b"\0")
        # A shell that people type into is no agent, and neither is whatever started it.
        if b"-c" not in words and not any(b"interlock" in word for word in words):
            return None
    return None


def _lives(pid: int, started: str) -> bool:
    found = process(pid)
    return found is not None and found.started == started
