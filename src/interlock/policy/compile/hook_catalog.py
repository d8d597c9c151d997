"""Every kind of hook a policy may name, with what it is for."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.builtin_hooks.catalog import SHIPPED, ours
from interlock.builtin_hooks.plugins import Plugin, loaded, plugins
from interlock.errors import PluginError
from interlock.events.names import snake_case
from interlock.policy.compile.builtin_hooks import BuiltinHook, entry_record
from interlock.policy.format.genesis_key import AnyHook
from interlock.policy.format.option_table import OptionRow, option_rows

OURS = "interlock"


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of hook."""

    type: str
    about: str
    origin: str  # the distribution it comes with
    problem: str | None = None  # why it cannot be used


def basic_records() -> dict[str, type[msgspec.Struct]]:
    """The kinds that are part of the policy format itself, by name."""
    records = (record for record in AnyHook.__args__ if record is not BuiltinHook)
    return {str(record.__struct_config__.tag): record for record in records}


def kinds() -> list[Kind]:
    """All of them by name; a plugin that cannot be used is among them, with the reason."""
    basic = [
        Kind(type=name, about=str(record.__doc__), origin=OURS) for name, record in basic_records().items()
    ]
    shipped = [Kind(type=name, about=about, origin=OURS) for name, about in SHIPPED.items()]
    return sorted([*basic, *shipped, *plugin_kinds()], key=lambda kind: kind.type)


def plugin_kinds() -> Iterator[Kind]:
    """What installed distributions offer; each is imported to hear what it is for."""
    found = plugins()
    names = [one.kind for one in found]
    for plugin in found:
        about, problem = "", _clash(plugin, names)
        if problem is None:
            try:
                about = loaded(plugin).about
                entry_record(plugin.kind)
            except PluginError as error:
                problem = str(error)
        yield Kind(type=plugin.kind, about=about, origin=plugin.distribution, problem=problem)


def _clash(plugin: Plugin, names: list[str]) -> str | None:
    if plugin.kind in SHIPPED or plugin.kind in basic_records():
        return f"{plugin.shown} offers `{plugin.kind}`, which is one of our own types; it is not used"
    if names.count(plugin.kind) > 1:
        return f"the hook `{plugin.kind}` is offered by several distributions; uninstall all but one"
    return None


def options_of(kind: str) -> list[OptionRow] | None:
    """What may stand under `config`; None when there is no such kind."""
    record = basic_records().get(kind) or entry_record(kind)
    if record is None:
        return None
    options = next((one.type for one in msgspec.structs.fields(record) if one.name == "config"), None)
    return option_rows(options) if options else []


def places_of_kind(kind: str) -> list[str]:
    """The moments an entry of this kind may stand at; none: any."""
    builtin = ours(kind) if kind in SHIPPED else getattr(entry_record(kind), "builtin", None)
    return [snake_case(event) for event in builtin.events] if builtin else []
