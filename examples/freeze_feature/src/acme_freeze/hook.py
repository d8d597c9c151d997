"""`acme.freeze`: denies the calls it matches while the freeze is on."""

from __future__ import annotations

from typing import Final

import msgspec

from acme_freeze.service import FreezeService
from acme_freeze.settings import FREEZE
from interlock.plugin import (
    NO_OPINION,
    Builtin,
    CallView,
    EventName,
    Handler,
    Making,
    OptionRule,
    Verdict,
    deny,
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """It has none: its matcher says which calls are meant."""


class FreezeRule(OptionRule):
    """Asks the service at each call."""

    kind = "acme.freeze"

    def __init__(self, options: Options, service: FreezeService | None, reason: str) -> None:
        super().__init__(options)
        self._service: Final = service
        self._reason: Final = reason

    def run(self, view: CallView, seconds: float) -> Verdict:
        """Deny while the freeze is on; outside of a daemon (`interlock hooks simulate`) there is none."""
        on = self._service is not None and self._service.is_on
        return deny(self._reason) if on else NO_OPINION


def make(options: Options, context: Making) -> Handler | None:
    """Called once for each entry of a policy."""
    return FreezeRule(options, context.services.find(FreezeService), FREEZE.get(context).reason)


BUILTIN: Final = Builtin(
    kind="acme.freeze",
    about="Denies what it matches while a code freeze is on.",
    options=Options,
    make=make,
    events=(EventName.PRE_TOOL_USE,),
    votes=True,
)
