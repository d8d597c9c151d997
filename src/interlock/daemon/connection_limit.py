"""Limits connections and open files, and picks the connections to close when there are too many."""

from __future__ import annotations

import heapq
import os
import resource
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

import msgspec

from interlock.daemon.connection import Connection

# How many to close at once: finding one takes as long as finding all.
_NEVER_ASKED: Final = 64
_IDLE: Final = 8


class Limits(msgspec.Struct, frozen=True, kw_only=True):
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
        self._clients.add(client)
        self._of[client.pid] += 1

    def discard(self, client: Connection) -> None:
        self._clients.discard(client)
        self.watchers.discard(client)
        self._of[client.pid] -= 1
        if self._of[client.pid] <= 0:
            del self._of[client.pid]

    def room_for(self, pid: int) -> bool:
        """Whether a process may connect once more; closes idle connections for it, its own first."""
        if pid and self._of[pid] >= self._limits.of_one_process:
            return self._close_idle(client for client in self._clients if client.pid == pid)
        return len(self._clients) < self._limits.clients or self.close_idle()

    def close_idle(self) -> bool:
        """Close the connections needed least; False when all are at work."""
        return self._close_idle(self._clients)

    def _close_idle(self, among: Iterable[Connection]) -> bool:
        idle = [client for client in among if not client.at_work]
        never = [client for client in idle if not client.asked]
        if never:
            leaving = heapq.nsmallest(_NEVER_ASKED, never, key=lambda client: (client.begun, client.heard))
        else:
            leaving = heapq.nsmallest(_IDLE, idle, key=self._need)
        for client in leaving:
            client.close()
        return bool(leaving)

    def _need(self, client: Connection) -> tuple[int, bool, bool, float]:
        """Close those of the process with the most connections first, and of these the oldest."""
        return -self._of[client.pid], client in self.watchers, client.unfetched > 0, client.heard


# Not more: our child processes inherit the limit, and some programs close every descriptor up to it.
_ENOUGH: Final = 8_192
_FOR_THE_REST: Final = 128  # descriptors for files, hooks and helpers
_SPARE: Final = 16


def raise_limit() -> int:
    """Raise the limit of open files as far as the system allows; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # the old limit has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
    return _ENOUGH if soft == resource.RLIM_INFINITY else soft


def for_clients(limit: int) -> int:
    """How many of the descriptors connections may use."""
    return max(1, limit - min(_FOR_THE_REST, limit // 2))


class SpareDescriptors:
    """Descriptors held in reserve, to be freed when none are left."""

    def __init__(self) -> None:
        self._held: Final[list[int]] = []
        self.fill()

    def fill(self) -> None:
        """Open as many as are missing and possible."""
        with suppress(OSError):
            while len(self._held) < _SPARE:
                self._held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def give_up(self) -> bool:
        """Close them; False when there were none."""
        held, self._held[:] = self._held[:], []
        for descriptor in held:
            os.close(descriptor)
        return bool(held)
