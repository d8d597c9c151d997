"""Which version of the client reported an event; it says so only in the environment of its hooks."""

from __future__ import annotations

import re
from typing import Final

from interlock.events.event import Event

_NAMED: Final = re.compile(r"claude-code_(\d+)-(\d+)-(\d+)(?:_|$)")


def client_version(event: Event) -> str | None:
    """`2.1.197` out of `claude-code_2-1-197_harness`, or None."""
    said = event.extra.get("ai_agent")
    found = _NAMED.match(said) if isinstance(said, str) else None
    return ".".join(found.groups()) if found else None
