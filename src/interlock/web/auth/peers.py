"""Which process is at the other end of a connection, as the kernel reports it (Linux)."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, final

import msgspec

from interlock.daemon.agent_processes import agent_above
from interlock.daemon.caller_kind import FILE, Kind, Known, read_roster, standing_of
from interlock.daemon.process_tree import process

_PROC: Final = Path("/proc")
_TABLES: Final = ("net/tcp", "net/tcp6")
_LOCAL, _REMOTE, _UID, _INODE = 1, 2, 7, 9  # columns of these tables
_REMEMBERED: Final = 256

Address = tuple[str, int]
Holders = frozenset[tuple[int, str]]  # processes, each with its start


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """The processes at the other end of a connection."""

    socket: int  # 0 if the system does not tell
    holders: Holders = frozenset()
    refusal: str = ""  # why its requests are refused
    session: str = ""  # of the agent it belongs to
    left: bool = False  # it closed its end before we could look


UNKNOWN: Final = Peer(socket=0)


@final
class Peers:
    """Looks up who connects; agents are those the daemon knows."""

    def __init__(self, state: Path) -> None:
        self._file: Final = state / FILE
        self._has_tables: Final = _PROC.joinpath("net/tcp").exists()
        self._holders: Final[dict[int, Holders]] = {}

    def look(self, client: Address, server: Address, *, again: bool) -> Peer:
        """Who connects; `again` repeats the lookup for a known connection."""
        if not self._has_tables:
            return UNKNOWN
        row = _row(client, server)
        if row is None:
            return Peer(socket=0, refusal="the calling process was not found", left=True)
        uid, inode = row
        if uid != os.getuid():
            return Peer(socket=inode, refusal="another user asks")
        holders = self._find_holders(inode, again=again)
        if not holders:
            left = _row(client, server) is None  # closed meanwhile, as browsers do when they leave a page
            return Peer(socket=inode, refusal="the calling process cannot be read", left=left)
        session = _agent(holders, read_roster(self._file).known)
        if session is None:
            return Peer(socket=inode, holders=holders)
        refusal = "this is for people, and this process belongs to an agent"
        return Peer(socket=inode, holders=holders, refusal=refusal, session=session)

    def standing(self, peer: Peer) -> Kind:
        """Whose process wants to log in; another child of the daemon is not a person's either."""
        roster, daemon = read_roster(self._file), os.getppid()
        kinds = {standing_of(pid, roster, daemon=daemon).kind for pid, _ in peer.holders}
        return next((kind for kind in (Kind.AGENT, Kind.UNKNOWN) if kind in kinds), Kind.PERSON)

    def _find_holders(self, inode: int, *, again: bool) -> Holders:
        if again or inode not in self._holders:
            if len(self._holders) >= _REMEMBERED:
                self._holders.clear()
            self._holders[inode] = frozenset(_holders(inode))
        return self._holders[inode]


def _agent(holders: Holders, known: Known) -> str | None:
    """The session of the first agent at or above any of them; empty if one of them has ended."""
    for pid, started in holders:
        found = process(pid)
        if known and (found is None or found.started != started):
            return ""
        session = agent_above(pid, known)
        if session is not None:
            return session
    return None


def _row(client: Address, server: Address) -> tuple[int, int] | None:
    """The user and the socket of the client's end, while it is open."""
    for table, local, remote in zip(_TABLES, _kernel_address(client), _kernel_address(server), strict=True):
        with suppress(OSError):
            for line in _PROC.joinpath(table).read_text("ascii").splitlines():
                if f"{local} {remote}" in line:  # splitting every line would take longer
                    fields = line.split()
                    if (fields[_LOCAL], fields[_REMOTE]) == (local, remote) and fields[_INODE] != "0":
                        return int(fields[_UID]), int(fields[_INODE])
    return None


def _kernel_address(address: Address) -> tuple[str, str]:
    """An address as in the kernel's tables, for IPv4 and IPv6."""
    host, port = address
    word = struct.unpack("=I", socket.inet_aton(host))[0]
    mapped = struct.unpack("=4I", socket.inet_pton(socket.AF_INET6, f"::ffff:{host}"))
    return f"{word:08X}:{port:04X}", "".join(f"{one:08X}" for one in mapped) + f":{port:04X}"


def _holders(inode: int) -> Iterator[tuple[int, str]]:
    """Every process that has a socket open."""
    wanted = f"socket:[{inode}]"
    for pid in map(int, filter(str.isdecimal, (one.name for one in _PROC.iterdir()))):
        # Some have ended or belong to another user.
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as descriptors:
            if any(_leads(one.path) == wanted for one in descriptors) and (found := process(pid)):
                yield found.pid, found.started


def _leads(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - a Path would double the time
    except OSError:
        return ""
