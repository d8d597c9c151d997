"""Values as JSON, for scripts."""

from __future__ import annotations

import json

import msgspec
import typer


def print_json(value: object) -> None:
    """Print one line of JSON, in ASCII: safe on any terminal, and a path that is not text passes too."""
    typer.echo(_encoded(value))


def _encoded(value: object) -> str:
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, from a path or an argument that is not UTF-8
        encoded = None
    if encoded is not None and encoded.isascii():
        return encoded.decode()
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))
