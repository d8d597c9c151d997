"""The notice that a hook has run, for whoever watches an agent's loop."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.events.decision import Decision
from interlock.events.verdict import Outcome


class HookExecuted(msgspec.Struct, frozen=True, kw_only=True):
    """One hook ran at one moment."""

    hook_type: str  # the event
    hook_name: str  # the hook's own name, not the tool's


def executed(event_name: str, decision: Decision) -> Iterator[HookExecuted]:
    """One notice per hook that really ran: not for those skipped, and once for one that judged again."""
    seen = set()
    for row in decision.trace:
        which = (row.hook, row.source, row.matcher)
        if row.outcome is Outcome.SKIPPED or (row.rejudged and which in seen):
            continue
        seen.add(which)
        yield HookExecuted(hook_type=event_name, hook_name=row.hook)
