"""What a feature says of itself: names only, so that nothing of it is imported before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.errors import PluginError

_PACKAGE: Final = "interlock.features"
_FOLDER: Final = Path(__file__).with_name("features")


class Feature(msgspec.Struct, frozen=True, kw_only=True):
    """One capability and where its parts are: each `module:name`, below the package of the feature.

    What each part is stands at the top of `interlock.features`.
    """

    name: str  # of ours also the name of its folder
    needs: tuple[str, ...] = ()  # other features it imports
    settings: tuple[str, ...] = ()  # its keys of a policy: `SettingsPart`
    hooks: Mapping[str, str] = {}  # the `type` of a hook it brings → its `Builtin`
    service: str | None = None  # the object that lives in the daemon
    commands: str | None = None  # a function that adds its commands to the command line
    waiting: str | None = None  # a function that tells what waits for a person
    shows: Mapping[str, str] = {}  # IDs, as a regular expression → a function that shows one of them
    doctor: str | None = None  # a function that checks whether it works here
    settle: str | None = None  # a function that answers an ask by the policy alone
    pages: tuple[str, ...] = ()  # pages of the dashboard, and parts of others' pages
    api: tuple[str, ...] = ()  # endpoints of the JSON API
    package: str = ""  # set for a feature of another distribution: the package of its entry point
    distribution: str = ""  # set as well: what it was installed with

    def load(self, address: str) -> Any:
        """Import one of its parts; raise PluginError where one of another distribution cannot be imported."""
        module, _, name = address.partition(":")
        if not self.package:
            return getattr(import_module(f"{_PACKAGE}.{self.name}.{module}"), name)
        try:
            return getattr(import_module(f"{self.package}.{module}"), name)
        except (Exception, SystemExit) as error:
            raise self._broken(address, "cannot be imported", error) from error

    def call(self, address: str, *arguments: Any) -> Any:
        """Call one of its parts; raise PluginError where one of another distribution fails."""
        part = self.load(address)
        if not self.package:
            return part(*arguments)
        try:
            return part(*arguments)
        except Exception as error:
            raise self._broken(address, "failed", error) from error

    @property
    def addresses(self) -> tuple[str, ...]:
        """All of its parts."""
        single = (self.service, self.commands, self.doctor, self.settle, self.waiting)
        several = (*self.settings, *self.hooks.values(), *self.shows.values(), *self.pages, *self.api)
        return (*(one for one in single if one is not None), *several)

    def _broken(self, address: str, how: str, error: BaseException) -> PluginError:
        return PluginError(
            f"`{address}` of the feature `{self.name}` of `{self.distribution}` {how} "
            f"({type(error).__name__}: {error}); fix or uninstall it"
        )

    @property
    def folder(self) -> Path:
        """Where its files are."""
        if self.package:
            return Path(str(import_module(self.package).__file__)).parent
        return _FOLDER / self.name


@cache
def own_features() -> Mapping[str, Feature]:
    """Ours, by name; one whose folder was deleted is none, nor is one that needs it."""
    if not _FOLDER.is_dir():
        return {}
    table: tuple[Feature, ...] = import_module(_PACKAGE).FEATURES
    found: dict[str, Feature] = {}
    for one in table:  # whatever is needed stands above whoever needs it
        if found.keys() >= set(one.needs) and (one.folder / "__init__.py").is_file():
            found[one.name] = one
    return found


_added: Final[dict[str, Feature]] = {}  # of other distributions, since a policy named them


def added_features() -> tuple[Feature, ...]:
    """Those of other distributions that a policy of this process names."""
    return tuple(_added.values())


def add_feature(feature: Feature) -> None:
    """Take in a feature of another distribution, for as long as this process lives."""
    _added[feature.name] = feature


def features() -> tuple[Feature, ...]:
    """Every feature there is: ours, then those a policy has named."""
    return (*own_features().values(), *_added.values())
