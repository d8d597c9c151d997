"""Is this process an agent's, a person's, or can that not be told? By what the system knows of processes.

The shim's pause answers the same way without us (shim/person.h).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise, takewhile
from math import inf, isfinite
from typing import Final, NamedTuple

from interlock.daemon.agent_file import Known, Roster
from interlock.daemon.process_tree import Process, ancestors, began, process, real_user

_FIRST_PROCESS: Final = 1
_SYSTEMS_OWN: Final = "pid:[4026531836]"  # the namespace the machine starts with has this number everywhere
# What takes in processes that lost their parent, or starts what anybody asks for: who is below one of these
# shows nothing of who wanted it. By the 15 letters the kernel keeps; the shim knows the same names.
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
    """Whose a process is."""

    AGENT = "agent"
    PERSON = "person"
    UNKNOWN = "unknown"


class Standing(NamedTuple):
    """Whose a process is, and why it is not plainly a person's."""

    kind: Kind
    session: str | None = None  # of the agent, empty where that is not known
    why: str = ""


PERSON: Final = Standing(Kind.PERSON)
UNKNOWN: Final = Standing(Kind.UNKNOWN, None, _UNKNOWN)


def standing_of(pid: int, roster: Roster, *, daemon: int = 0) -> Standing:
    """Whose a process is.

    A person's is one while no agent lives, one that comes from what began before every living agent, or one
    that came in through a program of root's, as a login does. What an agent started and left alone looks like
    none of these, and neither does a terminal opened after the agent: nobody can tell the two apart.
    """
    line = list(ancestors(pid))
    if daemon and any(one.pid == daemon for one in line[1:]):
        return Standing(Kind.AGENT, "", "this process was started by the daemon, like a hook")
    session = session_in(line, roster.known)
    if session is not None:
        return Standing(Kind.AGENT, session, f"this process was started by an agent (session `{session}`)")
    if not roster.is_from_here:
        return UNKNOWN
    living = [found for found in map(process, roster.known) if found is not None and _is(found, roster.known)]
    if not living:
        return PERSON
    # An agent whose time is not known may be older than anything.
    first = min(moment if isfinite(moment := began(one)) else -inf for one in living)
    if _is_whole(line) and _comes_from_a_person(line, first, roster.adopter):
        return PERSON
    return UNKNOWN


def session_in(line: Iterable[Process], known: Known) -> str | None:
    """The session of the first agent among processes."""
    return next((known[one.pid][1] for one in line if _is(one, known)), None)


def lives(pid: int, started: str) -> bool:
    """Whether a process runs, and is the one that was meant."""
    found = process(pid)
    return found is not None and found.started == started and not found.dead


def starts_others(one: Process, adopter: int = 0) -> bool:
    """Whether being below this process says nothing of who wanted something."""
    return one.pid in {_FIRST_PROCESS, adopter} or one.name in STARTERS


def is_the_systems(one: Process, namespaces: str) -> bool:
    """Whether this is what the system starts with; in a container an agent may be the first process."""
    return one.name in STARTERS or (one.pid == _FIRST_PROCESS and namespaces.startswith(_SYSTEMS_OWN))


def _is(one: Process, known: Known) -> bool:
    return known.get(one.pid, ("",))[0] == one.started


def _is_whole(line: Sequence[Process]) -> bool:
    """Whether this is a process with all above it: a number used again meanwhile makes a parent too young."""
    if not line or line[-1].parent not in {0, _FIRST_PROCESS}:
        return False
    return all(began(above) <= began(below) for below, above in pairwise(line))


def _comes_from_a_person(line: Sequence[Process], first_agent: float, adopter: int) -> bool:
    below = list(takewhile(lambda one: not starts_others(one, adopter), line))
    if not below:
        return False
    top = below[-1]
    # What has no parent came in from outside, as `docker exec` does; nobody in here is left without one.
    if began(top) < first_agent or top.parent == 0:
        return True
    return os.getuid() != 0 and any(real_user(one.pid) == 0 for one in below)
