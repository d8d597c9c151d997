"""What every hook of a genesis key may say, whichever type it has."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.policy.format.entry import Entry, Text


class ExampleCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call written out, to test a matcher with."""

    tool: Text
    input: dict[str, Any] | UnsetType = UNSET
    args: Annotated[str, Meta(description="The tool's main argument.")] | UnsetType = UNSET


class Examples(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls the matcher must and must not match; checked whenever the file is loaded."""

    match: list[str | ExampleCall] = []
    no_match: list[str | ExampleCall] = []


class HookEntry(Entry, frozen=True, kw_only=True, tag_field="type"):
    """One hook of a genesis key."""

    matcher: Annotated[
        str | list[Text],
        Meta(description="`*`, `Tool`, `A|B`, `Name*`, `Tool(glob)` or `/regex/`; a list: any of them."),
    ] = "*"
    examples: Examples = Examples()

    reserved: ClassVar = {"function": "a function is registered in Python code, not in a policy file"}
