"""Which processes are agents: those whose hooks call this daemon, remembered as long as they live."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from interlock.daemon.caller_kind import (
    PERSON,
    UNKNOWN,
    Kind,
    Known,
    Roster,
    Standing,
    is_the_systems,
    lives,
    namespaces,
    read_roster,
    session_in,
    standing_of,
    write_roster,
)
from interlock.daemon.process_tree import Process, ancestors, command_line, process
from interlock.daemon.protocol import Call
from interlock.events.bounded_dict import BoundedDict
from interlock.hosts.host import SELF_TEST_TOOL

# A host sets these for the shim it starts.
_MARKS: Final = frozenset({"CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT"})
_SESSION: Final = re.compile(rb'"session_id"\s*:\s*"([^"\\]{1,200})"')
_SELF_TEST: Final = f'"{SELF_TEST_TOOL}"'.encode()
_START: Final = b'"SessionStart"'
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "busybox"})
_AGAIN_SECONDS: Final = 30.0  # a session may go on in another process
_MOST: Final = 512  # agents not started by another agent
_MOST_BELOW: Final = 64  # agents below one agent, at any depth
_NOBODYS: Final = 0
_UNSEEN: Final = 0  # the number of a process outside our container
_TIDY_AT: Final = 32  # at this many known, drop those that have ended
_MOST_PROVEN: Final = 64


class Agents:
    """Learns from hook calls which process is their host; the kernel says who called.

    A living agent is never forgotten. Beyond the limit new ones are not added, which makes none a person.
    """

    def __init__(
        self,
        file: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        alarm: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._file: Final = file
        self._clock: Final = clock
        self._alarm: Final = alarm
        self._last_lookup: Final = BoundedDict[str, float](_MOST)  # session → time of the last lookup
        self._under: Final[dict[int, int]] = {}  # agent → the topmost agent above it, or nobody
        self._full: Final[set[int]] = set()  # agents at their limit, for which the alarm was raised
        self._proven: Final = BoundedDict[int, str](
            _MOST_PROVEN
        )  # process that gave the passphrase → its start
        self._tidy_at = _TIDY_AT
        roster = read_roster(file)
        self._known: Known = roster.known if roster.is_from_here else {}
        self.met: Callable[[Process, str], None] = lambda *_: None  # gets the host of each session
        self.ours: Callable[[int], bool] = lambda _: False  # the daemon's own dashboard, which serves people

    def see(self, call: Call, peer: Callable[[], int]) -> None:
        """Note the host behind a call, at most every 30 seconds per session."""
        if _MARKS.isdisjoint(call.env) or _SELF_TEST in call.payload:
            return
        found = _SESSION.search(call.payload)
        session = found[1].decode("utf-8", "replace") if found else ""
        now = self._clock()
        was_recent = now - self._last_lookup.get(session, -_AGAIN_SECONDS) < _AGAIN_SECONDS
        # A start may be an old session in a new process, which would count as a person's until it is noted.
        if was_recent and _START not in call.payload:
            return
        self._last_lookup[session] = now
        host = host_of(peer())
        if host is not None:
            self.met(host, session)
        # A process may change sessions: it is in the one it reported last.
        if host is not None and self._known.get(host.pid) != (host.started, session):
            self._add(host, session)

    def _add(self, host: Process, session: str) -> None:
        known = self._known.get(host.pid)
        if (known is None or known[0] != host.started) and not self._accepts(host):
            return
        self._known = {**self._known, host.pid: (host.started, session)}
        roster = Roster(known=self._known, adopter=_adopter(), namespaces=namespaces())
        with suppress(OSError):  # a full disk must not stop calls; this daemon remembers the agent anyway
            write_roster(self._file, roster)

    def _accepts(self, host: Process) -> bool:
        first = self._first_above(host.pid)
        if len(self._known) >= self._tidy_at or self._count(first) >= _most(first):
            self._forget_ended()
        if self._count(first) < _most(first):
            self._full.discard(first)
            self._under[host.pid] = first
            return True
        if first not in self._full:
            self._full.add(first)
            self._alarm(_too_many(first, self._known))
        return False

    def _forget_ended(self) -> None:
        self._known = {pid: entry for pid, entry in self._known.items() if lives(pid, entry[0])}
        self._full.intersection_update({_NOBODYS, *self._known})
        for gone in self._under.keys() - self._known.keys():
            del self._under[gone]
        self._tidy_at = max(_TIDY_AT, 2 * len(self._known))

    def _count(self, first: int) -> int:
        for pid in self._known:
            if pid not in self._under:  # noted by an earlier daemon
                self._under[pid] = self._first_above(pid)
        return list(self._under.values()).count(first)

    def _first_above(self, pid: int) -> int:
        """The topmost agent above a process; it answers for everything below it."""
        topmost = _NOBODYS
        for above in islice(ancestors(pid), 1, None):
            if self._known.get(above.pid, ("",))[0] == above.started:
                topmost = above.pid
        return topmost

    def alive(self, session: str) -> bool:
        return self.process_of(session) is not None

    def process_of(self, session: str) -> int | None:
        """The running process of a session, if it is known."""
        known = list(self._known.items())
        found = (pid for pid, (started, held) in known if held == session and lives(pid, started))
        return next(found, None)

    def hosts(self) -> dict[str, tuple[int, str]]:
        """By session: its last known process, which may have ended, and when that started."""
        return {session: (pid, started) for pid, (started, session) in self._known.items()}

    def above(self, pid: int) -> str | None:
        """The session of the agent above a process; None if there is none, empty if the process has ended.

        An ended process may have been anybody's, and its connection outlives it.
        """
        if self.ours(pid):
            return None
        if self._known and pid != 0 and process(pid) is None:
            return ""
        return agent_above(pid, self._known)

    def standing(self, pid: int) -> Standing:
        """Whose a process is that asks for something reserved to people."""
        if self.ours(pid):
            return PERSON
        if pid == _UNSEEN:
            return UNKNOWN
        roster = Roster(known=self._known, adopter=_adopter(), namespaces=namespaces())
        found = standing_of(pid, roster, daemon=os.getpid())
        if found.kind is Kind.PERSON and self._is_missing_agents():
            found = UNKNOWN
        return PERSON if found.kind is Kind.UNKNOWN and lives(pid, self._proven.get(pid, "")) else found

    def _is_missing_agents(self) -> bool:
        """Whether an agent may be running that was not added because of the limit."""
        if _NOBODYS in self._full:
            self._forget_ended()
        if self._count(_NOBODYS) < _MOST:
            self._full.discard(_NOBODYS)
        return _NOBODYS in self._full

    def believe(self, pid: int) -> None:
        """Treat a process as a person's as long as it runs: it gave the passphrase."""
        found = process(pid)
        if found is None:
            return
        for gone in [other for other, started in self._proven.items() if not lives(other, started)]:
            del self._proven[gone]
        self._proven[pid] = found.started


def agent_above(pid: int, known: Known) -> str | None:
    """The session of the first agent at or above a process."""
    return session_in(ancestors(pid), known) if known else None


def host_of(shim: int) -> Process | None:
    """The process that ran a shim: its first ancestor that is not a script or a shell for this command."""
    line = ancestors(shim)
    next(line, None)
    for ancestor in line:
        if is_the_systems(ancestor, namespaces()):
            return None  # the host has ended
        words = command_line(ancestor.pid).split(b"\0")
        if ancestor.name not in _SHELLS:
            # A script has its own name, as the shim does where no native one could be built.
            if os.fsdecode(words[0]).rpartition("/")[2] in _SHELLS:
                continue
            return ancestor
        # An interactive shell is not an agent, and neither is what started it.
        if b"-c" not in words and not any(b"interlock" in word for word in words):
            return None
    return None


def _most(first: int) -> int:
    return _MOST if first == _NOBODYS else _MOST_BELOW


def _too_many(first: int, known: Known) -> str:
    if first == _NOBODYS:
        return f"more than {_MOST} agents run at once; until some end, no process counts as a person"
    return (
        f"more than {_MOST_BELOW} processes below the agent of session `{known[first][1]}` claim to be "
        "agents; the ones above that number count as that agent"
    )


def _adopter() -> int:
    """The process that adopted us, as it adopts every orphan; 0 if we still have our own parent."""
    parent = os.getppid()
    with suppress(OSError):
        return parent if os.getsid(parent) != os.getsid(0) else 0
    return 0
