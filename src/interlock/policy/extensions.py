"""What plugs into policies: the settings of the kernel, of the built-in hooks and of the features."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, cast

import msgspec

from interlock.feature import features
from interlock.policy.format.genesis_key import GenesisKey, Settings
from interlock.policy.hook_kinds import CATALOG, load_address
from interlock.policy.settings.installed import FEATURES, PACKS
from interlock.policy.settings.ledger import CHECKPOINTS, REDACTION, RETENTION
from interlock.policy.settings.people import ACTORS, PEOPLE
from interlock.policy.settings_part import SettingsPart


@cache
def settings_parts() -> tuple[SettingsPart[Any, Any], ...]:
    """Every key that can be set, by name."""
    families = [load_address(address) for address in import_module(CATALOG).SETTINGS]
    of_features = [feature.load(place) for feature in features() for place in feature.settings]
    parts = (ACTORS, CHECKPOINTS, FEATURES, PACKS, PEOPLE, REDACTION, RETENTION, *families, *of_features)
    return tuple(sorted(parts, key=lambda part: part.key))


def find_part(key: str) -> SettingsPart[Any, Any]:
    """The part that stands under a key; raise KeyError when its feature is not here."""
    return {part.key: part for part in settings_parts()}[key]


@cache
def genesis_key() -> type[GenesisKey]:
    """The record of a genesis key with all its settings and sections."""
    settings = msgspec.defstruct(
        "Settings",
        [_field(part) for part in settings_parts() if not part.section],
        bases=(Settings,),
        namespace={"__doc__": "What applies to all hooks."},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    made = msgspec.defstruct(
        "GenesisKey",
        [("settings", settings, settings()), *(_field(part) for part in settings_parts() if part.section)],
        bases=(GenesisKey,),
        namespace={"__doc__": GenesisKey.__doc__},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return cast("type[GenesisKey]", made)


def _field(part: SettingsPart[Any, Any]) -> tuple[str, Any, Any]:
    return (part.key, part.shape or type(part.default), part.default)
