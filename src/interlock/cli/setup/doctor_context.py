"""What a check of the doctor may ask for."""

from __future__ import annotations

import msgspec

from interlock.daemon.paths import Places
from interlock.hosts.claude_code.settings import SettingsPlaces
from interlock.hosts.launching import Installation


class DoctorContext(msgspec.Struct, frozen=True, kw_only=True):
    """The installation that is looked at; a feature's `doctor=` is a function of it."""

    places: Places
    settings: SettingsPlaces
    installed: Installation
