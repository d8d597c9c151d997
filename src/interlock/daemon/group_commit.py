"""Group commit: many decisions, one sync, then their answers."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from interlock.daemon.call_intake import PendingAnswer
from interlock.daemon.decision_service import DecisionService
from interlock.errors import LedgerError
from interlock.events.names import JUDGED
from interlock.hosts.host import Reply
from interlock.ledger.entry import Entry
from interlock.ledger.writer import LedgerWriter

GAP: Final = "gap"
_WHY: Final = "the ledger could not be written"


class Losses:
    """Counts entries that could not be written: their kinds, events and time span."""

    def __init__(self) -> None:
        self.count = 0
        self.open_passes = 0  # calls that went on unrecorded
        self._ops: Counter[str] = Counter()
        self._events: Counter[str] = Counter()
        self._span: tuple[str, str] | None = None

    def add(self, entries: Iterable[Entry]) -> int:
        """Count entries that were not written; the next gap entry covers one that was itself lost.

        Return how many of their calls went on: an observed event is answered before it is recorded.
        """
        passed = 0
        for entry in entries:
            if entry.op == GAP and entry.body.get("why") == _WHY:
                continue
            self.count += 1
            passed += entry.op == "decision" and entry.event not in JUDGED
            if entry.op == GAP:  # about a call that went on undecided
                self.open_passes += int(entry.body.get("open_passes", 0))
            self._ops[entry.op] += 1
            if entry.event:
                self._events[entry.event] += 1
            first, last = self._span or (entry.ts, entry.ts)
            self._span = min(first, entry.ts), max(last, entry.ts)
        self.open_passes += passed
        return passed

    def body(self) -> dict[str, object]:
        """The body of the gap entry."""
        first, last = self._span or ("", "")
        return {
            "lost": self.count,
            "why": _WHY,
            "open_passes": self.open_passes,
            "ops": dict(self._ops),
            "events": dict(self._events),
            "first": first,
            "last": last,
        }


_log: Final = logging.getLogger(__name__)
_OBSERVED_SECONDS: Final = 0.05

Deliver = Callable[[Reply], object]  # returns False if the client has gone


class Committer:
    """Holds answers until their entries are on disk; refuses calls that cannot be recorded."""

    def __init__(
        self,
        ledger: LedgerWriter,
        decider: DecisionService,
        loop: asyncio.AbstractEventLoop,
        give_up: Callable[[], None],
    ) -> None:
        self._ledger: Final = ledger
        self._decider: Final = decider
        self._loop: Final = loop
        self._give_up: Final = give_up  # ends the daemon; the next one reopens the database
        self._waiting: Final[list[tuple[PendingAnswer, Deliver]]] = []
        self._soon: asyncio.Handle | None = None
        self._later: asyncio.TimerHandle | None = None
        self._losses = Losses()  # for the next gap entry
        self.open_passes = 0  # calls that went on unrecorded

    @property
    def lost(self) -> int:
        """How many entries could not be written and are in no gap entry yet."""
        return self._losses.count

    def submit(self, answer: PendingAnswer, deliver: Deliver, *, in_turn: bool = False) -> None:
        """Answer an observed event now, and any other after the commit, which ends a turn."""
        if answer.durable:
            self._waiting.append((answer, deliver))
            if self._soon is None and not in_turn:
                # One turn of the loop later, so that all answers until then share one disk sync.
                self._soon = self._loop.call_soon(self.commit)
        else:
            self._deliver(answer, answer.reply, deliver)
            if self._later is None:
                self._later = self._loop.call_later(_OBSERVED_SECONDS, self.commit)

    def _deliver(self, answer: PendingAnswer, reply: Reply, deliver: Deliver) -> None:
        if deliver(reply) is False:
            self.note("undelivered", answer.about)

    def end_turn(self) -> None:
        """Commit the answers of this turn, and have the next one look at the policy's files again."""
        if self._waiting or self._ledger.joined:
            self.commit()
        else:
            self._decider.end_turn()

    def soon(self) -> None:
        """Commit in the next turn of the loop."""
        if self._soon is None:
            self._soon = self._loop.call_soon(self.commit)

    def note(self, op: str, body: dict[str, object]) -> None:
        """Record an entry that no answer waits for."""
        try:
            self._ledger.append(op, "system", "", body)
        except LedgerError as error:  # the body cannot be recorded; that it existed can be
            self._ledger.append(GAP, "system", "", {"lost": 1, "ops": {op: 1}, "why": repr(str(error))})
        if self._later is None:
            self._later = self._loop.call_later(_OBSERVED_SECONDS, self.commit)

    def commit(self) -> bool:
        """Write all pending entries and send the answers; False if writing failed."""
        for handle in (self._soon, self._later):
            if handle is not None:
                handle.cancel()
        self._soon = self._later = None
        self._decider.end_turn()
        waiting, self._waiting[:] = list(self._waiting), []
        if self._losses.count:
            self._ledger.append(GAP, "system", "", self._losses.body())
        pending = self._ledger.entries
        try:
            self._ledger.flush()
        except LedgerError as error:
            self._refuse(waiting, pending, error)
            return False
        if self._losses.count:
            _log.warning("recording again; %d entries were lost", self._losses.count)
            self._losses = Losses()
        for answer, deliver in waiting:
            if deliver(answer.reply) is False:  # not `_deliver`: this runs for every call
                self.note("undelivered", answer.about)
        return True

    def _refuse(
        self, waiting: list[tuple[PendingAnswer, Deliver]], pending: Sequence[Entry], error: LedgerError
    ) -> None:
        _log.error("%s", error)
        self.open_passes += self._losses.add(pending)
        for answer, deliver in waiting:
            self._decider.forget(answer)
            reply = answer.refusal(str(error).removeprefix("cannot record: "))
            if answer.host is not None and reply == Reply():
                self._losses.open_passes += 1
                self.open_passes += 1
            self._deliver(answer, reply, deliver)
        if error.reopen:
            self._give_up()
