"""How many connections and open files there may be, and who has to leave when there are too many."""

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

# How many are closed at once: looking for one takes as long as looking for all.
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


# More than is ever needed; what we start inherits it, and some programs close whatever they might have.
_ENOUGH: Final = 8_192
_FOR_THE_REST: Final = 128  # files, hooks and helpers
_PUT_BY: Final = 16


def raise_limit() -> int:
    """Take as many descriptors as the system grants; gives how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # what there is has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
    return _ENOUGH if soft == resource.RLIM_INFINITY else soft


def for_clients(limit: int) -> int:
    """How many of the descriptors connections may take."""
    return max(1, limit - min(_FOR_THE_REST, limit // 2))


class PutBy:
    """Spare descriptors, held so that they can be freed when none are left."""

    def __init__(self) -> None:
        self._held: Final[list[int]] = []
        self.fill()

    def fill(self) -> None:
        """Put by what is missing, as far as it can be had."""
        with suppress(OSError):
            while len(self._held) < _PUT_BY:
                self._held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def give_up(self) -> bool:
        """Let others have them; False when there were none."""
        held, self._held[:] = self._held[:], []
        for descriptor in held:
            os.close(descriptor)
        return bool(held)
