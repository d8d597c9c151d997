"""Texts that wait for the model and are given to it once, after its next tool call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

KEY: Final = "pendingInjections"  # where an effort's metadata has them
LONGEST: Final = 16 * 1024  # characters of all of them together
MOST: Final = 50


class Injection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One text, and the rule it comes from."""

    rule_id: str
    content: str


def read_injections(value: Any) -> tuple[Injection, ...]:
    """The injections in a stored list; what is none is passed over."""
    listed = value[:MOST] if isinstance(value, list | tuple) else ()
    return tuple(
        Injection(rule_id=one["ruleId"], content=one["content"])
        for one in listed
        if isinstance(one, Mapping)
        and isinstance(one.get("ruleId"), str)
        and isinstance(one.get("content"), str)
    )


def taken(metadata: Mapping[str, Any]) -> tuple[tuple[Injection, ...], dict[str, Any]]:
    """What waits in an effort's metadata, and the metadata without it; every other key stays."""
    rest = {key: value for key, value in metadata.items() if key != KEY}
    return read_injections(metadata.get(KEY)), rest


def injected(injections: tuple[Injection, ...]) -> str:
    """The text for the model."""
    text = "\n\n".join(f"[Directive: {one.rule_id}]\n{one.content}" for one in injections)
    return (
        text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} characters left out"
    )


def as_documents(injections: tuple[Injection, ...]) -> list[dict[str, Any]]:
    """The injections as they are kept."""
    return [{"ruleId": one.rule_id, "content": one.content} for one in injections]
