"""What a feature says of itself: names only, so that nothing of it is imported before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

_FOLDER: Final = Path(__file__).with_name("features")


class Feature(msgspec.Struct, frozen=True, kw_only=True):
    """One capability and where its parts are: each `module:name`, below the folder of the feature."""

    name: str  # also the name of its folder
    needs: tuple[str, ...] = ()  # other features it imports
    settings: tuple[str, ...] = ()  # its keys of a policy: `SettingsPart`
    hooks: Mapping[str, str] = {}  # the `type` of a hook it brings → its `Builtin`
    service: str | None = None  # the object that lives in the daemon
    commands: str | None = None  # a function that adds its commands to the command line
    doctor: str | None = None  # a function that checks whether it works here
    settle: str | None = None  # a function that answers an ask by the policy alone
    pages: tuple[str, ...] = ()  # pages of the dashboard, and parts of others' pages
    api: tuple[str, ...] = ()  # endpoints of the JSON API

    def load(self, place: str) -> Any:
        """Import one of its parts."""
        module, _, name = place.partition(":")
        return getattr(import_module(f"interlock.features.{self.name}.{module}"), name)


@cache
def features() -> tuple[Feature, ...]:
    """Every feature that is here; one whose folder was deleted is none, nor is one that needs it."""
    if not _FOLDER.is_dir():
        return ()
    table: tuple[Feature, ...] = import_module("interlock.features").FEATURES
    found: dict[str, Feature] = {}
    for one in table:  # whatever is needed stands above whoever needs it
        if found.keys() >= set(one.needs) and (_FOLDER / one.name / "__init__.py").is_file():
            found[one.name] = one
    return tuple(found.values())
