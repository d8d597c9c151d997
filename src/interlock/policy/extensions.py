"""What plugs into policies: the settings of the kernel, of the built-in hooks and of the features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from interlock.errors import ConfigError, PluginError
from interlock.feature import Feature, add_feature, added_features, features, own_features
from interlock.policy.files.document import Document
from interlock.policy.files.document import Path as Where
from interlock.policy.files.read import FileKind, document_of, read_bytes
from interlock.policy.format.genesis_key import GenesisKey, Settings
from interlock.policy.hook_kinds import CATALOG, added_kinds, load_address, own_kinds
from interlock.policy.plugins import load_feature
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
    """The part with this key; raise KeyError if its feature is missing."""
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
    record = msgspec.defstruct(
        "GenesisKey",
        [("settings", settings, settings()), *(_field(part) for part in settings_parts() if part.section)],
        bases=(GenesisKey,),
        namespace={"__doc__": GenesisKey.__doc__},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return cast("type[GenesisKey]", record)


def _field(part: SettingsPart[Any, Any]) -> tuple[str, Any, Any]:
    return (part.key, part.shape or type(part.default), part.default)


_refused: Final[dict[str, str]] = {}  # feature → why it is refused: it failed after it had been added


def use_features(document: Document) -> None:
    """Add the features a policy names; raise ConfigError for each that cannot be used.

    It comes before the policy is checked, since they decide which keys and types there are.
    """
    problems = []
    for path, name in _named_in(document):
        try:
            _use(name)
        except PluginError as error:
            problems.append(document.problem(path, str(error)))
    if problems:
        raise ConfigError(tuple(problems))


def use_features_of(folders: Iterable[Path]) -> tuple[str, ...]:
    """Add those that the policies of some folders name, and give their names.

    Whoever loads the policy reports what is wrong with them.
    """
    names: list[str] = []
    for folder in folders:
        path = folder / FileKind.GENESIS
        with suppress(ConfigError):
            content = read_bytes(path)
            if FEATURES.key.encode() in content:  # most policies name none, and need not be parsed for it
                document = document_of(content, path, FileKind.GENESIS)
                names += [name for _, name in _named_in(document)]
                use_features(document)
    return tuple(dict.fromkeys(names))


def refuse_feature(name: str, reason: str) -> None:
    """Load no policy any more that names this feature: a part of it does not work."""
    _refused[name] = reason


def _named_in(document: Document) -> Iterator[tuple[Where, str]]:
    node = document.root
    for key in FEATURES.path:
        if not isinstance(node.value, dict) or key not in node.value:
            return
        node = node.value[key]
    for index, name in enumerate(node.value if isinstance(node.value, list) else ()):
        if isinstance(name.value, str):
            yield (*FEATURES.path, index), name.value


def _use(name: str) -> None:
    if name in own_features():
        raise PluginError(f"`{name}` is part of Interlock and always there; remove it from this list")
    if name in _refused:
        raise PluginError(_refused[name])
    if any(feature.name == name for feature in added_features()):
        return
    feature = load_feature(name)
    _check(feature)
    add_feature(feature)
    settings_parts.cache_clear()
    genesis_key.cache_clear()


def _check(feature: Feature) -> None:
    """Refuse a feature that needs a missing one, or that defines something a second time."""
    label = f"the feature `{feature.name}` of `{feature.distribution}`"
    names = {other.name for other in features()}
    for need in feature.needs:
        if need not in names:
            raise PluginError(f"{label} needs the feature `{need}`; name `{need}` before it in this list")
    keys = {part.key for part in settings_parts()}
    for address in feature.settings:
        part = feature.load(address)
        if not isinstance(part, SettingsPart):
            raise PluginError(f"`{address}` of {label} is not a `SettingsPart`; report this to its author")
        if part.key in keys:
            raise PluginError(f"{label} defines the setting `{part.key}`, which already exists; uninstall it")
    for kind in feature.hooks:
        if kind in own_kinds() or kind in added_kinds():
            raise PluginError(f"{label} defines the hook `{kind}`, which already exists; uninstall it")
