"""Every kind of hook a policy may name, with what it is for."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.errors import PluginError
from interlock.events.names import snake_case
from interlock.policy.format.kind_entry import entry_record
from interlock.policy.format.option_table import OptionRow, option_rows
from interlock.policy.hook_kinds import added_kinds, ours, own_kinds
from interlock.policy.plugins import Plugin, plugins

OURS = "interlock"


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of hook."""

    type: str
    about: str
    origin: str  # the distribution it comes with
    problem: str | None = None  # why it cannot be used


def kinds() -> list[Kind]:
    """All of them by name; a plugin that cannot be used is among them, with the reason."""
    known = [Kind(type=kind, about=ours(kind).about, origin=OURS) for kind in own_kinds()]
    added = [_kind(kind, feature.distribution) for kind, feature in added_kinds().items()]
    return sorted([*known, *added, *plugin_kinds()], key=lambda kind: kind.type)


def plugin_kinds() -> Iterator[Kind]:
    """What installed distributions offer; each is imported to hear what it is for."""
    found = plugins()
    names = [one.name for one in found]
    for plugin in found:
        yield _kind(plugin.name, plugin.distribution, _clash(plugin, names))


def _kind(name: str, origin: str, problem: str | None = None) -> Kind:
    about = ""
    if problem is None:
        try:
            record = entry_record(name)
            about = record.builtin.about if record else ""
        except PluginError as error:
            problem = str(error)
    return Kind(type=name, about=about, origin=origin, problem=problem)


def _clash(plugin: Plugin, names: list[str]) -> str | None:
    if plugin.name in own_kinds():
        return f"{plugin.origin} offers `{plugin.name}`, which is one of our own types; it is not used"
    if names.count(plugin.name) > 1:
        return f"the hook `{plugin.name}` is offered by several distributions; uninstall all but one"
    return None


def options_of(kind: str) -> list[OptionRow] | None:
    """What may stand under `config`; None when there is no such kind."""
    record = entry_record(kind)
    return None if record is None else option_rows(record.builtin.options)


def places_of_kind(kind: str) -> list[str]:
    """The moments an entry of this kind may stand at; none: any."""
    record = entry_record(kind)
    return [snake_case(event) for event in record.builtin.events] if record else []
