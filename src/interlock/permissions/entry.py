"""What one policy file says about one actor."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.events.hook import Pattern


class ActorEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The lists of one actor, or of every actor whose name fits a pattern such as `agent:*`."""

    actor: str
    allow: tuple[Pattern, ...] | None = None  # None: no list was written, the deny list alone judges
    deny: tuple[Pattern, ...] = ()
    guidance: Mapping[str, str] = {}  # pattern text, or `*` for every denial, to advice for the agent
