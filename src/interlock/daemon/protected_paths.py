"""The paths of this daemon that self-protection guards."""

from __future__ import annotations

from pathlib import Path

from interlock.daemon.paths import Places
from interlock.hosts.host_notes import TIMEOUTS_FILE, read_waiting
from interlock.policy.locations import Locations
from interlock.policy.protected_paths import Guarded, guarded_at


def guarded_of(places: Places) -> Guarded:
    """All paths of this home, and the host settings that contain our entries."""
    locations = Locations(
        managed_config=places.managed_config,
        user_config=places.user_config,
        project_config=Path("/.interlock"),
        state=places.state,
        database=places.database,
        socket=places.socket,
        log=places.log,
    )
    settings = [path for files in read_waiting(places.state / TIMEOUTS_FILE).values() for path in files]
    return guarded_at(locations, {}, home=Path.home(), settings=settings)
