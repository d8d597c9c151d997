"""Every kind of hook a policy may name: of the kernel, the families, the features and plugins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from interlock.feature import features
from interlock.policy.hook_kind import Builtin
from interlock.policy.plugins import plugin_named

CATALOG = "interlock.builtin_hooks.catalog"  # above us, so that it is looked up and not imported


@cache
def own_kinds() -> Mapping[str, str]:
    """The `type` of every kind we bring, and where its `Builtin` is; nothing of it is imported yet."""
    catalog = import_module(CATALOG)
    of_features = {
        kind: f"features.{feature.name}.{place}"
        for feature in features()
        for kind, place in feature.hooks.items()
    }
    known: dict[str, str] = {**catalog.KINDS, **of_features}
    first = [kind for kind in catalog.BASIC if kind in known]  # named first to whoever wrote none of them
    return {kind: known[kind] for kind in dict.fromkeys((*first, *known))}


def basic_kinds() -> tuple[str, ...]:
    """The kinds that are explained with the format itself."""
    return tuple(kind for kind in import_module(CATALOG).BASIC if kind in own_kinds())


def ours(kind: str) -> Builtin:
    """One of ours; raise KeyError when there is none."""
    found: Builtin = load_address(own_kinds()[kind])
    return found


def builtin_named(kind: str) -> Builtin | None:
    """The hook of a kind, ours or a plugin's; raise PluginError when a plugin cannot be used.

    Installed plugins are looked for only when the name is none of ours: the search takes a while.
    """
    return ours(kind) if kind in own_kinds() else plugin_named(kind)


def load_address(address: str) -> Any:
    """Import what stands at `module:name`, below our own package."""
    module, _, name = address.partition(":")
    return getattr(import_module(f"interlock.{module}"), name)
