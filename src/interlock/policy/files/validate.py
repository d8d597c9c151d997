"""Checks a document against a record type and builds the record, or names every mistake with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, TypeAlias, TypeVar, Union, cast, get_args, get_origin

import msgspec
from msgspec import UnsetType, inspect, structs

from interlock.errors import ConfigError, InterlockError, Problem
from interlock.events.tool import JsonObject
from interlock.policy.files.document import MAX_PROBLEMS, Document, Node, Path
from interlock.policy.files.words import hint, near_miss

_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]+)?")
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
    """A record without its fields: its tag identifies it, and the fields are only read when needed."""
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
    """The type of an annotation; a `Metadata` if it brings messages of its own."""
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
        types = tuple(_expected(arm) for arm in inner if arm is not UnsetType)
        return types[0] if len(types) == 1 else inspect.UnionType(types)
    if origin is list:
        return inspect.ListType(_expected(inner[0]), **bounds)
    if origin is dict:
        return inspect.DictType(_expected(inner[0]), _expected(inner[1]), **bounds)
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return record_type(annotation)
    return inspect.type_info(Annotated[annotation, msgspec.Meta(**bounds)] if bounds else annotation)


Record = TypeVar("Record", bound=msgspec.Struct)

_WRONG: Final = object()  # in place of a value with a mistake


Keep: TypeAlias = Callable[[Path], None]  # gets each key that only another system reads

# These sections are always ours: an unknown key in them is a mistake, even in a file that others read too.
_OURS: Final = frozenset({"hooks", "settings"})


def build_record(document: Document, record: type[Record], keep: Keep | None = None) -> Record:
    """Build the record a document describes; raise ConfigError with all its mistakes.

    With `keep`, keys of other systems are not mistakes unless they look like one of ours.
    """
    walk = _Walk(document, keep)
    value = walk.value(document.root, record_type(record), ())
    if walk.problems:
        raise ConfigError(tuple(walk.problems[:MAX_PROBLEMS]))
    return cast("Record", value)


def build_valid_part(
    document: Document, record: type[Record], stand_in: JsonObject, keep: Keep | None = None
) -> tuple[Record, list[Problem]]:
    """The record of the valid part of a document, and every mistake in the rest.

    A hook with a mistake is replaced by `stand_in`, so that the others keep their places; any other
    mistake is left out. Raise ConfigError if too little is right to go on.
    """
    walk = _Walk(document, keep)
    value = walk.value(document.root, record_type(record), ())
    if not walk.problems:
        return cast("Record", value), []
    rest = document.without(walk.places, stand_in)
    again = _Walk(rest, keep and (lambda _: None))  # the first walk has reported these keys
    value = again.value(rest.root, record_type(record), ())
    if again.problems:
        raise ConfigError(tuple(walk.problems[:MAX_PROBLEMS]))
    return cast("Record", value), walk.problems[:MAX_PROBLEMS]


class _Walk:
    """One pass over one document; mistakes gather, nothing stops at the first."""

    def __init__(self, document: Document, keep: Keep | None) -> None:
        self.problems: Final[list[Problem]] = []
        self.places: Final[list[Path]] = []  # of the problems
        self._document: Final = document
        self._keep: Final = keep

    def value(self, node: Node, expected: inspect.Type, path: Path) -> Any:
        if isinstance(expected, inspect.Metadata):
            return self._described(node, expected, path)
        if isinstance(expected, inspect.AnyType):
            return node.plain()
        if isinstance(expected, inspect.UnionType):
            return self._union(node, expected.types, path)
        if isinstance(expected, inspect.StructType) and "further" in vars(expected.cls):
            return self._tagged(node, [expected], path)
        if not _fits(node, expected):
            return self._unfit(node, [expected], path)
        build = _BUILDERS[type(expected)]
        return build(self, node, expected, path)

    def _described(self, node: Node, expected: inspect.Metadata, path: Path) -> Any:
        """A field may bring its own message for a number that is too large or too small."""
        said, number = expected.extra or {}, expected.type
        if said and isinstance(number, inspect.FloatType) and _fits(node, number):
            value = cast("float", node.value)
            for bound, word in ((number.le, "over"), (number.ge, "under")):
                beyond = bound is not None and (value > bound if word == "over" else value < bound)
                if beyond and word in said:
                    return self.complain(path, f"`{node.text}` {said[word]}")
        return self.value(node, expected.type, path)

    def complain(self, path: Path, message: str) -> Any:
        self.problems.append(self._document.problem(path, message))
        self.places.append(path)
        return _WRONG

    def _unfit(self, node: Node, expected: Sequence[inspect.Type], path: Path) -> Any:
        wanted = " or ".join(_name(kind) for kind in expected)
        return self.complain(path, f"expected {wanted}, found {node.found}; {_cure(node, expected)}")

    def _union(self, node: Node, types: Sequence[inspect.Type], path: Path) -> Any:
        bare = [arm.type if isinstance(arm, inspect.Metadata) else arm for arm in types]
        tagged = [arm for arm in bare if isinstance(arm, inspect.StructType) and arm.tag_field]
        if len(tagged) == len(bare):
            return self._tagged(node, tagged, path)
        for arm in bare:
            if _fits(node, arm):
                return self.value(node, arm, path)
        return self._unfit(node, bare, path)

    def _tagged(self, node: Node, types: Sequence[inspect.StructType], path: Path) -> Any:
        if not isinstance(node.value, dict):
            return self._unfit(node, types[:1], path)
        field = str(types[0].tag_field)
        by_tag = {str(arm.tag): arm for arm in types if not hasattr(arm.cls, "further")}
        tag = node.value.get(field)
        if tag is None:
            further: Any = next((arm.cls for arm in types if hasattr(arm.cls, "further")), None)
            words = [*by_tag, *(further.further_words() if further else ())]
            return self.complain(path, f"the key `{field}` is missing; {hint('', words)}")
        if not isinstance(tag.value, str):
            return self._unfit(tag, [inspect.StrType()], (*path, field))
        if tag.value in by_tag:
            return self.value(node, by_tag[tag.value], path)
        return self._further(node, tag.value, types, path)

    def _further(self, node: Node, tag: str, types: Sequence[inspect.StructType], path: Path) -> Any:
        """Find the record of a tag among those that are only made when a policy names them."""
        opened: Any = next((arm.cls for arm in types if hasattr(arm.cls, "further")), None)
        field, known = str(types[0].tag_field), [str(arm.tag) for arm in types if arm.cls is not opened]
        try:
            record = opened.further(tag) if opened else None
        except InterlockError as error:
            return self.complain((*path, field), str(error))
        if record is not None:
            return self.value(node, record_type(record), path)
        reserved: dict[str, str] = getattr(types[0].cls, "reserved", {})
        cure = reserved.get(tag) or hint(tag, [*known, *(opened.further_words() if opened else ())])
        return self.complain((*path, field), f"unknown {field} `{tag}`; {cure}")

    def struct(self, node: Node, expected: inspect.StructType, path: Path) -> Any:
        pairs = cast("dict[str, Node]", node.value)
        fields = {field.encode_name: field for field in fields_of(expected.cls)}
        known = [*([expected.tag_field] if expected.tag_field else []), *fields]
        noun = getattr(expected.cls, "noun", "key")
        for key in pairs:
            if key not in known and self._is_foreign((*path, key), known):
                continue
            if key not in known and len(self.problems) < MAX_PROBLEMS:
                own_cure = getattr(expected.cls, "cure", None)
                cure = own_cure(key, isinstance(pairs[key].value, list)) if own_cure else None
                cure = cure or _guess_key(key, known, pairs)
                self.complain((*path, key), f"unknown {noun} `{key}`; {cure}")
        values: dict[str, Any] = {}
        for name, field in fields.items():
            if name in pairs:
                values[field.name] = self.value(pairs[name], field.type, (*path, name))
            elif field.required:
                self.complain(path, f"the key `{name}` is missing; add it with {_name(field.type)}")
                values[field.name] = _WRONG
        return _WRONG if _WRONG in values.values() else expected.cls(**values)

    def _is_foreign(self, path: Path, known: Sequence[str]) -> bool:
        """Whether a key is another system's; it is reported, and what is below it is not checked."""
        if self._keep is None or path[0] in _OURS or near_miss(str(path[-1]), known):
            return False
        self._keep(path)
        return True

    def items(self, node: Node, expected: inspect.ListType, path: Path) -> Any:
        children = cast("list[Node]", node.value)
        built = [self.value(child, expected.item_type, (*path, n)) for n, child in enumerate(children)]
        return _WRONG if any(item is _WRONG for item in built) else built

    def pairs(self, node: Node, expected: inspect.DictType, path: Path) -> Any:
        children = cast("dict[str, Node]", node.value)
        built = {key: self.value(item, expected.value_type, (*path, key)) for key, item in children.items()}
        return _WRONG if any(item is _WRONG for item in built.values()) else built

    def word(self, node: Node, expected: inspect.LiteralType | inspect.EnumType, path: Path) -> Any:
        valid = _choices(expected)
        if node.text in valid:
            return valid[node.text]
        return self.complain(path, f"unknown value `{node.text}`; {hint(node.text, valid)}")

    def number(self, node: Node, expected: inspect.IntType | inspect.FloatType, path: Path) -> Any:
        number = cast("int | float", node.value)
        if expected.gt is not None and not number > expected.gt:
            return self.complain(
                path, f"`{node.text}` must be greater than {expected.gt:g}; write a larger number"
            )
        if expected.ge is not None and not number >= expected.ge:
            return self.complain(path, f"`{node.text}` is less than {expected.ge:g}; write a larger number")
        if expected.le is not None and not number <= expected.le:
            return self.complain(path, f"`{node.text}` is more than {expected.le:g}; write a smaller number")
        if expected.lt is not None and not number < expected.lt:
            return self.complain(
                path, f"`{node.text}` must be less than {expected.lt:g}; write a smaller number"
            )
        return float(number) if isinstance(expected, inspect.FloatType) else number

    def text(self, node: Node, expected: inspect.StrType, path: Path) -> Any:
        text = cast("str", node.value)
        if expected.min_length and len(text) < expected.min_length:
            return self.complain(path, "an empty string has no effect; write a value or remove the key")
        return text

    def row(self, node: Node, expected: inspect.VarTupleType, path: Path) -> Any:
        built = self.items(node, inspect.ListType(item_type=expected.item_type), path)
        return built if built is _WRONG else tuple(built)

    def same(self, node: Node, _expected: inspect.Type, _path: Path) -> Any:
        return node.value


_BUILDERS: Final[dict[type[inspect.Type], Callable[..., Any]]] = {
    inspect.StructType: _Walk.struct,
    inspect.ListType: _Walk.items,
    inspect.VarTupleType: _Walk.row,
    inspect.DictType: _Walk.pairs,
    inspect.LiteralType: _Walk.word,
    inspect.EnumType: _Walk.word,
    inspect.IntType: _Walk.number,
    inspect.FloatType: _Walk.number,
    inspect.StrType: _Walk.text,
    inspect.BoolType: _Walk.same,
    inspect.NoneType: _Walk.same,
}

_FITTING: Final[dict[type[inspect.Type], tuple[tuple[type, ...], str]]] = {
    inspect.StructType: ((dict,), "a mapping"),
    inspect.ListType: ((list,), "a list"),
    inspect.VarTupleType: ((list,), "a list"),
    inspect.DictType: ((dict,), "a mapping"),
    inspect.LiteralType: ((str,), "a string"),
    inspect.EnumType: ((str,), "a string"),
    inspect.IntType: ((int,), "a whole number"),
    inspect.FloatType: ((int, float), "a number"),
    inspect.StrType: ((str,), "a string"),
    inspect.BoolType: ((bool,), "true or false"),
    inspect.NoneType: ((type(None),), "nothing"),
}


def _choices(expected: inspect.LiteralType | inspect.EnumType) -> dict[str, Any]:
    """The words that may be written, and what each stands for."""
    members = expected.cls if isinstance(expected, inspect.EnumType) else expected.values
    return {str(getattr(member, "value", member)): member for member in members}


def _guess_key(key: str, known: Sequence[str], written: Container[str]) -> str:
    """The key that was meant, also where it is written already."""
    missing = [word for word in known if word not in written]
    there = [word for word in known if word in written]
    if near_miss(key, there) and not near_miss(key, missing):
        return f"{hint(key, there)} This key is already there; merge the two"
    return hint(key, missing)


def unwritable_field(record: type[msgspec.Struct]) -> str | None:
    """The first field of a record that no document could give a value; None when all are right."""
    return next((field.encode_name for field in fields_of(record) if not _writable(field.type)), None)


def _writable(expected: inspect.Type) -> bool:
    if isinstance(expected, inspect.Metadata):
        return _writable(expected.type)
    if isinstance(expected, inspect.UnionType):
        return all(map(_writable, expected.types))
    if isinstance(expected, inspect.ListType | inspect.VarTupleType):
        return _writable(expected.item_type)
    if isinstance(expected, inspect.DictType):
        return isinstance(expected.key_type, inspect.StrType) and _writable(expected.value_type)
    if isinstance(expected, inspect.StructType):
        return unwritable_field(expected.cls) is None
    return isinstance(expected, inspect.AnyType) or type(expected) in _FITTING


def _fits(node: Node, expected: inspect.Type) -> bool:
    if isinstance(node.value, bool):
        # YAML takes `off` for a truth value; where words are expected it may be one of them.
        return isinstance(expected, inspect.BoolType) or (
            isinstance(expected, inspect.LiteralType) and node.text in expected.values
        )
    return isinstance(node.value, _FITTING[type(expected)][0])


def _name(expected: inspect.Type) -> str:
    if isinstance(expected, inspect.Metadata):
        return _name(expected.type)
    if isinstance(expected, inspect.UnionType):
        return " or ".join(dict.fromkeys(_name(kind) for kind in expected.types))
    if isinstance(expected, inspect.LiteralType | inspect.EnumType):
        return " or ".join(f"`{word}`" for word in _choices(expected))
    return _FITTING[type(expected)][1]


def _cure(node: Node, expected: Sequence[inspect.Type]) -> str:
    if node.value is None:
        return "give the key a value or remove it"
    kinds, is_text = {type(kind) for kind in expected}, isinstance(node.value, str)
    if inspect.StrType in kinds and node.text and not is_text:
        return f'put it in quotes: `"{node.text}"`'
    if kinds & {inspect.IntType, inspect.FloatType} and is_text and _NUMBER.fullmatch(node.text):
        return f"write it without quotes: `{node.text}`"
    if inspect.BoolType in kinds:
        return "write `true` or `false`"
    if inspect.ListType in kinds and is_text:
        return f'write `["{node.text}"]`'
    return "correct the value"
