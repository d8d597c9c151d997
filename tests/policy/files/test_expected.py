"""What a record expects is told one record at a time, and is what msgspec tells at once."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import inspect

from interlock.features.policy_tests.run import TestFile as CasesFile
from interlock.features.receipts.settings import ToolPolicyFile
from interlock.policy.extensions import genesis_key
from interlock.policy.files.validate import fields_of, record_type
from interlock.policy.format.entry import HooksToml


def told(found: Any, fields: Any, above: tuple[Any, ...] = ()) -> Any:
    """A type as plain values, with the fields of every record in it; a record within itself by its name."""
    if isinstance(found, inspect.Metadata):
        inner = told(found.type, fields, above)
        return ("described", inner, found.extra) if found.extra else inner
    if isinstance(found, inspect.StructType):
        if found.cls in above:
            return found.cls
        inside = {
            field.encode_name: (field.name, field.required, told(field.type, fields, (*above, found.cls)))
            for field in fields(found)
        }
        return (found.cls, found.tag_field, found.tag, inside)
    if isinstance(found, inspect.Type):
        parts = {name: told(getattr(found, name), fields, above) for name in found.__struct_fields__}
        return (type(found), parts)
    return tuple(told(one, fields, above) for one in found) if isinstance(found, tuple) else found


@pytest.mark.parametrize("record", [genesis_key(), HooksToml, ToolPolicyFile, CasesFile])
def test_every_record_expects_what_msgspec_says(record: type[msgspec.Struct]) -> None:
    """Whoever follows the fields down to the last record has seen the whole type."""
    whole = told(inspect.type_info(record), lambda found: found.fields)

    assert told(record_type(record), lambda found: fields_of(found.cls)) == whole


def test_a_record_is_known_by_its_tag_before_its_fields_are_looked_at() -> None:
    """A union of tagged records is told apart without looking into any of them."""

    class Odd(msgspec.Struct, tag_field="type", tag="odd"):
        value: NotDefinedAnywhere  # type: ignore[name-defined]  # noqa: F821 - looking at it would fail

    assert record_type(Odd).tag == "odd"
    with pytest.raises(NameError):
        fields_of(Odd)
