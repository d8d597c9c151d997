"""Features of other distributions: in use once `settings.features` of a managed or user policy names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from interlock.errors import ConfigError, PluginError
from interlock.feature import Feature, add_feature, added_features, features, own_features
from interlock.policy.extensions import genesis_key, settings_parts
from interlock.policy.files import document
from interlock.policy.files.document import Document
from interlock.policy.files.read import FileKind, document_of, read_bytes
from interlock.policy.hook_kinds import added_kinds, own_kinds
from interlock.policy.plugins import load_feature
from interlock.policy.settings.installed import FEATURES
from interlock.policy.settings_part import SettingsPart

_refused: Final[dict[str, str]] = {}  # those that were found to be broken after they had been added


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

    What is wrong with them is told by whoever loads the policy.
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


def _named_in(document: Document) -> Iterator[tuple[document.Path, str]]:
    found = document.root
    for key in FEATURES.path:
        if not isinstance(found.value, dict) or key not in found.value:
            return
        found = found.value[key]
    for index, one in enumerate(found.value if isinstance(found.value, list) else ()):
        if isinstance(one.value, str):
            yield (*FEATURES.path, index), one.value


def _use(name: str) -> None:
    if name in own_features():
        raise PluginError(f"`{name}` is part of Interlock and always there; remove it from this list")
    if name in _refused:
        raise PluginError(_refused[name])
    if any(one.name == name for one in added_features()):
        return
    feature = load_feature(name)
    _check(feature)
    add_feature(feature)
    settings_parts.cache_clear()
    genesis_key.cache_clear()


def _check(feature: Feature) -> None:
    """Refuse one that needs what is not there, or brings what exists already."""
    about = f"the feature `{feature.name}` of `{feature.distribution}`"
    known = {one.name for one in features()}
    for need in feature.needs:
        if need not in known:
            raise PluginError(f"{about} needs the feature `{need}`; name `{need}` before it in this list")
    keys = {part.key for part in settings_parts()}
    for address in feature.settings:
        part = feature.load(address)
        if not isinstance(part, SettingsPart):
            raise PluginError(f"`{address}` of {about} is not a `SettingsPart`; report this to its author")
        if part.key in keys:
            raise PluginError(f"{about} defines the setting `{part.key}`, which already exists; uninstall it")
    for kind in feature.hooks:
        if kind in own_kinds() or kind in added_kinds():
            raise PluginError(f"{about} defines the hook `{kind}`, which already exists; uninstall it")
