"""What the doctor looks at of the team ledger: is it named, can it be used, and do entries arrive?"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.cli.setup.doctor_context import DoctorContext
from interlock.daemon.launcher import status
from interlock.errors import InterlockError
from interlock.features.team_ledger.cli_show import own_team_ledger
from interlock.features.team_ledger.postgres.connect import INSTALL, installed
from interlock.hosts.host import Check, fail, ok, warn

_WHAT = "team ledger"
_SEE = "interlock ledger team status"


def checks(context: DoctorContext) -> Iterator[Check]:
    """Nothing where no team ledger is named: most people have one machine."""
    try:
        fleet = own_team_ledger()
    except InterlockError:
        return  # the check of the policy says so
    if fleet is None:
        return
    if not installed():
        yield fail(_WHAT, "the Postgres driver is not installed", f"{INSTALL} && interlock daemon restart")
        return
    found = status(context.places)
    shipping = found.get("team_ledger") if found else None
    if shipping is None:
        yield warn(_WHAT, f"the daemon has not started to send entries to {fleet.place}", _SEE)
    elif shipping["state"] == "stopped":
        yield fail(_WHAT, shipping["summary"], _SEE)
    elif shipping["state"] == "trouble":
        yield warn(_WHAT, shipping["summary"], _SEE)
    else:
        yield ok(_WHAT, shipping["summary"])
