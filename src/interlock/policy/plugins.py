"""Hooks that other distributions add, by entry points of the group `interlock.hooks`."""

from __future__ import annotations

import site
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from interlock.errors import PluginError
from interlock.policy.hook_kind import Builtin

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "interlock.hooks"


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """One hook an installed distribution offers; nothing of it is imported yet."""

    kind: str
    distribution: str
    version: str
    target: str  # `module:attribute`
    entry: Any  # the entry point, which can load it

    @property
    def shown(self) -> str:
        """The distribution it comes with."""
        return f"`{self.distribution}` {self.version}"


def site_folders() -> list[str]:
    """Where distributions are installed; nothing else on the path, least of all the folder one is in."""
    folders = site.getsitepackages()
    return [*folders, site.getusersitepackages()] if site.ENABLE_USER_SITE else folders


def plugins(folders: Sequence[str] | None = None) -> list[Plugin]:
    """All there are, in the order of their names; the same distribution in two folders counts once."""
    from importlib.metadata import distributions  # noqa: PLC0415 - slow, and most policies name no plugin

    found: dict[tuple[str, str], Plugin] = {}
    for distribution in distributions(path=list(site_folders() if folders is None else folders)):
        entries = [one for one in distribution.entry_points if one.group == GROUP]
        for entry in entries:
            name = distribution.metadata["Name"]
            found.setdefault((entry.name, name), _plugin(entry, name, distribution.version))
    return [found[key] for key in sorted(found)]


def _plugin(entry: EntryPoint, distribution: str, version: str) -> Plugin:
    return Plugin(
        kind=entry.name, distribution=distribution, version=version, target=entry.value, entry=entry
    )


def plugin_named(kind: str, folders: Sequence[str] | None = None) -> Builtin | None:
    """The hook a plugin offers under a name; None when there is none."""
    offers = [one for one in plugins(folders) if one.kind == kind]
    if len(offers) > 1:
        names = " and ".join(one.shown for one in offers)
        raise PluginError(f"the hook `{kind}` is offered by {names}; uninstall one of them")
    return loaded(offers[0]) if offers else None


def loaded(plugin: Plugin) -> Builtin:
    """Import a plugin; raise PluginError with what is wrong with it."""
    try:
        found = plugin.entry.load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        message = (
            f"the hook `{plugin.kind}` of {plugin.shown} cannot be imported ({why}); mend or uninstall it"
        )
        raise PluginError(message) from error
    if not isinstance(found, Builtin):
        raise PluginError(
            f"`{plugin.target}` of {plugin.shown} is no `Builtin`; "
            f"point its entry point `{plugin.kind}` at one"
        )
    if found.kind != plugin.kind:
        raise PluginError(
            f"{plugin.shown} offers `{plugin.kind}`, but its hook calls itself `{found.kind}`; "
            "give both the same name"
        )
    return found
