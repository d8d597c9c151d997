"""`work`: keeps the state of work across context windows, and blocks calls that nobody logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import msgspec

from interlock.events.hook import CallView, Handler, Matcher, OnFailure, Pattern
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.features.work.requests import REQUESTS
from interlock.features.work.service import WorkService
from interlock.policy.hook_kind import BuildContext, Builtin

EVENTS: Final = (*map(EventName, REQUESTS), EventName.STOP_FAILURE)


class WorkOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No options: `settings.work` applies to all entries."""


@final
class WorkHook(Rule):
    """Asks the daemon's service; without one, as in a Python agent's own engine, it has no opinion."""

    kind: Final = "work"

    def __init__(self, event: EventName, service: WorkService | None) -> None:
        self._event: Final = event
        self._service: Final = service
        self.judges = event is EventName.PRE_TOOL_USE

    def fingerprint(self) -> Any:
        """The event: two entries for the same event are one."""
        return str(self._event)

    def concerned(self, matcher: Matcher) -> Matcher:
        """The matcher, limited to events where there is something to do."""
        return _WorkMatcher(self._event, self._service, matcher)

    def run(self, view: CallView, seconds: float) -> Verdict:
        if self._service is None or view.event.name != self._event:
            return NO_OPINION
        return self._service.handle(view)


@final
class _WorkMatcher:
    """Most calls are made in sessions without an effort; those only cost a look at memory."""

    by_patterns_alone: Final = False

    def __init__(self, event: EventName, service: WorkService | None, inner: Matcher) -> None:
        self._event: Final = str(event)
        self._service: Final = service
        self._inner: Final = inner
        self._all: Final = not inner.needs_tool and not inner.patterns
        self.text: Final = inner.text
        self.needs_tool: Final = inner.needs_tool
        self.patterns: Final[Sequence[Pattern]] = inner.patterns

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        """Whether the service has anything to do at this event."""
        event, service = view.event, self._service
        if service is None or event.name != self._event or not service.concerns(event):
            return False
        return self._all or self._inner.fires(view, every_part=every_part)


def _make(_options: WorkOptions, context: BuildContext) -> Handler:
    # In a trial it would count calls without telling the agent; so it does nothing.
    return WorkHook(context.event, None if context.trial else context.services.find(WorkService))


def _concerned(handler: Handler, matcher: Matcher) -> Matcher:
    return handler.concerned(matcher) if isinstance(handler, WorkHook) else matcher


BUILTIN: Final = Builtin(
    kind="work",
    about="Tracks sessions, efforts and agents: regular log entries, a way back after a full context.",
    options=WorkOptions,
    make=_make,
    events=EVENTS,
    on_failure=OnFailure.OPEN,
    narrow=_concerned,
    tightens=True,
)
