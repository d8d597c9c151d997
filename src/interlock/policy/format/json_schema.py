"""The JSON Schemas of both formats, for editors; they come from the same records that validation uses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.policy.extensions import genesis_key
from interlock.policy.format.entry import HooksToml
from interlock.policy.format.genesis_key import GenesisKey
from interlock.policy.format.kind_entry import KindEntry, entry_record
from interlock.policy.hook_kinds import added_kinds, own_kinds

FOLDER: Final = Path(__file__).parent / "schemas"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TEMPLATE: Final = "#/$defs/{name}"


def genesis_schema(plugins: Sequence[str] = ()) -> dict[str, Any]:
    """The schema of `genesis.key`, with our hooks and those of these plugins."""
    kinds = (*own_kinds(), *added_kinds(), *plugins)
    records = [record for record in map(entry_record, kinds) if record is not None]
    return _opened(_schema(genesis_key(), "genesis.key", *records), kinds)


def hooks_schema() -> dict[str, Any]:
    """The schema of `hooks.toml`."""
    return _schema(HooksToml, "hooks.toml")


def schema_files() -> dict[Path, str]:
    """The files shipped with the package, and what must stand in them."""
    schemas = {"genesis.schema.json": genesis_schema(), "hooks.schema.json": hooks_schema()}
    return {
        FOLDER / name: msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"
        for name, schema in schemas.items()
    }


def _schema(record: type[msgspec.Struct], title: str, *more: type[msgspec.Struct]) -> dict[str, Any]:
    (schema, *_), definitions = msgspec.json.schema_components([record, *more], ref_template=_TEMPLATE)
    schema["$defs"] = definitions
    for definition in definitions.values():
        # One of two handlers: the records leave that to the compiler, editors should know it too.
        if {"shell", "webhook"} <= definition.get("properties", {}).keys():
            definition["oneOf"] = [{"required": ["shell"]}, {"required": ["webhook"]}]
    return {"$schema": _DIALECT, "title": title, **schema}


def _opened(schema: dict[str, Any], kinds: Sequence[str]) -> dict[str, Any]:
    """Put the records of all kinds in the place of the record that represents them."""
    definitions = schema["$defs"]
    named = {
        kind: _TEMPLATE.format(name=name)
        for name, definition in definitions.items()
        for kind in definition.get("properties", {}).get("type", {}).get("enum", ())
        if kind in kinds
    }
    events = definitions[GenesisKey.__name__]["properties"]["hooks"]["additionalProperties"]
    events["items"] = {
        "anyOf": [{"$ref": named[kind]} for kind in kinds],
        "discriminator": {"propertyName": "type", "mapping": named},
    }
    del definitions[KindEntry.__name__]
    return schema


if __name__ == "__main__":
    for file, text in schema_files().items():
        file.write_text(text, encoding="utf-8")
