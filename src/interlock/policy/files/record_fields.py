"""What a record type expects of a document, told one record at a time.

`msgspec.inspect.type_info` tells a type at once with all records inside it; a policy uses few of them, and
looking at the rest was a tenth of the daemon's start.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType, inspect, structs

_CONSTRAINTS: Final = ("gt", "ge", "lt", "le", "min_length", "max_length")
_PLAIN: Final[dict[Any, type[inspect.Type]]] = {
    str: inspect.StrType,
    int: inspect.IntType,
    float: inspect.FloatType,
    bool: inspect.BoolType,
    Any: inspect.AnyType,
}


@cache
def record_type(record: type[msgspec.Struct]) -> inspect.StructType:
    """A record without its fields: by its tag it is told from others before anybody asks for them."""
    config = record.__struct_config__
    return inspect.StructType(record, (), tag_field=config.tag_field, tag=config.tag)


@cache
def fields_of(record: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    """The fields of one record, those of the records within it not looked at."""
    return tuple(
        inspect.Field(
            name=field.name,
            encode_name=field.encode_name,
            type=_expected(field.type),
            required=field.required,
        )
        for field in structs.fields(record)
    )


def _expected(annotation: Any) -> inspect.Type:
    """The type an annotation stands for; with words of its own as `Metadata`."""
    if get_origin(annotation) is not Annotated:
        return _bare(annotation, {})
    inner, *notes = get_args(annotation)
    metas = [note for note in notes if isinstance(note, msgspec.Meta)]
    bounds = {
        name: bound for meta in metas for name in _CONSTRAINTS if (bound := getattr(meta, name)) is not None
    }
    extra = {key: value for meta in metas for key, value in (meta.extra or {}).items()}
    found = _bare(inner, bounds)
    return inspect.Metadata(found, extra=extra) if extra else found


def _bare(annotation: Any, bounds: dict[str, Any]) -> inspect.Type:
    origin, inner = get_origin(annotation), get_args(annotation)
    if (plain := _PLAIN.get(annotation)) is not None:
        return plain(**bounds)
    if origin in {Union, UnionType}:
        types = tuple(_expected(one) for one in inner if one is not UnsetType)
        return types[0] if len(types) == 1 else inspect.UnionType(types)
    if origin is list:
        return inspect.ListType(_expected(inner[0]), **bounds)
    if origin is dict:
        return inspect.DictType(_expected(inner[0]), _expected(inner[1]), **bounds)
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return record_type(annotation)
    return inspect.type_info(Annotated[annotation, msgspec.Meta(**bounds)] if bounds else annotation)
