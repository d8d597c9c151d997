"""Keeps the process that ships entries to the team ledger running. The daemon never waits for the network."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.paths import Places
from interlock.features.team_ledger.settings import TEAM_LEDGER, TeamLedger
from interlock.features.team_ledger.shipper import Job, ShippingStatus, shipped_up_to
from interlock.ledger.ends import read_base

_log: Final = logging.getLogger(__name__)
COMMAND: Final = (sys.executable, "-I", "-m", "interlock.features.team_ledger.worker")
_LOOK_SECONDS: Final = 0.5
_SETTINGS_EVERY: Final = 10  # looks between two reads of the settings
_AGAIN_LOOKS: Final = 4  # before a process that ended by itself is restarted; doubles each time
_LONGEST_LOOKS: Final = 120
_ENDING_SECONDS: Final = 1.0
_DECODER: Final = msgspec.json.Decoder(ShippingStatus)


class ShipperProcess:
    """Starts, nudges, listens to and ends one process while the policy names a team ledger."""

    def __init__(
        self,
        places: Places,
        *,
        settings: Callable[[], TeamLedger | None],
        head: Callable[[], int],
        note: Callable[[str, dict[str, object]], object],
        ledger: Callable[[], str],
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._places: Final = places
        self._settings: Final = settings
        self._head: Final = head
        self._note: Final = note
        self._ledger: Final = ledger  # the name of this machine's ledger
        self._command: Final = tuple(command)
        self._team_ledger: TeamLedger | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._latest = ShippingStatus()
        self._nudged = 0
        self._ends = 0  # how often the process ended by itself since it last had nothing to do

    def shipped(self) -> int | None:
        """Return the last confirmed entry; None without a team ledger, so retention keeps nothing for it."""
        fleet = self._settings()
        return shipped_up_to(self._places.state, fleet, self._ledger()) if fleet is not None else None

    def status(self) -> dict[str, Any] | None:
        if self._team_ledger is None:
            return None
        latest = self._latest
        document = {
            "to": self._team_ledger.place,
            "machine": self._team_ledger.machine,
            "state": latest.state,
            "shipped": latest.shipped,
            "behind": max(self._head() - latest.shipped, 0),
            "fleet_seq": latest.fleet_seq,
            "last": latest.last,
            "error": latest.error,
            "since": latest.since,
        }
        return {**document, "summary": summary_of(document)}

    async def watch(self, seconds: float = _LOOK_SECONDS) -> None:
        """Look until cancelled, then end the process."""
        looks = pause = 0
        try:
            while True:
                await asyncio.sleep(seconds)
                if looks % _SETTINGS_EVERY == 0:
                    await self._follow(self._settings())
                looks += 1
                pause = max(pause - 1, 0)
                if self._process is not None and self._process.returncode is not None:
                    pause = self._note_loss(self._process.returncode)
                if self._team_ledger is not None and self._process is None and not pause:
                    await self._start(self._team_ledger)
                self._nudge()
        finally:
            await self._end()

    def _note_loss(self, code: int) -> int:
        """Note that the process is gone; return how many looks to wait before restarting it."""
        _log.warning("shipping to the team ledger stopped unexpectedly, %d", code)
        error = self._latest.error or "the process that ships has stopped and is restarted"
        self._latest = msgspec.structs.replace(self._latest, state="trouble", error=error)
        self._process = None
        self._ends += 1
        return min(_AGAIN_LOOKS << min(self._ends - 1, 10), _LONGEST_LOOKS)

    async def _follow(self, fleet: TeamLedger | None) -> None:
        if fleet == self._team_ledger:
            return
        await self._end()
        self._team_ledger, self._latest = fleet, ShippingStatus(shipped=self.shipped() or 0)
        if fleet is not None:
            _log.info("entries are shipped to the team ledger at %s as %s", fleet.place, fleet.machine)

    async def _start(self, fleet: TeamLedger) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            _log.warning("shipping to the team ledger could not be started: %s", error)
            return
        job = Job(database=str(self._places.database), state=str(self._places.state), fleet=fleet)
        self._process, self._nudged = process, self._head()
        self._write(msgspec.json.encode(job) + b"\n")
        self._listening = asyncio.get_running_loop().create_task(self._listen(process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            raise AssertionError("it is started with pipes")
        while line := await process.stdout.readline():
            try:
                self._take_status(_DECODER.decode(line))
            except msgspec.DecodeError:
                _log.warning("the shipping process sent something that is not a state")
        await process.wait()

    def _take_status(self, status: ShippingStatus) -> None:
        if status.error != self._latest.error:
            if status.error is not None:
                _log.warning("entries wait for the team ledger: %s", status.error)
            else:
                _log.info("entries are shipped to the team ledger again")
        if status.alarm is not None:
            self._note("alarm", {"reason": status.alarm})
        self._latest = status
        if status.state == "waiting":
            self._ends = 0

    def _nudge(self) -> None:
        """Announce new entries, unless the process has not read the last nudge yet."""
        head = self._head()
        if self._process is None or head == self._nudged:
            return
        stream = self._process.stdin
        if stream is not None and not stream.transport.get_write_buffer_size():
            self._write(b"\n")
            self._nudged = head

    def _write(self, line: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, RuntimeError):  # the process ended; the next look notices
                self._process.stdin.write(line)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.stdin is not None:
                process.stdin.close()  # tells it to end
            with suppress(TimeoutError):
                async with asyncio.timeout(_ENDING_SECONDS):
                    await process.wait()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()  # nothing is lost: the next process asks the team ledger for the position
            if self._listening is not None:
                self._listening.cancel()


def summary_of(status: Mapping[str, Any]) -> str:
    """How this machine's shipping stands, in a line."""
    count = status["behind"]
    backlog = f"{count} {'entry waits' if count == 1 else 'entries wait'}" if count else "everything is there"
    error = f"; since {status['since']}: {status['error']}" if status["error"] else ""
    return f"to {status['to']} as {status['machine']}: {status['state']}, {backlog}{error}"


class TeamLedgerService:
    def __init__(self, context: DaemonContext) -> None:
        self._process: Final = ShipperProcess(
            context.places,
            settings=lambda: TEAM_LEDGER.get(context.policies.for_folder("")),
            head=lambda: context.ledger.head.seq,
            note=context.committer.note,
            ledger=lambda: read_base(context.connection).ledger,
        )

    def shipped(self) -> int | None:
        return self._process.shipped()

    def status(self) -> Mapping[str, object]:
        return {"team_ledger": self._process.status()}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        return (self._process.watch(),)
