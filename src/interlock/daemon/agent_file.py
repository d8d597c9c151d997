"""The agents the daemon knows, kept in a file, one a line; the shim reads it too (shim/person.h)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from interlock.files.own_files import write_whole

FILE: Final = "agents"  # below the state folder
_FIRST: Final = "interlock-agents 1"
_NAMESPACES: Final = ("pid", "time")
_PARTS: Final = 3  # of the first line
_BREAKS: Final = str.maketrans("\n\r", "  ")

Known = dict[int, tuple[str, str]]  # process → when it started, and its session


class Roster(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says; in other namespaces the same numbers are other processes, or none."""

    known: Known = {}
    adopter: int = 0  # the process that takes in what lost its parent, as far as the daemon knows
    namespaces: str = ""

    @property
    def is_from_here(self) -> bool:
        """Whether its numbers are those of the processes seen here."""
        return not self.known or self.namespaces == namespaces()


def read_roster(file: Path) -> Roster:
    """What was kept; nothing where that cannot be read."""
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
    """Keep it, whole at any moment and for its owner only."""
    lines = [f"{_FIRST} {roster.namespaces} {roster.adopter}"]
    for pid, (started, session) in roster.known.items():
        lines.append(f"{pid} {started} {session.translate(_BREAKS)}")
    write_whole(file, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"), mode=0o600)


def namespaces() -> str:
    """Where the numbers and times of processes that we see are counted."""
    return ",".join(map(_namespace, _NAMESPACES))


def _namespace(name: str) -> str:
    try:
        return str(Path(f"/proc/self/ns/{name}").readlink())
    except OSError:
        return ""
