"""Hooks and features of other distributions, by their entry points.

A hook is imported when a policy names its type, a feature when `settings.features` of a managed or user
policy names it. Nothing is looked for before.
"""

from __future__ import annotations

import site
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from interlock.errors import PluginError
from interlock.feature import Feature
from interlock.policy.hook_kind import Builtin

HOOKS: Final = "interlock.hooks"
FEATURES: Final = "interlock.features"


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry point offers; nothing of it is imported yet."""

    name: str  # of a hook its type
    distribution: str
    version: str
    target: str  # `module:attribute`
    entry: Any  # the entry point, which can load it

    @property
    def origin(self) -> str:
        """The distribution it comes with."""
        return f"`{self.distribution}` {self.version}"


def site_folders() -> list[str]:
    """Where distributions are installed; nothing else on the path, least of all the folder one is in."""
    folders = site.getsitepackages()
    return [*folders, site.getusersitepackages()] if site.ENABLE_USER_SITE else folders


def plugins(folders: Sequence[str] | None = None, *, group: str = HOOKS) -> list[Plugin]:
    """All there are, in the order of their names; the same distribution in two folders counts once."""
    from importlib.metadata import distributions

    found: dict[tuple[str, str], Plugin] = {}
    for distribution in distributions(path=list(site_folders() if folders is None else folders)):
        for entry in distribution.entry_points.select(group=group):
            plugin = Plugin(
                name=entry.name,
                distribution=distribution.metadata["Name"],
                version=distribution.version,
                target=entry.value,
                entry=entry,
            )
            found.setdefault((plugin.name, plugin.distribution), plugin)
    return [found[key] for key in sorted(found)]


def find_plugin(kind: str, folders: Sequence[str] | None = None) -> Builtin | None:
    """The hook a plugin offers under a name; None when there is none."""
    plugin = _only_one("hook", kind, plugins(folders))
    return loaded(plugin) if plugin else None


def loaded(plugin: Plugin) -> Builtin:
    """Import a plugin; raise PluginError with what is wrong with it."""
    return check_builtin(_imported("hook", plugin), plugin.name, plugin.target, plugin.origin)


def load_feature(name: str) -> Feature:
    """The feature an installed distribution brings; raise PluginError when it cannot be used."""
    plugin = _only_one("feature", name, plugins(group=FEATURES))
    if plugin is None:
        raise PluginError(
            f"no feature `{name}` is installed; install the distribution that brings it where Interlock is "
            "installed and run `interlock daemon restart`, or remove it from this list"
        )
    found = _imported("feature", plugin)
    if not isinstance(found, Feature):
        raise PluginError(
            f"`{plugin.target}` of {plugin.origin} is not a `Feature`; point its entry point `{name}` at one"
        )
    _check_name(found.name, plugin.name, "feature", plugin.origin)
    return msgspec.structs.replace(found, package=plugin.entry.module, distribution=plugin.distribution)


def check_builtin(found: object, kind: str, target: str, origin: str) -> Builtin:
    """What was found under a `type`, if it is a hook of that type; raise PluginError otherwise."""
    if not isinstance(found, Builtin):
        raise PluginError(f"`{target}` of {origin} is not a `Builtin`; point its entry point `{kind}` at one")
    _check_name(found.kind, kind, "hook", origin)
    return found


def _check_name(own: str, offered: str, what: str, origin: str) -> None:
    if own != offered:
        raise PluginError(
            f"{origin} offers `{offered}`, but its {what} calls itself `{own}`; give both the same name"
        )


def _only_one(what: str, name: str, found: Sequence[Plugin]) -> Plugin | None:
    offers = [plugin for plugin in found if plugin.name == name]
    if len(offers) > 1:
        names = " and ".join(plugin.origin for plugin in offers)
        raise PluginError(f"the {what} `{name}` is offered by {names}; uninstall one of them")
    return offers[0] if offers else None


def _imported(what: str, plugin: Plugin) -> Any:
    try:
        return plugin.entry.load()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"the {what} `{plugin.name}` of {plugin.origin} cannot be imported "
            f"({type(error).__name__}: {error}); fix or uninstall it"
        ) from error
