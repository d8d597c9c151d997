"""`python -I -m interlock.features.team_ledger.worker`: ships entries in a process that ends with the daemon.

A process of its own, so that neither loading a driver nor waiting for a server can delay a decision.
"""

from __future__ import annotations

import os
import random
import select
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import StoreError, TeamLedgerError
from interlock.features.team_ledger.postgres import connect
from interlock.features.team_ledger.shipper import (
    Cursor,
    Job,
    Shipper,
    ShippingPosition,
    ShippingStatus,
    read_cursor,
    write_cursor,
)
from interlock.store.clock import timestamp
from interlock.store.database import open_to_read

_NICE: Final = 5
_FIRST_SECONDS: Final = 0.5  # before the first retry; doubles each time
_LONGEST_SECONDS: Final = 30.0
_LASTING_SECONDS: Final = 60.0  # when a person must do something
_CURSOR_SECONDS: Final = 10.0  # between cursor writes: each is an fsync on the ledger's disk
_REPORT_SECONDS: Final = 0.25
_NUDGE: Final = 4_096


class DaemonGone(BaseException):
    """The daemon is gone. Not an Exception, so that no handler swallows it."""


class Worker:
    """Ships until its input ends; a line on it announces new entries."""

    def __init__(
        self,
        job: Job,
        nudges: int,
        tell: Callable[[ShippingStatus], object],
        *,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._job: Final = job
        self._state: Final = Path(job.state)
        self._nudges: Final = nudges  # the descriptor that nudges arrive on
        self._send: Final = tell
        self._environ: Final = environ
        self._clock: Final = clock
        cursor, fleet = read_cursor(self._state), job.fleet
        same_target = cursor is not None and (cursor.url, cursor.machine) == (fleet.url, fleet.machine)
        self._status = ShippingStatus(shipped=cursor.seq if cursor is not None and same_target else 0)
        self._reported_at = 0.0
        self._written_at = 0.0
        self._unwritten: Cursor | None = None
        self._failures = 0

    def run(self) -> None:
        """Ship, and retry after trouble."""
        try:
            while True:
                try:
                    self._ship()
                except (StoreError, sqlite3.Error, OSError) as error:
                    self._pause(self._report_trouble(error))
        except DaemonGone:
            self._write_cursor(at_once=True)
        except Exception as error:
            # Our own defect. The message may quote an entry, so only its location is reported.
            where = traceback.extract_tb(error.__traceback__)[-1]
            self._tell(state="trouble", error=f"{type(error).__name__} at {where.name}, line {where.lineno}")
            raise

    def _ship(self) -> None:
        with (
            closing(open_to_read(Path(self._job.database))) as local,
            closing(connect(self._job.fleet, self._environ)) as remote,
        ):
            shipper = Shipper(local, remote, self._job.fleet.machine)
            position = shipper.position()
            self._check_for_loss(shipper, position)
            while True:
                position = shipper.step(position)
                self._failures = 0
                self._report_progress(shipper.ledger, position)
                if position.added or position.behind:
                    self._wait(0)  # only to notice the end of the input
                    continue
                while not self._wait(_CURSOR_SECONDS if self._unwritten else None):
                    self._write_cursor()

    def _check_for_loss(self, shipper: Shipper, position: ShippingPosition) -> None:
        """Raise an alarm if the team ledger lost confirmed entries: its server was restored from a backup."""
        cursor = read_cursor(self._state)
        ours = (self._job.fleet.machine, shipper.ledger, position.fleet)
        if (
            cursor is None
            or (cursor.machine, cursor.ledger, cursor.fleet) != ours
            or cursor.seq <= position.at.seq
        ):
            return
        self._tell(
            alarm=f"the team ledger at {self._job.fleet.place} lost entries {position.at.seq + 1} to "
            f"{cursor.seq} of this machine, which it had confirmed; those still here are shipped again"
        )

    def _report_progress(self, ledger: str, position: ShippingPosition) -> None:
        now, fleet = timestamp(self._clock()), self._job.fleet
        resting = not (position.added or position.behind)
        if position.at.seq:
            self._unwritten = Cursor(
                url=fleet.url,
                machine=fleet.machine,
                ledger=ledger,
                seq=position.at.seq,
                hash=position.at.hash.hex(),
                fleet=position.fleet,
                fleet_seq=position.end.seq,
                fleet_hash=position.end.hash.hex(),
                ts=now,
            )
            self._write_cursor()
        status = ShippingStatus(
            state="waiting" if resting else "shipping",
            shipped=position.at.seq,
            fleet_seq=position.end.seq,
            fleet=position.fleet,
            last=now if position.added else self._status.last,
        )
        due = time.monotonic() - self._reported_at > _REPORT_SECONDS
        if resting or self._status.state != status.state or due:
            self._report(status)
        else:
            self._status = status

    def _report_trouble(self, error: Exception) -> float:
        """Report what is wrong and return how many seconds to wait before the next attempt."""
        lasting = isinstance(error, TeamLedgerError) and error.lasting
        self._failures += 1
        first = self._status.error is None
        self._tell(
            state="stopped" if lasting else "trouble",
            error=str(error),
            since=timestamp(self._clock()) if first else self._status.since,
            alarm=str(error) if lasting and self._status.error != str(error) else None,
        )
        longest = min(_FIRST_SECONDS * 2 ** min(self._failures - 1, 10), _LONGEST_SECONDS)
        # Random, so that not all machines connect at once when a server comes back.
        return _LASTING_SECONDS if lasting else longest * random.uniform(0.5, 1)  # noqa: S311 - no secret

    def _tell(self, **changes: str | None) -> None:
        self._report(msgspec.structs.replace(self._status, **changes))

    def _report(self, status: ShippingStatus) -> None:
        self._reported_at = time.monotonic()
        self._send(status)
        self._status = msgspec.structs.replace(status, alarm=None)

    def _write_cursor(self, *, at_once: bool = False) -> None:
        if self._unwritten is None or not (at_once or time.monotonic() - self._written_at >= _CURSOR_SECONDS):
            return
        try:
            write_cursor(self._state, self._unwritten)
        except OSError:
            pass  # with an older cursor, retention only keeps more than it must
        else:
            self._unwritten = None
        self._written_at = time.monotonic()

    def _pause(self, seconds: float) -> None:
        """Wait despite nudges: they must not make us ask a server in trouble more often."""
        until = time.monotonic() + seconds
        while (seconds_left := until - time.monotonic()) > 0:
            self._wait(seconds_left)

    def _wait(self, seconds: float | None) -> bool:
        """Wait for a nudge; return whether one came."""
        ready, _, _ = select.select([self._nudges], [], [], seconds)
        if ready and not os.read(self._nudges, _NUDGE):
            raise DaemonGone
        return bool(ready)


def main() -> None:
    """Read the job, then ship."""
    os.nice(_NICE)  # decisions go first
    nudges = sys.stdin.fileno()
    line = b""
    while not line.endswith(b"\n"):  # byte by byte, so that no nudge is read with it
        piece = os.read(nudges, 1)
        if not piece:
            return
        line += piece

    def tell(status: ShippingStatus) -> None:
        try:
            os.write(sys.stdout.fileno(), msgspec.json.encode(status) + b"\n")
        except BrokenPipeError:
            raise DaemonGone from None

    Worker(msgspec.json.decode(line, type=Job), nudges, tell, environ=os.environ).run()


if __name__ == "__main__":
    main()
