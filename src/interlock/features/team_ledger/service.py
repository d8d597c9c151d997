"""Shipping to the team's ledger, in the daemon."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.features.team_ledger.settings import TEAM_LEDGER
from interlock.features.team_ledger.shipper_process import ShipperProcess
from interlock.ledger.ends import read_base


class TeamLedgerService:
    """Runs the process that ships, for as long as the policy names a team's ledger."""

    def __init__(self, context: DaemonContext) -> None:
        self._process: Final = ShipperProcess(
            context.places,
            settings=lambda: TEAM_LEDGER.of(context.policies.for_folder("")),
            head=lambda: context.ledger.head.seq,
            note=context.committer.note,
            ledger=lambda: read_base(context.connection).ledger,
        )

    def shipped(self) -> int | None:
        """The last entry the team is known to have; None without a team: then nothing is kept for it."""
        return self._process.shipped()

    def status(self) -> Mapping[str, object]:
        """How it stands."""
        return {"team_ledger": self._process.status()}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """The process."""
        return (self._process.watch(),)
