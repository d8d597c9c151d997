"""The files and connections a process may have open: as many as it is granted, with some put by."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from typing import Final

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
    """How many of so many descriptors connections may take."""
    return max(1, limit - min(_FOR_THE_REST, limit // 2))


class PutBy:
    """Descriptors that are held so that they can be given up when there are no others."""

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
