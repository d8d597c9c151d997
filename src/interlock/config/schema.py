"""The JSON Schemas of both formats, for editors; they come from the same records that validation uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.config.genesis import GenesisKey
from interlock.config.hookstoml import HooksToml

FOLDER: Final = Path(__file__).parent / "schemas"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def genesis_schema() -> dict[str, Any]:
    """The schema of `genesis.key`."""
    return _schema(GenesisKey, "genesis.key")


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


def _schema(record: type[msgspec.Struct], title: str) -> dict[str, Any]:
    schema = msgspec.json.schema(record)
    for definition in schema["$defs"].values():
        # One of two handlers: the records leave that to the compiler, editors should know it too.
        if {"shell", "webhook"} <= definition.get("properties", {}).keys():
            definition["oneOf"] = [{"required": ["shell"]}, {"required": ["webhook"]}]
    return {"$schema": _DIALECT, "title": title, **schema}


if __name__ == "__main__":
    for file, text in schema_files().items():
        file.write_text(text, encoding="utf-8")
