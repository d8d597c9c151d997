"""Who is connected, and who has to leave when there are too many: never one whose call is being decided."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from interlock.daemon.connection import Connection

# So many leave at once: to look for each alone would take as long as for all.
_NEVER_ASKED: Final = 64
_IDLE: Final = 8


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How many connections there may be."""

    clients: int = 2_048
    of_one_process: int = 256


class Guests:
    """The connections of one user's processes."""

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._clients: Final[set[Connection]] = set()
        self._of: Final[Counter[int]] = Counter()
        self.watchers: Final[set[Connection]] = set()

    def __iter__(self) -> Iterator[Connection]:
        return iter(self._clients)

    def add(self, client: Connection) -> None:
        """One has come, for whom there was room."""
        self._clients.add(client)
        self._of[client.pid] += 1

    def discard(self, client: Connection) -> None:
        """One has gone."""
        self._clients.discard(client)
        self.watchers.discard(client)
        self._of[client.pid] -= 1
        if self._of[client.pid] <= 0:
            del self._of[client.pid]

    def room_for(self, pid: int) -> bool:
        """Whether one more of a process may come; idle ones make room for it, its own first."""
        if pid and self._of[pid] >= self._limits.of_one_process:
            return self._part_with(client for client in self._clients if client.pid == pid)
        return len(self._clients) < self._limits.clients or self.part_with_idle()

    def part_with_idle(self) -> bool:
        """Close the connections that are needed least; False when all are at work."""
        return self._part_with(self._clients)

    def _part_with(self, among: Iterable[Connection]) -> bool:
        idle = [client for client in among if not client.at_work]
        never = [client for client in idle if not client.asked]
        if never:
            leaving = heapq.nsmallest(_NEVER_ASKED, never, key=lambda one: (one.begun, one.heard))
        else:
            leaving = heapq.nsmallest(_IDLE, idle, key=self._need)
        for client in leaving:
            client.close()
        return bool(leaving)

    def _need(self, client: Connection) -> tuple[int, bool, bool, float]:
        """Of those that ask now and then, whose process holds the most goes first; there, what is oldest."""
        return -self._of[client.pid], client in self.watchers, client.unfetched > 0, client.heard
