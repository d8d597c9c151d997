"""The clock of everything stored: times as text that sorts, and a time that never goes back."""

from __future__ import annotations

import time
from calendar import timegm
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from time import gmtime, strftime
from typing import Final

import msgspec

from interlock.files.own_files import read_private, write_whole

FILE: Final = "clock.json"  # below the state folder
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # elsewhere it counts sleep, too
_MOST: Final = 1_024
_STEP: Final = 1.0  # seconds; a clock that is put forward by less is only being corrected


def since_boot() -> float:
    """Seconds since the machine started, sleep included; nobody sets this clock."""
    return time.clock_gettime(_CLOCK)


def boot_name() -> str:
    """What tells one start of the machine from every other; empty where nothing does."""
    with suppress(OSError):
        return _BOOT.read_text("ascii").strip()
    return ""


class _ClockState(msgspec.Struct, frozen=True, kw_only=True):
    boot: str
    ahead: float  # the steady time at the start of the machine


class SteadyClock:
    """The later of the clock on the wall and the time that has passed since it was last seen.

    Put forward, it goes on from there; put back, it does not follow. After a restart of the machine the wall
    counts again, but it is never earlier than `floor`.
    """

    def __init__(
        self,
        file: Path,
        *,
        floor: float = 0.0,
        wall: Callable[[], float] = time.time,
        passed: Callable[[], float] = since_boot,
        boot: str | None = None,
    ) -> None:
        self._file: Final = file
        self._wall: Final = wall
        self._passed: Final = passed
        self._boot: Final = boot_name() if boot is None else boot
        known = self._read_state()
        self._ahead = max(wall(), floor) - passed()
        if known is not None and known.boot == self._boot != "" and known.ahead > self._ahead:
            self._ahead = known.ahead
        else:
            self._keep()

    def __call__(self) -> float:
        """Seconds since 1970, by this clock."""
        passed = self._passed()
        ahead = self._wall() - passed
        if ahead > self._ahead:
            stepped = ahead > self._ahead + _STEP
            self._ahead = ahead
            if stepped:
                self._keep()
        return passed + self._ahead

    def _read_state(self) -> _ClockState | None:
        try:
            return msgspec.json.decode(read_private(self._file, _MOST), type=_ClockState)
        except (OSError, msgspec.DecodeError, UnicodeError):
            return None

    def _keep(self) -> None:
        with suppress(OSError):  # on a full disk: within this process it holds all the same
            write_whole(
                self._file,
                msgspec.json.encode(_ClockState(boot=self._boot, ahead=self._ahead)),
                mode=0o600,
            )


def seconds_of(stamp: str) -> float:
    """A time as it is stored, in seconds since 1970; 0 for what is not a time."""
    try:
        return timegm(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S")) + int(stamp[20:23]) / 1000
    except ValueError:
        return 0.0


def timestamp(seconds: float) -> str:
    """Write seconds since 1970 as `2026-01-31T12:00:00.000Z`."""
    return _format_milliseconds(int(seconds * 1000))


@lru_cache(maxsize=8)  # entries of one group share a thousandth, thousands share a second
def _format_milliseconds(thousandths: int) -> str:
    whole, rest = divmod(thousandths, 1000)
    return f"{_second(whole)}.{rest:03d}Z"


@lru_cache(maxsize=8)
def _second(whole: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(whole))
