"""Is this process an agent's, a person's, or unknown? The system's process table tells.

The shim's pause answers the same way without the daemon, and reads the same file of agents (shim/person.h).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise, takewhile
from math import inf, isfinite
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from interlock.daemon.process_tree import Process, ancestors, began, process, real_user
from interlock.files.own_files import write_whole

FILE: Final = "agents"  # below the state folder
_FIRST: Final = "interlock-agents 1"
_NAMESPACES: Final = ("pid", "time")
_PARTS: Final = 3  # of the first line
_BREAKS: Final = str.maketrans("\n\r", "  ")

Known = dict[int, tuple[str, str]]  # process → when it started, and its session


class Roster(msgspec.Struct, frozen=True, kw_only=True):
    """The agents in the file; in other namespaces the same numbers are other processes, or none."""

    known: Known = {}
    adopter: int = 0  # the process that orphans get as their parent, as far as the daemon knows
    namespaces: str = ""

    @property
    def is_from_here(self) -> bool:
        """Whether its process numbers count in our namespaces."""
        return not self.known or self.namespaces == namespaces()


def read_roster(file: Path) -> Roster:
    """Read the file; empty if that fails."""
    try:
        first, *lines = file.read_text("utf-8", "replace").split("\n")
    except OSError:
        return Roster()
    words = first.rsplit(" ", 2)
    if len(words) != _PARTS or words[0] != _FIRST or not words[2].isdecimal():
        return Roster()
    known: Known = {}
    for line in lines:
        pid, _, rest = line.partition(" ")
        started, _, session = rest.partition(" ")
        if pid.isdecimal() and started:
            known[int(pid)] = (started, session)
    return Roster(known=known, adopter=int(words[2]), namespaces=words[1])


def write_roster(file: Path, roster: Roster) -> None:
    """Write the file atomically, readable by its owner only."""
    lines = [f"{_FIRST} {roster.namespaces} {roster.adopter}"]
    for pid, (started, session) in roster.known.items():
        lines.append(f"{pid} {started} {session.translate(_BREAKS)}")
    write_whole(file, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"), mode=0o600)


def namespaces() -> str:
    """The namespaces in which we see process numbers and times."""
    return ",".join(map(_namespace, _NAMESPACES))


def _namespace(name: str) -> str:
    try:
        return str(Path(f"/proc/self/ns/{name}").readlink())
    except OSError:
        return ""


_FIRST_PROCESS: Final = 1
_SYSTEMS_OWN: Final = "pid:[4026531836]"  # the namespace the machine starts with has this number everywhere
# These adopt orphans or start programs for anybody, so being below one says nothing about who wanted it.
# Names as the kernel keeps them, 15 letters; the shim has the same list.
STARTERS: Final = frozenset(
    {
        *("systemd", "init", "launchd", "upstart", "runsvdir", "s6-svscan", "s6-supervise", "supervisord"),
        *("tini", "docker-init", "dumb-init", "catatonit", "conmon", "containerd-shim", "SessionLeader"),
        *("gnome-session-b", "plasma_session", "lxqt-session", "dbus-daemon", "dbus-broker-lau"),
        *("cron", "crond", "anacron", "atd", "fcron"),
    }
)
_UNKNOWN: Final = "this process cannot be distinguished from a running agent's"


class Kind(StrEnum):
    AGENT = "agent"
    PERSON = "person"
    UNKNOWN = "unknown"


class Standing(NamedTuple):
    """Whose a process is, and why it is not certainly a person's."""

    kind: Kind
    session: str | None = None  # of the agent; empty if unknown
    why: str = ""


PERSON: Final = Standing(Kind.PERSON)
UNKNOWN: Final = Standing(Kind.UNKNOWN, None, _UNKNOWN)


def standing_of(pid: int, roster: Roster, *, daemon: int = 0) -> Standing:
    """Whose a process is.

    It is a person's if no agent lives, if its top ancestor began before every living agent, or if it came in
    through a program of root's, as a login does. An orphan of an agent is none of these, but neither is a
    terminal opened after the agent: the two cannot be told apart.
    """
    line = list(ancestors(pid))
    if daemon and any(ancestor.pid == daemon for ancestor in line[1:]):
        return Standing(Kind.AGENT, "", "this process was started by the daemon, like a hook")
    session = session_in(line, roster.known)
    if session is not None:
        return Standing(Kind.AGENT, session, f"this process was started by an agent (session `{session}`)")
    if not roster.is_from_here:
        return UNKNOWN
    running = (found for found in map(process, roster.known) if found is not None)
    living = [agent for agent in running if _is_known(agent, roster.known)]
    if not living:
        return PERSON
    # An agent whose start is unknown may be older than anything.
    first = min(moment if isfinite(moment := began(agent)) else -inf for agent in living)
    return PERSON if _is_whole(line) and _comes_from_a_person(line, first, roster.adopter) else UNKNOWN


def session_in(line: Iterable[Process], known: Known) -> str | None:
    """The session of the first agent among these processes."""
    return next((known[ancestor.pid][1] for ancestor in line if _is_known(ancestor, known)), None)


def lives(pid: int, started: str) -> bool:
    """Whether the process that began then still runs."""
    found = process(pid)
    return found is not None and found.started == started and not found.dead


def starts_others(ancestor: Process, adopter: int = 0) -> bool:
    """Whether being below this process says nothing about who wanted something."""
    return ancestor.pid in {_FIRST_PROCESS, adopter} or ancestor.name in STARTERS


def is_the_systems(ancestor: Process, namespaces: str) -> bool:
    """Whether the system runs this itself; in a container an agent may be the first process."""
    return ancestor.name in STARTERS or (
        ancestor.pid == _FIRST_PROCESS and namespaces.startswith(_SYSTEMS_OWN)
    )


def _is_known(candidate: Process, known: Known) -> bool:
    return known.get(candidate.pid, ("",))[0] == candidate.started


def _is_whole(line: Sequence[Process]) -> bool:
    """Whether no ancestor is missing: a number reused meanwhile makes a parent younger than its child."""
    if not line or line[-1].parent not in {0, _FIRST_PROCESS}:
        return False
    return all(began(above) <= began(below) for below, above in pairwise(line))


def _comes_from_a_person(line: Sequence[Process], first_agent: float, adopter: int) -> bool:
    below = list(takewhile(lambda ancestor: not starts_others(ancestor, adopter), line))
    if not below:
        return False
    top = below[-1]
    # A process without a parent came from outside, as with `docker exec`; a local orphan gets a new parent.
    if began(top) < first_agent or top.parent == 0:
        return True
    return os.getuid() != 0 and any(real_user(ancestor.pid) == 0 for ancestor in below)
