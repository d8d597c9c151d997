"""What sessions did, for hooks that report on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.features.session_reports.api import Flows
from interlock.features.session_reports.summary import FlowsInLedger

FOLDER: Final = "flow-reports"  # in the state folder


class SessionReports:
    """Reads the ledger when a hook asks."""

    def __init__(self, context: DaemonContext) -> None:
        self._flows: Final = FlowsInLedger(context.places.database, context.places.state / FOLDER)

    def hook_services(self) -> Mapping[type[Any], object]:
        """What sessions did."""
        return {Flows: self._flows}
