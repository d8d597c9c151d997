"""A session that a person has cancelled makes no more calls, whatever the policy says."""

from __future__ import annotations

from typing import Any, Final, Protocol, final

from interlock.events.hook import CallView, Hook
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.source import Layer, Source
from interlock.events.verdict import NO_OPINION, Verdict, deny

NAME: Final = "interlock/cancellation"
_SECONDS: Final = 10.0


class Cancellations(Protocol):
    """What people have cancelled, as whoever runs the hooks knows it."""

    def objection(self, session_id: str) -> str | None:
        """Why a session may make no more calls, None when it may."""


@final
class Cancelled(Rule):
    """Denies every call of a cancelled session; its own matcher, so that it is silent otherwise."""

    kind: Final = "cancellation"
    text: Final = "*"
    needs_tool: Final = True
    by_patterns_alone: Final = False

    def __init__(self, cancellations: Cancellations) -> None:
        self._cancellations: Final = cancellations

    def fingerprint(self) -> Any:
        return self.kind

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        return self._cancellations.objection(view.event.session_id) is not None

    def run(self, view: CallView, seconds: float) -> Verdict:
        reason = self._cancellations.objection(view.event.session_id)
        return NO_OPINION if reason is None else deny(reason)


def cancellation(cancellations: Cancellations) -> Hook:
    """The hook that stands second in every policy a daemon loads."""
    rule = Cancelled(cancellations)
    return Hook(
        name=NAME,
        events=(EventName.PRE_TOOL_USE,),
        handler=rule,
        matcher=rule,
        timeout=_SECONDS,
        quiet=True,
        source=Source(layer=Layer.MANAGED, file="<built in>"),
    )
