"""Group commit: many decisions, one sync, then their answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from interlock.daemon.decider import Decider
from interlock.daemon.judgement import Judgement
from interlock.errors import LedgerError
from interlock.hosts.host import Reply
from interlock.ledger.writer import LedgerWriter

_log: Final = logging.getLogger(__name__)
_OBSERVED_SECONDS: Final = 0.05

Deliver = Callable[[Reply], object]  # gives False when nobody takes the answer


class Committer:
    """Holds answers until what they rest on is durable; what cannot be recorded is refused."""

    def __init__(
        self,
        ledger: LedgerWriter,
        decider: Decider,
        loop: asyncio.AbstractEventLoop,
        give_up: Callable[[], None],
    ) -> None:
        self._ledger: Final = ledger
        self._decider: Final = decider
        self._loop: Final = loop
        self._give_up: Final = give_up  # ends the daemon; the next call starts one on a sound database
        self._waiting: Final[list[tuple[Judgement, Deliver]]] = []
        self._soon: asyncio.Handle | None = None
        self._later: asyncio.TimerHandle | None = None
        self._lost = 0  # entries that could not be written, to be told in a gap entry

    def submit(self, judgement: Judgement, deliver: Deliver) -> None:
        """Answer now if the event is only observed, else after the commit."""
        if judgement.durable:
            self._waiting.append((judgement, deliver))
            if self._soon is None:
                # One turn of the loop later: whatever else has arrived by then shares the sync.
                self._soon = self._loop.call_soon(self.commit)
        else:
            self._deliver(judgement, judgement.reply, deliver)
            if self._later is None:
                self._later = self._loop.call_later(_OBSERVED_SECONDS, self.commit)

    def _deliver(self, judgement: Judgement, reply: Reply, deliver: Deliver) -> None:
        if deliver(reply) is False:
            self.note("undelivered", judgement.about)

    def end_turn(self) -> None:
        """Nothing more joins those that wait."""
        if self._waiting:
            self.commit()

    def note(self, op: str, body: dict[str, object]) -> None:
        """Record something that nobody waits for."""
        self._ledger.append(op, "system", "", body)
        if self._later is None:
            self._later = self._loop.call_later(_OBSERVED_SECONDS, self.commit)

    def commit(self) -> bool:
        """Write everything pending and let the answers go; False when it could not be written."""
        for handle in (self._soon, self._later):
            if handle is not None:
                handle.cancel()
        self._soon = self._later = None
        self._decider.end_turn()
        waiting, self._waiting[:] = list(self._waiting), []
        if self._lost:
            self._ledger.append(
                "gap", "system", "", {"lost": self._lost, "why": "the ledger could not be written"}
            )
        pending = self._ledger.pending
        try:
            self._ledger.flush()
        except LedgerError as error:
            self._refuse(waiting, pending, error)
            return False
        if self._lost:
            _log.warning("recording again; %d entries were lost", self._lost)
            self._lost = 0
        for judgement, deliver in waiting:
            self._deliver(judgement, judgement.reply, deliver)
        return True

    def _refuse(self, waiting: list[tuple[Judgement, Deliver]], pending: int, error: LedgerError) -> None:
        _log.error("cannot record: %s", error)
        self._lost += pending - (1 if self._lost else 0)
        for judgement, deliver in waiting:
            self._decider.forget(judgement)
            self._deliver(judgement, judgement.refusal, deliver)
        if error.reopen:
            self._give_up()
