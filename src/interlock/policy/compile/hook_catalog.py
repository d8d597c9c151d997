"""Every kind of hook a policy may name, with what it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.errors import PluginError
from interlock.events.names import snake_case
from interlock.policy.format.kind_entry import entry_record
from interlock.policy.hook_kinds import added_kinds, ours, own_kinds
from interlock.policy.plugins import Plugin, plugins

_PLAIN: Final[dict[Any, str]] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Any: "anything",
    type(None): "nothing",
}
_PLURAL: Final = re.compile(r"(text|number)$")


class OptionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One option."""

    name: str
    type: str
    default: str | None  # as it would be written; None: there is none
    required: bool
    about: str


def option_rows(options: type[msgspec.Struct]) -> list[OptionRow]:
    """Every option, in the order of the record."""
    return [
        OptionRow(
            name=field.encode_name,
            type=_type(field.type),
            default=_default(field),
            required=field.required,
            about=_about(field.type),
        )
        for field in msgspec.structs.fields(options)
    ]


def _default(field: msgspec.structs.FieldInfo) -> str | None:
    value = field.default if field.default is not msgspec.NODEFAULT else None
    if field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
    if value is None or value is UNSET:
        return None
    return msgspec.json.encode(value).decode()


def _about(annotation: Any) -> str:
    """The first description among the parts of an annotation."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        texts = (note.description for note in notes if isinstance(note, Meta) and note.description)
        return next(texts, "") or _about(inner)
    if get_origin(annotation) in {Union, UnionType}:
        return next(filter(None, map(_about, get_args(annotation))), "")
    return ""


def _type(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if origin in {Union, UnionType}:
        arms = [arm for arm in inner if arm not in {UnsetType, type(None)}]
        return " or ".join(dict.fromkeys(map(_type, arms)))
    if origin in {list, tuple}:
        return f"list of {_several(inner[0])}"
    return f"mapping to {_several(inner[1])}" if origin is dict else _words(annotation)


def _words(annotation: Any) -> str:
    """A choice of words, or a mapping whose keys are known."""
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(annotation))
    if issubclass(annotation, Enum):
        return " or ".join(f"`{member.value}`" for member in annotation)
    return "mapping of " + ", ".join(f"`{field.encode_name}`" for field in msgspec.structs.fields(annotation))


def _several(annotation: Any) -> str:
    return _PLURAL.sub(r"\1s", _type(annotation)).replace("mapping of", "mappings of")


OURS = "interlock"


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of hook."""

    type: str
    about: str
    origin: str  # the distribution it comes with
    problem: str | None = None  # why it cannot be used


def kinds() -> list[Kind]:
    """All of them by name; a plugin that cannot be used is among them, with the reason."""
    own = [Kind(type=kind, about=ours(kind).about, origin=OURS) for kind in own_kinds()]
    added = [_kind(kind, feature.distribution) for kind, feature in added_kinds().items()]
    return sorted([*own, *added, *plugin_kinds()], key=lambda kind: kind.type)


def plugin_kinds() -> Iterator[Kind]:
    """What installed distributions offer; each is imported to read what it is for."""
    installed = plugins()
    names = [plugin.name for plugin in installed]
    for plugin in installed:
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
        return f"{plugin.origin} offers `{plugin.name}`, which is a built-in type; it is not used"
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
