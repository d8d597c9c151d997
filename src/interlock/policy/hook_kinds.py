"""Every kind of hook a policy may name: of the kernel, the families, the features and plugins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from interlock.events.hook import Hook
from interlock.feature import Feature, added_features, own_features
from interlock.policy.hook_kind import Builtin
from interlock.policy.plugins import check_builtin, find_plugin
from interlock.policy.protected_paths import Guarded

CATALOG = "interlock.builtin_hooks.catalog"  # above us, so that it is looked up and not imported


@cache
def own_kinds() -> Mapping[str, str]:
    """The `type` of every kind we bring, and where its `Builtin` is; nothing of it is imported yet."""
    catalog = import_module(CATALOG)
    of_features = {
        kind: f"features.{feature.name}.{place}"
        for feature in own_features().values()
        for kind, place in feature.hooks.items()
    }
    places: dict[str, str] = {**catalog.KINDS, **of_features}
    first = [kind for kind in catalog.BASIC if kind in places]  # suggested first where the type is missing
    return {kind: places[kind] for kind in dict.fromkeys((*first, *places))}


def ours(kind: str) -> Builtin:
    """One of ours; raise KeyError when there is none."""
    found: Builtin = load_address(own_kinds()[kind])
    return found


def find_builtin(kind: str) -> Builtin | None:
    """The hook of a kind, ours or another distribution's; raise PluginError when it cannot be used.

    Installed plugins are looked for only when nobody else knows the name: the search takes a while.
    """
    if kind in own_kinds():
        return ours(kind)
    if (feature := added_kinds().get(kind)) is None:
        return find_plugin(kind)
    address = feature.hooks[kind]
    return check_builtin(feature.load(address), kind, address, f"`{feature.distribution}`")


def hooks_that_always_stand(guarded: Guarded) -> list[Hook]:
    """The hooks of every policy, which no file contains; they know what an agent may not change."""
    return [load_address(address)(guarded) for address in import_module(CATALOG).ALWAYS]


def added_kinds() -> dict[str, Feature]:
    """The `type` of every hook that comes with a feature of another distribution."""
    return {kind: feature for feature in added_features() for kind in feature.hooks}


def load_address(address: str) -> Any:
    """Import `module:name` from our own package."""
    module, _, name = address.partition(":")
    return getattr(import_module(f"interlock.{module}"), name)
