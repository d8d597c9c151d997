"""The shape of `hooks.toml`, written once: validation, records and JSON Schema all come from here."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.policy.format.entry import EVENT_SPELLINGS, Entry, Text, WebhookConfig


class ShellConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to run, and how to talk to it."""

    command: Text
    pass_context: Annotated[bool, Meta(description="The event as JSON on standard input.")] = False
    parse_result: Annotated[bool, Meta(description="Read an answer from standard output.")] = False


class TomlHook(Entry, frozen=True, kw_only=True):
    """One `[[hooks]]` entry, with exactly one of `[hooks.shell]` and `[hooks.webhook]`."""

    event: Annotated[Text, Meta(extra_json_schema={"enum": list(EVENT_SPELLINGS)})]
    tool_matcher: (
        Annotated[str, Meta(description="A tool's name, or the start of one with `*`.")] | UnsetType
    ) = UNSET
    shell: ShellConfig | UnsetType = UNSET
    webhook: WebhookConfig | UnsetType = UNSET


class HooksToml(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hooks in the order they are written."""

    hooks: list[TomlHook] = []
